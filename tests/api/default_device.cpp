// The device that options without one mean, and its opposite. Each member must be required by the text of a row here: a
// member of tgsi2spv_device_caps without a row is a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/device.h"
#include "api/library_texts.h"
#include "shader_files.h"

namespace tgsi2spv {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StrEq;

/// The result for a text if the device lacks the feature.
enum class Without : uint8_t { Refused, Emulated };
using enum Without;

/// Options, and the structs that they point to.
struct Request {
    tgsi2spv_options options = default_options;
    tgsi2spv_device_caps device = device_with_everything();
    tgsi2spv_state state = make<tgsi2spv_state>();
    tgsi2spv_stream_output output{0, 0, 4, 0, 0, 0};
    tgsi2spv_stream_outputs streams = make<tgsi2spv_stream_outputs>();
};
using Change = void (*)(Request&);

void take_away(std::string_view feature, tgsi2spv_device_caps& caps) {
    for (const api::DeviceFeature& f : api::device_features())
        if (f.name == feature) caps.*f.member = 0;
    for (const api::SubgroupOperation& o : api::subgroup_operations())
        if (o.name == feature) caps.subgroup_supported_operations &= ~o.bit;
}

struct Row {
    std::string feature;
    Without without;
    std::string text;
    Change change = nullptr;  ///< other requirements
    std::string named{};      ///< by the refusal, if another feature would do, too
};

std::string vertex(const std::string& declarations, const std::string& body) {
    return R"(VERT
DCL IN[0]
DCL TEMP[0..1]
DCL OUT[0], POSITION
)" + declarations +
           "IMM[0] UINT32 {0, 4, 8, 12}\nMOV OUT[0], IN[0]\n" + body + "END\n";
}
std::string fragment(const std::string& declarations, const std::string& body) {
    return R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL TEMP[0..1]
DCL ADDR[0]
DCL CONST[0][0..3]
DCL OUT[0], COLOR
)" + declarations +
           "IMM[0] UINT32 {0, 4, 8, 12}\nUARL ADDR[0].x, CONST[0][0].xxxx\nMOV OUT[0], IN[0]\n" + body + "END\n";
}
std::string compute(const std::string& declarations, const std::string& body) {
    return R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
DCL BUFFER[0]
DCL TEMP[0..1]
DCL ADDR[0]
DCL CONST[0][0..3]
)" + declarations +
           "IMM[0] UINT32 {0, 4, 8, 12}\nUARL ADDR[0].x, CONST[0][0].xxxx\nMOV TEMP[0], CONST[0][0]\n" + body +
           "STORE BUFFER[0], IMM[0].xxxx, TEMP[0]\nEND\n";
}
std::string geometry(const std::string& declarations, const std::string& body,
                     const std::string& primitive = "POINTS") {
    return "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE " + primitive +
           "\nPROPERTY GS_MAX_OUTPUT_VERTICES 2\nDCL IN[][0], GENERIC[0]\nDCL OUT[0], GENERIC[0]\n" + declarations +
           "IMM[0] UINT32 {0, 1, 2, 3}\nMOV OUT[0], IN[0][0]\n" + body + "EMIT IMM[0].xxxx\nEND\n";
}
const std::string kEvaluation =
    R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], GENERIC[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0][0]
END
)";

void exact(Request& r) {
    r.options.flags |= TGSI2SPV_OPTION_EXACT;
}
void for_vulkan_10(Request& r) {
    r.options.target = TGSI2SPV_TARGET_VULKAN_1_0;
}
void for_vulkan_11(Request& r) {
    r.options.target = TGSI2SPV_TARGET_VULKAN_1_1;
}

