// Modules on emulated hostile devices, where nothing undefined looks right by chance: defined results stay the same,
// undefined ones become visible.
#include "mutate/hostile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <bit>
#include <map>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <spirv/unified1/spirv.hpp11>
#include <string>

#include "cases/devices.h"
#include "cases/run/bind.h"
#include "generate/generate.h"
#include "mutate/fingerprint.h"

namespace tgsi2spv::difftest {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<uint32_t> converted(std::string_view text) {
    api::Context context;
    api::Options options;
    options.lower.io_buffers = true;
    EXPECT_TRUE(api::convert(context, text, options));
    return {context.words.begin(), context.words.end()};
}

BindingSet all_buffers(api::Context& c, const api::Options& conversion) {
    BindingSet found;
    for (const auto& r : api::reflect(c, conversion).resources)
        if (r.kind == ir::VariableKind::StorageBuffer) found.emplace(r.binding.set, r.binding.binding);
    return found;
}

TEST(Hostile, ModulesStayValid) {
    const spvtools::SpirvTools validator(SPV_ENV_VULKAN_1_2);
    for (uint64_t seed = 0; seed < 12; seed++) {
        const auto words = converted(generate_program(seed));
        const auto hostile = as_on_hostile_device(words, {}, 0, images_by_texel(words));
        EXPECT_TRUE(validator.Validate(hostile)) << seed;
        EXPECT_GE(hostile.size(), words.size());
    }
    EXPECT_TRUE(as_on_hostile_device({}, {}, 0, {}).empty());
}

TEST(Hostile, KnowsImagesOfWhichTexelsAreNumbered) {
    const auto module = [](const std::string& line) {
        return images_by_texel(
            converted(fmt::format("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL TEMP[0]\n"
                                  "DCL SVIEW[0], 2D, FLOAT\n{}\nMOV OUT[0], TEMP[0]\nEND\n",
                                  line)));
    };
    const std::string fetch = "SAMPLE_I TEMP[0], IN[0], SVIEW[0]\n";
    EXPECT_EQ(module(fetch + "SVIEWINFO TEMP[0], IN[0].xxxx, SVIEW[0]").size(), 1u);
    EXPECT_TRUE(module(fetch + "SAMPLE TEMP[0].x, IN[0], SVIEW[0], SAMP[0]").empty());
    // The module does not check these coordinates; only the device knows whether they are outside.
    EXPECT_TRUE(module("TXF TEMP[0], IN[0], SAMP[0], 2D").empty());
}

struct HostileDevices : OnDevices {
    /// `change` edits the module before undefined results are marked.
    reference::Result run_it(vulkan::Device& device, std::string_view shader, const char* json,
                             const std::function<void(std::vector<uint32_t>&)>& change = {}) {
        EXPECT_TRUE(api::parse(context, shader, {}));
        VulkanOptions options;
        options.marks_behind = true;
        options.hook = [&](api::Context& c, const api::Options& conversion) {
            std::vector<uint32_t> words(c.words.begin(), c.words.end());
            options.images_in_larger = images_by_texel(words);
            if (change) change(words);
            words = as_on_hostile_device(words, all_buffers(c, conversion), kMarks, options.images_in_larger);
            c.words.assign(words.begin(), words.end());
        };
        const auto inputs = read_inputs(json);
        if (!inputs) {
            ADD_FAILURE() << inputs.error();
            return {};
        }
        auto ran = run_vulkan(device, context, *inputs, options);
        EXPECT_TRUE(ran) << ran.error().message;
        return ran.value_or(reference::Result{});
    }
};

/// In each instruction `op`, replaces a masked second operand with the value before the mask.
void unmask(std::vector<uint32_t>& words, spv::Op op) {
    constexpr size_t kHeader = 5;
    std::map<uint32_t, uint32_t> masked;
    for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
        const auto now = static_cast<spv::Op>(words[at] & 0xffff);
        if (now == spv::Op::OpBitwiseAnd) masked[words[at + 2]] = words[at + 3];
        if (now == op && masked.contains(words[at + 4])) words[at + 4] = masked[words[at + 4]];
    }
}

