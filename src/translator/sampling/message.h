// One description of a texture operation. It is made once from an instruction, and both the translator and the
// reference read it. A message names where each parameter comes from (a source operand and a component of it, after its
// swizzle); it has no values.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "tgsi/program/program.h"

namespace tgsi2spv::sampling {

enum class Class : uint8_t {
    Tld4,      ///< gather four texels: TG4, GATHER4 (the TLD4 page)
    Sample3D,  ///< filtered sampling and LOD: TEX, SAMPLE, … (the 3D_SAMPLE page)
    Fetch,     ///< unfiltered texels by integer coordinate: TXF, TXF_LZ, SAMPLE_I, SAMPLE_I_MS
    Query,     ///< sizes, levels, samples, sample positions: TXQ, TXQS, SVIEWINFO, SAMPLE_POS, SAMPLE_INFO
};

/// The ops of the 3D_SAMPLE page.
enum class SampleOp : uint8_t {
    sample,
    sample_b,
    sample_l,
    sample_c,
    sample_d,
    sample_b_c,
    sample_l_c,
    LOD,
    sample_d_c,
    sample_lz,
    sample_c_lz,
};

enum class QueryOp : uint8_t { Size, Samples, ViewInfo, SamplePosition, SampleInfo };

/// Offsets of a TLD4: none, one for the whole footprint (.AOFFI), or four, one per texel (.PTP). Other classes use None
/// or Aoffi.
enum class Offsets : uint8_t { None, Aoffi, Ptp };

/// The form of a result's words (3D_SAMPLE: Dst is HF, F, W, UW, D or UD). Word: as the view returns them, 32 bits
/// each. The others are extended to a word: Half is a half in the low 16 bits (the high bits are 0); Int16 and Uint16
/// are the low 16 bits of an integer, extended with the sign or with zeros.
enum class ResultType : uint8_t { Word, Half, Int16, Uint16 };

enum class Dim : uint8_t { Buffer, D1, D2, D3, Cube };

/// The sampled surface. `shadow`: a comparison target (the texture holds depth).
struct Surface {
    Dim dim = Dim::D2;
    bool array = false;
    bool shadow = false;
    bool ms = false;
    bool rect = false;      ///< coordinates in texels; dim is D2
    uint8_t coords = 2;     ///< spatial coordinate components (cubes 3)
    uint8_t gradients = 2;  ///< components of a derivative (cubes 3)
    uint8_t offsets = 2;    ///< components of an offset (0 for cubes, buffers)
    bool operator==(const Surface&) const = default;
};
Surface surface(tgsi::Target target);

/// Component `component` of source operand `source` (after the swizzle, with modifiers applied); absent: not used.
struct Param {
    uint8_t source = 0xff;
    uint8_t component = 0;
    bool present() const { return source != 0xff; }
    bool operator==(const Param&) const = default;
};

struct Message {
    Class cls = Class::Sample3D;
    SampleOp sample = SampleOp::sample;  ///< Sample3D
    QueryOp query = QueryOp::Size;       ///< Query
    Surface surface;

    uint8_t texture_source = 0;     ///< index of the SAMP or SVIEW operand among the instruction's sources
    uint8_t sampler_source = 0xff;  ///< SAMPLE family: the SAMP operand; TEX family: the same as texture_source
    bool separate = false;          ///< SAMPLE family: view and sampler are different operands
    bool bindless = false;          ///< the texture operand is a register with a handle (Tld4 `.B`)
    bool render_target = false;     ///< SAMPLE_POS, SAMPLE_INFO of a TEMP: the render target, no texture operand

    Param coord[3];  ///< U V R (s t r); Fetch: integers; `surface.coords` of them (Fetch of a cube: 2)
    Param layer;  ///< AI; float, rounded to nearest even and clamped; Fetch: integer (cubes: face, or layer * 6 + face)
    Param reference;  ///< dref
    Param divisor;    ///< TXP: coordinates and reference are divided by it
    Param lod;   ///< sample_l: float level; Fetch, Query Size and ViewInfo: integer level (BUFFER and MSAA have level 0
                 ///< alone)
    Param bias;  ///< sample_b (outside FRAG the implicit level is 0, so the op is sample_l and `lod` is the bias)
    Param ddx[3];  ///< sample_d
    Param ddy[3];
    Param sample_index;               ///< Fetch of MSAA, Query SamplePosition
    Param component;                  ///< Tld4: the register that names the component, if it is not immediate (0..3)
    int8_t immediate_component = -1;  ///< Tld4: 0..3 if known from the text; -1: see `component`

    Offsets offsets = Offsets::None;  ///< the operands are the instruction's offsets, in order
    /// The offset operands are immediates; their values are in `immediate_offsets` ([i][axis]).
    bool offsets_are_immediate = false;
    int32_t immediate_offsets[4][3] = {};

