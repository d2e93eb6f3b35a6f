#include "mutate/hostile.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "cases/run/texel_margins.h"
#include "mutate/module.h"

namespace tgsi2spv::difftest {

namespace {

using mutation::head;
using mutation::Instruction;
using mutation::kBound;
using mutation::Module;
using mutation::places_of;
using spv::Op;

/// The variable that an image was loaded from; 0: it comes from elsewhere.
uint32_t image_variable(const Module& module, uint32_t image) {
    const auto* d = module.definition(image);
    if (d != nullptr && d->op == Op::OpImage) d = module.definition(module.word(*d, d->operands));
    return d != nullptr && d->op == Op::OpLoad ? mutation::variable_of(module, module.word(*d, d->operands)) : 0;
}

/// Whether the instruction uses the pointer, image or sampled image at word `k` to read a texel by number, or for its
/// size.
bool counts_texels(const Instruction& instruction, uint32_t k) {
    switch (instruction.op) {
        case Op::OpImageFetch:
        case Op::OpImageRead:
        case Op::OpImageQuerySize:
        case Op::OpImageQuerySizeLod:
        case Op::OpImageQueryLevels:
        case Op::OpImageQuerySamples:
        case Op::OpImageTexelPointer:
        case Op::OpImage:
        case Op::OpLoad:
        case Op::OpAccessChain:
            return k == instruction.operands;
        case Op::OpImageWrite:
            return k == 1;
        default:
            return false;
    }
}

/// Whether a comparison checks that it is below something, that is, inside.
bool is_limited(const Module& module, uint32_t id) {
    return std::any_of(module.all.begin(), module.all.end(), [&](const Instruction& i) {
        return i.op == Op::OpULessThan && module.word(i, i.operands) == id;
    });
}

/// A fetch whose coordinates the module checks against the image's size. If it does not (TXF), the device decides what
/// it gives outside: in a larger image that would be something else.
bool asks_where(const Module& module, const Instruction& fetch) {
    return is_limited(module, module.word(fetch, fetch.operands + 1));
}

/// A fetch of a level that is not constant, in a module that checks levels against their number.
bool asks_for_level(const Module& module, const Instruction& fetch) {
    constexpr auto kLod = static_cast<uint32_t>(spv::ImageOperandsMask::Lod);
    const uint32_t mask = fetch.operands + 2;
    if (fetch.size <= mask + 1 || module.word(fetch, mask) != kLod || module.constant(module.word(fetch, mask + 1)))
        return false;
    bool queries = false, limits = is_limited(module, module.word(fetch, mask + 1));
    for (const auto& i : module.all) {
        queries |=
            i.op == Op::OpCapability && static_cast<spv::Capability>(module.word(i, 1)) == spv::Capability::ImageQuery;
        const auto* limit = i.op == Op::OpULessThan ? module.definition(module.word(i, i.operands + 1)) : nullptr;
        limits |= limit != nullptr && limit->op == Op::OpImageQueryLevels;
    }
    return queries && limits;
}

bool is_angle(const Module& module, const Instruction& instruction) {
    const uint32_t function = module.word(instruction, instruction.operands + 1);
    return function == GLSLstd450Sin || function == GLSLstd450Cos;
}

bool has_a_domain(const Module& module, const Instruction& instruction) {
    const uint32_t function = module.word(instruction, instruction.operands + 1);
    return function == GLSLstd450Log2 || function == GLSLstd450Pow || function == GLSLstd450Sqrt ||
           function == GLSLstd450InverseSqrt;
}

/// The end of the words that may be ids of images or pointers.
uint32_t end_of_ids(const Instruction& instruction) {
    if (instruction.op == Op::OpCompositeExtract) return instruction.operands + 1;
    return instruction.op == Op::OpVectorShuffle ? instruction.operands + 2 : instruction.size;
}

struct Patcher {
    const Module& m;
    std::vector<uint32_t> changed{}, globals{};
    uint32_t bound = 0, functions = 0;
    bool imports = false;