/// Replaces `a < b` with `a <= b`.
void ask_too_little(std::vector<uint32_t>& words) {
    constexpr size_t kHeader = 5;
    for (size_t at = kHeader; at < words.size(); at += words[at] >> 16)
        if (static_cast<spv::Op>(words[at] & 0xffff) == spv::Op::OpULessThan)
            words[at] = 5u << 16 | static_cast<uint32_t>(spv::Op::OpULessThanEqual);
}

/// The operation does not change the word; an access past the end is reported nevertheless.
TEST_F(HostileDevices, AtomicsAfterABufferAreSeen) {
    const char* const shader =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL BUFFER[0]\nIMM[0] UINT32 {7, 0, 0, 0}\n"
        "ATOMCAS OUT[0].x, BUFFER[0], IN[0].xxxx, IMM[0].xxxx, IMM[0].xxxx\nEND\n";
    const char* const json =
        R"({"lanes": 2, "inputs": {"IN[0]": [[0, 0, 0, 0], ["0x8", 0, 0, 0]]}, "buffers": {"BUFFER[0]": ["0x5", "0x6"]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        EXPECT_THAT(column(run_it(*device, shader, json), 0, 0), ElementsAre(5, 0));
        EXPECT_THAT(run_it(*device, shader, json, ask_too_little).error, testing::HasSubstr("is written"));
    }
}

TEST_F(HostileDevices, ShiftsByTooMuchAreMarked) {
    const char* const shader = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nSHL OUT[0].x, IN[0].xxxx, IN[0].yyyy\nEND\n";
    const char* const json = R"({"lanes": 2, "inputs": {"IN[0]": [["0x3", "0x1f", 0, 0], ["0x3", "0x21", 0, 0]]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        EXPECT_THAT(column(run_it(*device, shader, json), 0, 0), ElementsAre(0x80000000, 6));
        const auto without = run_it(*device, shader, json,
                                    [](std::vector<uint32_t>& words) { unmask(words, spv::Op::OpShiftLeftLogical); });
        EXPECT_THAT(column(without, 0, 0), ElementsAre(0x80000000, kUndefinedMark));
    }
}

/// An index past the end of an array of registers reads 0; without its guard, it reads some element.
TEST_F(HostileDevices, ElementsAfterArraysHaveOtherValues) {
    const char* const shader =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..2], ARRAY(1)\nDCL ADDR[0]\nIMM[0] UINT32 {5, 6, 7, 0}\n"
        "UARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[0].x, IMM[0].xxxx\nMOV TEMP[1].x, IMM[0].yyyy\n"
        "MOV TEMP[2].x, IMM[0].zzzz\nMOV OUT[0].x, TEMP[ADDR[0].x](1).xxxx\nEND\n";
    const char* const json = R"({"lanes": 2, "inputs": {"IN[0]": [["0x2", 0, 0, 0], ["0x3", 0, 0, 0]]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        EXPECT_THAT(column(run_it(*device, shader, json), 0, 0), ElementsAre(7, 0));
        const auto let_through = run_it(*device, shader, json, [](std::vector<uint32_t>& words) {
            ask_too_little(words);
            constexpr size_t kHeader = 5;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16)
                if (static_cast<spv::Op>(words[at] & 0xffff) == spv::Op::OpExtInst && words[at + 4] == GLSLstd450UMin)
                    words[at + 6] = words[at + 5];
        });
        EXPECT_THAT(column(let_through, 0, 0), ElementsAre(7, 6));
    }
}

