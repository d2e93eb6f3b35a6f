// The SSA module as flat data: dense ids, one array of instructions per function, no pointers, no use lists.
// instructions.def lists every instruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "ir/name.h"
#include "ir/type.h"

namespace tgsi2spv::ir {

enum class Op : uint8_t {
#define IR_OP(name, operands, result, traits, doc) name,
#include "ir/instructions.def"
#undef IR_OP
};

enum class AtomicOp : uint8_t { IAdd, SMin, SMax, UMin, UMax, And, Or, Xor, Exchange, CompareExchange, FAdd };

/// Constants have the top bit set: Module::constant(). Other ids are the index of the defining
/// instruction in Function::instructions.
using Value = uint32_t;
inline constexpr Value kConstantBit = 0x8000'0000u;
inline constexpr Value kNone = 0xffff'ffffu;
constexpr bool is_constant(Value v) {
    return v >= kConstantBit && v < kNone;
}

using BlockId = uint32_t;

/// A constant of any type; deduplicated by type and bits. 64-bit components use two words, low first; bools 0 or 1.
struct Constant {
    Type type{};
    /// Specialization constant with this id; -1: none. (Scalars only.)
    int32_t spec_id = -1;
    std::array<uint32_t, 8> words{};
    bool operator==(const Constant&) const = default;
};

struct Instruction {
    Op op{};
    Type type;             ///< type of the result; void for none
    bool precise = false;  ///< NoContraction
    uint8_t sub = 0;       ///< AtomicOp, scope
    bool second = false;   ///< `Second`s of it exist (set by the builder; emission then declares a struct)
    bool dead = false;     ///< unneeded: emission skips it (passes/dead_code.h)
    uint32_t num_args = 0;
    uint32_t first_arg = 0;        ///< index in Function::args
    uint32_t aux = 0;              ///< variable, image op, function, block, selector of Compose: see instructions.def
    uint32_t aux2 = 0;             ///< BranchIf: the block for false
    uint32_t offset_plus_one = 0;  ///< place in the source text, in bytes, plus 1; 0: none
};

enum class Merge : uint8_t { None, Selection, Loop };

/// Blocks are in an order that SPIR-V accepts: dominators first, constructs contiguous.
struct Block {
    uint32_t first = 0;  ///< first instruction
    uint32_t count = 0;  ///< the last one is the terminator
    Merge merge = Merge::None;
    BlockId merge_block = 0;
    BlockId continue_block = 0;
};

/// A case of Switch. Function::args holds the selector, then a pair (literal, block) for each case.
struct SwitchCase {
    uint32_t literal = 0;
    BlockId block = 0;
};

struct Function {
    Function() = default;
    /// Its lists use `memory`.
    explicit Function(std::pmr::memory_resource* memory)
        : params(memory), blocks(memory), instructions(memory), args(memory) {}

    Type result{};
    std::pmr::vector<Type> params;   ///< their values are the Param instructions that open blocks[0]
    std::pmr::vector<Block> blocks;  ///< blocks[0] is the entry
    std::pmr::vector<Instruction> instructions;
    /// Values; Phi alternates Value and BlockId, Switch has its selector and then alternates literal and BlockId.
    std::pmr::vector<uint32_t> args;
    Name name;  ///< name for debug information and the printer; may be empty
    /// It was folded and numbered during construction: those passes find nothing more, unless a phi turns out to be
    /// trivial.
    bool simplified = false;

