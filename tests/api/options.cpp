// Every option reaches the module: one text for each, on which it changes the words.
#include "api/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "api/library_texts.h"
#include "lower/interface/link.h"

namespace tgsi2spv {
namespace {

using testing::HasSubstr;

/// The options of a call and the structs that they point to.
struct Request {
    tgsi2spv_options options = everything;
    tgsi2spv_state state = make<tgsi2spv_state>();
    tgsi2spv_binding binding{TGSI2SPV_RESOURCE_CONSTANT_BUFFER, 0, 2, 5};
    tgsi2spv_push_constants push{};
    tgsi2spv_stream_output output{0, 0, 4, 0, 0, 0};
    tgsi2spv_stream_outputs streams = make<tgsi2spv_stream_outputs>();
    tgsi2spv_device_caps caps = make<tgsi2spv_device_caps>();
};

using Change = void (*)(Request&);

/// Empty if the text is refused.
std::vector<uint32_t> words_of(const std::string& text, Change both, Change change = nullptr, bool structs = true) {
    Request r;
    if (structs) r.options.state = &r.state;
    if (both != nullptr) both(r);
    if (change != nullptr) change(r);
    Context context;
    const Module m = context.translate(text, r.options);
    return m ? copy(m) : std::vector<uint32_t>();
}

std::string vertex(const std::string& body) {
    return R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL CONST[0][0..1]
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
)" + body + "END\n";
}
std::string fragment(const std::string& body, const std::string& declarations = {}) {
    return R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], COLOR, COLOR
DCL IN[2], POSITION, LINEAR
DCL OUT[0], COLOR
DCL CONST[0][0..7]
DCL SAMP[0..1]
DCL TEMP[0..7]
DCL ADDR[0]
)" + declarations +
           "IMM[0] UINT32 {0, 1, 2, 3}\n" + body + "END\n";
}
std::string compute(const std::string& declarations, const std::string& body) {
    return R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0..1]
DCL TEMP[0..3]
DCL ADDR[0]
)" + declarations +
           "IMM[0] UINT32 {0, 4, 8, 12}\nUARL ADDR[0].x, SV[0].xxxx\n" + body + "END\n";
}

const std::string kLoop =
    "BGNLOOP\nFSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nUIF TEMP[1].xxxx\nBRK\nENDIF\n"
    "ADD TEMP[0], TEMP[0], IN[1]\nENDLOOP\nMOV OUT[0], TEMP[0]\n";
const std::string kPlainFragment = fragment("TEX TEMP[0], IN[0], SAMP[0], 2D\nMUL OUT[0], TEMP[0], IN[1]\n");
const std::string kFetch = fragment("FBFETCH TEMP[0], OUT[0]\nMUL OUT[0], TEMP[0], IN[1]\n");
const std::string kPosition = fragment("MOV OUT[0], IN[2]\n");

/// The change of the module's length, where it is clear: without this an option could have the opposite effect.
enum class Length : uint8_t { Any, Longer, Shorter };
using enum Length;

struct Row {
    const char* name;
    Length length;
    std::string text;
    Change change;
    Change both = nullptr;  ///< conditions for the option to have an effect
};