/// TGSI clamps what does not fit, and NaN becomes 0; without these guards, the conversion may give anything.
TEST_F(HostileDevices, ConversionsBeyondTheTypeAreMarked) {
    const char* const shader =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL OUT[1], GENERIC[1]\nF2I OUT[0], IN[0]\nF2U OUT[1], IN[0]\nEND\n";
    // -2.75, 2^31, -infinity and the largest float below 2^31; NaN, -0.5, 2^32 and the largest float below it.
    const char* const json =
        R"({"lanes": 2, "inputs": {"IN[0]": [[-2.75, "0x4f000000", "0xff800000", "0x4effffff"],
                                             ["0x7fc00000", -0.5, "0x4f800000", "0x4f7fffff"]]}})";
    constexpr uint32_t kMark = kUndefinedMark, kMax = 0x7fffffff, kMin = 0x80000000, kAll = 0xffffffff;
    const auto rows = [](const reference::Result& r, int32_t reg) {
        std::vector<std::vector<uint32_t>> all;
        for (const auto& lane : r.outputs.at(reg)) {
            all.emplace_back();
            for (const auto& component : lane) all.back().push_back(component.value);
        }
        return all;
    };
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto guarded = run_it(*device, shader, json);
        EXPECT_THAT(rows(guarded, 0),
                    ElementsAre(ElementsAre(0xfffffffe, kMax, kMin, 0x7fffff80), ElementsAre(0, 0, kMax, kMax)));
        EXPECT_THAT(rows(guarded, 1),
                    ElementsAre(ElementsAre(0, kMin, 0, 0x7fffff80), ElementsAre(0, 0, kAll, 0xffffff00)));
        // Removes the clamp before the conversion, and the selections after it.
        const auto unguarded = run_it(*device, shader, json, [](std::vector<uint32_t>& words) {
            constexpr size_t kHeader = 5;
            std::map<uint32_t, uint32_t> clamped;
            std::set<uint32_t> converted;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
                const auto op = static_cast<spv::Op>(words[at] & 0xffff);
                if (op == spv::Op::OpExtInst && words[at + 4] == GLSLstd450NClamp)
                    clamped[words[at + 2]] = words[at + 5];
                if (op == spv::Op::OpConvertFToS || op == spv::Op::OpConvertFToU) {
                    if (clamped.contains(words[at + 3])) words[at + 3] = clamped[words[at + 3]];
                    converted.insert(words[at + 2]);
                }
                if (op == spv::Op::OpBitcast && converted.contains(words[at + 3])) converted.insert(words[at + 2]);
                if (op == spv::Op::OpSelect && converted.contains(words[at + 5])) {
                    words[at + 4] = words[at + 5];
                    converted.insert(words[at + 2]);
                }
            }
        });
        EXPECT_THAT(rows(unguarded, 0), ElementsAre(ElementsAre(0xfffffffe, kMark, kMark, 0x7fffff80),
                                                    ElementsAre(kMark, 0, kMark, kMark)));
        EXPECT_THAT(rows(unguarded, 1),
                    ElementsAre(ElementsAre(kMark, kMin, kMark, 0x7fffff80), ElementsAre(kMark, 0, kMark, 0xffffff00)));
    }
}

/// The shader removes whole turns from an angle; if it does not, the result may be anything.
TEST_F(HostileDevices, SinesOfManyTurnsAreMarked) {
    const char* const shader = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nSIN OUT[0].x, IN[0].xxxx\nEND\n";
    const char* const json = R"({"lanes": 2, "inputs": {"IN[0]": [[1.5, 0, 0, 0], [9.5, 0, 0, 0]]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto taken_off = column(run_it(*device, shader, json), 0, 0);
        EXPECT_NEAR(std::bit_cast<float>(taken_off[0]), 0.9975, 0.001);
        EXPECT_NEAR(std::bit_cast<float>(taken_off[1]), -0.0752, 0.001);
        // Uses the original angle in place of the reduced one.
        const auto as_it_came = run_it(*device, shader, json, [](std::vector<uint32_t>& words) {
            constexpr size_t kHeader = 5;
            std::map<uint32_t, uint32_t> otherwise;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
                const auto op = static_cast<spv::Op>(words[at] & 0xffff);
                if (op == spv::Op::OpSelect) otherwise[words[at + 2]] = words[at + 5];
                if (op == spv::Op::OpExtInst && words[at + 4] == GLSLstd450Sin)
                    words[at + 5] = otherwise[words[at + 5]];
            }
        });
        EXPECT_THAT(column(as_it_came, 0, 0), ElementsAre(taken_off[0], kUndefinedMark));
    }
}