    std::span<const uint32_t> args_of(const Instruction& instruction) const {
        return {args.data() + instruction.first_arg, instruction.num_args};
    }
    std::span<uint32_t> args_of(const Instruction& instruction) {
        return {args.data() + instruction.first_arg, instruction.num_args};
    }
};

/// The kind of a Variable. The layout (spirv/layout.h) assigns set and binding to resources by (kind, index).
enum class VariableKind : uint8_t {
    Input,
    Output,
    Private,         ///< module scope (registers that live across calls)
    Local,           ///< function scope, of Variable::function
    Shared,          ///< workgroup
    ConstantBuffer,  ///< f32 x4 or u32 x4 elements; uniform or storage, selected by `storage`
    StorageBuffer,   ///< u32 elements, run-time sized
    PushConstant,
    CombinedImage,  ///< texture and sampler of the TEX family
    SampledImage,   ///< view of the SAMPLE family
    Sampler,
    StorageImage,
    InputAttachment,
    IoBuffer,  ///< `io=buffers`: index 0 inputs, 1 outputs, 2 parameters; u32 elements
};

enum class BuiltIn : uint8_t {
    None,
    Position,
    PointSize,
    ClipDistance,
    CullDistance,
    VertexIndex,
    InstanceIndex,
    BaseVertex,
    BaseInstance,
    DrawIndex,
    FragCoord,
    FrontFacing,
    PointCoord,
    FragDepth,
    FragStencilRef,
    SampleId,
    SamplePosition,
    SampleMask,
    HelperInvocation,
    PrimitiveId,
    Layer,
    ViewportIndex,
    ViewportMask,
    ViewIndex,
    InvocationId,
    TessCoord,
    TessLevelOuter,
    TessLevelInner,
    PatchVertices,
    NumWorkgroups,
    WorkgroupId,
    WorkgroupSize,
    LocalInvocationId,
    LocalInvocationIndex,
    GlobalInvocationId,
    SubgroupSize,
    SubgroupLocalInvocationId,
    SubgroupEqMask,
    SubgroupGeMask,
    SubgroupGtMask,
    SubgroupLeMask,
    SubgroupLtMask,
    ShadingRate,
};

/// Masks that SPIR-V declares as arrays of words; the IR uses only one word.
constexpr bool is_array_of_one(BuiltIn builtin) {
    return builtin == BuiltIn::SampleMask || builtin == BuiltIn::ViewportMask;
}

enum class ImageDim : uint8_t { D1, D2, D3, Cube, Buffer, SubpassData };

struct ImageType {
    ImageDim dim = ImageDim::D2;
    bool array = false;
    bool depth = false;
    bool ms = false;
    Scalar sampled = Scalar::F32;    ///< F32 or U32
    bool sampled_is_signed = false;  ///< U32 read as signed: the SPIR-V type is int, the IR value u32
    uint16_t format = 0;             ///< storage images: SPIR-V ImageFormat number, 0 unknown
    bool operator==(const ImageType&) const = default;
};

enum class Interpolation : uint8_t { Smooth, Flat, Linear };
enum class SampleLocation : uint8_t { Center, Centroid, Sample };

/// A variable: `element`, inside up to two array levels. Load, Store and Atomic take one u32 access index for each
/// level that exists, then perhaps a component of the element; never fewer. By kind, the levels and the indices are:
///   Input, Output, Private, Local, Shared  array[0] outermost, array[1] inside it: plain arrays. A per-vertex input
///                                of GEOM or TESS_* has the vertices as array[0]. Builtins: ClipDistance, CullDistance
///                                are f32 with the count as the innermost level; TessLevelOuter f32, array[0] = 4,
///                                TessLevelInner 2; SampleMask and ViewportMask are u32 without levels (emission adds
///                                the array of one); FrontFacing and HelperInvocation bool; every other integer u32
///   CombinedImage, SampledImage, Sampler, StorageImage, InputAttachment   array[0] = descriptors in the array
///                                (0: one descriptor, no index); array[1] = 0. Only named by ImageOps
///   ConstantBuffer               array[0] as above; array[1] = elements (x4), at least 1. Indices: [descriptor,]
///                                element [, component]
///   StorageBuffer                array[0] as above; array[1] = 0. Elements are u32 (f32 if all accesses are float
///                                atomics), run-time sized. Indices: [descriptor,] word
///   IoBuffer                     array = {0, 0}; elements u32, run-time sized. Indices: word
///   PushConstant                 array[0] = 0; array[1] = number of u32 words. Indices: word. One variable per module
struct Variable {
    VariableKind kind{};
    Type element{};                   ///< void for images and samplers
    std::array<uint32_t, 2> array{};  ///< lengths; 0: that level does not exist
    uint32_t function = 0;            ///< Local: its function
    uint32_t index = 0;  ///< resources: the TGSI register index (constant buffer, sampler, view, image, buffer)
    BuiltIn builtin = BuiltIn::None;
    uint32_t location = 0;    ///< Input, Output without a builtin
    uint8_t component = 0;    ///< first component inside the location
    uint8_t dual_source = 0;  ///< Output of FRAG: the Index decoration
    Interpolation interpolation = Interpolation::Smooth;
    SampleLocation sample_location = SampleLocation::Center;
    bool invariant = false;
    bool patch = false;
    bool is_signed = false;          ///< Input, Output of u32: attributes and targets of signed integers
    bool viewport_relative = false;  ///< Layer: counts from the viewport's number
    bool storage = false;            ///< ConstantBuffer: a storage buffer instead of a uniform one
    uint32_t declared = 0;           ///< ConstantBuffer, for reflection: elements that the text declares; 0: `array`
    bool coherent = false, is_volatile = false, restricted = false;
    bool aliased = false;  ///< may share memory with another aliased variable
    bool non_readable = false, non_writable = false;
    bool unwritten = false;  ///< no instruction writes it, though it may lack non_writable (aliasing): for reflection
    bool zero_initialised = false;  ///< Private, Local, Shared: starts as zeros (a constant null initialiser)
    uint8_t stream = 0;
    bool captured = false;  ///< Output: transform feedback captures it
    uint8_t xfb_buffer = 0;
    uint32_t xfb_offset = 0, xfb_stride = 0;  ///< bytes
    ImageType image{};
    Name name{};  ///< debug name, such as `CONST[2]`
    /// For reflection; opaque to the IR: semantic number and index of the register.
    uint16_t semantic = 0;
    uint16_t semantic_index = 0;
};

/// Whether the module declares the variable even if all stores to it were dead code: the next stage was converted as if
/// this output was written, and its inputs must exist (Vulkan, "Interface Matching").
constexpr bool is_always_declared(const Variable& variable) {
    return variable.kind == VariableKind::Output && variable.builtin == BuiltIn::None;
}

/// Everything that an image instruction needs besides its arguments.
struct ImageOp {
    uint32_t image = 0;               ///< Variable: CombinedImage, SampledImage, StorageImage, InputAttachment
    uint32_t sampler = 0xffff'ffffu;  ///< Variable: Sampler; none for CombinedImage and for fetches, queries
    bool dref = false;
    bool bias = false;
    bool lod = false;
    bool grad = false;           ///< two arguments: ddx, ddy
    bool const_offset = false;   ///< one constant argument
    bool offset = false;         ///< one argument (gathers)
    bool const_offsets = false;  ///< four constant arguments
    bool sample = false;
    bool min_lod = false;
    bool sparse = false;       ///< the instruction returns the result, its Second the residency code
    bool non_uniform = false;  ///< decorate the access, the loaded images, and the sampled image
    uint8_t component = 0;     ///< gather without dref
    bool operator==(const ImageOp&) const = default;
};

enum class Stage : uint8_t { Vertex, TessControl, TessEval, Geometry, Fragment, Compute };

enum class DepthLayout : uint8_t { None, Any, Greater, Less, Unchanged };
enum class InputPrimitive : uint8_t { Points, Lines, LinesAdjacency, Triangles, TrianglesAdjacency };
enum class OutputPrimitive : uint8_t { Points, LineStrip, TriangleStrip };
enum class TessDomain : uint8_t { Triangles, Isolines, Quads };
enum class TessSpacing : uint8_t { Equal, FractionalOdd, FractionalEven };

/// Execution modes and other properties of the entry point.
struct EntryPoint {
    Stage stage{};
    uint32_t function = 0;
    bool early_fragment_tests = false;
    bool post_depth_coverage = false;
    uint32_t blend_equations = 0;  ///< FS_BLEND_EQUATION_ADVANCED: for reflection; the pipeline sets the rest
    bool depth_replacing = false;
    bool stencil_export = false;
    DepthLayout depth_layout{};
    bool float_controls = false;     ///< SignedZeroInfNanPreserve for 32 bits, where the target offers it
    bool float_controls_64 = false;  ///< the same for 64 bits, where they are used
    bool round_to_even = false;      ///< RoundingModeRTE 32, where the target offers it
    std::array<uint32_t, 3> local_size{1, 1, 1};
    std::array<uint32_t, 3> local_size_ids{kNone, kNone, kNone};  ///< specialization constants; kNone: fixed
    uint32_t invocations = 1;
    uint32_t max_vertices = 0;
    uint32_t output_vertices = 0;  ///< TESS_CTRL
    InputPrimitive input_primitive{};
    OutputPrimitive output_primitive{};
    TessDomain tess_domain{};
    TessSpacing tess_spacing{};
    bool tess_clockwise = false;
    bool tess_points = false;
    bool transform_feedback = false;  ///< some output is captured
};

struct Module {
    Module() = default;
    /// Its lists use `memory`; Function's constructor needs it too. Copies use the default resource.
    explicit Module(std::pmr::memory_resource* memory)
        : variables(memory), constants(memory), image_ops(memory), functions(memory) {}