std::vector<Row> option_rows() {
    return {
        {"device", Any, fragment("DEMOTE\n"), [](Request& r) { r.options.device = &r.caps; },
         [](Request& r) { r.options.target = TGSI2SPV_TARGET_VULKAN_1_0; }},
        {"stream_outputs", Longer, vertex(""),
         [](Request& r) {
             r.streams.outputs = &r.output;
             r.streams.output_count = 1;
             r.streams.strides[0] = 4;
             r.options.stream_outputs = &r.streams;
         }},
        {"bindings", Any, vertex("ADD OUT[1], IN[1], CONST[0][1]\n"),
         [](Request& r) {
             r.options.bindings = &r.binding;
             r.options.binding_count = 1;
         }},
        {"kinds", Any, vertex("ADD OUT[1], IN[1], CONST[0][1]\n"),
         [](Request& r) {
             r.options.kinds[TGSI2SPV_RESOURCE_CONSTANT_BUFFER] = {1, 2, 40};
         }},
        {"entry_point", Longer, vertex(""), [](Request& r) { r.options.entry_point = "vertex_main"; }},
        {"push_constants", Any, vertex("ADD OUT[1], IN[1], CONST[0][1]\n"),
         [](Request& r) {
             r.options.push_constants = &r.push;
             r.options.push_constant_count = 1;
         }},
        {"the offset of push_constants", Any, vertex("ADD OUT[1], IN[1], CONST[0][1]\n"),
         [](Request& r) { r.push.offset = 16; },
         [](Request& r) {
             r.options.push_constants = &r.push;
             r.options.push_constant_count = 1;
         }},
        {"source_name", Longer, vertex(""), [](Request& r) { r.options.source_name = "a.tgsi"; },
         [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_DEBUG; }},
        {"target", Any, vertex(""), [](Request& r) { r.options.target = TGSI2SPV_TARGET_VULKAN_1_0; }},
        {"dialect", Any, vertex("DFRACEXP TEMP[0].xy, TEMP[0].zw, IN[0]\nMOV OUT[1], TEMP[0]\n"),
         [](Request& r) { r.options.dialect = TGSI2SPV_DIALECT_OLDEST; }},
        {"debug", Longer, vertex(""), [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_DEBUG; }},
        {"no_optimise", Longer, fragment(kLoop), [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_UNOPTIMISED; }},
        {"exact", Longer, vertex("MUL OUT[1], IN[1], IN[0]\n"),
         [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_EXACT; }},
        {"max_iterations", Longer, fragment(kLoop), [](Request& r) { r.options.max_iterations = 5; }},
        {"the number of max_iterations", Any, fragment(kLoop), [](Request& r) { r.options.max_iterations = 6; },
         [](Request& r) { r.options.max_iterations = 5; }},
        {"conversions", Shorter, vertex("F2I OUT[1], IN[1]\n"),
         [](Request& r) { r.options.conversions = TGSI2SPV_CONVERSIONS_CLAMP; }},
        {"conversions that are trusted", Shorter, vertex("F2I OUT[1], IN[1]\n"),
         [](Request& r) { r.options.conversions = TGSI2SPV_CONVERSIONS_TRUST; },
         [](Request& r) { r.options.conversions = TGSI2SPV_CONVERSIONS_CLAMP; }},
        {"next_stage", Shorter, vertex(""), [](Request& r) { r.options.next_stage = TGSI2SPV_STAGE_GEOMETRY; }},
        {"variant_position", Shorter, vertex(""),
         [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_VARIANT_POSITION; }},
        {"handles", Any, fragment("SAMP2HND TEMP[0].xy, SAMP[1], 2D\nTEX_LZ OUT[0], IN[0], CONST[0][0].xyxy, 2D\n"),
         [](Request& r) { r.options.handles = 5; }},
        {"separate_samplers", Longer, kPlainFragment,
         [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_SEPARATE_SAMPLERS; }},
        {"private_words", Any,
         compute("DCL MEMORY[0], PRIVATE\n",
                 "STORE MEMORY[0].x, SV[0].xxxx, SV[0]\nLOAD TEMP[0].x, MEMORY[0], SV[0].xxxx\n"
                 "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]\n"),
         [](Request& r) { r.options.private_words = 64; }},
        {"shared_words", Any, compute("DCL MEMORY[0], SHARED\n", "STORE MEMORY[0].x, SV[0].xxxx, SV[0]\n"),
         [](Request& r) { r.options.shared_words = 64; }},
        {"no_scalars_in_arrays", Shorter, fragment("PUSHA IN[0]\nPUSHA IN[1]\nPOPA TEMP[0]\nPOPA OUT[0]\n" + kLoop),
         [](Request& r) { r.options.workarounds_off = TGSI2SPV_WORKAROUND_SCALARS_IN_ARRAYS; }},
        {"no_sizes_of_level_0", Shorter, fragment("F2U TEMP[0], IN[0]\nTXQ OUT[0], TEMP[0].xxxx, SAMP[0], 2D\n"),
         [](Request& r) { r.options.workarounds_off = TGSI2SPV_WORKAROUND_SIZES_OF_LEVEL_0; }},
        {"loop_registers_in_memory", Any, fragment(kLoop),
         [](Request& r) { r.options.workarounds_on = TGSI2SPV_WORKAROUND_LOOP_REGISTERS_IN_MEMORY; }},
        {"branches_by_lane", Longer, fragment(R"(DCL CONST[0]
UIF CONST[0].xxxx
MOV OUT[0], IN[0]
ENDIF
)"),
         [](Request& r) { r.options.workarounds_on = TGSI2SPV_WORKAROUND_BRANCHES_BY_LANE; }},
        {"device_saturates", Shorter, vertex("F2I OUT[1], IN[1]\n"),
         [](Request& r) { r.options.workarounds_on = TGSI2SPV_WORKAROUND_DEVICE_SATURATES; },
         [](Request& r) { r.options.conversions = TGSI2SPV_CONVERSIONS_CLAMP; }},
        {"device_logs_zero", Shorter, vertex("LG2 OUT[1], IN[1]\n"),
         [](Request& r) { r.options.workarounds_on = TGSI2SPV_WORKAROUND_DEVICE_LOGS_ZERO; }},
        {"device_reduces_angles", Shorter, vertex("SIN OUT[1], IN[1]\n"),
         [](Request& r) { r.options.workarounds_on = TGSI2SPV_WORKAROUND_DEVICE_REDUCES_ANGLES; }},
    };
}

