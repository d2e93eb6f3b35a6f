#include "cases/run/drawn_options.h"

#include "api/device.h"
#include "inputs/random.h"

namespace tgsi2spv::difftest {

namespace {

/// More iterations than any judged loop has.
constexpr uint32_t kMaxIterations = 1u << 24;

void draw_abilities(Random& random, bool one_level, lower::Capabilities& capabilities) {
    const auto lose = [&](bool& ability) {
        if (random.below(3) == 0) ability = false;
    };
    lose(capabilities.demote);
    lose(capabilities.subgroup_shuffle);
    lose(capabilities.subgroup_dynamic_broadcast);
    lose(capabilities.image_gather_extended);
    lose(capabilities.quad_divergent_implicit_lod);
    lose(capabilities.storage_image_read_without_format);
    lose(capabilities.storage_image_write_without_format);
    lose(capabilities.buffer_float32_atomic_add);
    lose(capabilities.image_float32_atomic_add);
    for (lower::Indexing* i : {&capabilities.sampled_images, &capabilities.texel_buffers, &capabilities.storage_buffers,
                               &capabilities.storage_images, &capabilities.storage_texel_buffers}) {
        lose(i->non_uniform);
        lose(i->dynamic);
    }
    if (random.below(2) == 0) {
        capabilities.min_gather_offset = -1;
        capabilities.max_gather_offset = 0;
    }
    // Elsewhere, offsets beyond the range are refused.
    if (random.below(2) == 0 && one_level) {
        capabilities.min_texel_offset = -1;
        capabilities.max_texel_offset = 0;
    }
    lose(capabilities.float64);
}

}  // namespace

void draw_options(uint64_t seed, uint32_t api_version, bool separate_samplers, api::Options& conversion) {
    Random random(seed);
    const auto one_in = [&](uint32_t n) { return random.below(n) == 0; };
    lower::Options& l = conversion.lower;
    if (one_in(3)) conversion.optimise = false;
    if (one_in(3)) l.simplify = false;
    if (one_in(3)) l.drop_unneeded = false;
    if (one_in(3)) l.max_iterations = kMaxIterations;
    if (one_in(4)) l.workarounds.loop_registers_in_memory = true;
    const auto newest = static_cast<uint32_t>(api::target_of(api_version));
    conversion.emit.env = static_cast<spirv::TargetEnv>(random.below(newest + 1));
    draw_abilities(random, l.offsets_read_one_level, conversion.capabilities);
    if (separate_samplers && one_in(3)) l.separate_samplers = true;
}

uint32_t draw_few_iterations(uint64_t seed) {
    constexpr uint32_t kFew = 12;
    Random random(seed ^ 0x6974'6572'6174'696f);  // draw_options() has other numbers
    return seed != 0 && random.below(4) == 0 ? 1 + random.below(kFew) : 0;
}

bool draw_promises(uint64_t seed) {
    Random random(seed ^ 0x7072'6f6d'6973'65);
    return seed != 0 && random.below(2) == 0;
}

bool draw_robust_access(uint64_t seed) {
    Random random(seed ^ 0x726f'6275'7374);
    return seed != 0 && random.below(2) == 0;
}

}  // namespace tgsi2spv::difftest