    bool lod_is_zero = false;       ///< sample_lz, sample_c_lz, TXF_LZ, Tld4, LOD outside FRAG: level 0, no derivative
    bool zero_outside = false;      ///< Fetch: all four components of a texel outside are 0 (otherwise alpha is 1)
    uint8_t channel_mask = 0xf;     ///< 3D_SAMPLE channels / TLD4 write mask (results TGSI asks for; never empty there)
    uint8_t result_swizzle = 0xe4;  ///< SAMPLE family: the swizzle of the SVIEW operand, applied to the result
    bool swizzle_before_component = false;  ///< GATHER4

    // Modifiers that no TGSI opcode reaches; the library and the sampling matrix set them.
    /// Tld4 Ps, 3D_SAMPLE pixel null mask: component x of destination 1 becomes ~0 or 0 (residency() says which).
    bool sparse = false;
    bool non_uniform = false;          ///< 3D_SAMPLE bit 7, `.divS`: the sampler may differ between lanes
    bool non_uniform_surface = false;  ///< the texture may differ (`.divS` is printed twice for SAMPLE_3d)
    bool cps_compensation = false;     ///< 3D_SAMPLE bit 6
    bool half_parameters = false;      ///< every float parameter is a half in the low 16 bits of its word
    ResultType result = ResultType::Word;
    /// Only Tld4 has these: registers that hold offsets as the page packs them, u[5:0] v[13:8] w[21:16], or s0 t0 s1 t1
    /// and s2 t2 s3 t3 (the last in [29:24]). They replace `immediate_offsets` and offset operands.
    Param packed_offsets[2];
    Param
        handle;  ///< Tld4 `.B` by itself: samplerPtr[31:20] | headerPtr[19:0], indices into the texture operand's pool

    bool operator==(const Message&) const = default;
};

/// Why an instruction is not a legal message. Refusals refer to the document and name the allowed forms.
struct Refusal {
    std::string reason;
    uint32_t position = 0;
};

/// The contents of SVIEW and RES declarations, gathered once per program: the SAMPLE family does not name a target
/// itself.
struct Views {
    Views() = default;
    explicit Views(std::pmr::memory_resource* memory) : entries(memory), arrays(memory) {}

    struct Entry {
        tgsi::File file{};
        int32_t index = 0;
        tgsi::Target target{};
        uint32_t order = 0;  ///< number in the text's order
    };
    /// A declaration of SVIEW, RES or SAMP with an array id.
    struct Array {
        tgsi::File file{};
        uint16_t id = 0;
        int32_t first = 0;
    };
    std::pmr::vector<Entry> entries;  ///< the last declaration of each (by its first index), sorted by file and index
    std::pmr::vector<Array> arrays;   ///< arrays sorted by file and id
    /// The target of the register, or of the nearest register declared below it (the array that it belongs to); None if
    /// there is none.
    tgsi::Target target(tgsi::File file, int32_t index) const;
    /// The target of the register that a texture operand names in `file` (SVIEW for a SAMP of the same number): that of
    /// its array id; else that of the register at Operand::index; else, for an index that only a run knows, the first
    /// one of the file.
    tgsi::Target target(const tgsi::Operand& operand, tgsi::File file) const;
};
/// Overwrites `views`, reusing its memory. Takes time n log n in the declarations.
void gather_views(const tgsi::Program& program, Views& views);

/// Returns the message of a texture instruction, or why there is none. The program must have been checked.
/// Program::stage decides the meaning of an implicit level (outside FRAG: level 0; the op becomes sample_lz, …).
std::optional<Message> message_of(const tgsi::Program& program, const Views& views,
                                  const tgsi::Instruction& instruction, Refusal& refusal);
/// The same for callers that have a single instruction: gathers the views each time.
std::optional<Message> message_of(const tgsi::Program& program, const tgsi::Instruction& instruction, Refusal& refusal);

/// Why the two pages (and Vulkan) do not allow a message, or an empty string. message_of calls this last; code that
/// sets fields or modifiers by hand calls it too.
std::string why_illegal(const Message& message);

/// The x of destination 1 of a sparse message if every texel was resident. Tld4: 0, because Ps reports a page that is
/// not mapped. The others: ~0, because the mask is 1 except for texels of a null page.
constexpr uint32_t all_resident(const Message& message) {
    return message.cls == Class::Tld4 ? 0u : 0xffff'ffffu;
}

/// Assigns registers to the parameters of a message without an instruction, in the order of its page. Tld4: Ra (a, s,
/// t, r) is source 0 and Rb (handle, offsets, offsets, reference) is source 1, each packed to the front. 3D_SAMPLE:
/// parameter k of the table is component k mod 4 of source k / 4. Parameters after the first `given` are absent and
/// read as 0. `packed`: offsets of a Tld4 come from registers. Reads class, op, surface and `bindless`; overwrites the
/// Params and `lod_is_zero`.
void place_parameters(Message& message, bool packed = false, int given = 15);
/// The number of sources that hold parameters: one more than the highest source that a Param names.
int parameter_sources(const Message& message);

/// Prints the message in its document's notation: `TLD4.R.AOFFI.DC …`, `sample_l_c u, v, ref, lod`.
std::string print(const Message& message);

}  // namespace tgsi2spv::sampling