constexpr tgsi2spv_blend kSum{TGSI2SPV_BLEND_TARGET_PIXEL, TGSI2SPV_BLEND_UNBOUNDED, 1, 1, 0, 1, 1, 0};

std::vector<Row> state_rows() {
    const std::string sampled = "TEX OUT[0], IN[0], SAMP[1], 2D\n";
    return {
        {"depth_range that is kept", Shorter, vertex(""),
         [](Request& r) { r.state.depth_range = TGSI2SPV_DEPTH_RANGE_KEEP; }},
        {"depth_range that is chosen", Longer, vertex(""),
         [](Request& r) { r.state.depth_range = TGSI2SPV_DEPTH_RANGE_CHOOSE; }},
        {"flip_y", Longer, vertex(""), [](Request& r) { r.state.flip_y = TGSI2SPV_FLIP_Y_ALWAYS; }},
        {"flip_y that is chosen", Longer, vertex(""), [](Request& r) { r.state.flip_y = TGSI2SPV_FLIP_Y_CHOOSE; }},
        {"draws_points", Longer, vertex(""), [](Request& r) { r.state.flags |= TGSI2SPV_STATE_DRAWS_POINTS; }},
        {"dual_source", Longer, fragment("MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\n", "DCL OUT[1], COLOR[1]\n"),
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_DUAL_SOURCE; }},
        {"blend", Longer, kPlainFragment, [](Request& r) { r.state.blend = kSum; }},
        {"blend of samples", Longer, kPlainFragment,
         [](Request& r) { r.state.blend.target = TGSI2SPV_BLEND_TARGET_SAMPLE; },
         [](Request& r) { r.state.blend = kSum; }},
        {"range of blending", Longer, kPlainFragment, [](Request& r) { r.state.blend.range = TGSI2SPV_BLEND_UNORM; },
         [](Request& r) { r.state.blend = kSum; }},
        {"logic operation", Longer, kPlainFragment,
         [](Request& r) {
             r.state.logic = {7, 0x08080808};
         },
         [](Request& r) { r.state.blend = kSum; }},
        {"data", Any, kPlainFragment, [](Request& r) { r.state.data[0] = 1u << TGSI2SPV_SPEC_ALPHA_REFERENCE; },
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_ALPHA_TEST; }},
        {"data above 31", Any, kPlainFragment,
         [](Request& r) { r.state.data[1] = 1u << (TGSI2SPV_SPEC_POLYGON_STIPPLE - 32); },
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_POLYGON_STIPPLE; }},
        {"widened_attributes", Any, vertex(""), [](Request& r) { r.state.widened_attributes = 2; }},
        {"alpha_targets", Any, kPlainFragment, [](Request& r) { r.state.alpha_targets = 1; }},
        {"color_targets", Shorter,
         R"(FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL OUT[0], COLOR
IMM FLT32 {1, 1, 1, 1}
MOV OUT[0], IMM[0]
END
)",
         [](Request& r) { r.state.color_targets = 1; }},
        {"sample_shading", Any, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_SAMPLE_SHADING; }},
        {"fetch_image", Any, kFetch, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_FETCH_IMAGE; }},
        {"fetch_layer", Longer, kFetch,
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_FETCH_IMAGE | TGSI2SPV_STATE_FETCH_LAYER; }},
        {"fetch_sample", Longer, kFetch,
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_FETCH_IMAGE | TGSI2SPV_STATE_FETCH_SAMPLE; }},
        {"one_layer", Longer, vertex(""), [](Request& r) { r.state.flags |= TGSI2SPV_STATE_ONE_LAYER; }},
        {"seen_samples", Longer,
         R"(FRAG
DCL SV[0], SAMPLEID
DCL SV[1], SAMPLEMASK
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
MOV OUT[0], SV[0]
MOV OUT[1].x, SV[1].xxxx
END
)",
         [](Request& r) { r.state.seen_samples = 2; }},
        {"clamped_coordinates", Longer, fragment(sampled), [](Request& r) { r.state.clamped_coordinates[1] = 2; }},
        {"mirrored_coordinates", Longer, fragment(sampled), [](Request& r) { r.state.mirrored_coordinates[1] = 2; }},
        {"mirrored_levels", Longer, fragment(sampled),
         [](Request& r) { r.state.mirrored_coordinates[1] = r.state.mirrored_levels = 2; }},
        {"unorm16_buffers", Longer,
         fragment("TXF OUT[0], IMM[0], SAMP[0], BUFFER\n", "DCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\n"),
         [](Request& r) { r.state.unorm16_buffers = 1; }},
        {"snorm16_buffers", Longer,
         fragment("TXF OUT[0], IMM[0], SAMP[0], BUFFER\n", "DCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\n"),
         [](Request& r) { r.state.snorm16_buffers = 1; }},
        {"images", Any,
         fragment("STORE IMAGE[0], IMM[0], IMM[0], 2D, PIPE_FORMAT_NONE\n", "DCL IMAGE[0], 2D, PIPE_FORMAT_NONE, WR\n"),
         [](Request& r) { r.state.images[0] = TGSI2SPV_NUMERIC_UINT; }},
        {"image_samples", Shorter,
         fragment("LOAD OUT[0], IMAGE[0], IMM[0], 2D_MSAA, PIPE_FORMAT_R32_FLOAT\n",
                  "DCL IMAGE[0], 2D_MSAA, PIPE_FORMAT_R32_FLOAT\n"),
         [](Request& r) { r.state.image_samples[0] = 4; },
         [](Request& r) { tgsi2spv_device_caps_set_everything(&r.caps); }},
        {"image_formats", Any,
         fragment("STORE IMAGE[0], IMM[0], IMM[0], 2D, PIPE_FORMAT_NONE\n", "DCL IMAGE[0], 2D, PIPE_FORMAT_NONE, WR\n"),
         [](Request& r) { r.state.image_formats[0] = 4; },
         [](Request& r) {
             tgsi2spv_device_caps_set_everything(&r.caps);
             r.caps.shader_storage_image_write_without_format = 0;
             r.options.device = &r.caps;
             r.state.image_formats[0] = 1;
         }},
        {"clip_enable", Longer,
         R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END
)",
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_CLIP_ENABLE; }},
        {"clip_planes", Longer, vertex(""), [](Request& r) { r.state.clip_planes = 2; }},
        {"clamp_vertex_color", Longer, vertex(""),
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_CLAMP_VERTEX_COLOR; }},
        {"point_size", Longer, vertex(""), [](Request& r) { r.state.flags |= TGSI2SPV_STATE_POINT_SIZE; }},
        {"bgra_attributes", Longer, vertex(""), [](Request& r) { r.state.flags |= TGSI2SPV_STATE_BGRA_ATTRIBUTES; }},
        {"attributes[1]", Any, vertex(""), [](Request& r) { r.state.attributes[1] = TGSI2SPV_NUMERIC_SSCALED; }},
        {"alpha_test", Longer, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_ALPHA_TEST; }},
        {"two_sided", Longer, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_TWO_SIDED; }},
        {"flat_shade", Longer, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_FLAT_SHADE; }},
        {"clamp_fragment_color", Longer, kPlainFragment,
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_CLAMP_FRAGMENT_COLOR; }},
        {"alpha_to_one", Longer, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_ALPHA_TO_ONE; }},
        {"sample_mask", Longer, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_SAMPLE_MASK; }},
        {"coord_origin", Longer, kPosition, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_COORD_ORIGIN; }},
        {"pixel_center", Longer, kPosition, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_PIXEL_CENTER; }},
        {"polygon_stipple", Longer, kPlainFragment,
         [](Request& r) { r.state.flags |= TGSI2SPV_STATE_POLYGON_STIPPLE; }},
        {"bgra_targets", Longer, kPlainFragment, [](Request& r) { r.state.flags |= TGSI2SPV_STATE_BGRA_TARGETS; }},
        {"sprites", Longer, kPlainFragment, [](Request& r) { r.state.sprites = TGSI2SPV_SPRITES_GENERIC; }},
        {"targets[0]", Any, kPlainFragment, [](Request& r) { r.state.targets[0] = TGSI2SPV_NUMERIC_SINT; }},
        {"constant_buffer", Any, vertex(""), [](Request& r) { r.state.constant_buffer = 7; },
         [](Request& r) { r.state.clip_planes = 2; }},
        {"unnormalized", Longer, fragment(sampled), [](Request& r) { r.state.unnormalized = 2; }},
        {"compare_in_shader", Longer, fragment("TEX OUT[0], IN[0], SAMP[1], SHADOW2D\n"),
         [](Request& r) { r.state.compare_in_shader = 2; }},
        {"swizzled_views", Longer, fragment(sampled), [](Request& r) { r.state.swizzled_views = 2; }},
    };
}

