#include "machine/vnc/keys.h"

#include <linux/input-event-codes.h>
#define XK_MISCELLANY
#define XK_XKB_KEYS
#include <rfb/keysym.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tgsi2spv::vnc {
namespace {

struct Pair {
    uint32_t from, to;
};

template <size_t kSize>
uint32_t find(const std::array<Pair, kSize>& pairs, uint32_t from) {
    const auto found = std::ranges::find(pairs, from, &Pair::from);
    return found == pairs.end() ? 0 : found->to;
}

constexpr std::array kAfterE0{
    Pair{0x10, KEY_PREVIOUSSONG}, Pair{0x19, KEY_NEXTSONG}, Pair{0x1c, KEY_KPENTER},   Pair{0x1d, KEY_RIGHTCTRL},
    Pair{0x20, KEY_MUTE},         Pair{0x21, KEY_CALC},     Pair{0x22, KEY_PLAYPAUSE}, Pair{0x24, KEY_STOPCD},
    Pair{0x2e, KEY_VOLUMEDOWN},   Pair{0x30, KEY_VOLUMEUP}, Pair{0x32, KEY_HOMEPAGE},  Pair{0x35, KEY_KPSLASH},
    Pair{0x37, KEY_SYSRQ},        Pair{0x38, KEY_RIGHTALT}, Pair{0x46, KEY_PAUSE},     Pair{0x47, KEY_HOME},
    Pair{0x48, KEY_UP},           Pair{0x49, KEY_PAGEUP},   Pair{0x4b, KEY_LEFT},      Pair{0x4d, KEY_RIGHT},
    Pair{0x4f, KEY_END},          Pair{0x50, KEY_DOWN},     Pair{0x51, KEY_PAGEDOWN},  Pair{0x52, KEY_INSERT},
    Pair{0x53, KEY_DELETE},       Pair{0x5b, KEY_LEFTMETA}, Pair{0x5c, KEY_RIGHTMETA}, Pair{0x5d, KEY_COMPOSE},
    Pair{0x5e, KEY_POWER},        Pair{0x5f, KEY_SLEEP},    Pair{0x63, KEY_WAKEUP},    Pair{0x65, KEY_SEARCH},
    Pair{0x66, KEY_BOOKMARKS},    Pair{0x67, KEY_REFRESH},  Pair{0x68, KEY_STOP},      Pair{0x69, KEY_FORWARD},
    Pair{0x6a, KEY_BACK},         Pair{0x6b, KEY_COMPUTER}, Pair{0x6c, KEY_MAIL},      Pair{0x6d, KEY_MEDIA},
};
/// Scancodes whose Linux code is another number.
constexpr std::array kOthers{
    Pair{0x54, KEY_SYSRQ},   Pair{0x59, KEY_KPEQUAL},  Pair{0x70, KEY_KATAKANAHIRAGANA},
    Pair{0x73, KEY_RO},      Pair{0x77, KEY_HIRAGANA}, Pair{0x78, KEY_KATAKANA},
    Pair{0x79, KEY_HENKAN},  Pair{0x7b, KEY_MUHENKAN}, Pair{0x7d, KEY_YEN},
    Pair{0x7e, KEY_KPCOMMA}, Pair{0x71, KEY_HANJA},    Pair{0x72, KEY_HANGEUL},
};

constexpr std::array kSymbols{
    Pair{XK_BackSpace, KEY_BACKSPACE},
    Pair{XK_Tab, KEY_TAB},
    Pair{XK_ISO_Left_Tab, KEY_TAB},
    Pair{XK_Return, KEY_ENTER},
    Pair{XK_Linefeed, KEY_ENTER},
    Pair{XK_Escape, KEY_ESC},
    Pair{XK_Delete, KEY_DELETE},
    Pair{XK_Home, KEY_HOME},
    Pair{XK_Left, KEY_LEFT},
    Pair{XK_Up, KEY_UP},
    Pair{XK_Right, KEY_RIGHT},
    Pair{XK_Down, KEY_DOWN},
    Pair{XK_Page_Up, KEY_PAGEUP},
    Pair{XK_Page_Down, KEY_PAGEDOWN},
    Pair{XK_End, KEY_END},
    Pair{XK_Insert, KEY_INSERT},
    Pair{XK_Menu, KEY_COMPOSE},
    Pair{XK_Num_Lock, KEY_NUMLOCK},
    Pair{XK_Scroll_Lock, KEY_SCROLLLOCK},
    Pair{XK_Pause, KEY_PAUSE},
    Pair{XK_Print, KEY_SYSRQ},
    Pair{XK_Sys_Req, KEY_SYSRQ},
    Pair{XK_KP_Enter, KEY_KPENTER},
    Pair{XK_KP_Multiply, KEY_KPASTERISK},
    Pair{XK_KP_Add, KEY_KPPLUS},
    Pair{XK_KP_Subtract, KEY_KPMINUS},
    Pair{XK_KP_Decimal, KEY_KPDOT},
    Pair{XK_KP_Separator, KEY_KPCOMMA},
    Pair{XK_KP_Divide, KEY_KPSLASH},
    Pair{XK_KP_Equal, KEY_KPEQUAL},
    Pair{XK_KP_0, KEY_KP0},
    Pair{XK_KP_1, KEY_KP1},
    Pair{XK_KP_2, KEY_KP2},
    Pair{XK_KP_3, KEY_KP3},
    Pair{XK_KP_4, KEY_KP4},
    Pair{XK_KP_5, KEY_KP5},
    Pair{XK_KP_6, KEY_KP6},
    Pair{XK_KP_7, KEY_KP7},
    Pair{XK_KP_8, KEY_KP8},
    Pair{XK_KP_9, KEY_KP9},
    Pair{XK_KP_Home, KEY_KP7},
    Pair{XK_KP_Left, KEY_KP4},
    Pair{XK_KP_Up, KEY_KP8},
    Pair{XK_KP_Right, KEY_KP6},
    Pair{XK_KP_Down, KEY_KP2},
    Pair{XK_KP_Page_Up, KEY_KP9},
    Pair{XK_KP_Page_Down, KEY_KP3},
    Pair{XK_KP_End, KEY_KP1},
    Pair{XK_KP_Begin, KEY_KP5},
    Pair{XK_KP_Insert, KEY_KP0},
    Pair{XK_KP_Delete, KEY_KPDOT},
    Pair{XK_Shift_L, KEY_LEFTSHIFT},
    Pair{XK_Shift_R, KEY_RIGHTSHIFT},
    Pair{XK_Control_L, KEY_LEFTCTRL},
    Pair{XK_Control_R, KEY_RIGHTCTRL},
    Pair{XK_Caps_Lock, KEY_CAPSLOCK},
    Pair{XK_Meta_L, KEY_LEFTMETA},
    Pair{XK_Meta_R, KEY_RIGHTMETA},
    Pair{XK_Alt_L, KEY_LEFTALT},
    Pair{XK_Alt_R, KEY_RIGHTALT},
    Pair{XK_Super_L, KEY_LEFTMETA},
    Pair{XK_Super_R, KEY_RIGHTMETA},
    Pair{XK_Hyper_L, KEY_LEFTMETA},
    Pair{XK_Hyper_R, KEY_RIGHTMETA},
    Pair{XK_ISO_Level3_Shift, KEY_RIGHTALT},
    Pair{XK_Mode_switch, KEY_RIGHTALT},
    Pair{XK_F11, KEY_F11},
    Pair{XK_F12, KEY_F12},
    Pair{0x1008ff11, KEY_VOLUMEDOWN},
    Pair{0x1008ff12, KEY_MUTE},
    Pair{0x1008ff13, KEY_VOLUMEUP},
    Pair{0x1008ff14, KEY_PLAYPAUSE},
};

/// Keys in a row, from a code on.
struct Row {
    uint32_t first;
    std::string_view plain, shifted;
};
constexpr std::array kRows{
    Row{KEY_1, "1234567890-=", "!@#$%^&*()_+"},
    Row{KEY_Q, "qwertyuiop[]", "QWERTYUIOP{}"},
    Row{KEY_A, "asdfghjkl;'`", "ASDFGHJKL:\"~"},
    Row{KEY_BACKSLASH, "\\zxcvbnm,./", "|ZXCVBNM<>?"},
};
static_assert(KEY_GRAVE == KEY_A + 11 && KEY_Z == KEY_BACKSLASH + 1);

bool is_shift(uint32_t code) {
    return code == KEY_LEFTSHIFT || code == KEY_RIGHTSHIFT;
}

}  // namespace

