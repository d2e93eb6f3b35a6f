// TEMPX, the oldest edition's arrays of temporaries: one variable in memory holds them one after another, each as long
// as the longest.
#include "lower/registers/temp_arrays.h"

#include <algorithm>

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

constexpr int64_t kMaxRegisters = 65'536;
constexpr int kMaxRuns = 64;

/// The element of the variable, and whether it is declared (kNone: it always is).
struct Element {
    ir::Value value = ir::kNone;
    ir::Value inside = ir::kNone;
};

Element element_of(Context& context, const tgsi::Operand& operand, Bracket array, Bracket index) {
    ir::Builder& b = context.b;
    Element e;
    if (array.is_known && index.is_known) {
        e.value = b.const_u32(static_cast<uint32_t>(operand.dim) * context.temp_arrays.length +
                              static_cast<uint32_t>(operand.index));
        return e;
    }
    const ir::Value base = b.imul(array.value, b.const_u32(context.temp_arrays.length));
    e.value = b.iadd(base, index.value);
    const OutOfRange out_of_range = policy(context.options, &Bounds::registers);
    if (out_of_range == OutOfRange::Clamp) e.value = b.umin(e.value, b.const_u32(context.temp_arrays.all.count - 1));
    if (out_of_range != OutOfRange::Zero) return e;
    if (b.is_plain_constant(array.value) && b.is_plain_constant(index.value)) {  // folding every test would take long
        const auto known = [&b](const ir::Value v) { return static_cast<int32_t>(b.constant(v).words[0]); };
        e.inside = b.const_bool(context.registers.declared(File::TempArray, known(index.value), known(array.value)));
        return e;
    }
    int runs = 0;
    e.inside = b.const_bool(false);
    const auto declared = array.is_known ? context.registers.runs_of(File::TempArray, operand.dim)
                                         : context.registers.runs_of(File::TempArray);
    for (const tgsi::Range& r : declared) {
        if (++runs > kMaxRuns) {
            fail(context, "too-many-ranges", context.position,
                 "the index selects among TEMPX registers that are declared in more than 64 separate ranges");
            return e;
        }
        const ir::Value offset = b.isub(index.value, b.const_u32(static_cast<uint32_t>(r.first)));
        ir::Value inside = b.ult(offset, b.const_u32(static_cast<uint32_t>(r.last - r.first + 1)));
        if (!array.is_known) inside = b.land(inside, b.ieq(array.value, b.const_u32(static_cast<uint32_t>(r.dim))));
        e.inside = runs == 1 ? inside : b.lor(e.inside, inside);
    }
    return e;
}

}  // namespace

void prepare_temp_arrays(Context& context) {
    context.temp_arrays = {};
    int64_t arrays = 0, length = 0;
    for (const tgsi::Range& r : context.registers.runs_of(File::TempArray)) {
        arrays = std::max<int64_t>(arrays, int64_t{r.dim} + 1);
        length = std::max<int64_t>(length, int64_t{r.last} + 1);
    }
    if (arrays == 0) return;
    if (arrays * length > kMaxRegisters)
        return fail(context, "too-many-registers", 0,
                    "TEMPX arrays with a total of more than 65,536 registers are not supported");
    context.temp_arrays.length = static_cast<uint32_t>(length);
    context.temp_arrays.all = {.first = 0, .count = static_cast<uint32_t>(arrays * length), .padded = true};
    context.temp_arrays.all.variable = array_variable(context, context.temp_arrays.all.count + 1, true, "TEMPX");
}

bool read_temp_array(Context& context, const tgsi::Operand& operand, Bracket array, Bracket index,
                     std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = context.b;
    Element e = element_of(context, operand, array, index);
    if (!context.ok) return false;
    // An out-of-range access reads the element after the last one, and the result is not used.
    if (e.inside != ir::kNone) e.value = b.select(e.inside, e.value, b.const_u32(context.temp_arrays.all.count));
    ir::Value value = b.load(context.temp_arrays.all.variable, {e.value}, ir::f32(4));
    if (e.inside != ir::kNone) value = b.select(e.inside, value, b.zero(ir::f32(4)));
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
    return true;
}

bool write_temp_array(Context& context, const tgsi::Operand& operand, Bracket array, Bracket index, uint8_t mask,
                      const Ref* refs) {
    Element e = element_of(context, operand, array, index);
    if (!context.ok) return false;
    if (e.inside != ir::kNone)
        e.value = context.b.select(e.inside, e.value, context.b.const_u32(context.temp_arrays.all.count));
    store_memory(context, context.temp_arrays.all, e.value, mask, refs);
    return true;
}

}  // namespace tgsi2spv::lower