    explicit Patcher(const Module& module) : m(module), bound(module.words[kBound]) {
        for (const auto& i : m.all)
            if (i.op == Op::OpExtInstImport) functions = i.result;
        if (functions == 0) {
            functions = fresh();
            imports = true;
        }
    }
    uint32_t fresh() { return bound++; }

    /// The type with these words after its result: a second one is not allowed.
    uint32_t type(Op op, std::vector<uint32_t> operands) {
        for (const auto& i : m.all) {
            if (i.op != op || i.size != operands.size() + 2) continue;
            if (std::equal(operands.begin(), operands.end(), m.words.begin() + i.at + 2)) return i.result;
        }
        const auto key = std::pair(op, operands);
        if (const auto made = types.find(key); made != types.end()) return made->second;
        const uint32_t id = fresh();
        globals.push_back(head(operands.size() + 2, op));
        globals.push_back(id);
        globals.insert(globals.end(), operands.begin(), operands.end());
        return types[key] = id;
    }
    std::map<std::pair<Op, std::vector<uint32_t>>, uint32_t> types{};

    uint32_t count(uint32_t of) const {
        const auto* d = m.definition(of);
        return d->op == Op::OpTypeVector ? m.word(*d, 3) : 1;
    }
    uint32_t scalar(uint32_t of) const {
        const auto* d = m.definition(of);
        return d->op == Op::OpTypeVector ? m.word(*d, 2) : of;
    }
    uint32_t bits(uint32_t of) const { return m.word(*m.definition(scalar(of)), 2); }
    uint32_t bools(uint32_t n) {
        const uint32_t one = type(Op::OpTypeBool, {});
        return n == 1 ? one : type(Op::OpTypeVector, {one, n});
    }
    /// The word in all components.
    uint32_t constant(uint32_t of, uint64_t word) {
        const uint32_t one = fresh(), n = count(of);
        const bool wide = bits(of) == 64;
        globals.insert(globals.end(),
                       {head(wide ? 5 : 4, Op::OpConstant), scalar(of), one, static_cast<uint32_t>(word)});
        if (wide) globals.push_back(static_cast<uint32_t>(word >> 32));
        if (n == 1) return one;
        const uint32_t all = fresh();
        globals.insert(globals.end(), {head(3 + n, Op::OpConstantComposite), of, all});
        for (uint32_t k = 0; k < n; k++) globals.push_back(one);
        return all;
    }
    uint32_t constant(uint32_t of, const std::vector<uint32_t>& words) {
        if (words.size() == 1) return constant(of, words.front());
        std::vector<uint32_t> parts;
        for (const uint32_t w : words) parts.push_back(constant(scalar(of), w));
        const uint32_t all = fresh();
        globals.insert(globals.end(), {head(3 + parts.size(), Op::OpConstantComposite), of, all});
        globals.insert(globals.end(), parts.begin(), parts.end());
        return all;
    }
    uint32_t number(uint32_t of, double value) {
        return constant(
            of, bits(of) == 64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value)));
    }
    uint32_t binary(Op op, uint32_t of, uint32_t a, uint32_t b) {
        const uint32_t id = fresh();
        changed.insert(changed.end(), {head(5, op), of, id, a, b});
        return id;
    }
    /// The unchanged instruction, with another result id.
    uint32_t copy_as_raw(const Instruction& instruction) {
        const uint32_t raw = fresh();
        const auto begin = m.words.begin() + instruction.at;
        const size_t at = changed.size();
        changed.insert(changed.end(), begin, begin + instruction.size);
        changed[at + 2] = raw;
        return raw;
    }
    void copy(const Instruction& instruction) {
        const auto begin = m.words.begin() + instruction.at;
        changed.insert(changed.end(), begin, begin + instruction.size);
    }

