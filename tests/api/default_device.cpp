// The device that options without one mean, and its opposite. Each member must be required by the text of a row here: a
// member of tgsi2spv_device_caps without a row is a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/device.h"
#include "api/library_texts.h"
#include "api/requests.h"
#include "shader_files.h"

namespace tgsi2spv {
namespace {

using testing::StrEq;

void take_away(std::string_view feature, tgsi2spv_device_caps& caps) {
    for (const api::DeviceFeature& f : api::device_features())
        if (f.name == feature) caps.*f.member = 0;
    for (const api::SubgroupOperation& o : api::subgroup_operations())
        if (o.name == feature) caps.subgroup_supported_operations &= ~o.bit;
}

/// Parts of texture messages (sampling/message.h) that no instruction of a text has, and members that no operation
/// needs.
const std::set<std::string_view> kNoText = {
    "shaderResourceResidency",
    "shaderResourceMinLod",
    "VK_KHR_fragment_shading_rate",
    "shaderUniformBufferArrayDynamicIndexing",
    "VK_SUBGROUP_FEATURE_BASIC_BIT",
    "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT",
    "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT",
    "VK_SUBGROUP_FEATURE_CLUSTERED_BIT",
    "VK_SUBGROUP_FEATURE_QUAD_BIT",
};

/// Properties that no module lists.
bool is_listed(std::string_view feature) {
    return feature != "standardSampleLocations";
}

/// Only requirements that every device meets: the module's own words, and in COMP the basic operations of subgroups.
void expect_plain(const Module& m, const std::string& text) {
    for (const char* feature : m.features()) {
        EXPECT_STREQ(feature, "VK_SUBGROUP_FEATURE_BASIC_BIT") << text;
        EXPECT_EQ(m.info().stage, TGSI2SPV_STAGE_COMPUTE) << text;
    }
}

TEST(DefaultDevice, EachFeatureIsRefusedOrDoneWithout) {
    Context context;
    for (const test::RequestCase& c : test::read_requests("features.txt")) {
        ASSERT_EQ(c.rows.size(), 1u) << c.name;
        const bool emulated = c.rows[0].outcome == "emulated";
        EXPECT_TRUE(emulated || c.rows[0].outcome == "refused") << c.name;
        test::Request r;
        r.apply("device=everything state.flags=0 " + c.rows[0].settings);
        const Module with = context.translate(c.text, r.options);
        EXPECT_TRUE(with) << c.name << ": " << context.diagnostic(0).message << '\n' << c.text;
        if (is_listed(c.name)) {
            EXPECT_THAT(with.features(), testing::Contains(StrEq(c.name))) << c.text;
        }
        // The feature alone is missing, or all of them are.
        take_away(c.name, r.device);
        const Module without = context.translate(c.text, r.options);
        EXPECT_EQ(static_cast<bool>(without), emulated) << c.text << context.diagnostic(0).message;
        if (without)
            EXPECT_THAT(without.features(), testing::Not(testing::Contains(StrEq(c.name)))) << c.text;
        else
            EXPECT_EQ(context.diagnostic(0).feature, c.rows[0].details.empty() ? c.name : c.rows[0].details) << c.text;
        r.options.device = nullptr;
        const Module plain = context.translate(c.text, r.options);
        EXPECT_FALSE(plain && !emulated) << c.text;
        if (plain) {
            expect_plain(plain, c.text);
        } else {
            EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED) << c.text;
            EXPECT_STRNE(context.diagnostic(0).feature, "") << c.text;
        }
    }
}

TEST(DefaultDevice, EachMemberHasARow) {
    std::multiset<std::string_view> known(kNoText.begin(), kNoText.end());
    const auto all = test::read_requests("features.txt");
    for (const test::RequestCase& c : all) known.insert(c.name);
    std::multiset<std::string_view> members;
    for (const api::DeviceFeature& f : api::device_features())
        if (!f.saves) members.insert(f.name);
    for (const api::SubgroupOperation& o : api::subgroup_operations()) members.insert(o.name);
    EXPECT_EQ(known, members);
}

/// Texts that it accepts run anywhere; texts that it refuses are accepted by a device with everything.
TEST(DefaultDevice, RefusesByNameWhatEverythingHas) {
    Context context;
    size_t accepted = 0, refused = 0;
    for (const test::ShaderFile& file : test::all_shaders()) {
        const Module m = context.translate(file.text);
        if (m) {
            expect_plain(m, file.path);
            ++accepted;
        } else if (context.translate(file.text, everything)) {
            (void)context.translate(file.text);
            EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED) << file.path;
            const tgsi2spv_diagnostic last = context.diagnostic(context.diagnostic_count() - 1);  // after warnings
            EXPECT_STREQ(last.code, "unsupported-by-device") << file.path;
            EXPECT_STRNE(last.feature, "") << file.path;
            ++refused;
        }
    }
    EXPECT_GT(accepted, 30u);
    EXPECT_GT(refused, 10u);
}

TEST(DefaultDevice, IsNotTheOneOfAnotherHash) {
    const auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    EXPECT_NE(hash_of(kFragment), hash_of(kFragment, options));  // no version: 1.0
    EXPECT_NE(hash_of(kFragment), hash_of(kFragment, everything));
}

TEST(DefaultDevice, IsTheOneOfALinkage) {
    Context context;
    const Program v = context.parse(kVertex),
                  g = context.parse(
                      "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
                      "PROPERTY GS_MAX_OUTPUT_VERTICES 2\nDCL IN[][0], GENERIC[0]\nDCL OUT[0], GENERIC[0]\n"
                      "IMM[0] UINT32 {0, 1, 2, 3}\nMOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n");
    std::array<Linkage, 2> linkages;
    EXPECT_FALSE(context.link({&v, &g}, linkages));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
    EXPECT_STREQ(context.diagnostic(0).feature, "geometryShader");
    EXPECT_TRUE(context.link({&v, &g}, linkages, everything));
}

/// The translator's own default, for which its tests, which do not know tgsi2spv_device_caps, convert.
TEST(DeviceWithEverything, IsTheTranslatorsOwn) {
    const tgsi2spv_device_caps all = device_with_everything();
    EXPECT_EQ(all.struct_size, sizeof all);
    EXPECT_EQ(api::target_of(all.api_version), spirv::TargetEnv::Vulkan13);
    for (const api::DeviceFeature& f : api::device_features()) EXPECT_EQ(all.*f.member, f.saves ? 0u : 1u) << f.name;
}

TEST(DeviceWithEverything, SetsOnlyWhatTheCallerKnows) {
    EXPECT_EQ(tgsi2spv_device_caps_set_everything(nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    tgsi2spv_device_caps caps{};
    EXPECT_EQ(tgsi2spv_device_caps_set_everything(&caps), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    caps.struct_size = offsetof(tgsi2spv_device_caps, tessellation_shader);
    EXPECT_EQ(tgsi2spv_device_caps_set_everything(&caps), TGSI2SPV_SUCCESS);
    EXPECT_EQ(caps.struct_size, offsetof(tgsi2spv_device_caps, tessellation_shader));
    EXPECT_EQ(caps.geometry_shader, 1u);
    EXPECT_EQ(caps.tessellation_shader, 0u);
}

}  // namespace
}  // namespace tgsi2spv