TEST(Options, EachChangesItsText) {
    for (const std::vector<Row>& rows : {option_rows(), state_rows()})
        for (const Row& row : rows) {
            const auto without = words_of(row.text, row.both), with = words_of(row.text, row.both, row.change);
            EXPECT_FALSE(without.empty()) << row.name << '\n' << row.text;
            EXPECT_FALSE(with.empty()) << row.name << '\n' << row.text;
            EXPECT_NE(without, with) << row.name;
            EXPECT_TRUE(row.length != Longer || with.size() > without.size()) << row.name;
            EXPECT_TRUE(row.length != Shorter || with.size() < without.size()) << row.name;
        }
}

/// Zero is the default of every member.
TEST(Options, StructsThatSetNothingChangeNothing) {
    for (const std::vector<Row>& rows : {option_rows(), state_rows()})
        for (const Row& row : rows)
            EXPECT_EQ(words_of(row.text, nullptr), words_of(row.text, nullptr, nullptr, false)) << row.name;
}

TEST(Options, BlendingKnowsVulkansNumbers) {
    using Blend = tgsi2spv_blend;
    const std::pair<uint32_t Blend::*, uint32_t> last[] = {
        {&Blend::target, 2},   {&Blend::range, 2},      {&Blend::color_src, 18}, {&Blend::color_dst, 18},
        {&Blend::color_op, 4}, {&Blend::alpha_src, 18}, {&Blend::alpha_dst, 18}, {&Blend::alpha_op, 4}};
    for (const auto& [member, most] : last)
        for (const uint32_t more : {0u, 1u}) {
            Request r;
            r.options.state = &r.state;
            r.state.blend = kSum;
            r.state.blend.*member = most + more;
            Context context;
            EXPECT_EQ(static_cast<bool>(context.translate(kPlainFragment, r.options)), more == 0) << most;
        }
}