    void shorter(const Instruction& instruction, uint32_t less) {
        const uint32_t whole = copy_as_raw(instruction);
        changed.insert(changed.end(), {head(5, Op::OpISub), instruction.type, instruction.result, whole,
                                       constant(instruction.type, less)});
    }
    /// max(1, size >> margin): for small levels, too.
    void smaller(const Instruction& instruction) {
        const auto* image = m.definition(m.type_of(m.word(instruction, instruction.operands)));
        const uint32_t whole = copy_as_raw(instruction);
        // Layers follow width and height; if there are three dimensions, the third is the depth.
        const bool rows = static_cast<spv::Dim>(m.word(*image, 3)) != spv::Dim::Dim1D;
        std::vector<uint32_t> margins;
        for (uint32_t c = 0; c < count(instruction.type); c++)
            margins.push_back(c < (rows ? 2u : 1u) ? kPlaneMargin : kDepthMargin);
        const uint32_t part =
            binary(Op::OpShiftRightLogical, instruction.type, whole, constant(instruction.type, margins));
        changed.insert(changed.end(), {head(7, Op::OpExtInst), instruction.type, instruction.result, functions,
                                       GLSLstd450UMax, part, constant(instruction.type, 1)});
    }
    /// The raw result where the condition holds, otherwise a mark.
    void select(const Instruction& instruction, uint32_t condition, uint32_t raw) {
        changed.insert(changed.end(), {head(6, Op::OpSelect), instruction.type, instruction.result, condition, raw,
                                       constant(instruction.type, kUndefinedMark)});
    }
    void shift(const Instruction& instruction) {
        const uint32_t by = m.word(instruction, instruction.operands + 1), of = m.type_of(by),
                       truth = bools(count(instruction.type));
        const uint32_t within = binary(Op::OpULessThan, truth, by, constant(of, bits(instruction.type)));
        const uint32_t masked = binary(Op::OpBitwiseAnd, of, by, constant(of, bits(instruction.type) - 1));
        const uint32_t raw = fresh();
        changed.insert(changed.end(), {head(5, instruction.op), instruction.type, raw,
                                       m.word(instruction, instruction.operands), masked});
        select(instruction, within, raw);
    }
    void lane(const Instruction& instruction, uint32_t lanes) {
        const uint32_t which = m.word(instruction, instruction.operands + 2), of = m.type_of(which);
        const uint32_t within = binary(Op::OpULessThan, bools(1), which, constant(of, lanes));
        select(instruction, within, copy_as_raw(instruction));
    }
    void conversion(const Instruction& instruction) {
        const uint32_t from = m.word(instruction, instruction.operands), of = m.type_of(from),
                       truth = bools(count(instruction.type));
        const int width = static_cast<int>(bits(instruction.type));
        const bool is_signed = instruction.op == Op::OpConvertFToS;
        const double most = std::ldexp(1, is_signed ? width - 1 : width);
        const uint32_t below = binary(Op::OpFOrdLessThan, truth, from, number(of, most));
        // What is truncated may be a fraction below the minimum: -0.5 becomes the integer 0. Floats with as many bits
        // as the integer have no fractions below its minimum.
        const bool whole = is_signed && static_cast<int>(bits(of)) <= width;
        const double least = whole ? -most : is_signed ? -most - 1 : -1;
        const uint32_t above =
            binary(whole ? Op::OpFOrdGreaterThanEqual : Op::OpFOrdGreaterThan, truth, from, number(of, least));
        const uint32_t both = binary(Op::OpLogicalAnd, truth, below, above);
        select(instruction, both, copy_as_raw(instruction));
    }

    /// For a level that the image lacks (Vulkan, "Texel Input Validation Operations"), or that is one of the `more`
    /// levels that modules are not given.
    void level(const Instruction& fetch, uint32_t more) {
        const uint32_t image = m.word(fetch, fetch.operands), lod = m.word(fetch, fetch.operands + 3);
        const uint32_t of = m.type_of(lod), levels = fresh(), n = count(fetch.type);
        changed.insert(changed.end(), {head(4, Op::OpImageQueryLevels), of, levels, image});
        const uint32_t told = more != 0 ? binary(Op::OpISub, of, levels, constant(of, more)) : levels;
        const uint32_t within = binary(Op::OpULessThan, bools(1), lod, told), all = fresh();
        changed.insert(changed.end(), {head(3 + n, Op::OpCompositeConstruct), bools(n), all});
        changed.insert(changed.end(), n, within);
        select(fetch, all, copy_as_raw(fetch));
    }