/// A logarithm is undefined for operands that are not above 0. TGSI defines it for 0, and without that guard the result
/// may be anything. Defined results stay the same, those of roots and powers, too.
TEST_F(HostileDevices, FunctionsBeyondTheirDomainAreMarked) {
    const char* const shader =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nLG2 OUT[0].x, IN[0].xxxx\nSQRT OUT[0].y, IN[0].xxxx\n"
        "POW OUT[0].z, IN[0].xxxx, IN[0].yyyy\nEND\n";
    const char* const json = R"({"lanes": 2, "inputs": {"IN[0]": [[4, 0.5, 0, 0], [0, 2, 0, 0]]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto guarded = run_it(*device, shader, json);
        EXPECT_NEAR(std::bit_cast<float>(column(guarded, 0, 0)[0]), 2, 0.001);
        EXPECT_EQ(column(guarded, 0, 0)[1], 0xff800000);
        for (const int c : {1, 2}) {
            EXPECT_NEAR(std::bit_cast<float>(column(guarded, 0, c)[0]), 2, 0.001);
            EXPECT_EQ(column(guarded, 0, c)[1], 0u);
        }
        const auto unguarded = run_it(*device, shader, json, [](std::vector<uint32_t>& words) {
            constexpr size_t kHeader = 5;
            uint32_t logarithm = 0;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
                const auto op = static_cast<spv::Op>(words[at] & 0xffff);
                if (op == spv::Op::OpExtInst && words[at + 4] == GLSLstd450Log2) logarithm = words[at + 2];
                if (op == spv::Op::OpSelect && words[at + 5] == logarithm) words[at + 4] = logarithm;
            }
        });
        EXPECT_THAT(column(unguarded, 0, 0), ElementsAre(column(guarded, 0, 0)[0], kUndefinedMark));
    }
}

/// Division by 0 is undefined: without the guard on the divisor, the result is marked.
TEST_F(HostileDevices, QuotientsThatAreUndefinedAreMarked) {
    const char* const shader = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nUDIV OUT[0].x, IN[0].xxxx, IN[0].yyyy\nEND\n";
    const char* const json = R"({"lanes": 2, "inputs": {"IN[0]": [["0x7", "0x2", 0, 0], ["0x7", "0x0", 0, 0]]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        EXPECT_THAT(column(run_it(*device, shader, json), 0, 0), ElementsAre(3, 0xffffffff));
        // Removes both guards: the replacement of the quotient by 0, and the clamp of the divisor to at least 1.
        const auto unguarded = run_it(*device, shader, json, [](std::vector<uint32_t>& words) {
            constexpr size_t kHeader = 5;
            uint32_t is_zero = 0;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
                const auto op = static_cast<spv::Op>(words[at] & 0xffff);
                if (op == spv::Op::OpIEqual) is_zero = words[at + 2];
                if (op == spv::Op::OpSelect && words[at + 3] == is_zero) words[at + 4] = words[at + 5];
                if (op == spv::Op::OpExtInst && words[at + 4] == GLSLstd450UMax) words[at + 6] = words[at + 5];
            }
        });
        EXPECT_THAT(column(unguarded, 0, 0), ElementsAre(3, kUndefinedMark));
    }
}

/// A level that the texture lacks is not fetched; without the guard that fetches the first level instead, the result
/// may be anything.
TEST_F(HostileDevices, LevelsThatTexturesLackAreMarked) {
    const char* const shader =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL SAMP[0]\nTXF OUT[0], IN[0], SAMP[0], 2D\nEND\n";
    const char* const json =
        R"({"lanes": 3, "textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT", "width": 2, "height": 1,
        "levels": 2, "data": [[1, 2], [4]]}},
        "inputs": {"IN[0]": [["0x1", 0, 0, "0x0"], ["0x0", 0, 0, "0x1"], ["0x0", 0, 0, "0x2"]]}})";
    constexpr uint32_t kTwo = 0x40000000, kFour = 0x40800000;
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        EXPECT_THAT(column(run_it(*device, shader, json), 0, 0), ElementsAre(kTwo, kFour, 0));
        const auto unguarded = run_it(*device, shader, json, [](std::vector<uint32_t>& words) {
            constexpr size_t kHeader = 5;
            std::map<uint32_t, uint32_t> chosen;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
                const auto op = static_cast<spv::Op>(words[at] & 0xffff);
                if (op == spv::Op::OpSelect) chosen[words[at + 2]] = words[at + 4];
                if (op == spv::Op::OpImageFetch) words[at + 6] = chosen[words[at + 6]];
            }
        });
        EXPECT_THAT(column(unguarded, 0, 0), ElementsAre(kTwo, kFour, kUndefinedMark));
    }
}