TEST(Options, OneLevelOffsetsAreAccepted) {
    const std::string text = fragment("TEX OUT[0], IN[0], SAMP[0], 2D, IN[1].xyz\n");
    EXPECT_TRUE(words_of(text, nullptr).empty());
    EXPECT_FALSE(words_of(text, [](Request& r) { r.options.flags |= TGSI2SPV_OPTION_ONE_LEVEL_OFFSETS; }).empty());
}

/// Each policy changes accesses of its own kind, and no others.
TEST(Options, EachPolicyOfBoundsIsThatOfItsAccesses) {
    using Options = tgsi2spv_options;
    struct Class {
        const char* name;
        uint32_t Options::*policy;
        std::string text;
    };
    const Class classes[] = {
        {"registers", &Options::bounds_registers,
         fragment("UARL ADDR[0].x, IN[1].xxxx\nMOV TEMP[1], IN[0]\nMOV TEMP[2], IN[1]\n"
                  "MOV OUT[0], TEMP[ADDR[0].x]\n")},
        {"constants", &Options::bounds_constants,
         fragment("UARL ADDR[0].x, IN[1].xxxx\nMOV OUT[0], CONST[0][ADDR[0].x]\n")},
        {"buffers", &Options::bounds_buffers,
         compute("", "LOAD TEMP[0].x, BUFFER[0], SV[0].xxxx\nSTORE BUFFER[1].x, SV[0].xxxx, TEMP[0]\n")},
        {"images", &Options::bounds_images,
         compute("DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\n",
                 "STORE IMAGE[0], SV[0], SV[0], 2D, PIPE_FORMAT_R32_UINT\n")},
        {"descriptors", &Options::bounds_descriptors,
         fragment("UARL ADDR[0].x, CONST[0][0].xxxx\nTEX OUT[0], IN[0], SAMP[ADDR[0].x], 2D\n")},
    };
    Context context;
    for (const Class& c : classes)
        for (const Class& other : classes) {
            auto options = default_options;
            const auto checked = copy(context.translate(c.text, options));
            ASSERT_FALSE(checked.empty()) << c.text << context.diagnostic(0).message;
            options.*other.policy = TGSI2SPV_OUT_OF_RANGE_TRUST;
            EXPECT_EQ(copy(context.translate(c.text, options)) != checked, c.name == other.name)
                << "bounds_" << other.name << " on " << c.name;
        }
}

