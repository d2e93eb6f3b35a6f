// Draws of options: an option that is never drawn is never tested.
#include "cases/run/drawn_options.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tgsi2spv::difftest {
namespace {

/// Values by name, of everything that is drawn.
std::map<std::string, int64_t> drawn(uint64_t seed, uint32_t api_version, bool separate_samplers,
                                     bool one_level_offsets) {
    api::Options o;
    o.lower.offsets_read_one_level = one_level_offsets;
    lower::Capabilities& c = o.capabilities;
    c.quad_divergent_implicit_lod = c.buffer_float32_atomic_add = c.image_float32_atomic_add = true;
    for (lower::Indexing* i :
         {&c.sampled_images, &c.texel_buffers, &c.storage_buffers, &c.storage_images, &c.storage_texel_buffers})
        *i = {true, true};
    draw_options(seed, api_version, separate_samplers, o);
    std::map<std::string, int64_t> values = {
        {"optimise", o.optimise},
        {"simplify", o.lower.simplify},
        {"drop_unneeded", o.lower.drop_unneeded},
        {"max_iterations", o.lower.max_iterations},
        {"loop_registers_in_memory", o.lower.workarounds.loop_registers_in_memory},
        {"separate_samplers", o.lower.separate_samplers},
        {"env", static_cast<int64_t>(o.emit.env)},
        {"demote", c.demote},
        {"float64", c.float64},
        {"subgroup_shuffle", c.subgroup_shuffle},
        {"subgroup_dynamic_broadcast", c.subgroup_dynamic_broadcast},
        {"image_gather_extended", c.image_gather_extended},
        {"quad_divergent_implicit_lod", c.quad_divergent_implicit_lod},
        {"storage_image_read_without_format", c.storage_image_read_without_format},
        {"storage_image_write_without_format", c.storage_image_write_without_format},
        {"buffer_float32_atomic_add", c.buffer_float32_atomic_add},
        {"image_float32_atomic_add", c.image_float32_atomic_add},
        {"min_gather_offset", c.min_gather_offset},
        {"max_gather_offset", c.max_gather_offset},
        {"min_texel_offset", c.min_texel_offset},
        {"max_texel_offset", c.max_texel_offset},
    };
    const std::pair<const char*, lower::Indexing> indexing[] = {{"sampled_images", c.sampled_images},
                                                                {"texel_buffers", c.texel_buffers},
                                                                {"storage_buffers", c.storage_buffers},
                                                                {"storage_images", c.storage_images},
                                                                {"storage_texel_buffers", c.storage_texel_buffers}};
    for (const auto& [name, i] : indexing) {
        values[std::string(name) + ".dynamic"] = i.dynamic;
        values[std::string(name) + ".non_uniform"] = i.non_uniform;
    }
    return values;
}

/// Which values each has in 200 draws.
std::map<std::string, std::set<int64_t>> drawn_often(uint32_t api_version, bool separate_samplers,
                                                     bool one_level_offsets) {
    std::map<std::string, std::set<int64_t>> all;
    for (uint64_t seed = 1; seed <= 200; ++seed)
        for (const auto& [name, value] : drawn(seed, api_version, separate_samplers, one_level_offsets))
            all[name].insert(value);
    return all;
}

TEST(DrawnOptions, EachTakesAllValues) {
    for (const auto& [name, values] : drawn_often(VK_API_VERSION_1_3, true, true))
        EXPECT_EQ(values.size(), name == "env" ? 4u : 2u) << name;
}

TEST(DrawnOptions, ABudgetIsDrawnSeldom) {
    EXPECT_EQ(draw_few_iterations(0), 0u);
    std::set<uint32_t> drawn;
    uint32_t none = 0;
    for (uint64_t seed = 1; seed <= 1000; ++seed) {
        drawn.insert(draw_few_iterations(seed));
        none += draw_few_iterations(seed) == 0;
    }
    EXPECT_EQ(drawn, (std::set<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_TRUE(none > 650 && none < 850) << none;
}

/// Options that the device or the case does not have stay unchanged.
TEST(DrawnOptions, FitTheDeviceAndTheCase) {
    auto all = drawn_often(VK_API_VERSION_1_1, false, false);
    EXPECT_EQ(all["env"], (std::set<int64_t>{0, 1}));
    EXPECT_EQ(all["separate_samplers"], (std::set<int64_t>{0}));
    EXPECT_EQ(all["min_texel_offset"].size(), 1u);
    EXPECT_EQ(all["max_texel_offset"].size(), 1u);
    EXPECT_EQ(all["min_gather_offset"].size(), 2u);
}

TEST(DrawnOptions, AreTheSameForASeed) {
    EXPECT_EQ(drawn(7, VK_API_VERSION_1_3, true, true), drawn(7, VK_API_VERSION_1_3, true, true));
}

}  // namespace
}  // namespace tgsi2spv::difftest