std::vector<Row> rows() {
    const std::string word = "PIPE_FORMAT_R32_UINT";
    const std::string distances = "DCL OUT[1], CLIPDIST\n", write_distances = "MOV OUT[1], IN[0]\n";
    return {
        {"geometryShader", Refused, geometry("", "")},
        {"tessellationShader", Refused, kEvaluation},
        {"sampleRateShading", Refused, fragment("DCL SV[0], SAMPLEID\n", "MOV OUT[0], SV[0]\n")},
        {"dualSrcBlend", Refused, fragment("DCL OUT[1], COLOR[1]\n", "MOV OUT[1], IN[0]\n"),
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_DUAL_SOURCE; }},
        {"imageCubeArray", Refused, fragment("DCL SAMP[0]\n", "TEX OUT[0], IN[0], SAMP[0], CUBE_ARRAY\n")},
        {"multiViewport", Refused, geometry("DCL OUT[1], VIEWPORT_INDEX\n", "MOV OUT[1].x, IMM[0].xxxx\n")},
        {"vertexPipelineStoresAndAtomics", Refused,
         vertex("DCL BUFFER[0]\n", "STORE BUFFER[0].x, IMM[0].xxxx, IN[0]\n")},
        {"fragmentStoresAndAtomics", Refused, fragment("DCL BUFFER[0]\n", "STORE BUFFER[0].x, IMM[0].xxxx, IN[0]\n")},
        {"shaderTessellationAndGeometryPointSize", Refused,
         geometry("DCL OUT[1], PSIZE\n", "MOV OUT[1].x, IN[0][0]\n")},
        {"shaderImageGatherExtended", Emulated,
         fragment("DCL SAMP[0]\n", "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D, CONST[0][1].xyz\n")},
        {"shaderStorageImageExtendedFormats", Emulated,
         compute("DCL IMAGE[0], 2D, PIPE_FORMAT_R16G16_FLOAT, WR\n",
                 "STORE IMAGE[0], IMM[0], TEMP[0], 2D, PIPE_FORMAT_R16G16_FLOAT\n")},
        {"shaderStorageImageMultisample", Refused,
         compute("DCL IMAGE[0], 2D_MSAA, " + word + "\n", "LOAD TEMP[0], IMAGE[0], IMM[0], 2D_MSAA, " + word + "\n")},
        {"shaderStorageImageReadWithoutFormat", Refused,
         compute("DCL IMAGE[0], 2D, PIPE_FORMAT_NONE\n", "LOAD TEMP[0], IMAGE[0], IMM[0], 2D, PIPE_FORMAT_NONE\n")},
        {"shaderStorageImageWriteWithoutFormat", Refused,
         compute("DCL IMAGE[0], 2D, PIPE_FORMAT_NONE, WR\n",
                 "STORE IMAGE[0], IMM[0], TEMP[0], 2D, PIPE_FORMAT_NONE\n")},
        {"shaderSampledImageArrayDynamicIndexing", Emulated,
         fragment("DCL SAMP[0..3]\n", "TEX OUT[0], IN[0], SAMP[ADDR[0].x], 2D\n")},
        {"shaderStorageBufferArrayDynamicIndexing", Emulated,
         compute("DCL BUFFER[1..3]\n", "LOAD TEMP[0], BUFFER[ADDR[0].x+1], IMM[0].xxxx\n")},
        {"shaderStorageImageArrayDynamicIndexing", Emulated,
         compute("DCL IMAGE[0..3], 2D, " + word + "\n", "LOAD TEMP[0], IMAGE[ADDR[0].x], IMM[0], 2D, " + word + "\n")},
        {"shaderUniformTexelBufferArrayDynamicIndexing", Emulated,
         fragment("DCL SAMP[0..3]\n", "TXF OUT[0], IMM[0], SAMP[ADDR[0].x], BUFFER\n")},
        {"shaderStorageTexelBufferArrayDynamicIndexing", Emulated,
         compute("DCL IMAGE[0..3], BUFFER, " + word + "\n",
                 "LOAD TEMP[0], IMAGE[ADDR[0].x], IMM[0], BUFFER, " + word + "\n")},
        {"shaderClipDistance", Refused, vertex("PROPERTY NUM_CLIPDIST_ENABLED 4\n" + distances, write_distances)},
        {"shaderCullDistance", Refused, vertex("PROPERTY NUM_CULLDIST_ENABLED 4\n" + distances, write_distances)},
        {"shaderFloat64", Emulated, std::string(kDouble)},
        {"shaderInt64", Refused, compute("", "U64ADD TEMP[0].xy, TEMP[0].xyxy, TEMP[0].zwzw\n")},
        {"shaderDrawParameters", Emulated, vertex("DCL SV[0], BASEVERTEX\n", "MOV OUT[0], SV[0]\n")},
        {"multiview", Emulated, vertex("PROPERTY NUM_VIEWS 2\nDCL SV[0], VIEW_INDEX\n", "MOV OUT[0], SV[0].xxxx\n")},
        {"subgroupBroadcastDynamicId", Refused, compute("", "READ_INVOC TEMP[0].x, TEMP[0].xxxx, CONST[0][1].xxxx\n"),
         [](Request& r) { take_away("VK_SUBGROUP_FEATURE_SHUFFLE_BIT", r.device); }, "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"},
        {"shaderDemoteToHelperInvocation", Emulated, fragment("", "DEMOTE\n")},
        {"shaderSubgroupClock", Refused, compute("", "CLOCK TEMP[0].xy\n")},
        {"transformFeedback", Refused, vertex("", ""),
         [](Request& r) {
             r.streams.outputs = &r.output;
             r.streams.output_count = 1;
             r.streams.strides[0] = 4;
             r.options.stream_outputs = &r.streams;
         }},
        {"geometryStreams", Refused,
         geometry("DCL OUT[1], STREAM(1, 1, 1, 1), GENERIC[1]\n", "MOV OUT[1], IN[0][0]\nEMIT IMM[0].yyyy\n")},
        {"transformFeedbackStreamsLinesTriangles", Refused,
         geometry("DCL OUT[1], STREAM(1, 1, 1, 1), GENERIC[1]\n", "MOV OUT[1], IN[0][0]\nEMIT IMM[0].yyyy\n",
                  "LINE_STRIP")},
        {"VK_EXT_shader_stencil_export", Refused, fragment("DCL OUT[1], STENCIL\n", "MOV OUT[1].y, IMM[0].xxxx\n")},
        {"shaderOutputLayer", Refused, vertex("DCL OUT[1], LAYER\n", "MOV OUT[1].x, IMM[0].xxxx\n")},
        {"shaderOutputViewportIndex", Refused, vertex("DCL OUT[1], VIEWPORT_INDEX\n", "MOV OUT[1].x, IMM[0].xxxx\n")},
        {"VK_EXT_shader_viewport_index_layer", Refused, vertex("DCL OUT[1], LAYER\n", "MOV OUT[1].x, IMM[0].xxxx\n"),
         for_vulkan_11},
        {"VK_EXT_post_depth_coverage", Refused,
         fragment("PROPERTY FS_EARLY_DEPTH_STENCIL 1\nPROPERTY FS_POST_DEPTH_COVERAGE 1\n", "")},
        {"VK_EXT_blend_operation_advanced", Refused, fragment("PROPERTY FS_BLEND_EQUATION_ADVANCED 4098\n", "")},
        {"VK_NV_viewport_array2", Refused, vertex("DCL OUT[1], VIEWPORT_MASK\n", "MOV OUT[1].x, IMM[0].xxxx\n")},
        {"VK_EXT_shader_subgroup_vote", Refused, compute("", "VOTE_ALL TEMP[0].x, TEMP[0].xxxx\n"), for_vulkan_10},
        {"VK_EXT_shader_subgroup_ballot", Refused, compute("", "READ_FIRST TEMP[0].x, TEMP[0].xxxx\n"), for_vulkan_10},
        {"VK_SUBGROUP_FEATURE_VOTE_BIT", Refused, compute("", "VOTE_ALL TEMP[0].x, TEMP[0].xxxx\n")},
        {"VK_SUBGROUP_FEATURE_BALLOT_BIT", Refused, compute("", "BALLOT TEMP[0].xy, TEMP[0].xxxx\n")},
        {"VK_SUBGROUP_FEATURE_SHUFFLE_BIT", Refused,
         compute("DCL SV[0], THREAD_ID\n", "READ_INVOC TEMP[0].x, TEMP[0].xxxx, SV[0].xxxx\n"),
         [](Request& r) { take_away("subgroupBroadcastDynamicId", r.device); }},
        {"shaderSignedZeroInfNanPreserveFloat32", Emulated, vertex("", ""), exact},
        {"shaderSignedZeroInfNanPreserveFloat64", Emulated, std::string(kDouble), exact},
        {"shaderRoundingModeRTEFloat32", Emulated, vertex("", ""), exact},
        {"standardSampleLocations", Refused,
         fragment("DCL SVIEW[0], 2D_MSAA, FLOAT\n", "SAMPLE_POS OUT[0], SVIEW[0], CONST[0][1].xxxx\n")},
    };
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
    for (const Row& row : rows()) {
        Request r;
        r.options.state = &r.state;
        r.options.device = &r.device;
        if (row.change != nullptr) row.change(r);
        const Module with = context.translate(row.text, r.options);
        EXPECT_TRUE(with) << row.feature << ": " << context.diagnostic(0).message << '\n' << row.text;
        if (is_listed(row.feature)) {
            EXPECT_THAT(with.features(), testing::Contains(StrEq(row.feature))) << row.text;
        }
        // The feature alone is missing, or all of them are.
        take_away(row.feature, r.device);
        r.options.device = &r.device;
        const Module without = context.translate(row.text, r.options);
        EXPECT_EQ(static_cast<bool>(without), row.without == Emulated) << row.text << context.diagnostic(0).message;
        if (without)
            EXPECT_THAT(without.features(), testing::Not(testing::Contains(StrEq(row.feature)))) << row.text;
        else
            EXPECT_EQ(context.diagnostic(0).feature, row.named.empty() ? row.feature : row.named) << row.text;
        r.options.device = nullptr;
        const Module plain = context.translate(row.text, r.options);
        EXPECT_FALSE(plain && row.without == Refused) << row.text;
        if (plain) {
            expect_plain(plain, row.text);
        } else {
            EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED) << row.text;
            EXPECT_STRNE(context.diagnostic(0).feature, "") << row.text;
        }
    }
}

