#include "lower/registers/range_tests.h"

#include <algorithm>
#include <iterator>

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

constexpr size_t kMaxRuns = 64;

/// index − first < count, unsigned.
ir::Value within(Context& context, ir::Value index, int32_t first, int32_t last) {
    ir::Builder& b = context.b;
    if (first != 0) index = b.iadd(index, b.const_u32(static_cast<uint32_t>(-first)));  // joins one that was added
    return b.ult(index, b.const_u32(static_cast<uint32_t>(last - first + 1)));
}

/// Tests up to four runs at once, in vectors.
ir::Value within_any(Context& context, ir::Value index, std::span<const uint32_t> firsts,
                     std::span<const uint32_t> counts) {
    ir::Builder& b = context.b;
    const auto n = static_cast<int>(firsts.size());
    const ir::Value offsets = b.isub(b.splat(index, n), b.const_words(ir::u32(n), firsts));
    return b.any(b.ult(offsets, b.const_words(ir::u32(n), counts)));
}

}  // namespace

ir::Value in_runs(Context& context, ir::Value index, std::span<const uint32_t> firsts,
                  std::span<const uint32_t> counts) {
    const size_t runs = firsts.size();
    if (runs == 1)
        return within(context, index, static_cast<int32_t>(firsts[0]), static_cast<int32_t>(firsts[0] + counts[0] - 1));
    ir::Value all = ir::kNone;
    for (size_t at = 0; at < runs; at += 4) {
        const size_t n = std::min<size_t>(4, runs - at);
        const ir::Value inside = within_any(context, index, firsts.subspan(at, n), counts.subspan(at, n));
        all = all == ir::kNone ? inside : context.b.lor(all, inside);
    }
    return all == ir::kNone ? context.b.const_bool(false) : all;
}

namespace {

ir::Value in_some_run(Context& context, File file, int32_t dim, ir::Value index) {
    uint32_t firsts[kMaxRuns], counts[kMaxRuns];
    size_t runs = 0;
    context.registers.for_each_run(file, dim, [&](int32_t first, int32_t last) {
        if (runs < kMaxRuns) {
            firsts[runs] = static_cast<uint32_t>(first);
            counts[runs] = static_cast<uint32_t>(last - first + 1);
        }
        ++runs;
    });
    if (runs > kMaxRuns) {
        fail(context, "too-many-ranges", context.position,
             "the index selects among registers that are declared in more than 64 separate ranges");
        return context.b.const_bool(false);
    }
    return in_runs(context, index, {firsts, runs}, {counts, runs});
}

/// The class of indexed accesses to a file.
OutOfRange Bounds::*class_of(File file) {
    switch (file) {
        case File::Const:
            return &Bounds::constants;
        case File::HwAtomic:
            return &Bounds::buffers;
        case File::Buffer:
        case File::Image:
        case File::Resource:
            return &Bounds::descriptors;
        default:
            return &Bounds::registers;
    }
}

}  // namespace

ir::Value selected_element(Context& context, const tgsi::Operand& operand, ir::Value index, int32_t first,
                           uint32_t all) {
    ir::Builder& b = context.b;
    const bool clamps = policy(context.options, &Bounds::registers) == OutOfRange::Clamp;
    const tgsi::Range* const array =
        clamps && operand.array_id != 0 ? context.registers.array(operand.file, operand.array_id) : nullptr;
    const int32_t from = array != nullptr ? array->first : first;
    ir::Value element = from == 0 ? index : b.iadd(index, b.const_u32(static_cast<uint32_t>(-from)));
    if (!clamps) return element;
    const uint32_t count = array != nullptr ? static_cast<uint32_t>(array->last - array->first + 1) : all;
    element = b.umin(element, b.const_u32(count - 1));
    return from == first ? element : b.iadd(element, b.const_u32(static_cast<uint32_t>(from - first)));
}

ir::Value in_range(Context& context, File file, int32_t dim, uint16_t array_id, ir::Value index) {
    if (policy(context.options, class_of(file)) != OutOfRange::Zero) return ir::kNone;
    const tgsi::Range* range = array_id != 0 ? context.registers.array(file, array_id) : nullptr;
    if (range != nullptr) return within(context, index, range->first, range->last);
    RangeTest& known = context.range_tests.last[index % std::size(context.range_tests.last)];
    if (known.index != index || known.file != file || known.dim != dim || usable(context, known.inside) == ir::kNone)
        known = {index, file, dim, {in_some_run(context, file, dim, index), context.region}};
    return known.inside.value;
}

}  // namespace tgsi2spv::lower
