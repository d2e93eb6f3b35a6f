// Constant buffers. They are read-only, so a loaded vector is used again wherever its load dominates.
#include "lower/registers/constant_buffers.h"

#include <algorithm>
#include <functional>
#include <string>

#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/registers/range_tests.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

/// The most buffers that an indexed first bracket selects among.
constexpr size_t kMaxIndexedBuffers = 32;
/// The most vectors whose loads are kept: a text may name the last vector of as many buffers as it has lines.
constexpr uint32_t kMostKept = 1u << 16;

uint32_t elements_of(Context& context, int32_t dim) {
    return context.constants.counts[static_cast<size_t>(dim)];
}

/// Whether some LOAD of CONSTBUF may read the buffer, also beyond its declared range.
bool may_be_loaded(const Context& context, int32_t dim) {
    return context.registers.declared(File::ConstBuf, dim) ||
           context.plan.indirect[static_cast<size_t>(File::ConstBuf)].some;
}

/// The buffer's place in the push constants, or nullptr.
const PushConstants* pushed(const Context& context, int32_t dim) {
    for (const PushConstants& p : context.options.push_constants)
        if (p.buffer == static_cast<uint32_t>(dim)) return &p;
    return nullptr;
}

/// Whether an index is left to the device, which gives 0 beyond the bound range (Capabilities::robust_buffers).
bool is_unchecked(const Context& context, int32_t dim) {
    return context.capabilities.robust_buffers && policy(context.options, &Bounds::constants) == OutOfRange::Zero &&
           !pushed(context, dim);
}

bool is_in_array(const Context& context, int32_t dim) {
    const uint32_t length = context.constants.array_length;
    return length != 0 && static_cast<uint32_t>(dim - context.constants.indexed[0]) < length;
}

uint32_t variable_of(Context& context, int32_t dim) {
    const bool in_array = is_in_array(context, dim);
    if (in_array) dim = context.constants.indexed[0];
    uint32_t& variable = context.constants.variables[static_cast<size_t>(dim)];
    if (variable != kNoIndex) return variable;
    const bool loaded = may_be_loaded(context, dim);
    const bool any =
        loaded || (is_unchecked(context, dim) && context.plan.indirect[static_cast<size_t>(File::Const)].some);
    uint32_t most = elements_of(context, dim);  // an array's elements are alike
    for (uint32_t i = 1; in_array && i < context.constants.array_length; i++)
        most = std::max(most, elements_of(context, dim + static_cast<int32_t>(i)));
    const uint32_t elements = any ? std::max(most, context.capabilities.max_uniform_range / 16) : most;
    const uint32_t before = context.constants.num_variables;
    context.constants.num_variables += in_array ? context.constants.array_length : 1;
    variable = context.b.add_variable({.kind = ir::VariableKind::ConstantBuffer,
                                       .element = ir::f32(4),
                                       .array = {in_array ? context.constants.array_length : 0, elements},
                                       .index = static_cast<uint32_t>(dim),
                                       .storage = uint64_t{16} * elements > context.capabilities.max_uniform_range ||
                                                  before >= context.capabilities.max_uniform_buffers,
                                       .declared = loaded ? 0 : most,
                                       .name = indexed("CONST", static_cast<uint32_t>(dim))});
    return variable;
}

/// One variable for all buffers in the push constants: a module has at most one.
uint32_t push_variable(Context& context) {
    if (context.constants.push_variable == kNoIndex)
        context.constants.push_variable = context.b.add_variable({.kind = ir::VariableKind::PushConstant,
                                                                  .element = ir::u32(),
                                                                  .array = {0, context.constants.push_words},
                                                                  .name = "push constants"});
    return context.constants.push_variable;
}

/// The vector at `index` of a buffer in the push constants, word by word. Out of line, as few have that.
[[gnu::noinline]] ir::Value load_pushed(Context& context, const PushConstants& push, ir::Value index) {
    ir::Builder& b = context.b;
    const uint32_t variable = push_variable(context);
    const ir::Value first = b.iadd(b.imul(index, b.const_u32(4)), b.const_u32(push.offset / 4));
    ir::Value words[4];
    for (uint32_t c = 0; c < 4; ++c) words[c] = b.load(variable, {b.iadd(first, b.const_u32(c))}, ir::u32());
    return b.bitcast(b.compose({{words[0], 0}, {words[1], 0}, {words[2], 0}, {words[3], 0}}), ir::Scalar::F32);
}

/// The vector at `index`, which is in range.
ir::Value load_vector(Context& context, int32_t dim, ir::Value index) {
    if (const PushConstants* push = pushed(context, dim)) return load_pushed(context, *push, index);
    if (!is_in_array(context, dim)) return context.b.load(variable_of(context, dim), {index}, ir::f32(4));
    const ir::Value place = context.b.const_u32(static_cast<uint32_t>(dim - context.constants.indexed[0]));
    return context.b.load(variable_of(context, dim), {place, index}, ir::f32(4));
}