TEST(DefaultDevice, EachMemberHasARow) {
    std::multiset<std::string_view> known(kNoText.begin(), kNoText.end());
    const std::vector<Row> all = rows();
    for (const Row& row : all) known.insert(row.feature);
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

/// Vulkan, "Required Limits".
TEST(DefaultDevice, HasTheLimitsThatVulkanGuarantees) {
    Context context;
    const auto lacking = [&](const std::string& text) -> std::string {
        EXPECT_FALSE(context.translate(text)) << text;
        EXPECT_TRUE(context.translate(text, everything)) << context.diagnostic(0).message << text;
        (void)context.translate(text);
        return context.diagnostic_count() == 1 ? context.diagnostic(0).feature : "";
    };
    const auto color = [](const std::string& n) {
        return "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR[" + n + "]\nMOV OUT[0], IN[0]\nEND\n";
    };
    const auto attribute = [](const std::string& n) {
        return "VERT\nDCL IN[" + n + "]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[" + n + "]\nEND\n";
    };
    const auto group = [](const std::string& axis, const std::string& n) {
        return "COMP\nPROPERTY CS_FIXED_BLOCK_" + axis + " " + n + "\nEND\n";
    };
    for (const std::string& text :
         {color("3"), attribute("15"), group("WIDTH", "128"), group("HEIGHT", "128"), group("DEPTH", "64")})
        EXPECT_TRUE(context.translate(text)) << context.diagnostic(0).message << text;
    EXPECT_EQ(lacking(color("4")), "maxFragmentOutputAttachments");
    EXPECT_EQ(lacking(attribute("16")), "maxVertexInputAttributes");
    EXPECT_EQ(lacking(group("HEIGHT", "129")), "maxComputeWorkGroupSize");
    EXPECT_EQ(lacking(group("DEPTH", "65")), "maxComputeWorkGroupSize");
    EXPECT_EQ(lacking(group("WIDTH 64\nPROPERTY CS_FIXED_BLOCK_HEIGHT", "4")), "maxComputeWorkGroupInvocations");
    const std::string shared = compute("DCL MEMORY[0], SHARED\n", "STORE MEMORY[0].x, IMM[0].xxxx, TEMP[0]\n");
    auto options = default_options;
    options.shared_words = 4096;
    EXPECT_TRUE(context.translate(shared, options));
    options.shared_words = 4097;
    EXPECT_FALSE(context.translate(shared, options));
    EXPECT_STREQ(context.diagnostic(0).feature, "maxComputeSharedMemorySize");
    // Subgroups: only COMP has them.
    const std::string subgroup = "DCL SV[0], SUBGROUP_SIZE\n";
    EXPECT_TRUE(context.translate(compute(subgroup, "MOV TEMP[0], SV[0].xxxx\n"))) << context.diagnostic(0).message;
    EXPECT_EQ(lacking(fragment(subgroup, "MOV OUT[0], SV[0].xxxx\n")), "subgroupSupportedStages");
}

/// The device has the target's version, else 1.1, or a newer one that the caller sets.
TEST(DefaultDevice, IsOfTheTarget) {
    Context context;
    constexpr uint32_t kVersions[] = {0x10300, 0x10000, 0x10300, 0x10500, 0x10600};
    for (uint32_t target = TGSI2SPV_TARGET_DEFAULT; target <= TGSI2SPV_TARGET_VULKAN_1_3; ++target) {
        auto options = default_options;
        options.target = target;
        const Module m = context.translate(kFragment, options);
        ASSERT_TRUE(m) << context.diagnostic(0).message;
        EXPECT_EQ(m.words()[1], kVersions[target]);
        EXPECT_THAT(m.features(), IsEmpty());
        const Module doubles = context.translate(kDouble, options);
        ASSERT_TRUE(doubles) << context.diagnostic(0).message;
        EXPECT_THAT(doubles.features(), IsEmpty());
    }
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    EXPECT_NE(hash_of(kFragment), hash_of(kFragment, options));  // no version: 1.0
    EXPECT_NE(hash_of(kFragment), hash_of(kFragment, everything));
}

TEST(DefaultDevice, IsTheOneOfALinkage) {
    Context context;
    const Program v = context.parse(kVertex), g = context.parse(geometry("", ""));
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
