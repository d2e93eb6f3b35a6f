// Keys of viewers: scancodes, and symbols on the keyboard of the United States.
#include "machine/vnc/keys.h"

#include <gmock/gmock.h>
#include <linux/input-event-codes.h>

#include <set>

namespace tgsi2spv::vnc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kShift = 0xffe1, kCaps = 0xffe5;

TEST(Scancodes, AreThoseOfLinuxWhereTheyAgree) {
    EXPECT_EQ(code_of_scancode(0x1e), uint32_t{KEY_A});
    EXPECT_EQ(code_of_scancode(0x56), uint32_t{KEY_102ND});
    EXPECT_EQ(code_of_scancode(0x58), uint32_t{KEY_F12});
    EXPECT_EQ(code_of_scancode(0x54), uint32_t{KEY_SYSRQ});
    EXPECT_EQ(code_of_scancode(0xcb), uint32_t{KEY_LEFT});
    EXPECT_EQ(code_of_scancode(0xb8), uint32_t{KEY_RIGHTALT});
    EXPECT_EQ(code_of_scancode(0x7d), uint32_t{KEY_YEN});
}

TEST(Scancodes, OthersAreNone) {
    for (const uint32_t scancode : {0u, 0x55u, 0x7fu, 0x80u, 0xffu, 0x100u, 0x11eu, ~0u})
        EXPECT_EQ(code_of_scancode(scancode), 0u) << scancode;
}

TEST(Scancodes, NoTwoAreOneKeyOfAPc) {
    std::set<uint32_t> seen;
    for (uint32_t scancode = 1; scancode < 0x100; scancode++) {
        const uint32_t code = code_of_scancode(scancode);
        if (code == 0 || code == KEY_SYSRQ) continue;  // that has two
        EXPECT_TRUE(seen.insert(code).second) << scancode;
        EXPECT_LT(code, uint32_t{BTN_MISC});
    }
    EXPECT_GE(seen.size(), 104u);
}

TEST(Symbols, EachOfAsciiHasAKey) {
    for (uint32_t symbol = ' '; symbol < 0x7f; symbol++) EXPECT_NE(stroke_of_symbol(symbol).code, 0u) << symbol;
    for (const uint32_t symbol : {0u, 0x7fu, 0xe4u, 0x20acu, 0x1000000u, ~0u})
        EXPECT_EQ(stroke_of_symbol(symbol).code, 0u) << symbol;
}

TEST(Symbols, KeysWithoutALetter) {
    EXPECT_EQ(stroke_of_symbol(0xff0d).code, uint32_t{KEY_ENTER});
    EXPECT_EQ(stroke_of_symbol(0xffbe).code, uint32_t{KEY_F1});
    EXPECT_EQ(stroke_of_symbol(0xffc9).code, uint32_t{KEY_F12});
    EXPECT_EQ(stroke_of_symbol(0xffd5).code, uint32_t{KEY_F24});
    EXPECT_EQ(stroke_of_symbol(0xffb7).code, uint32_t{KEY_KP7});
    EXPECT_EQ(stroke_of_symbol(0xfe03).code, uint32_t{KEY_RIGHTALT});
}

TEST(PressedKeys, ShiftIsLentToASymbolThatNeedsIt) {
    Keys keys;
    EXPECT_THAT(keys.press_symbol('?', true), ElementsAre(KeyEvent{KEY_LEFTSHIFT, true}, KeyEvent{KEY_SLASH, true}));
    EXPECT_THAT(keys.press_symbol('?', true), IsEmpty()) << "the viewer repeats it";
    EXPECT_THAT(keys.press_symbol('?', false), ElementsAre(KeyEvent{KEY_SLASH, false}, KeyEvent{KEY_LEFTSHIFT, false}));
}

TEST(PressedKeys, ShiftThatIsThereStays) {
    Keys keys;
    EXPECT_THAT(keys.press_symbol(kShift, true), ElementsAre(KeyEvent{KEY_LEFTSHIFT, true}));
    EXPECT_THAT(keys.press_symbol('A', true), ElementsAre(KeyEvent{KEY_A, true}));
    EXPECT_THAT(keys.press_symbol('A', false), ElementsAre(KeyEvent{KEY_A, false}));
    EXPECT_THAT(keys.press_symbol(kShift, false), ElementsAre(KeyEvent{KEY_LEFTSHIFT, false}));
}

TEST(PressedKeys, ShiftOfAnotherLayoutIsLetGoMeanwhile) {
    Keys keys;
    keys.press_symbol(kShift, true);
    EXPECT_THAT(keys.press_symbol('/', true), ElementsAre(KeyEvent{KEY_LEFTSHIFT, false}, KeyEvent{KEY_SLASH, true}));
    EXPECT_THAT(keys.press_symbol('/', false), ElementsAre(KeyEvent{KEY_SLASH, false}, KeyEvent{KEY_LEFTSHIFT, true}));
}

TEST(PressedKeys, LockOfCapitalsIsTheGuests) {
    Keys keys;
    keys.press_symbol(kCaps, true);
    keys.press_symbol(kCaps, false);
    EXPECT_THAT(keys.press_symbol('A', true), ElementsAre(KeyEvent{KEY_A, true}));
    EXPECT_THAT(keys.press_symbol('?', true), ElementsAre(KeyEvent{KEY_LEFTSHIFT, true}, KeyEvent{KEY_SLASH, true}));
}

TEST(PressedKeys, UnknownOnesAreNoEvents) {
    Keys keys;
    EXPECT_THAT(keys.press_symbol(0x20ac, true), IsEmpty());
    EXPECT_THAT(keys.press_code(0, true), IsEmpty());
    EXPECT_THAT(keys.press_code(KEY_A, false), IsEmpty()) << "it is not down";
}

}  // namespace
}  // namespace tgsi2spv::vnc