/// The same for a known index, kept for the next time.
ir::Value load_and_keep(Context& context, int32_t dim, int32_t index) {
    const ir::Value value = load_vector(context, dim, context.b.const_u32(static_cast<uint32_t>(index)));
    if (Cached* const kept = kept_constant(context, dim, index)) *kept = {value, context.region};
    return value;
}

/// Whether `index` is within the declared part of a buffer (kNone: not tested). Without an array id that is everything
/// up to the last declared register: the buffer also exists between two declared ranges, and one comparison is enough
/// for any number of ranges.
ir::Value in_buffer(Context& context, int32_t dim, uint16_t array_id, ir::Value index) {
    if (array_id != 0 || policy(context.options, &Bounds::constants) != OutOfRange::Zero)
        return in_range(context, File::Const, dim, array_id, index);
    return context.b.ult(index, context.b.const_u32(elements_of(context, dim)));
}

/// The vector at `index` (a constant or not) of one buffer; zeros if it is out of range.
ir::Value load_element(Context& context, int32_t dim, ir::Value index, uint16_t array_id) {
    ir::Builder& b = context.b;
    if (elements_of(context, dim) == 0) return b.zero(ir::f32(4));
    if (b.is_plain_constant(index)) {
        const auto i = static_cast<int32_t>(b.constant(index).words[0]);
        const tgsi::Range* array = array_id != 0 ? context.registers.array(File::Const, array_id) : nullptr;
        const bool exists =
            i >= 0 && i < static_cast<int32_t>(elements_of(context, dim)) &&
            (array == nullptr || array->contains(i) || policy(context.options, &Bounds::constants) != OutOfRange::Zero);
        if (!exists) return b.zero(ir::f32(4));
        const ir::Value known = known_constant(context, kept_constant(context, dim, i));
        return known != ir::kNone ? known : load_and_keep(context, dim, i);
    }
    if (array_id == 0 && is_unchecked(context, dim)) return load_vector(context, dim, index);
    const ir::Value inside = in_buffer(context, dim, array_id, index);
    if (policy(context.options, &Bounds::constants) != OutOfRange::Trust)
        index = b.umin(index, b.const_u32(elements_of(context, dim) - 1));
    const ir::Value value = load_vector(context, dim, index);
    return inside == ir::kNone ? value : b.select(inside, value, b.zero(ir::f32(4)));
}

/// The buffers of the array that have the vector at `index`, as far as it is known: the device checks the others.
std::span<const int32_t> buffers_with(const Context& context, ir::Value index) {
    const std::span<const int32_t> all = context.constants.indexed;
    if (!context.b.is_plain_constant(index)) return all;
    const uint32_t i = context.b.constant(index).words[0];
    const auto lacks = [&](int32_t d) { return i >= context.constants.counts[static_cast<size_t>(d)]; };
    const auto first = std::ranges::find_if_not(all, lacks), last = std::find_if(first, all.end(), lacks);
    return std::any_of(last, all.end(), std::not_fn(lacks)) ? std::span<const int32_t>() : std::span(first, last);
}

/// The vector at `index` of the buffer that `selector` gives the number of. Zeros if there is no such buffer.
ir::Value load_selected(Context& context, const tgsi::Operand& operand, ir::Value selector, ir::Value index) {
    ir::Builder& b = context.b;
    ir::Value value = b.zero(ir::f32(4));
    const bool is_array = context.constants.array_length != 0 && operand.array_id == 0;
    const auto among = is_array ? buffers_with(context, index) : std::span<const int32_t>();
    const bool differs = !among.empty() && !is_same_in_all_lanes(context, selector);
    if (!among.empty() && context.capabilities.uniform_buffers.allows(differs)) {
        const auto number = [&](int32_t n) { return b.const_u32(static_cast<uint32_t>(n)); };
        const ir::Value place = b.isub(selector, number(among[0]));
        const auto last = static_cast<int32_t>(among.size() - 1);
        const ir::Value safe = b.iadd(b.umin(place, number(last)), number(among[0] - context.constants.indexed[0]));
        const ir::Value loaded = b.load(variable_of(context, among[0]), {safe, index}, ir::f32(4));
        if (differs) b.function().instructions[loaded].aux2 = 1;
        if (policy(context.options, &Bounds::descriptors) != OutOfRange::Zero) return loaded;
        return b.select(b.uge(number(last), place), loaded, value);
    }
    for (const int32_t d : indexed_buffers(context, operand)) {
        const ir::Value other = load_element(context, d, index, operand.array_id);
        const ir::Value chosen = b.ieq(selector, b.const_u32(static_cast<uint32_t>(d)));
        value = b.select(chosen, other, value);
    }
    return value;
}