uint32_t code_of_scancode(uint32_t scancode) {
    if (scancode > 0xff) return 0;
    if ((scancode & 0x80) != 0) return find(kAfterE0, scancode & 0x7f);
    if (scancode <= KEY_KPDOT || (scancode >= KEY_102ND && scancode <= KEY_F12)) return scancode;
    return find(kOthers, scancode);
}

Stroke stroke_of_symbol(uint32_t symbol) {
    if (symbol == ' ') return {KEY_SPACE};
    if (symbol > ' ' && symbol < 0x7f) {
        const auto letter = static_cast<char>(symbol);
        const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
        for (const Row& row : kRows) {
            if (const size_t at = row.plain.find(letter); at != std::string_view::npos)
                return {static_cast<uint32_t>(row.first + at), Stroke::Without, is_letter};
            if (const size_t at = row.shifted.find(letter); at != std::string_view::npos)
                return {static_cast<uint32_t>(row.first + at), Stroke::With, is_letter};
        }
    }
    if (symbol >= XK_F1 && symbol <= XK_F10) return {KEY_F1 + symbol - XK_F1};
    if (symbol >= XK_F13 && symbol <= XK_F24) return {KEY_F13 + symbol - XK_F13};
    return {find(kSymbols, symbol)};
}

bool Keys::shifted() const {
    return std::ranges::any_of(down_, is_shift);
}