/// The texels around a texture, and its additional level, do not belong to it for a module that queries the size.
TEST_F(HostileDevices, TexelsBesideATextureAreNotRead) {
    const char* const shader =
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], GENERIC[0]\nDCL OUT[1], GENERIC[1]\n"
        "DCL SVIEW[0], 2D, UINT\nSAMPLE_I OUT[0], IN[0], SVIEW[0]\nSVIEWINFO OUT[1], IN[1].xxxx, SVIEW[0]\nEND\n";
    const char* const json =
        R"({"lanes": 5, "textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "width": 3, "height": 2,
        "levels": 2, "data": [["0x1", "0x2", "0x3", "0x4", "0x5", "0x6"], ["0x7"]]}},
        "inputs": {"IN[0]": [["0x2", "0x1", 0, "0x0"], ["0x3", "0x0", 0, "0x0"], ["0x0", "0x2", 0, "0x0"],
                             ["0x0", "0x0", 0, "0x1"], ["0x1", "0x0", 0, "0x1"]],
                   "IN[1]": [["0x0", 0, 0, 0], ["0x1", 0, 0, 0], ["0x0", 0, 0, 0], ["0x0", 0, 0, 0],
                             ["0x0", 0, 0, 0]]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto result = run_it(*device, shader, json);
        EXPECT_EQ(result.error, "");
        EXPECT_THAT(column(result, 0, 0), ElementsAre(6, 0, 0, 7, 0));
        EXPECT_THAT(column(result, 1, 0), ElementsAre(3, 1, 3, 3, 3));
        EXPECT_THAT(column(result, 1, 1), ElementsAre(2, 1, 2, 2, 2));
        EXPECT_THAT(column(result, 1, 3), Each(2));
        // With the relaxed comparison, a place just past the edge counts as inside.
        const auto let_through = run_it(*device, shader, json, ask_too_little);
        EXPECT_NE(column(let_through, 0, 0), column(result, 0, 0));
    }
}

/// A store past the edge of an image is dropped; a module that lets it through is detected.
TEST_F(HostileDevices, TexelsBesideAnImageAreNotWritten) {
    const char* const shader =
        "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
        "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nIMM[0] UINT32 {3, 0, 2, 7}\n"
        "STORE IMAGE[0].x, IMM[0].xyyy, IMM[0].wwww, 2D, PIPE_FORMAT_R32_UINT\n"
        "STORE IMAGE[0].x, IMM[0].zyyy, IMM[0].wwww, 2D, PIPE_FORMAT_R32_UINT\nEND\n";
    const char* const json =
        R"({"grid": [1, 1, 1], "images": {"IMAGE[0]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT",
        "width": 3, "height": 2, "data": [["0x1", "0x2", "0x3", "0x4", "0x5", "0x6"]]}}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto result = run_it(*device, shader, json);
        EXPECT_EQ(result.error, "");
        std::vector<uint32_t> words;
        for (const auto& c : result.images.at(0).at(0)) words.push_back(c.value);
        EXPECT_THAT(words, ElementsAre(1, 2, 7, 4, 5, 6));
        // With the relaxed comparison, a place just past the edge counts as inside.
        const auto let_through = run_it(*device, shader, json, ask_too_little);
        EXPECT_NE(let_through.error, "");
    }
}

TEST(Fingerprint, DistinguishesWords) {
    const auto result = [](uint32_t word, bool killed) {
        reference::Result r;
        reference::Component c;
        c.value = word;
        r.outputs[0].push_back({c, c, c, c});
        r.killed = {killed};
        r.buffers[1] = {c};
        return r;
    };
    EXPECT_EQ(fingerprint(result(5, false)), fingerprint(result(5, false)));
    EXPECT_NE(fingerprint(result(5, false)), fingerprint(result(6, false)));
    EXPECT_NE(fingerprint(result(5, false)), fingerprint(result(5, true)));
    // Vertices that differ in where they belong, or in a word.
    const auto emitted = [](uint8_t stream, uint32_t primitive, int32_t reg, uint32_t word) {
        reference::Component c;
        c.value = word;
        reference::Result r;
        r.emitted = {{{stream, primitive, {{reg, {c, c, c, c}}}}}};
        return fingerprint(r);
    };
    const std::set<uint64_t> different = {emitted(0, 0, 0, 0), emitted(1, 0, 0, 0), emitted(0, 1, 0, 0),
                                          emitted(0, 0, 1, 0), emitted(0, 0, 0, 1), fingerprint({})};
    EXPECT_EQ(different.size(), 6u);
}

}  // namespace
}  // namespace tgsi2spv::difftest
