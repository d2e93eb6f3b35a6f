#include "mutate/mutate.h"

#include "mutate/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#define SPV_ENABLE_UTILITY_CODE
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::difftest {

namespace {

using mutation::Instruction;
using mutation::Module;
using spv::Op;

/// Which operands are ids of values, starting at `first` (counted from the instruction's start).
struct Ids {
    uint32_t first = 0, end = 0;
};

bool is_image_sample(Op op) {
    return (op >= Op::OpImageSampleImplicitLod && op <= Op::OpImageSampleProjDrefExplicitLod) ||
           op == Op::OpImageFetch || op == Op::OpImageGather || op == Op::OpImageDrefGather || op == Op::OpImageRead;
}

/// Operands of operations on values: all ids after the result.
Ids value_operands(const Instruction& instruction) {
    const auto in = [&](Op a, Op b) { return instruction.op >= a && instruction.op <= b; };
    if (in(Op::OpConvertFToU, Op::OpBitcast) || in(Op::OpSNegate, Op::OpDot) ||
        in(Op::OpIAddCarry, Op::OpSMulExtended) || in(Op::OpAny, Op::OpFUnordGreaterThanEqual) ||
        in(Op::OpShiftRightLogical, Op::OpBitCount) || in(Op::OpDPdx, Op::OpFwidthCoarse) ||
        instruction.op == Op::OpCompositeConstruct)
        return {instruction.operands, instruction.size};
    if (instruction.op == Op::OpExtInst) return {instruction.operands + 2, instruction.size};
    if (instruction.op == Op::OpCompositeExtract) return {instruction.operands, instruction.operands + 1};
    if (instruction.op == Op::OpVectorShuffle) return {instruction.operands, instruction.operands + 2};
    if (instruction.op == Op::OpStore) return {2, 3};
    if (instruction.op == Op::OpImageWrite) return {2, 4};
    // After pointer, scope and semantics.
    if (instruction.op == Op::OpAtomicCompareExchange) return {instruction.operands + 4, instruction.size};
    if (in(Op::OpAtomicExchange, Op::OpAtomicXor) && instruction.op != Op::OpAtomicIIncrement &&
        instruction.op != Op::OpAtomicIDecrement)
        return {instruction.operands + 3, instruction.size};
    if (is_image_sample(instruction.op)) return {instruction.operands + 1, instruction.operands + 2};
    return {0, 0};
}

struct Change {
    Op from, to;
};
/// Changes that show unless the operands are special. Leaves out right shifts of either kind, signed and unsigned
/// divisions, comparisons and conversions, which agree on small numbers.
constexpr Change kOperations[] = {
    {Op::OpFAdd, Op::OpFSub},
    {Op::OpFSub, Op::OpFAdd},
    {Op::OpFMul, Op::OpFAdd},
    {Op::OpFDiv, Op::OpFMul},
    {Op::OpFMod, Op::OpFMul},
    {Op::OpIAdd, Op::OpISub},
    {Op::OpISub, Op::OpIAdd},
    {Op::OpIMul, Op::OpIAdd},
    {Op::OpUDiv, Op::OpUMod},
    {Op::OpUMod, Op::OpUDiv},
    {Op::OpSDiv, Op::OpSRem},
    {Op::OpSRem, Op::OpSDiv},
    {Op::OpShiftLeftLogical, Op::OpShiftRightLogical},
    {Op::OpShiftRightLogical, Op::OpShiftLeftLogical},
    {Op::OpShiftRightArithmetic, Op::OpShiftLeftLogical},
    {Op::OpBitwiseAnd, Op::OpBitwiseXor},
    {Op::OpBitwiseOr, Op::OpBitwiseAnd},
    {Op::OpBitwiseXor, Op::OpBitwiseAnd},
    {Op::OpNot, Op::OpCopyObject},
    {Op::OpSNegate, Op::OpNot},
    {Op::OpFNegate, Op::OpCopyObject},
    {Op::OpLogicalNot, Op::OpCopyObject},
    {Op::OpLogicalAnd, Op::OpLogicalOr},
    {Op::OpLogicalOr, Op::OpLogicalAnd},
    {Op::OpFOrdLessThan, Op::OpFOrdGreaterThanEqual},
    {Op::OpFOrdGreaterThan, Op::OpFOrdLessThanEqual},
    {Op::OpFOrdLessThanEqual, Op::OpFOrdGreaterThan},
    {Op::OpFOrdGreaterThanEqual, Op::OpFOrdLessThan},
    {Op::OpFOrdEqual, Op::OpFOrdNotEqual},
    {Op::OpFUnordNotEqual, Op::OpFOrdEqual},
    {Op::OpIEqual, Op::OpINotEqual},
    {Op::OpINotEqual, Op::OpIEqual},
    {Op::OpULessThan, Op::OpUGreaterThanEqual},
    {Op::OpUGreaterThanEqual, Op::OpULessThan},
    {Op::OpULessThanEqual, Op::OpUGreaterThan},
    {Op::OpUGreaterThan, Op::OpULessThanEqual},
    {Op::OpSLessThan, Op::OpSGreaterThanEqual},
    {Op::OpSGreaterThanEqual, Op::OpSLessThan},
    {Op::OpSLessThanEqual, Op::OpSGreaterThan},
    {Op::OpSGreaterThan, Op::OpSLessThanEqual},
    {Op::OpBitReverse, Op::OpNot},
    {Op::OpBitCount, Op::OpNot},
    {Op::OpDPdx, Op::OpDPdy},
    {Op::OpDPdy, Op::OpDPdx},
    {Op::OpDPdxFine, Op::OpDPdyFine},
    {Op::OpDPdyFine, Op::OpDPdxFine},
    {Op::OpAtomicIAdd, Op::OpAtomicXor},
    {Op::OpAtomicSMin, Op::OpAtomicSMax},
    {Op::OpAtomicSMax, Op::OpAtomicSMin},
    {Op::OpAtomicUMin, Op::OpAtomicUMax},
    {Op::OpAtomicUMax, Op::OpAtomicUMin},
    {Op::OpAtomicAnd, Op::OpAtomicOr},
    {Op::OpAtomicOr, Op::OpAtomicAnd},
    {Op::OpAtomicXor, Op::OpAtomicOr},
    {Op::OpAtomicExchange, Op::OpAtomicXor},
    {Op::OpGroupNonUniformAll, Op::OpGroupNonUniformAny},
    {Op::OpGroupNonUniformAny, Op::OpGroupNonUniformAll},
};

struct ExtChange {
    uint32_t from, to;
};
/// The same for GLSL.std.450.
constexpr ExtChange kFunctions[] = {
    {GLSLstd450RoundEven, GLSLstd450Fract},   {GLSLstd450Trunc, GLSLstd450Fract},
    {GLSLstd450FAbs, GLSLstd450FSign},        {GLSLstd450SAbs, GLSLstd450SSign},
    {GLSLstd450FSign, GLSLstd450FAbs},        {GLSLstd450SSign, GLSLstd450SAbs},
    {GLSLstd450Floor, GLSLstd450Fract},       {GLSLstd450Ceil, GLSLstd450Fract},
    {GLSLstd450Fract, GLSLstd450Floor},       {GLSLstd450Sin, GLSLstd450Cos},
    {GLSLstd450Cos, GLSLstd450Sin},           {GLSLstd450Exp2, GLSLstd450Log2},
    {GLSLstd450Log2, GLSLstd450Exp2},         {GLSLstd450Sqrt, GLSLstd450InverseSqrt},
    {GLSLstd450InverseSqrt, GLSLstd450Sqrt},  {GLSLstd450FMin, GLSLstd450FMax},
    {GLSLstd450UMin, GLSLstd450UMax},         {GLSLstd450SMin, GLSLstd450SMax},
    {GLSLstd450FMax, GLSLstd450FMin},         {GLSLstd450UMax, GLSLstd450UMin},
    {GLSLstd450SMax, GLSLstd450SMin},         {GLSLstd450NMin, GLSLstd450NMax},
    {GLSLstd450NMax, GLSLstd450NMin},         {GLSLstd450FindILsb, GLSLstd450FindUMsb},
    {GLSLstd450FindUMsb, GLSLstd450FindILsb}, {GLSLstd450FindSMsb, GLSLstd450FindILsb},
};

struct Enumerator {
    const Module& m;
    std::vector<Mutation> found{};

    void add(MutationKind kind, const Instruction& instruction, std::string what,
             std::vector<std::pair<uint32_t, uint32_t>> edits) {
        for (auto& e : edits) e.first += instruction.at;
        found.push_back({kind,
                         fmt::format("%{} {}: {}", instruction.result,
                                     spvOpcodeString(static_cast<uint32_t>(instruction.op)), what),
                         std::move(edits)});
    }

    /// Nothing reads it, and it does nothing else.
    bool dead(const Instruction& instruction) const {
        const auto used = m.uses.find(instruction.result);
        if (instruction.op >= Op::OpAtomicLoad && instruction.op <= Op::OpAtomicXor) return false;
        return instruction.result != 0 && (used == m.uses.end() || m.live_components(instruction.result) == 0);
    }

    /// x + 0 is x - 0, x / 1 is x * 1, and x << 0 is x >> 0: the change has no effect.
    bool neutral(const Instruction& instruction) const {
        const auto c = m.constant(m.word(instruction, instruction.size - 1));
        if (!c) return false;
        switch (instruction.op) {
            case Op::OpFAdd:
            case Op::OpFSub:
                return *c == 0 || *c == 0x80000000;
            case Op::OpIAdd:
            case Op::OpISub:
            case Op::OpShiftLeftLogical:
            case Op::OpShiftRightLogical:
            case Op::OpShiftRightArithmetic:
                return *c == 0;
            case Op::OpFDiv:
                return *c == 0x3f800000;
            default:
                return false;
        }
    }

    void operation(const Instruction& instruction) {
        if (instruction.op == Op::OpExtInst) {
            for (const auto& c : kFunctions)
                if (m.word(instruction, instruction.operands + 1) == c.from)
                    add(MutationKind::Operation, instruction, fmt::format("function {} becomes {}", c.from, c.to),
                        {{instruction.operands + 1, c.to}});
            return;
        }
        for (const auto& c : kOperations) {
            if (c.from != instruction.op || neutral(instruction)) continue;
            add(MutationKind::Operation, instruction,
                fmt::format("becomes {}", spvOpcodeString(static_cast<uint32_t>(c.to))),
                {{0, mutation::head(instruction.size, c.to)}});
        }
    }

    /// Whether the operand keeps the operation's own value in bounds: a limit, a mask, the other arm.
    static bool guards(const Instruction& instruction) {
        return instruction.op == Op::OpSelect || instruction.op == Op::OpExtInst ||
               instruction.op == Op::OpBitwiseAnd || instruction.op == Op::OpBitwiseOr ||
               (instruction.op >= Op::OpShiftRightLogical && instruction.op <= Op::OpShiftLeftLogical);
    }

    bool computed_of(uint32_t id, uint32_t from, int steps) const {
        if (id == from) return true;
        const auto* d = m.definition(id);
        if (steps == 0 || d == nullptr || d->block == 0 || d->op == Op::OpPhi) return false;
        for (uint32_t k = d->operands; k < d->size; k++)
            if (computed_of(m.word(*d, k), from, steps - 1)) return true;
        return false;
    }

    /// Another value of the same type that is available here: from the same instruction, the block, or a constant. Does
    /// not remove a guard if there is another choice: the devices used here do on their own what it guards (they
    /// saturate, mask shift amounts, give infinities), so such a mutant would say nothing about the tests.
    std::optional<uint32_t> other(const Instruction& instruction, uint32_t id, Ids ids) const {
        const uint32_t type = m.type_of(id);
        if (type == 0) return std::nullopt;
        std::optional<uint32_t> second;
        const auto* definition = m.definition(id);
        // The result of a shift by more than all bits is undefined, so it cannot be called wrong.
        const bool shifts = instruction.op >= Op::OpShiftRightLogical && instruction.op <= Op::OpShiftLeftLogical &&
                            m.word(instruction, instruction.operands + 1) == id &&
                            m.word(instruction, instruction.operands) != id;
        const auto serves = [&](uint32_t candidate) {
            if (candidate == id || m.type_of(candidate) != type) return false;
            if (shifts && m.constant(candidate).value_or(~0u) >= 32) return false;
            bool guarded = false;
            for (uint32_t k = instruction.operands; guards(instruction) && k < instruction.size; k++)
                guarded |= m.word(instruction, k) == candidate;
            if (definition != nullptr && definition->block != 0 && guards(*definition))
                for (uint32_t k = definition->operands; k < definition->size; k++)
                    guarded |= m.word(*definition, k) == candidate;
            // Nor what the other arm of a selection is computed from.
            if (instruction.op == Op::OpSelect)
                for (uint32_t k = instruction.operands + 1; k < instruction.size; k++)
                    guarded |= computed_of(m.word(instruction, k), candidate, 3);
            if (guarded && !second) second = candidate;
            return !guarded;
        };
        for (uint32_t k = ids.first; k < ids.end; k++)
            if (serves(m.word(instruction, k))) return m.word(instruction, k);
        const auto own = static_cast<size_t>(&instruction - m.all.data());
        for (size_t k = own; k-- > 0 && m.all[k].block == instruction.block && m.all[k].op != Op::OpLabel;)
            if (m.all[k].result != 0 && serves(m.all[k].result)) return m.all[k].result;
        std::optional<uint32_t> constant;
        for (const auto& d : m.all) {
            if (d.block != 0) break;
            const bool is_constant = d.op == Op::OpConstant || d.op == Op::OpConstantComposite ||
                                     d.op == Op::OpConstantTrue || d.op == Op::OpConstantFalse;
            if (is_constant && serves(d.result)) constant = d.result;
        }
        return constant ? constant : second;
    }

    void operands(const Instruction& instruction) {
        const Ids ids = value_operands(instruction);
        // One other operand is enough for vectors that are composed: their positions differ.
        for (uint32_t k = ids.first; k < ids.end; k++) {
            const uint32_t id = m.word(instruction, k);
            if (!mutation::reaches_live_component(m, instruction, k)) continue;
            // An arm of a selection whose result matters only where the other arm is taken.
            if (instruction.op == Op::OpSelect && k > instruction.operands &&
                mutation::matters_only_where(m, instruction.result, m.word(instruction, instruction.operands),
                                             k == instruction.operands + 2))
                continue;
            if (const auto to = other(instruction, id, ids))
                add(MutationKind::Operand, instruction, fmt::format("operand {} becomes %{}", k - ids.first, *to),
                    {{k, *to}});
        }
        // No reader of one component, in a shuffle or an extraction, has to read the next one as well.
        if (instruction.op == Op::OpCompositeExtract && instruction.size == instruction.operands + 2) {
            const auto* type = m.definition(m.type_of(m.word(instruction, instruction.operands)));
            if (type != nullptr && type->op == Op::OpTypeVector) {
                const uint32_t from = m.word(instruction, instruction.operands + 1), to = (from + 1) % m.word(*type, 3);
                add(MutationKind::Operand, instruction, fmt::format("component {} becomes {}", from, to),
                    {{instruction.operands + 1, to}});
            }
        }
    }

    void image_operands(const Instruction& instruction) {
        if (!is_image_sample(instruction.op)) return;
        const bool compared = instruction.op == Op::OpImageDrefGather ||
                              instruction.op == Op::OpImageSampleDrefImplicitLod ||
                              instruction.op == Op::OpImageSampleDrefExplicitLod;
        const bool extra = compared || instruction.op == Op::OpImageGather;
        const uint32_t mask = instruction.operands + 2 + (extra ? 1 : 0);
        for (uint32_t k = instruction.operands + 2; k < instruction.size; k++) {
            if (k == mask) continue;
            if (const auto to =
                    other(instruction, m.word(instruction, k), {instruction.operands + 2, instruction.operands + 2}))
                add(MutationKind::ImageOperand, instruction, fmt::format("word {} becomes %{}", k, *to), {{k, *to}});
        }
    }

    void flow(const Instruction& instruction) {
        if (instruction.op == Op::OpPhi) {
            for (uint32_t k = instruction.operands + 2; k < instruction.size; k += 2)
                if (m.word(instruction, k) != m.word(instruction, instruction.operands)) {
                    add(MutationKind::PhiInput, instruction, "values of two edges swapped",
                        {{instruction.operands, m.word(instruction, k)},
                         {k, m.word(instruction, instruction.operands)}});
                    break;
                }
        }
        if (instruction.op == Op::OpBranchConditional && m.word(instruction, 2) != m.word(instruction, 3))
            add(MutationKind::ControlEdge, instruction, "branch targets swapped",
                {{2, m.word(instruction, 3)}, {3, m.word(instruction, 2)}});
        if (instruction.op == Op::OpSwitch)
            for (uint32_t k = 3; k < instruction.size; k += 2)
                if (m.word(instruction, k + 1) != m.word(instruction, 2))
                    add(MutationKind::ControlEdge, instruction,
                        fmt::format("case {} becomes {}", m.word(instruction, k), ~m.word(instruction, k)),
                        {{k, ~m.word(instruction, k)}});
    }

    void constant(const Instruction& instruction) {
        if (instruction.op != Op::OpConstant || instruction.size != 4 || m.structural.contains(instruction.result))
            return;
        // A constant that no function uses directly may be a component of a vector.
        bool used = m.uses.contains(instruction.result);
        for (const auto& d : m.all)
            if (d.op == Op::OpConstantComposite && m.uses.contains(d.result))
                for (uint32_t k = 3; k < d.size; k++) used |= m.word(d, k) == instruction.result;
        if (!used || m.live_components(instruction.result) == 0 || mutation::serves_clock_only(m, instruction.result))
            return;
        const uint32_t from = m.word(instruction, 3);
        uint32_t to = from == ~0u ? 0 : from ^ 1;  // the lowest bit of a truth value alone says nothing
        // Immediates are words, whatever they hold: one that would be a float between 2^-31 and 2^32 counts as a float.
        const uint32_t exponent = from >> 23 & 0xff;
        const bool number = exponent >= 127 - 31 && exponent <= 127 + 32;
        if (m.is_type(instruction.type, Op::OpTypeFloat) || number)
            to = (from & 0x7fffffff) == 0 ? 0x3f800000 : from ^ 0x80000000;
        add(MutationKind::Constant, instruction, fmt::format("0x{:08x} becomes 0x{:08x}", from, to), {{3, to}});
    }

    void binding(const Instruction& instruction) {
        if (m.word(instruction, 2) != static_cast<uint32_t>(spv::Decoration::Binding)) return;
        // Another one of the same type: otherwise the validator or the harness complains about something that is no
        // compiler bug.
        const uint32_t type = m.type_of(m.word(instruction, 1));
        for (const auto& d : m.all)
            if (d.op == Op::OpDecorate && d.at != instruction.at &&
                m.word(d, 2) == static_cast<uint32_t>(spv::Decoration::Binding) && m.type_of(m.word(d, 1)) == type &&
                m.word(d, 3) != m.word(instruction, 3)) {
                add(MutationKind::Binding, instruction,
                    fmt::format("binding {} becomes {}", m.word(instruction, 3), m.word(d, 3)), {{3, m.word(d, 3)}});
                return;
            }
    }

    void interface(const Instruction& instruction) {
        struct Builtin {
            spv::BuiltIn from, to;
        };
        static constexpr Builtin kBuiltins[] = {
            {spv::BuiltIn::VertexIndex, spv::BuiltIn::InstanceIndex},
            {spv::BuiltIn::InstanceIndex, spv::BuiltIn::VertexIndex},
            {spv::BuiltIn::WorkgroupId, spv::BuiltIn::LocalInvocationId},
            {spv::BuiltIn::LocalInvocationId, spv::BuiltIn::WorkgroupId},
            {spv::BuiltIn::GlobalInvocationId, spv::BuiltIn::LocalInvocationId},
            {spv::BuiltIn::PrimitiveId, spv::BuiltIn::InvocationId},
            {spv::BuiltIn::InvocationId, spv::BuiltIn::PrimitiveId},
        };
        if (instruction.op == Op::OpDecorate &&
            m.word(instruction, 2) == static_cast<uint32_t>(spv::Decoration::BuiltIn))
            for (const auto& b : kBuiltins)
                if (m.word(instruction, 3) == static_cast<uint32_t>(b.from))
                    add(MutationKind::Interface, instruction,
                        fmt::format("builtin {} becomes {}", m.word(instruction, 3), static_cast<uint32_t>(b.to)),
                        {{3, static_cast<uint32_t>(b.to)}});
        if (instruction.op == Op::OpDecorate &&
            m.word(instruction, 2) == static_cast<uint32_t>(spv::Decoration::ArrayStride) &&
            mutation::reads_beyond_first(m, m.word(instruction, 1)))
            add(MutationKind::Interface, instruction,
                fmt::format("stride {} becomes {}", m.word(instruction, 3), 2 * m.word(instruction, 3)),
                {{3, 2 * m.word(instruction, 3)}});
        if (instruction.op == Op::OpMemberDecorate &&
            m.word(instruction, 3) == static_cast<uint32_t>(spv::Decoration::Offset))
            add(MutationKind::Interface, instruction,
                fmt::format("offset {} becomes {}", m.word(instruction, 4), m.word(instruction, 4) + 16),
                {{4, m.word(instruction, 4) + 16}});
        if (instruction.op == Op::OpDecorate &&
            m.word(instruction, 2) == static_cast<uint32_t>(spv::Decoration::Location))
            add(MutationKind::Interface, instruction,
                fmt::format("location {} becomes {}", m.word(instruction, 3), m.word(instruction, 3) + 1),
                {{3, m.word(instruction, 3) + 1}});
        // One more invocation would do what its neighbours do, outside the case.
        if (instruction.op == Op::OpExecutionMode &&
            m.word(instruction, 2) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize) &&
            m.word(instruction, 3) > 1)
            add(MutationKind::Interface, instruction, "one invocation fewer in x", {{3, m.word(instruction, 3) - 1}});
    }
};

}  // namespace

