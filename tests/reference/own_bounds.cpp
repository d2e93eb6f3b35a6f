// The reference's nominal answer is always one of those that it permits: for every numeric opcode, on random words.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <random>

#include "reference/bench.h"
#include "reference/numbers/wide_value.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::reference {
namespace {

constexpr uint32_t kLanes = 384;

uint32_t some_word(std::mt19937& random) {
    static constexpr float kFloats[] = {0.0f,  -0.0f, 0.5f,  1.0f,   -1.0f,   2.0f,  0.25f, 3.0f,
                                        -3.0f, -7.5f, 100.f, 128.0f, -126.5f, 1e10f, 1e-30f};
    static constexpr uint32_t kWords[] = {kInf, kInf | kSign, kNan,       0xffc12345, 1,          0x80000001,
                                          5,    31,           32,         0x007fffff, 0x00800000, 0x7f7fffff,
                                          ~0u,  0x7fffffff,   0x4b800000, 0xcb800000, 0xff7fffff};
    std::uniform_real_distribution<float> near(-4, 4);
    switch (random() % 8) {
        case 0:
        case 1:
            return kWords[random() % std::size(kWords)];
        case 2:
        case 3:
            return as_word(kFloats[random() % std::size(kFloats)]);
        case 4:
            return static_cast<uint32_t>(random());
        default:
            return as_word(near(random));
    }
}

bool is_of_numbers(const tgsi::OpcodeInfo& o) {
    using tgsi::Family;
    const bool family = o.family == Family::arithmetic || o.family == Family::compare || o.family == Family::integer ||
                        o.family == Family::convert || o.family == Family::wide || o.family == Family::legacy;
    return family && o.form == tgsi::Form::plain && o.num_dst > 0 && o.num_src > 0 &&
           (o.stages >> static_cast<int>(tgsi::Stage::Fragment) & 1) != 0;
}

/// `through`: a statement that computes an operand from an input.
std::string text_of(const tgsi::OpcodeInfo& o, const std::string& properties, const std::string& through) {
    std::string text = "FRAG\n" + properties + "DCL IN[0..2], GENERIC[0], CONSTANT\nDCL OUT[0..1], COLOR[0]\n";
    text += "DCL TEMP[0..2]\nIMM[0] FLT32 {1.0009765625, -0.333333343, 3.1415927, 0.0001}\n";
    const int sources = std::min<int>(o.num_src, 4);
    for (int i = 0; i < 3; ++i) text += fmt::format(fmt::runtime(through), i);
    text += std::string(o.mnemonic) + " OUT[0]";
    if (o.num_dst == 2) text += ", OUT[1]";
    for (int i = 0; i < sources; ++i) text += fmt::format(", TEMP[{}]", i % 3);
    return text + "\nEND\n";
}

void hold(const Result& r, const Inputs& in, const std::string& what) {
    for (const auto& [index, lanes] : r.outputs)
        for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
            const auto got = lanes[lane];
            for (size_t c = 0; c < 4; ++c) {
                const Value v = got[c];
                EXPECT_TRUE(permits(v, v.value)) << what << "OUT[" << index << "] lane " << lane << "."
                                                 << "xyzw"[c] << ": " << std::hex << v.value << " of" << text_of(v)
                                                 << "; IN[0] " << testing::PrintToString(in.inputs.at({0, 0})[lane])
                                                 << " IN[1] " << testing::PrintToString(in.inputs.at({0, 1})[lane]);
                if (c % 2 != 0 || !is_pair(v, got[c + 1])) continue;
                EXPECT_TRUE(permits(join_halves(v, got[c + 1]), uint64_t{got[c + 1].value} << 32 | v.value))
                    << what << "OUT[" << index << "] lane " << lane;
            }
        }
}

TEST(OwnBounds, EveryNominalValueIsPermitted) {
    std::mt19937 random(20);
    Inputs in;
    in.lanes = kLanes;
    for (int32_t i = 0; i < 3; ++i)
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            auto& v = in.inputs[{0, i}].emplace_back();
            for (uint32_t& w : v) w = some_word(random);
        }
    std::array<Options, 4> modes;
    modes[1].functions_keep_nan = false;
    modes[1].round_to_even = modes[1].round_to_even_64 = false;
    modes[2].preserves_nan_inf_zero = modes[2].preserves_nan_inf_zero_64 = false;
    modes[2].exact = false;
    modes[3].dialect = tgsi::Dialect::Oldest;
    modes[3].doubles_as_single = true;
    // Plain words; for floats also ranges and small sets.
    const std::string throughs[] = {"MOV TEMP[{0}], IN[{0}]\n", "DIV TEMP[{0}], IN[{0}], IMM[0]\n",
                                    "LRP TEMP[{0}], IN[{0}], IMM[0].yzwx, IMM[0]\n"};
    size_t programs = 0;
    for (const tgsi::OpcodeInfo& o : tgsi::kOpcodes) {
        if (!is_of_numbers(o)) continue;
        for (const char* properties : {"", "PROPERTY LEGACY_MATH_RULES 1\n"})
            for (const std::string& through : throughs) {
                const std::string text = text_of(o, properties, through);
                const Shader s = shader(text);
                if (!s.error.empty()) continue;  // the opcode has operands of another kind
                for (const Options& options : modes) {
                    const Result r = run(s.program, s.registers, in, options);
                    if (!r.error.empty()) continue;
                    ++programs;
                    hold(r, in, text);
                }
            }
    }
    EXPECT_GT(programs, 2500u);
}

}  // namespace
}  // namespace tgsi2spv::reference
