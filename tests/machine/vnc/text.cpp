#include "machine/vnc/text.h"

#include <gtest/gtest.h>

namespace tgsi2spv::vnc {
namespace {

using namespace std::string_literals;

TEST(ClipboardTexts, EachByteOfLatin1ComesBack) {
    std::string all;
    for (int byte = 1; byte < 256; byte++) all += static_cast<char>(byte);
    const std::string utf8 = utf8_of_latin1(all);
    EXPECT_EQ(utf8.size(), 127u + 2 * 128);
    EXPECT_EQ(latin1_of_utf8(utf8), all);
}

TEST(ClipboardTexts, OtherCharactersAreQuestionMarks) {
    EXPECT_EQ(latin1_of_utf8("\xe2\x82\xac \xf0\x9f\x98\x80."), "? ?.");
    EXPECT_EQ(latin1_of_utf8("\xc3"), "?");  // without its end
    EXPECT_EQ(latin1_of_utf8("\x80\xbf"
                             "a"),
              "a");  // without its beginning
    EXPECT_EQ(latin1_of_utf8("\xc3"
                             "a"),
              "?a");
}

TEST(ClipboardTexts, LinesEndWithALineFeed) {
    EXPECT_EQ(with_line_feeds("a\r\nb\n"), "a\nb\n");
    EXPECT_EQ(with_line_feeds("text\0more"s), "text");
}

}  // namespace
}  // namespace tgsi2spv::vnc