TEST(Options, NumbersOutOfRangeAreRefused) {
    Context context;
    const auto refused = [&](const tgsi2spv_options& options) -> std::string {
        EXPECT_FALSE(context.translate(kPlainFragment, options));
        EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
        return context.diagnostic_count() == 1 ? context.diagnostic(0).message : "";
    };
    auto state = make<tgsi2spv_state>();
    auto options = default_options;
    options.state = &state;
    for (size_t target : {0, 7}) {  // fixed point and scaled integers are formats of vertices alone
        state.targets[target] = TGSI2SPV_NUMERIC_SINT;
        EXPECT_TRUE(context.translate(kPlainFragment, options)) << target;
        state.targets[target] = TGSI2SPV_NUMERIC_USCALED;
        EXPECT_THAT(refused(options), HasSubstr("tgsi2spv_state::targets"));
        state.targets[target] = 0;
    }
    for (size_t attribute : {0, 31}) {
        state.attributes[attribute] = TGSI2SPV_NUMERIC_DOUBLE;
        EXPECT_TRUE(context.translate(kPlainFragment, options)) << attribute;
        state.attributes[attribute] = TGSI2SPV_NUMERIC_DOUBLE + 1;
        EXPECT_THAT(refused(options), HasSubstr("tgsi2spv_state::attributes"));
        state.attributes[attribute] = 0;
    }
    state.images[31] = TGSI2SPV_NUMERIC_SINT;
    EXPECT_TRUE(context.translate(kPlainFragment, options));
    state.images[31] = TGSI2SPV_NUMERIC_SINT + 1;
    EXPECT_THAT(refused(options), HasSubstr("tgsi2spv_state::images"));
    state.images[31] = 0;
    state.clip_planes = 8;
    EXPECT_TRUE(context.translate(kPlainFragment, options));
    options = default_options;
    for (uint32_t tgsi2spv_options::*policy :
         {&tgsi2spv_options::bounds_registers, &tgsi2spv_options::bounds_constants, &tgsi2spv_options::bounds_buffers,
          &tgsi2spv_options::bounds_images, &tgsi2spv_options::bounds_descriptors}) {
        options.*policy = TGSI2SPV_OUT_OF_RANGE_TRUST + 1;
        EXPECT_THAT(refused(options), HasSubstr("tgsi2spv_options::bounds_registers"));
        options.*policy = 0;
    }
}

