// The judge: executes a Program on the CPU and computes the words that Vulkan permits for each output component. It is
// written from the documents (docs of TGSI, the two texture pages, the decided edge cases, Vulkan's precision table),
// never from the translator.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/numbers/output.h"
#include "reference/numbers/value.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"
#include "tgsi/resource_numbers.h"

namespace tgsi2spv::reference {

using Vec4 = std::array<uint32_t, 4>;

enum class Wrap : uint8_t {
    Repeat,
    ClampToEdge,
    ClampToBorder,
    MirrorRepeat,
    MirrorClampToEdge,
    Clamp,  ///< GL_CLAMP with linear filters; Vulkan has none
    MirrorClamp,
    MirrorClampToBorder
};
enum class Filter : uint8_t { Nearest, Linear };
enum class MipFilter : uint8_t { None, Nearest, Linear };
enum class Compare : uint8_t { Never, Less, Equal, LEqual, Greater, NotEqual, GEqual, Always, None };

struct SamplerState {
    Wrap wrap[3] = {Wrap::Repeat, Wrap::Repeat, Wrap::Repeat};  ///< s t r
    Filter min_filter = Filter::Nearest;
    Filter mag_filter = Filter::Nearest;
    MipFilter mip_filter = MipFilter::None;
    Compare compare = Compare::None;  ///< None: no comparison mode (the JSON field is absent)
    float lod_bias = 0, min_lod = 0, max_lod = 1000;
    float max_anisotropy = 1;
    /// Numbers. Where a view is of integers, they are integers (border.h).
    std::array<float, 4> border_color{};
    bool unnormalized = false;
};

/// A texture or storage image. Texels have the components of the format itself (depth, A, L, I: one; LA: two), each
/// widened to 32 bits: floats for float, normalised and depth formats, integers for integer formats. The levels are in
/// order; each is stored row by row, slice or layer by slice; cubes have 6 layers each.
struct Texture {
    tgsi::Target target{};
    uint16_t format = 0;  ///< tgsi/formats.h
    uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1, samples = 1;
    std::vector<std::vector<uint32_t>> data;
};

struct View {
    uint32_t texture = 0;
    std::array<uint8_t, 4> swizzle{0, 1, 2, 3};  ///< 0..3 x..w, 4 zero, 5 one
};

/// (vertex, register); vertex 0 if the stage has one vertex per lane.
using RegisterKey = std::pair<int32_t, int32_t>;

/// The change of an interpolated input around the lane's place: x and y pixels from there it is
/// (value + x · along_x + y · along_y) / (1 + x · weight_x + y · weight_y).
struct Slope {
    std::array<double, 4> along_x{}, along_y{};
    double weight_x = 0, weight_y = 0;
};

/// The contents of a lane and its surroundings. Absent entries are zero.
struct Inputs {
    uint32_t lanes = 1;  ///< FRAG: quads (x,y) (x+1,y) (x,y+1) (x+1,y+1); a multiple of 4 after padding
    std::map<RegisterKey, std::vector<Vec4>> inputs;
    std::map<int32_t, std::vector<Slope>> slopes;        ///< FRAG, by IN register, for INTERP_OFFSET; absent: not known
    std::map<int32_t, std::vector<Vec4>> system_values;  ///< values of SV registers; absent: computed by the engine
    std::map<uint32_t, std::vector<uint32_t>> constants;
    std::map<uint32_t, std::vector<uint32_t>> buffers;
    std::map<uint32_t, std::vector<uint32_t>> hwatomics;
    std::map<uint32_t, Texture> textures;
    std::map<uint32_t, View> views;
    std::map<uint32_t, SamplerState> samplers;
    std::map<uint32_t, Texture> images;
    uint32_t shared_words = 4096, private_words = 2048;  ///< size of each MEMORY register
    std::array<uint32_t, 3> grid{1, 1, 1};
    uint32_t patches = 0;
    uint32_t base_vertex = 0, base_instance = 0;  ///< VERT: where the draw begins; it has no indices
    uint32_t framebuffer_width = 64, framebuffer_height = 64;
    /// By COLOR semantic index: the pixels that FBFETCH reads, four words each, row by row from the top. Absent words
    /// are zero.
    std::map<uint32_t, std::vector<uint32_t>> framebuffer_colors;
};

/// The length of the arrays of descriptors that handles select from: up to the last texture and image. The handle of an
/// image beyond them reads 0 and stores nothing; one of no image within them guarantees nothing.
uint32_t handles_of(const Inputs& inputs);

/// The promises of the module under judgement, and the device's properties.
struct Options {
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    bool exact = true;                   ///< NoContraction everywhere (the module was converted with `exact`)
    bool preserves_nan_inf_zero = true;  ///< SignedZeroInfNanPreserve 32 is in force
    /// Functions (GLSL.std.450: roots, exponentials, SIN, FLR, …) give NaN for NaN too, and RSQ takes +inf. SPIR-V's
    /// SignedZeroInfNanPreserve forbids every floating-point instruction to assume that operands are not NaN or
    /// infinite. Vulkan holds devices only to a list of core instructions, so code that judges a device sets false.
    bool functions_keep_nan = true;
    bool round_to_even = true;              ///< RoundingModeRTE 32 is in force
    bool preserves_nan_inf_zero_64 = true;  ///< SignedZeroInfNanPreserve 64 is in force
    bool round_to_even_64 = true;           ///< RoundingModeRTE 64 is in force
    /// Vulkan says only that doubles are at least as precise as floats. False: the ULPs in the table are those of the
    /// type (its conformance tests hold devices to that). True: to the letter, so the errors of DDIV, DRCP, DSQRT and
    /// DRSQ are in ULPs of a float.
    bool doubles_as_single = false;
    bool fast_values = false;  ///< words only, no bounds (tgsi-run without --bounds may use it)
    /// subTexelPrecisionBits and mipmapPrecisionBits of the device; 4 is the least that Vulkan allows for both.
    uint32_t sub_texel_bits = 4;
    uint32_t mipmap_bits = 4;
    /// Filters may round: the weight of a texel, which is the product of those of its axes and level, to
    /// sub_texel_bits; the colours of 16-bit floats to such floats, and those of sRGB to eight bits of the largest
    /// texel. NVIDIA's do. Vulkan ("Texel Filtering") has formulas and gives them no precision, so code that judges a
    /// device sets true.
    bool rounding_filters = false;
    /// maxSamplerLodBias of the device. 0: not known, so any limit from 2 up; 2 is the least that Vulkan allows.
    float max_sampler_lod_bias = 0;
    /// borderColorSwizzleFromImage is enabled. False: opaque black and custom borders through a view's swizzle are
    /// undefined (Vulkan, "Instruction/Sampler/Image View Validation").
    bool border_swizzle_from_image = false;
    /// The view's swizzle acts on the result (r, r, r, 1) of a comparison. False: on that or on the texel, as the
    /// device likes.
    bool swizzled_comparisons = false;
    /// CONST by an index is checked by the device alone (robustBufferAccess2): beyond the declared registers it reads
    /// the buffer's own words, and 0 beyond these.
    bool constants_as_bound = false;
    /// MAX and DMAX of two numbers that flush to −0 may give the smaller one: a bug, for the devices that have it.
    bool tiny_maxima_are_minima = false;
    /// DROUND of a number in the middle of two integers may give the one nearer to zero: as above.
    bool middles_round_to_zero = false;
    /// SIN, COS and SCS take whole turns off by a product with 1 / 2 pi, not as lowering does.
    bool angles_by_device = false;
    /// COMP: not 0 if every subgroup is known to have this many (up to 64) consecutive invocations of a work group.
    /// Vulkan promises this for no device: set it only if you know the device at hand and check that it holds.
    uint32_t subgroup_size = 0;
    /// The module's budget of turns of loops and calls of subroutines, per invocation (semantics, Flow); 0: none.
    uint32_t max_iterations = 0;
    uint64_t max_steps = 4'000'000;  ///< instructions per lane; beyond that, writes are unknown
    /// It is an error instead if a lane reaches max_steps, or if all lanes together reach this many instructions (a
    /// texture instruction counts as 64): a program that does not end has no answer. 0: no error.
    uint64_t most_instructions = 0;
    /// For callers who use no result of as many instructions over all lanes (Result::instructions): there the run
    /// stops, and writes are unknown. 0: it goes on.
    uint64_t most_useful = 0;
};

/// Whether the program has anything that could keep it from ending. CAL alone cannot: the checker refuses recursion.
bool may_be_endless(const tgsi::Program& program);

/// For Options::most_instructions where a person waits for the answer: a few seconds. A shader that does not end must
/// say so before anyone takes its unknown words for an answer or loses patience.
inline uint64_t patience_for(uint32_t lanes) {
    return (uint64_t{1} << 26) + uint64_t{lanes} * 1024;
}

/// A vertex that GEOM emitted: the OUT registers at that moment, those with a component of its stream.
struct Emitted {
    uint8_t stream = 0;
    uint32_t primitive = 0;  ///< number of earlier ENDPRIM (with a vertex) in its stream and lane
    std::map<int32_t, Components> outputs;
};

struct Result {
    std::string error;  ///< why nothing was executed (an opcode or stage that this judge lacks); empty: it was
    uint32_t error_position = 0;
    bool endless = false;  ///< the error is that it does not end: Options::most_instructions
    /// By OUT register, per lane; TESS_CTRL: PATCH registers, per patch. GEOM has `emitted` instead.
    std::map<int32_t, OutputLanes> outputs;
    std::map<RegisterKey, OutputLanes> vertex_outputs;  ///< TESS_CTRL: OUT[v][i], per patch
    /// GEOM, per lane: the vertices of its invocations, one invocation after another (INVOCATIONID 0 first). Each
    /// invocation starts its own primitives, so `primitive` rises from one invocation to the next.
    std::vector<std::vector<Emitted>> emitted;
    std::vector<bool> emitted_unknown;  ///< GEOM: the lane's vertices cannot be determined
    /// Components of OUT that some instruction writes; the others are undefined, not just unknown.
    std::map<int32_t, uint8_t> written;
    std::vector<bool> killed;          ///< FRAG
    std::vector<bool> killed_unknown;  ///< FRAG: whether it was killed cannot be known
    std::map<uint32_t, std::vector<Component>> buffers;
    std::map<uint32_t, std::vector<Component>> hwatomics;
    /// By IMAGE register and level; one entry for each component of the format, as in Texture.
    std::map<uint32_t, std::vector<std::vector<Component>>> images;
    uint64_t instructions = 0;  ///< executed, over all lanes
};

/// Executes a checked Program. Unknown is always an allowed result where the documents leave freedom; a wrong bound
/// never is.
Result run(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
           const Options& options);

/// Says that and why the reference cannot run the shader, with the place: `name:line:column: …`. `text` is the
/// shader's.
std::string refusal(const Result& result, std::string_view name, std::string_view text);

}  // namespace tgsi2spv::reference