    /// Vulkan gives the precision of sine and cosine only from -π to π; NaN counts as any angle.
    void angle(const Instruction& instruction) {
        constexpr double kPi = 0x1.921fb6p+1;  // the nearest float
        const uint32_t from = m.word(instruction, instruction.operands + 2), truth = bools(count(instruction.type));
        const uint32_t size = fresh();
        changed.insert(changed.end(),
                       {head(6, Op::OpExtInst), instruction.type, size, functions, GLSLstd450FAbs, from});
        select(instruction, binary(Op::OpFUnordLessThanEqual, truth, size, number(instruction.type, kPi)),
               copy_as_raw(instruction));
    }

    /// Division by zero, and of the minimum by -1 (SPIR-V, OpUDiv, OpSDiv and their like: undefined).
    void quotient(const Instruction& instruction) {
        const uint32_t a = m.word(instruction, instruction.operands), b = m.word(instruction, instruction.operands + 1),
                       truth = bools(count(instruction.type));
        uint32_t defined = binary(Op::OpINotEqual, truth, b, constant(m.type_of(b), 0));
        if (instruction.op == Op::OpSDiv || instruction.op == Op::OpSRem || instruction.op == Op::OpSMod) {
            const uint64_t sign = uint64_t{1} << (bits(instruction.type) - 1);
            const uint32_t fits =
                binary(Op::OpLogicalOr, truth, binary(Op::OpINotEqual, truth, a, constant(m.type_of(a), sign)),
                       binary(Op::OpINotEqual, truth, b, constant(m.type_of(b), (sign - 1) | sign)));
            defined = binary(Op::OpLogicalAnd, truth, defined, fits);
        }
        select(instruction, defined, copy_as_raw(instruction));
    }

    /// Functions for which GLSL.std.450 says "undefined": logarithms of what is not above 0, roots of what is below it,
    /// powers of either. NaN counts as anything.
    void function(const Instruction& instruction) {
        const uint32_t which = m.word(instruction, instruction.operands + 1),
                       x = m.word(instruction, instruction.operands + 2);
        const uint32_t truth = bools(count(instruction.type)), zero = number(instruction.type, 0);
        if (which == GLSLstd450Pow) {
            const uint32_t above = binary(Op::OpFUnordGreaterThan, truth, x, zero);
            const uint32_t none = binary(Op::OpFUnordGreaterThanEqual, truth, x, zero);
            const uint32_t power =
                binary(Op::OpFUnordGreaterThan, truth, m.word(instruction, instruction.operands + 3), zero);
            const uint32_t zeros = binary(Op::OpLogicalAnd, truth, none, power);
            return select(instruction, binary(Op::OpLogicalOr, truth, above, zeros), copy_as_raw(instruction));
        }
        const Op order = which == GLSLstd450Sqrt ? Op::OpFUnordGreaterThanEqual : Op::OpFUnordGreaterThan;
        select(instruction, binary(order, truth, x, zero), copy_as_raw(instruction));
    }