TEST(Options, StreamOutputsAreInTheirRegister) {
    struct Case {
        tgsi2spv_stream_output output;
        bool accepted;
    };
    const Case cases[] = {
        {{0, 0, 4, 3, 0, 0}, true},
        {{0, 3, 1, 0, 0, 0}, true},
        {{0, 2, 2, 0, 0, 0}, true},
        {{0, 0, 0, 0, 0, 0}, false},
        {{0, 0, 5, 0, 0, 0}, false},
        {{0, 1, 4, 0, 0, 0}, false},
        {{0, 3, 2, 0, 0, 0}, false},
        {{0, 4, 1, 0, 0, 0}, false},
        {{0, 0, 4, 4, 0, 0}, false},
        {{0, 0, 4, 0, 0, 4}, false},
        {{0, 0xffff'ffff, 1, 0, 0, 0}, false},
        {{0, 1, 0xffff'ffff, 0, 0, 0}, false},
    };
    for (const Case& row : cases) {
        auto table = make<tgsi2spv_stream_outputs>();
        table.outputs = &row.output;
        table.output_count = 1;
        table.strides[row.output.buffer & 3] = 4;
        auto options = everything;
        options.stream_outputs = &table;
        Context context;
        EXPECT_EQ(static_cast<bool>(context.translate(kVertex, options)), row.accepted)
            << row.output.first_component << ' ' << row.output.component_count;
        if (row.accepted) continue;
        EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
        EXPECT_THAT(context.diagnostic(0).message, HasSubstr("tgsi2spv_stream_output has"));
    }
}

/// Vulkan, "Required Limits": 64 components at each interface, 120 of a patch, 1024 of all vertices of GEOM.
TEST(Options, EachLimitOfTheDeviceIsThatOfItsInterface) {
    using Caps = tgsi2spv_device_caps;
    using lower::LinkLimits;
    struct Limit {
        uint32_t Caps::*has;
        uint32_t LinkLimits::*limit;
        uint32_t least;
    };
    const Limit rows[] = {
        {&Caps::max_vertex_output_components, &LinkLimits::vertex_output, 64},
        {&Caps::max_tessellation_control_per_vertex_input_components, &LinkLimits::tess_control_input, 64},
        {&Caps::max_tessellation_control_per_vertex_output_components, &LinkLimits::tess_control_output, 64},
        {&Caps::max_tessellation_control_per_patch_output_components, &LinkLimits::tess_control_patch_output, 120},
        {&Caps::max_tessellation_evaluation_input_components, &LinkLimits::tess_eval_input, 64},
        {&Caps::max_tessellation_evaluation_output_components, &LinkLimits::tess_eval_output, 64},
        {&Caps::max_geometry_input_components, &LinkLimits::geometry_input, 64},
        {&Caps::max_geometry_output_components, &LinkLimits::geometry_output, 64},
        {&Caps::max_fragment_input_components, &LinkLimits::fragment_input, 64},
        {&Caps::max_geometry_total_output_components, &LinkLimits::geometry_total, 1024},
    };
    for (const Limit& row : rows)
        for (const uint32_t has : {0u, 32u, 2048u}) {
            auto caps = make<Caps>();
            caps.*row.has = has;
            const LinkLimits limits = api::link_limits_of(caps);
            for (const Limit& other : rows)
                EXPECT_EQ(limits.*other.limit, &other == &row && has == 2048 ? 2048 : other.least)
                    << &row - rows << ' ' << &other - rows << ' ' << has;
        }
}

/// The number of varyings, each of four components, that go from VERT through GEOM to FRAG.
TEST(Options, VaryingsAreLinkedUpToTheSmallerLimit) {
    const auto text = [](const std::string& head, bool vertices, bool writes, int count) {
        std::string t = head + "DCL IN[0..39], GENERIC[0], PERSPECTIVE\n";
        if (vertices) t = head + "DCL IN[][0..39], GENERIC[0]\n";
        if (head.starts_with("VERT")) t = head + "DCL IN[0..39]\n";
        t += writes ? "DCL OUT[0..39], GENERIC[0]\n" : "DCL OUT[0], COLOR\nDCL TEMP[0]\n";
        for (int i = 0; i < count; ++i) {
            const std::string n = std::to_string(i), in = (vertices ? "IN[0][" : "IN[") + n + "]";
            t += writes ? "MOV OUT[" + n + "], " + in + "\n" : "ADD TEMP[0], TEMP[0], " + in + "\n";
        }
        return t + (vertices ? "EMIT IMM[0].xxxx\nEND\n" : writes ? "END\n" : "MOV OUT[0], TEMP[0]\nEND\n");
    };
    const std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
IMM[0] UINT32 {0, 0, 0, 0}
)";
    Context context;
    const auto linked = [&](const tgsi2spv_device_caps& caps) {
        auto options = default_options;
        options.device = &caps;
        int most = 0;
        for (int count = 10; count <= 32; ++count) {
            const Program v = context.parse(text("VERT\n", false, true, count)),
                          g = context.parse(text(geometry, true, true, count)),
                          f = context.parse(text("FRAG\n", false, false, count));
            EXPECT_TRUE(v && g && f);
            std::array<Linkage, 3> linkages;
            if (context.link({&v, &g, &f}, linkages, options)) most = count;
        }
        return most;
    };
    auto caps = make<tgsi2spv_device_caps>();
    caps.geometry_shader = 1;
    EXPECT_EQ(linked(caps), 16);
    caps.max_vertex_output_components = caps.max_geometry_input_components = caps.max_fragment_input_components = 128;
    EXPECT_EQ(linked(caps), 16);  // the outputs of GEOM
    caps.max_geometry_output_components = 80;
    EXPECT_EQ(linked(caps), 20);
    caps.max_fragment_input_components = 72;
    EXPECT_EQ(linked(caps), 18);
}

/// The budget counts the iterations of all loops, but not those of loops that a user cannot distinguish from none.
TEST(Options, ABudgetDoesNotKeepLoopsWithoutEffect) {
    const std::string no_effect =
        "BGNLOOP\nFSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nUIF TEMP[1].xxxx\nBRK\nENDIF\n"
        "ADD TEMP[0], TEMP[0], IN[1]\nENDLOOP\n";
    const auto budget = [](Request& r) { r.options.max_iterations = 100; };
    const auto size = [](const std::string& body, Change change) { return words_of(fragment(body), change).size(); };
    EXPECT_EQ(size(no_effect + "MOV OUT[0], IN[1]\n", budget), size("MOV OUT[0], IN[1]\n", nullptr));
    EXPECT_GT(size(no_effect + kLoop, budget), size(kLoop, budget));
}

}  // namespace
}  // namespace tgsi2spv
