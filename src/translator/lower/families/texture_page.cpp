// Features of the two texture pages that no TGSI opcode uses: residency, handles, packed offsets, coarse pixels,
// results narrower than a word. The messages come from carriers (sampling/carrier.h).
#include "lower/families/texture.h"

#include "lower/interface/resources.h"
#include "lower/interface/system_values.h"
#include "lower/registers/registers.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using sampling::ResultType;

const char* missing_modifier(const TextureAccess& access) {
    // The LOD message reads no texel, so none can be missing.
    const bool reads = access.m.cls != sampling::Class::Sample3D || access.m.sample != sampling::SampleOp::LOD;
    if (access.m.sparse && reads && !access.op.capabilities.sparse_residency) return "shaderResourceResidency";
    const bool coarse = access.m.cps_compensation && access.op.program.stage == tgsi::Stage::Fragment;
    if (coarse && !access.op.capabilities.shading_rate) return "VK_KHR_fragment_shading_rate";
    return nullptr;
}

namespace {

/// Selects the descriptor at `index`; sets `beyond` if there is none (TLD4: zeros are returned then).
void choose(TextureAccess& access, ResourceRef& ref, Value index) {
    ir::Builder& b = access.op.b;
    const uint32_t length = b.module().variables[ref.variable].array[0];
    if (length == 0) return;
    const Value beyond = b.uge(index, b.const_u32(length));
    access.beyond_pool = access.beyond_pool == ir::kNone ? beyond : b.lor(access.beyond_pool, beyond);
    ref.index = b.umin(index, b.const_u32(length - 1));
    ref.non_uniform = true;
}

}  // namespace

void bind_handle(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    const Value handle = parameter(access, access.m.handle, Scalar::U32);
    choose(access, access.texture, b.bit_and(handle, b.const_u32(0xf'ffff)));
    if (access.sampler.variable != ir::kNone) choose(access, access.sampler, b.lshr(handle, b.const_u32(20)));
}

/// Derivatives of coarse pixels of w by h are w and h times those of full-rate pixels. The bias undoes the smaller of
/// the two factors: more would make one direction sharper than full-rate pixels would. ShadingRateKHR has log2(h) in
/// bits 0 and 1, and log2(w) in bits 2 and 3. Other stages have no coarse pixels.
Value coarse_bias(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    if (access.op.program.stage != tgsi::Stage::Fragment) return b.const_f32(0.0f);
    const Value rate = load_builtin(access.op.context, ir::BuiltIn::ShadingRate, ir::u32());
    const Value height = b.bit_and(rate, b.const_u32(3));
    const Value width = b.bit_and(b.lshr(rate, b.const_u32(2)), b.const_u32(3));
    return b.fneg(b.convert(Op::UToF, b.umin(width, height), ir::f32()));
}

Value packed_offset(TextureAccess& access, int i) {
    ir::Builder& b = access.op.b;
    const auto n = static_cast<size_t>(access.m.surface.offsets);
    const Value word = parameter(access, access.m.packed_offsets[i / 2], Scalar::U32);
    // Six bits each, every eighth bit from bit 0; four offsets are packed two to a word.
    uint32_t left[3];
    for (uint32_t c = 0; c < 3; c++) left[c] = (26 - 8 * c - 16 * static_cast<uint32_t>(i % 2)) & 31;
    const ir::Type type = ir::u32(access.m.surface.offsets);
    const Value words = b.splat(word, access.m.surface.offsets);
    const Value high = b.shl(words, b.const_words(type, std::span(left, n)));
    return b.ashr(high, b.const_splat(type, 26));
}

namespace {

/// Narrows the value to the low half of the word (semantics: 3D_SAMPLE's Dst).
Value narrowed(TextureAccess& access, Value value) {
    ir::Builder& b = access.op.b;
    const ir::Type words = b.type_of(value).of(Scalar::U32);
    if (access.m.result == ResultType::Half) {
        ir::Component components[4];
        const Value zero = b.const_f32(0.0f);
        for (int c = 0; c < words.components; c++) {
            const Value x = b.extract(value, c);
            components[c] = {b.convert(Op::PackHalf, b.compose({{x, 0}, {zero, 0}}), ir::u32()), 0};
        }
        return b.compose(std::span(components, words.components));
    }
    if (access.m.result == ResultType::Uint16) return b.bit_and(value, b.const_splat(words, 0xffff));
    const Value sixteen = b.const_splat(words, 16);
    return b.ashr(b.shl(value, sixteen), sixteen);
}

void write_residency(TextureAccess& access) {
    const auto destinations = access.op.program.dsts(access.op.instruction);
    if (destinations.size() < 2) return;
    ir::Builder& b = access.op.b;
    const uint32_t yes = sampling::all_resident(access.m);
    const Value mapped = b.const_u32(yes), unmapped = b.const_u32(~yes);
    Value word = access.resident == ir::kNone ? mapped : b.select(access.resident, mapped, unmapped);
    if (access.beyond_pool != ir::kNone) word = b.select(access.beyond_pool, mapped, word);
    Ref refs[4];
    for (Ref& r : refs) r = {word, 0};
    write(access.op.context, destinations[1], destinations[1].write_mask, refs);
}

}  // namespace

Outcome finish_page(TextureAccess& access, Outcome outcome) {
    if (!outcome.ok) return outcome;
    ir::Builder& b = access.op.b;
    if (access.m.result != ResultType::Word) {
        const bool integers = access.image.sampled == Scalar::U32;
        if (integers == (access.m.result == ResultType::Half))
            return refuse(access.op, "unsupported-texture",
                          integers ? "integers cannot be converted to halves"
                                   : "floats can be converted to halves, but not to 16-bit integers");
        outcome.value = narrowed(access, outcome.value);
    }
    if (access.beyond_pool != ir::kNone)
        outcome.value = b.select(access.beyond_pool, b.zero(b.type_of(outcome.value)), outcome.value);
    if (access.m.sparse) write_residency(access);
    return outcome;
}

}  // namespace tgsi2spv::lower
