// Constant buffers. They are read-only, so a loaded vector is used again wherever its load dominates.
#include "lower/constant_buffers.h"

#include <algorithm>
#include <string>

#include "lower/addressing.h"
#include "lower/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

/// The most buffers that an indexed first bracket selects among.
constexpr size_t kMaxIndexedBuffers = 32;

uint32_t elements_of(Walk& w, int32_t dim) {
    return w.constants.counts[static_cast<size_t>(dim)];
}

/// Whether some LOAD of CONSTBUF may read the buffer, also beyond what is declared.
bool may_be_loaded(const Walk& w, int32_t dim) {
    return w.registers.declared(File::ConstBuf, dim) || w.plan.indirect[static_cast<size_t>(File::ConstBuf)].some;
}

/// The buffer's place in the push constants, or nullptr.
const PushConstants* pushed(const Walk& w, int32_t dim) {
    for (const PushConstants& p : w.options.push_constants)
        if (p.buffer == static_cast<uint32_t>(dim)) return &p;
    return nullptr;
}

/// Whether an index is left to the device, which gives 0 beyond what is bound (Capabilities::robust_buffers).
bool is_unchecked(const Walk& w, int32_t dim) {
    return w.capabilities.robust_buffers && policy(w.options, &Bounds::constants) == OutOfRange::Zero &&
           !pushed(w, dim);
}

uint32_t variable_of(Walk& w, int32_t dim) {
    uint32_t& variable = w.constants.variables[static_cast<size_t>(dim)];
    if (variable != kNoIndex) return variable;
    const bool loaded = may_be_loaded(w, dim);
    const bool any = loaded || (is_unchecked(w, dim) && w.plan.indirect[static_cast<size_t>(File::Const)].some);
    const uint32_t elements =
        any ? std::max(elements_of(w, dim), w.capabilities.max_uniform_range / 16) : elements_of(w, dim);
    const uint32_t before = w.constants.num_variables++;
    variable = w.b.add_variable({.kind = ir::VariableKind::ConstantBuffer,
                                 .element = ir::f32(4),
                                 .array = {0, elements},
                                 .index = static_cast<uint32_t>(dim),
                                 .storage = uint64_t{16} * elements > w.capabilities.max_uniform_range ||
                                            before >= w.capabilities.max_uniform_buffers,
                                 .declared = loaded ? 0 : elements_of(w, dim),
                                 .name = indexed("CONST", static_cast<uint32_t>(dim))});
    return variable;
}

/// One variable for all buffers in the push constants: a module has at most one.
uint32_t push_variable(Walk& w) {
    if (w.constants.push_variable == kNoIndex)
        w.constants.push_variable = w.b.add_variable({.kind = ir::VariableKind::PushConstant,
                                                      .element = ir::u32(),
                                                      .array = {0, w.constants.push_words},
                                                      .name = "push constants"});
    return w.constants.push_variable;
}

/// The vector at `index` of a buffer in the push constants, word by word. Out of line, as few have that.
[[gnu::noinline]] ir::Value load_pushed(Walk& w, const PushConstants& push, ir::Value index) {
    ir::Builder& b = w.b;
    const uint32_t variable = push_variable(w);
    const ir::Value first = b.iadd(b.imul(index, b.const_u32(4)), b.const_u32(push.offset / 4));
    ir::Value words[4];
    for (uint32_t c = 0; c < 4; ++c) words[c] = b.load(variable, {b.iadd(first, b.const_u32(c))}, ir::u32());
    return b.bitcast(b.compose({{words[0], 0}, {words[1], 0}, {words[2], 0}, {words[3], 0}}), ir::Scalar::F32);
}

/// The vector at `index`, which is in range.
ir::Value load_vector(Walk& w, int32_t dim, ir::Value index) {
    if (const PushConstants* push = pushed(w, dim)) return load_pushed(w, *push, index);
    return w.b.load(variable_of(w, dim), {index}, ir::f32(4));
}

/// The same for a known index, kept for the next time.
ir::Value load_and_keep(Walk& w, int32_t dim, int32_t index) {
    const ir::Value value = load_vector(w, dim, w.b.const_u32(static_cast<uint32_t>(index)));
    if (Cached* const kept = kept_constant(w, dim, index)) *kept = {value, w.region};
    return value;
}

/// Whether `index` is within the declared part of a buffer (kNone: not tested). Without an array id that is everything
/// up to the last declared register: the buffer also exists between two declared ranges, and one comparison is enough
/// for any number of ranges.
ir::Value in_buffer(Walk& w, int32_t dim, uint16_t array_id, ir::Value index) {
    if (array_id != 0 || policy(w.options, &Bounds::constants) != OutOfRange::Zero)
        return in_range(w, File::Const, dim, array_id, index);
    return w.b.ult(index, w.b.const_u32(elements_of(w, dim)));
}