    /// For an array in the invocation's own memory: an access past its end reaches an element in its middle, which no
    /// guard that clamps to an end would select.
    void element(const Instruction& instruction) {
        const auto* variable = m.definition(m.word(instruction, instruction.operands));
        const auto* pointed =
            variable != nullptr && variable->op == Op::OpVariable ? m.definition(variable->type) : nullptr;
        const auto* array = pointed != nullptr ? m.definition(m.word(*pointed, 3)) : nullptr;
        const uint32_t index = m.word(instruction, instruction.operands + 1);
        if (array == nullptr || array->op != Op::OpTypeArray || m.constant(index)) return copy(instruction);
        const auto storage = static_cast<spv::StorageClass>(m.word(*variable, 3));
        const auto elements = m.constant(m.word(*array, 3));
        const bool own = storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
        if (!own || !elements) return copy(instruction);
        const uint32_t of = m.type_of(index);
        const uint32_t inside = binary(Op::OpULessThan, bools(1), index, constant(of, *elements));
        const uint32_t taken = fresh();
        changed.insert(changed.end(), {head(6, Op::OpSelect), of, taken, inside, index, constant(of, *elements / 2)});
        const size_t at = changed.size();
        copy(instruction);
        changed[at + instruction.operands + 1] = taken;
    }

    /// For an access past the end of a buffer of which modules are given `less` words: the last of these words shows
    /// it, whatever the operation leaves in its own place.
    void atomic(const Instruction& instruction, uint32_t less) {
        const auto* chain = m.definition(m.word(instruction, instruction.operands));
        if (chain->op != Op::OpAccessChain || chain->size != chain->operands + 3 || instruction.type == 0 ||
            bits(instruction.type) != 32)
            return copy(instruction);
        const uint32_t variable = m.word(*chain, chain->operands), member = m.word(*chain, chain->operands + 1);
        const uint32_t index = m.word(*chain, chain->operands + 2), of = m.type_of(index);
        const uint32_t length = fresh(), word = fresh(), behind = fresh(), before = fresh();
        changed.insert(changed.end(),
                       {head(5, Op::OpArrayLength), of, length, variable, m.constant(member).value_or(0)});
        const uint32_t told = binary(Op::OpISub, of, length, constant(of, less));
        const uint32_t within = binary(Op::OpULessThan, bools(1), index, told);
        changed.insert(changed.end(), {head(6, Op::OpSelect), instruction.type, word, within,
                                       constant(instruction.type, 0), constant(instruction.type, ~uint32_t{0})});
        const uint32_t last = binary(Op::OpISub, of, length, constant(of, 1));
        changed.insert(changed.end(), {head(6, Op::OpAccessChain), chain->type, behind, variable, member, last});
        changed.insert(changed.end(), {head(7, Op::OpAtomicOr), instruction.type, before, behind,
                                       m.word(instruction, instruction.operands + 1),
                                       m.word(instruction, instruction.operands + 2), word});
        copy(instruction);
    }

    std::vector<uint32_t> finish() {
        std::vector<uint32_t> all(m.words.begin(), m.words.begin() + m.all.front().at);
        all[kBound] = bound;
        all.insert(all.end(), changed.begin(), changed.end());
        return all;
    }
};

}  // namespace

BindingSet images_by_texel(std::span<const uint32_t> words) {
    const Module m = mutation::read(words);
    const auto places = places_of(m);
    BindingSet found, others;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> types;
    for (const auto& i : m.all) {
        const auto place = i.op == Op::OpVariable ? places.find(i.result) : places.end();
        if (place == places.end() || static_cast<spv::StorageClass>(m.word(i, 3)) != spv::StorageClass::UniformConstant)
            continue;
        found.insert(place->second);
        // Variables that share a binding see one image: if their types differ, it is left alone.
        if (types.try_emplace(place->second, i.type).first->second != i.type) others.insert(place->second);
    }
    for (const auto& i : m.all) {
        if (i.block == 0) continue;
        for (uint32_t k = i.op == Op::OpImageWrite || i.op == Op::OpStore ? 1 : i.operands; k < end_of_ids(i); k++) {
            const auto* d = m.definition(m.word(i, k));
            if (d == nullptr) continue;
            uint32_t variable = d->op == Op::OpVariable ? d->result : 0;
            if (d->op == Op::OpAccessChain) variable = mutation::variable_of(m, d->result);
            if (d->op == Op::OpLoad || d->op == Op::OpImage) variable = image_variable(m, d->result);
            const auto place = places.find(variable);
            const bool unasked = i.op == Op::OpImageFetch && k == i.operands && !asks_where(m, i);
            if (place != places.end() && (unasked || !counts_texels(i, k))) others.insert(place->second);
        }
    }
    for (const auto& place : others) found.erase(place);
    return found;
}

