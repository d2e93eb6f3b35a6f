// Samples of a texture or of the render target: SAMPLE_POS, SAMPLE_INFO. Vulkan has no query for sample positions;
// devices with standardSampleLocations use these.
#include "lower/families/texture.h"
#include "lower/state/state_context.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;

namespace {

/// VkPhysicalDeviceLimits::standardSampleLocations, in sixteenths of a pixel.
struct SamplePoint {
    uint8_t x, y;
};
constexpr SamplePoint kTwo[] = {{12, 12}, {4, 4}};
constexpr SamplePoint kFour[] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
constexpr SamplePoint kEight[] = {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
constexpr SamplePoint kSixteen[] = {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
                                    {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};
constexpr std::span<const SamplePoint> kTables[] = {kTwo, kFour, kEight, kSixteen};

/// Four locations in one word: x in the low half of each byte, y in the high half.
uint32_t packed(std::span<const SamplePoint> four) {
    uint32_t word = 0;
    for (size_t k = 0; k < four.size(); k++)
        word |= (static_cast<uint32_t>(four[k].x) | static_cast<uint32_t>(four[k].y) << 4) << (8 * k);
    return word;
}

/// The number of samples; kNone if there can only be one.
Value sample_count(TextureAccess& access) {
    if (access.m.render_target) return state_value(access.op.context, ir::u32(), spec::kTargetSamples, 1);
    if (!access.image.ms) return ir::kNone;
    return issue(access, Op::ImageQuerySamples, ir::u32(), {}, {});
}

/// `several` if there are several samples, otherwise `single`. In `middle` the latter is 0 (semantics: Textures), but
/// not for a render target (the middle edition: "not a multi-sample resource and not a render target").
Value unless_single(TextureAccess& access, Value samples, Value several, Value single) {
    ir::Builder& b = access.op.b;
    if (access.op.options.dialect == tgsi::Dialect::Middle && !access.m.render_target)
        single = b.zero(b.type_of(single));
    if (samples == ir::kNone) return single;
    return b.select(b.ult(b.const_u32(1), samples), several, single);
}

/// The byte of sample `index`; 0 for a sample that does not exist.
Value location(TextureAccess& access, Value samples, Value index) {
    ir::Builder& b = access.op.b;
    Value word = b.const_u32(0);
    const Value four = b.lshr(index, b.const_u32(2));
    for (const auto& table : kTables) {
        const Value this_table = b.ieq(samples, b.const_u32(static_cast<uint32_t>(table.size())));
        for (size_t first = 0; first < table.size(); first += 4) {
            const Value this_four = b.ieq(four, b.const_u32(static_cast<uint32_t>(first / 4)));
            const Value here = b.land(this_table, this_four);
            const Value bits = b.const_u32(packed(table.subspan(first, std::min<size_t>(4, table.size() - first))));
            word = b.select(here, bits, word);
        }
    }
    const Value within = b.bit_and(index, b.const_u32(3));
    return b.lshr(word, b.shl(within, b.const_u32(3)));
}

}  // namespace

Outcome lower_sample_position(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    const Value samples = sample_count(access);
    if (samples != ir::kNone && !access.op.capabilities.standard_sample_locations)
        return refuse_lacking(access.op, "standardSampleLocations");
    Value position = b.const_splat(ir::f32(2), std::bit_cast<uint32_t>(0.5f));
    Value several = ir::kNone;
    if (samples != ir::kNone) {
        const Value byte = location(access, samples, parameter(access, access.m.sample_index, Scalar::U32));
        const Value y = b.lshr(byte, b.const_u32(4));
        const Value both = b.bit_and(b.compose({{byte, 0}, {y, 0}}), b.const_splat(ir::u32(2), 15));
        const Value sixteenth = b.const_splat(ir::f32(2), std::bit_cast<uint32_t>(0.0625f));
        several = b.fmul(b.convert(Op::UToF, both, ir::f32(2)), sixteenth);
    }
    position = unless_single(access, samples, several, position);
    const Value zero = b.const_f32(0.0f);
    return texel_result(access, b.compose({{position, 0}, {position, 1}, {zero, 0}, {zero, 0}}));
}

Outcome lower_sample_info(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    const Value zero = b.const_u32(0), one = b.const_u32(1), samples = sample_count(access);
    const Value count = unless_single(access, samples, samples, one);
    return texel_result(access, b.compose({{count, 0}, {zero, 0}, {zero, 0}, {zero, 0}}));
}

}  // namespace tgsi2spv::lower