std::vector<KeyEvent> Keys::press_code(uint32_t code, bool down) {
    if (code == 0 || down == down_.contains(code)) return {};
    if (down)
        down_.insert(code);
    else
        down_.erase(code);
    if (code == KEY_CAPSLOCK && down) caps_ = !caps_;
    return {{code, down}};
}

std::vector<KeyEvent> Keys::press_symbol(uint32_t symbol, bool down) {
    const Stroke stroke = stroke_of_symbol(symbol);
    std::vector<KeyEvent> events = press_code(stroke.code, down);
    if (events.empty()) return events;
    if (!down) {
        if (turned_.erase(stroke.code) == 0) return events;
        if (!shifted() && shift_codes_.empty()) events.push_back({KEY_LEFTSHIFT, false});
        for (const uint32_t code : shift_codes_)
            if (down_.contains(code)) events.push_back({code, true});
        shift_codes_.clear();
        return events;
    }
    // Nothing to change: Shift is right, or Caps Lock of the guest is on, or another key has changed Shift.
    const bool with = stroke.shift == Stroke::With;
    if (stroke.shift == Stroke::Any || with == shifted() || (stroke.letter && caps_) || !turned_.empty()) return events;
    turned_.insert(stroke.code);
    if (with) {
        events.insert(events.begin(), {KEY_LEFTSHIFT, true});
        return events;
    }
    for (const uint32_t code : {KEY_LEFTSHIFT, KEY_RIGHTSHIFT}) {
        if (!down_.contains(code)) continue;
        shift_codes_.push_back(code);
        events.insert(events.begin(), {code, false});
    }
    return events;
}

}  // namespace tgsi2spv::vnc