/// The vector at `index` (a constant or not) of one buffer; zeros if it is out of range.
ir::Value load_element(Walk& w, int32_t dim, ir::Value index, uint16_t array_id) {
    ir::Builder& b = w.b;
    if (elements_of(w, dim) == 0) return b.zero(ir::f32(4));
    if (b.is_plain_constant(index)) {
        const auto i = static_cast<int32_t>(b.constant(index).words[0]);
        const tgsi::Range* array = array_id != 0 ? w.registers.array(File::Const, array_id) : nullptr;
        const bool exists =
            i >= 0 && i < static_cast<int32_t>(elements_of(w, dim)) &&
            (array == nullptr || array->contains(i) || policy(w.options, &Bounds::constants) != OutOfRange::Zero);
        if (!exists) return b.zero(ir::f32(4));
        const ir::Value known = known_constant(w, kept_constant(w, dim, i));
        return known != ir::kNone ? known : load_and_keep(w, dim, i);
    }
    if (array_id == 0 && is_unchecked(w, dim)) return load_vector(w, dim, index);
    const ir::Value inside = in_buffer(w, dim, array_id, index);
    if (policy(w.options, &Bounds::constants) != OutOfRange::Trust)
        index = b.umin(index, b.const_u32(elements_of(w, dim) - 1));
    const ir::Value value = load_vector(w, dim, index);
    return inside == ir::kNone ? value : b.select(inside, value, b.zero(ir::f32(4)));
}

}  // namespace

ir::Value load_named(Walk& w, int32_t dim, int32_t index) {
    const bool exists =
        dim < static_cast<int32_t>(w.constants.counts.size()) && index < static_cast<int32_t>(elements_of(w, dim));
    return exists ? load_and_keep(w, dim, index) : w.b.zero(ir::f32(4));
}

uint32_t constant_buffer(Walk& w, int32_t dim) {
    return variable_of(w, dim);
}

std::span<const int32_t> indexed_buffers(Walk& w, const tgsi::Operand& o) {
    if (w.constants.indexed.size() <= kMaxIndexedBuffers) return w.constants.indexed;
    fail(w, "too-many-buffers", o.position, "the index selects among more than 32 constant buffers");
    return {};
}

uint32_t declared_at(const Walk& w, int32_t dim) {
    for (const tgsi::Declaration& d : w.program.declarations) {
        const bool is_constants = d.file == File::Const && (d.has_dim ? d.dim : 0) == dim;
        if (is_constants || (d.file == File::ConstBuf && d.first <= dim && dim <= d.last)) return d.position;
    }
    return 0;
}

void prepare_constants(Walk& w) {
    const auto dims = static_cast<size_t>(std::max(w.registers.dims(File::Const), w.registers.count(File::ConstBuf)));
    w.constants.first_loaded.resize(dims);
    w.constants.counts.resize(dims);
    w.constants.indexed.clear();
    w.constants.variables.assign(dims, kNoIndex);
    w.constants.num_variables = 0;
    uint32_t total = 0;
    for (size_t d = 0; d < dims; ++d) {
        w.constants.first_loaded[d] = total;
        w.constants.counts[d] = static_cast<uint32_t>(w.registers.count(File::Const, static_cast<int32_t>(d)));
        const auto dim = static_cast<int32_t>(d);
        const bool exists = w.constants.counts[d] != 0 || w.registers.declared(File::ConstBuf, dim);
        if (exists && w.constants.indexed.size() <= kMaxIndexedBuffers) w.constants.indexed.push_back(dim);
        if (d < w.plan.const_counts.size() && w.plan.const_counts[d] > 0)
            total += static_cast<uint32_t>(w.plan.const_counts[d]);
    }
    w.constants.loaded.assign(total, {});
    w.constants.push_variable = kNoIndex;
    w.constants.push_words = 0;
    for (const PushConstants& p : w.options.push_constants) {
        const auto dim = static_cast<int32_t>(p.buffer);
        if (p.buffer >= dims || elements_of(w, dim) == 0) continue;
        const uint64_t end = p.offset + uint64_t{16} * elements_of(w, dim);
        const auto refuse = [&](tgsi::Code code, const std::string& why) {
            fail(w, code, declared_at(w, dim), std::string(indexed("CONST", p.buffer)) + " as push constants" + why);
        };
        if (may_be_loaded(w, dim))
            return refuse("unsupported-memory",
                          ": not possible with CONSTBUF, since LOAD reads beyond the declared registers");
        if (p.offset % 16 != 0) return refuse("unsupported-memory", ": the offset is not a multiple of 16");
        if (end > w.capabilities.max_push_constants)
            return refuse("unsupported-by-device", " ends at byte " + std::to_string(end) + ", beyond the " +
                                                       std::to_string(w.capabilities.max_push_constants) +
                                                       " bytes that the device has");
        w.constants.push_words = std::max(w.constants.push_words, static_cast<uint32_t>(end / 4));
    }
}

bool read_constant(Walk& w, const tgsi::Operand& o, std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = w.b;
    const tgsi::Relative* relative = w.program.index_relative(o);
    const tgsi::Relative* dim_relative = w.program.dim_relative(o);
    const int32_t dim = o.has_dim ? o.dim : 0;
    const auto dims = static_cast<int32_t>(w.constants.counts.size());
    ir::Value value = ir::kNone;
    if (relative == nullptr && dim_relative == nullptr) {
        value = named_constant(w, o);
    } else {
        const ir::Value index =
            relative != nullptr ? relative_index(w, *relative, o.index) : b.const_u32(static_cast<uint32_t>(o.index));
        if (dim_relative == nullptr) {
            value = dim < dims ? load_element(w, dim, index, o.array_id) : b.zero(ir::f32(4));
        } else {
            const ir::Value selector = relative_index(w, *dim_relative, dim);
            value = b.zero(ir::f32(4));
            for (const int32_t d : indexed_buffers(w, o)) {
                const ir::Value other = load_element(w, d, index, o.array_id);
                const ir::Value chosen = b.ieq(selector, b.const_u32(static_cast<uint32_t>(d)));
                value = b.select(chosen, other, value);
            }
        }
    }
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
    return w.ok;
}

}  // namespace tgsi2spv::lower