std::vector<uint32_t> as_on_hostile_device(std::span<const uint32_t> words, const BindingSet& buffers, uint32_t less,
                                           const BindingSet& images, uint32_t subgroup_size) {
    const Module m = mutation::read(words);
    if (m.all.empty()) return {words.begin(), words.end()};
    const auto places = places_of(m);
    const auto at = [&](uint32_t variable, const BindingSet& bindings) {
        const auto place = places.find(variable);
        return place != places.end() && bindings.contains(place->second);
    };
    Patcher p(m);
    std::optional<size_t> before_model, before_functions;
    for (const auto& i : m.all) {
        if (i.op == Op::OpMemoryModel) before_model = p.changed.size();
        if (i.op == Op::OpFunction && !before_functions) before_functions = p.changed.size();
        if (i.block == 0) {
            p.copy(i);
            continue;
        }
        switch (i.op) {
            case Op::OpArrayLength:
                at(mutation::variable_of(m, m.word(i, i.operands)), buffers) ? p.shorter(i, less) : p.copy(i);
                break;
            case Op::OpImageQuerySize:
            case Op::OpImageQuerySizeLod:
                at(image_variable(m, m.word(i, i.operands)), images) ? p.smaller(i) : p.copy(i);
                break;
            case Op::OpImageFetch:
                asks_for_level(m, i) ? p.level(i, at(image_variable(m, m.word(i, i.operands)), images) ? 1 : 0)
                                     : p.copy(i);
                break;
            case Op::OpImageQueryLevels:
                at(image_variable(m, m.word(i, i.operands)), images) ? p.shorter(i, 1) : p.copy(i);
                break;
            case Op::OpShiftLeftLogical:
            case Op::OpShiftRightLogical:
            case Op::OpShiftRightArithmetic:
                p.shift(i);
                break;
            case Op::OpGroupNonUniformShuffle:
                subgroup_size != 0 ? p.lane(i, subgroup_size) : p.copy(i);
                break;
            case Op::OpAccessChain:
                p.element(i);
                break;
            case Op::OpAtomicExchange:
            case Op::OpAtomicCompareExchange:
            case Op::OpAtomicIAdd:
            case Op::OpAtomicSMin:
            case Op::OpAtomicUMin:
            case Op::OpAtomicSMax:
            case Op::OpAtomicUMax:
            case Op::OpAtomicAnd:
            case Op::OpAtomicOr:
            case Op::OpAtomicXor:
                at(mutation::variable_of(m, m.word(i, i.operands)), buffers) ? p.atomic(i, less) : p.copy(i);
                break;
            case Op::OpExtInst:
                is_angle(m, i) ? p.angle(i) : has_a_domain(m, i) ? p.function(i) : p.copy(i);
                break;
            case Op::OpUDiv:
            case Op::OpUMod:
            case Op::OpSDiv:
            case Op::OpSRem:
            case Op::OpSMod:
                p.quotient(i);
                break;
            case Op::OpConvertFToS:
            case Op::OpConvertFToU:
                p.conversion(i);
                break;
            default:
                p.copy(i);
                break;
        }
    }
    if (!before_model || !before_functions) return {words.begin(), words.end()};
    const auto insert = [&](size_t where, const std::vector<uint32_t>& what) {
        p.changed.insert(p.changed.begin() + static_cast<std::ptrdiff_t>(where), what.begin(), what.end());
    };
    insert(*before_functions, p.globals);
    if (p.imports)
        insert(*before_model, {head(6, Op::OpExtInstImport), p.functions, 0x4c534c47, 0x6474732e, 0x3035342e, 0});
    return p.finish();
}

}  // namespace tgsi2spv::difftest