    EntryPoint entry;
    std::pmr::vector<Variable> variables;
    std::pmr::vector<Constant> constants;
    std::pmr::vector<ImageOp> image_ops;
    std::pmr::vector<Function> functions;  ///< [entry.function] is main

    const Constant& constant(Value v) const { return constants[v & ~kConstantBit]; }
    std::pmr::memory_resource* memory() const { return functions.get_allocator().resource(); }
};

/// The type of a value that `function` uses.
inline Type type_of(const Module& module, const Function& function, Value v) {
    return is_constant(v) ? module.constant(v).type : function.instructions[v].type;
}

/// One row of instructions.def.
enum class ResultRule : uint8_t { same, rel, red, sca, own, none };
enum class Trait : uint8_t { pure, conv, read, effect, term, head };
struct OpInfo {
    const char* name;
    const char* operands;
    ResultRule result;
    Trait trait;
};
const OpInfo& info(Op op);

/// True for the instructions that Instruction::precise may mark: FAdd to FDot.
constexpr bool is_float_arithmetic(Op op) {
    return op >= Op::FAdd && op <= Op::FDot;
}
constexpr bool is_image_op(Op op) {
    return op >= Op::ImageSample && op <= Op::ImageQueryLod;
}
/// `aux` is a Variable.
constexpr bool names_variable(Op op) {
    return op >= Op::InterpCentroid && op <= Op::Atomic;
}
inline constexpr Trait kTraits[] = {
#define IR_OP(name, operands, result, traits, doc) Trait::traits,
#include "ir/instructions.def"
#undef IR_OP
};
/// info(op).trait and info(op).result, for sweeps over many instructions.
constexpr Trait trait_of(Op op) {
    return kTraits[static_cast<size_t>(op)];
}
inline constexpr ResultRule kResultRules[] = {
#define IR_OP(name, operands, result, traits, doc) ResultRule::result,
#include "ir/instructions.def"
#undef IR_OP
};
constexpr ResultRule result_rule_of(Op op) {
    return kResultRules[static_cast<size_t>(op)];
}
constexpr bool is_terminator(Op op) {
    return trait_of(op) == Trait::term;
}

/// The number of access indices from the variable to its element (Load and Store may add one: a component).
int access_levels(const Variable& variable);

/// The position of each kind of argument of an image instruction; -1 if there is none.
struct ImageArguments {
    int image_index = -1;
    int sampler_index = -1;
    int coordinate = -1;
    int dref = -1;
    int texel = -1;  ///< ImageWrite
    int bias = -1;   ///< the first argument in SPIR-V's order of image operands
    int lod = -1;
    int grad = -1;  ///< two
    int const_offset = -1;
    int offset = -1;
    int const_offsets = -1;  ///< four
    int sample = -1;         ///< also an argument of ImageAtomic
    int min_lod = -1;
    int operand = -1;  ///< ImageAtomic: the value, or comparator and value
    int count = 0;     ///< number of all arguments
};
ImageArguments image_arguments(const Module& module, const Instruction& instruction);

/// The number of values that an atomic takes after its indices: 2 for CompareExchange (comparator, value), else 1.
constexpr int atomic_operands(AtomicOp op) {
    return op == AtomicOp::CompareExchange ? 2 : 1;
}
inline constexpr int kOpCount = 0
#define IR_OP(name, operands, result, traits, doc) +1
#include "ir/instructions.def"
#undef IR_OP
    ;

}  // namespace tgsi2spv::ir
