// Texts that arrive in packets.
#include "virgl/shader_text.h"

#include <gtest/gtest.h>

#include "encode.h"
#include "virgl/decode.h"

namespace tgsi2spv::virgl {
namespace {

using test::Buffer;
using test::text_words;
using test::operator+;

CreateShader packet(uint32_t handle, uint32_t length_or_offset, const Buffer& text, bool first) {
    CreateShader p{};
    p.handle = handle;
    p.first = first;
    p.length_or_offset = length_or_offset;
    p.text = text;
    return p;
}

constexpr std::string_view kText{"VERT\nDCL OUT[0], POSITION\nEND\n", 31};  // with its zero

TEST(ShaderText, OnePacketIsComplete) {
    ShaderText shader;
    const Buffer words = text_words(kText);
    EXPECT_EQ(add_packet(shader, packet(3, kText.size(), words, true)), TextProblem::None);
    ASSERT_TRUE(shader.complete());
    EXPECT_EQ(shader.text(), kText.substr(0, 30));
    EXPECT_EQ(add_packet(shader, packet(3, kText.size(), words, false)), TextProblem::NoFirst);
}

TEST(ShaderText, PacketsAreJoinedInOrder) {
    ShaderText shader;
    const Buffer words = text_words(kText);
    const Buffer a(words.begin(), words.begin() + 2), b(words.begin() + 2, words.begin() + 5),
        c(words.begin() + 5, words.end());
    EXPECT_EQ(add_packet(shader, packet(3, kText.size(), a, true)), TextProblem::None);
    EXPECT_FALSE(shader.complete());
    EXPECT_EQ(add_packet(shader, packet(3, 8, b, false)), TextProblem::None);
    EXPECT_EQ(add_packet(shader, packet(3, 20, c, false)), TextProblem::None);
    ASSERT_TRUE(shader.complete());
    EXPECT_EQ(shader.text(), kText.substr(0, 30));
}

TEST(ShaderText, AContinuationJoinsTheLineBefore) {
    const Buffer words = text_words(kText.substr(0, 8));
    ShaderText shader;
    EXPECT_EQ(add_packet(shader, packet(3, 8, words, false)), TextProblem::NoFirst);
    EXPECT_EQ(add_packet(shader, packet(3, kText.size(), words, true)), TextProblem::None);
    EXPECT_EQ(add_packet(shader, packet(4, 8, words, false)), TextProblem::NoFirst);
    EXPECT_EQ(shader.handle, 0u) << "after a problem nothing is begun";
    EXPECT_EQ(add_packet(shader, packet(3, kText.size(), words, true)), TextProblem::None);
    CreateShader other_stage = packet(3, 8, words, false);
    other_stage.stage = Stage::Geom;
    EXPECT_EQ(add_packet(shader, other_stage), TextProblem::NoFirst);
    EXPECT_EQ(add_packet(shader, packet(3, kText.size(), words, true)), TextProblem::None);
    EXPECT_EQ(add_packet(shader, packet(3, 4, words, false)), TextProblem::WrongOffset);
}

TEST(ShaderText, MoreThanAnnouncedIsRefused) {
    ShaderText shader;
    EXPECT_EQ(add_packet(shader, packet(3, 8, text_words("VERT\nEND\n\0\0\0"), true)), TextProblem::TooLong);
    EXPECT_EQ(add_packet(shader, packet(3, 0, text_words("VERT"), true)), TextProblem::TooLong);
}

TEST(ShaderText, TheTextEndsWithAZero) {
    ShaderText shader;
    EXPECT_EQ(add_packet(shader, packet(3, 8, text_words("VERT\nEND"), true)), TextProblem::NotTerminated);
    EXPECT_EQ(add_packet(shader, packet(3, 8, text_words({"VERT\0\0\0\0", 8}), true)), TextProblem::None);
    EXPECT_EQ(shader.text(), "VERT");
}

}  // namespace
}  // namespace tgsi2spv::virgl
