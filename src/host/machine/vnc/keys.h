// Converts the keys of viewers to key codes of Linux.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace tgsi2spv::vnc {

/// The key's code for a PC's scancode (set 1; 0x80: those after 0xe0), as in QEMU's extended key event; 0: none.
uint32_t code_of_scancode(uint32_t scancode);

/// A key of a keyboard with the layout of the United States, which a guest has unless it is told another.
struct Stroke {
    uint32_t code = 0;  ///< 0: no such key
    enum Shift : uint8_t { Any, Without, With } shift = Any;
    bool letter = false;
};
Stroke stroke_of_symbol(uint32_t symbol);

struct KeyEvent {
    uint32_t code;
    bool down;
    bool operator==(const KeyEvent&) const = default;
};

/// The keys of one viewer, and the key events for the guest.
class Keys {
  public:
    /// A viewer that names symbols has its own layout, and perhaps no shift key: it is pressed, or let go, as long as
    /// the symbol's key is down.
    std::vector<KeyEvent> press_symbol(uint32_t symbol, bool down);
    std::vector<KeyEvent> press_code(uint32_t code, bool down);

  private:
    bool shifted() const;

    std::set<uint32_t> down_;
    std::set<uint32_t> turned_;          ///< those that have changed the shift key
    std::vector<uint32_t> shift_codes_;  ///< shift keys that were let go
    bool caps_ = false;
};

}  // namespace tgsi2spv::vnc