std::string_view name(MutationKind kind) {
    static constexpr std::string_view kNames[kMutationKinds] = {
        "operation", "operand", "constant", "image operand", "phi input", "control edge", "binding", "interface"};
    return kNames[static_cast<size_t>(kind)];
}

std::vector<Mutation> mutations_of(std::span<const uint32_t> words) {
    const Module m = mutation::read(words);
    const auto choosing = mutation::choosing_vertex(m);
    Enumerator e{m};
    for (const auto& i : m.all) {
        if (i.block == 0) {
            e.constant(i);
            if (i.op == Op::OpDecorate) e.binding(i);
            e.interface(i);
            continue;
        }
        if (e.dead(i) || mutation::reads_clock(m, i) || mutation::is_dead_store(m, i)) continue;
        if (choosing.contains(i.at) || mutation::stores_clock_only(m, i)) continue;
        e.operation(i);
        e.operands(i);
        e.image_operands(i);
        e.flow(i);
    }
    return std::move(e.found);
}

std::vector<uint32_t> mutated(std::span<const uint32_t> words, const Mutation& mutation) {
    std::vector<uint32_t> copy(words.begin(), words.end());
    for (const auto& [at, word] : mutation.edits) copy[at] = word;
    return copy;
}

std::vector<std::pair<std::string, uint32_t>> permissions_of(std::span<const uint32_t> words) {
    struct Permission {
        spv::Decoration decoration;
        const char* name;
    };
    static constexpr Permission kPermissions[] = {
        {spv::Decoration::RelaxedPrecision, "RelaxedPrecision"},
        {spv::Decoration::NoContraction, "NoContraction"},
        {spv::Decoration::NonUniform, "NonUniform"},
        {spv::Decoration::Restrict, "Restrict"},
        {spv::Decoration::Coherent, "Coherent"},
        {spv::Decoration::Volatile, "Volatile"},
        {spv::Decoration::NonWritable, "NonWritable"},
        {spv::Decoration::NonReadable, "NonReadable"},
        {spv::Decoration::Invariant, "Invariant"},
    };
    std::vector<std::pair<std::string, uint32_t>> counts;
    for (const auto& p : kPermissions) {
        uint32_t count = 0;
        for (const auto& i : mutation::read(words).all) {
            const uint32_t at = i.op == Op::OpDecorate ? 2 : i.op == Op::OpMemberDecorate ? 3 : 0;
            if (at != 0 && words[i.at + at] == static_cast<uint32_t>(p.decoration)) count++;
        }
        if (count > 0) counts.emplace_back(p.name, count);
    }
    return counts;
}

}  // namespace tgsi2spv::difftest