/// Whether the buffers are one array: an index selects among more than two, and the device checks the other index.
bool are_an_array(const Context& context) {
    const auto& all = context.constants.indexed;
    const auto is_indexed = [](const tgsi::Operand& o) { return o.file == File::Const && o.dim_is_relative; };
    const auto fits = [&](int32_t dim) {
        return is_unchecked(context, dim) && !may_be_loaded(context, dim) &&
               uint64_t{16} * context.constants.counts[static_cast<size_t>(dim)] <=
                   context.capabilities.max_uniform_range;
    };
    return all.size() > 2 &&
           all.size() < std::min<size_t>(kMaxIndexedBuffers, context.capabilities.max_uniform_buffers) &&
           static_cast<size_t>(all.back() - all.front()) == all.size() - 1 &&
           context.capabilities.uniform_buffers.dynamic && std::ranges::all_of(all, fits) &&
           std::ranges::any_of(context.program.operands, is_indexed);
}

}  // namespace

ir::Value load_named(Context& context, int32_t dim, int32_t index) {
    const bool exists = dim < static_cast<int32_t>(context.constants.counts.size()) &&
                        index < static_cast<int32_t>(elements_of(context, dim));
    return exists ? load_and_keep(context, dim, index) : context.b.zero(ir::f32(4));
}

uint32_t constant_buffer(Context& context, int32_t dim) {
    return variable_of(context, dim);
}

std::span<const int32_t> indexed_buffers(Context& context, const tgsi::Operand& operand) {
    if (context.constants.indexed.size() <= kMaxIndexedBuffers) return context.constants.indexed;
    fail(context, "too-many-buffers", operand.position, "the index selects among more than 32 constant buffers");
    return {};
}

uint32_t declared_at(const Context& context, int32_t dim) {
    for (const tgsi::Declaration& d : context.program.declarations) {
        const bool is_constants = d.file == File::Const && (d.has_dim ? d.dim : 0) == dim;
        if (is_constants || (d.file == File::ConstBuf && d.first <= dim && dim <= d.last)) return d.position;
    }
    return 0;
}

void prepare_constants(Context& context) {
    const auto dims =
        static_cast<size_t>(std::max(context.registers.dims(File::Const), context.registers.count(File::ConstBuf)));
    context.constants.first_loaded.resize(dims);
    context.constants.counts.resize(dims);
    context.constants.indexed.clear();
    context.constants.variables.assign(dims, kNoIndex);
    context.constants.num_variables = 0;
    uint32_t total = 0;
    for (size_t d = 0; d < dims; ++d) {
        context.constants.first_loaded[d] = total;
        context.constants.counts[d] =
            static_cast<uint32_t>(context.registers.count(File::Const, static_cast<int32_t>(d)));
        const auto dim = static_cast<int32_t>(d);
        const bool exists = context.constants.counts[d] != 0 || context.registers.declared(File::ConstBuf, dim);
        if (exists && context.constants.indexed.size() <= kMaxIndexedBuffers) context.constants.indexed.push_back(dim);
        if (d < context.plan.const_counts.size() && context.plan.const_counts[d] > 0)
            total = std::min(total + static_cast<uint32_t>(context.plan.const_counts[d]), kMostKept);
    }
    context.constants.array_length =
        are_an_array(context) ? static_cast<uint32_t>(context.constants.indexed.size()) : 0;
    context.constants.loaded.assign(total, {});
    context.constants.push_variable = kNoIndex;
    context.constants.push_words = 0;
    for (const PushConstants& p : context.options.push_constants) {
        const auto dim = static_cast<int32_t>(p.buffer);
        if (p.buffer >= dims || elements_of(context, dim) == 0) continue;
        const uint64_t end = p.offset + uint64_t{16} * elements_of(context, dim);
        const auto refuse = [&](tgsi::Code code, const std::string& why) {
            fail(context, code, declared_at(context, dim),
                 std::string(indexed("CONST", p.buffer)) + " as push constants" + why);
        };
        if (may_be_loaded(context, dim))
            return refuse("unsupported-memory",
                          ": not possible with CONSTBUF, since LOAD reads beyond the declared registers");
        if (p.offset % 16 != 0) return refuse("unsupported-memory", ": the offset is not a multiple of 16");
        if (end > context.capabilities.max_push_constants)
            return refuse("unsupported-by-device", " ends at byte " + std::to_string(end) + ", beyond the " +
                                                       std::to_string(context.capabilities.max_push_constants) +
                                                       " bytes that the device has");
        context.constants.push_words = std::max(context.constants.push_words, static_cast<uint32_t>(end / 4));
    }
}

ir::Value load_constant(Context& context, const tgsi::Operand& operand, ir::Value selector, ir::Value index) {
    if (selector != ir::kNone) return load_selected(context, operand, selector, index);
    const int32_t dim = operand.has_dim ? operand.dim : 0;
    const bool exists = dim < static_cast<int32_t>(context.constants.counts.size());
    return exists ? load_element(context, dim, index, operand.array_id) : context.b.zero(ir::f32(4));
}

}  // namespace tgsi2spv::lower
