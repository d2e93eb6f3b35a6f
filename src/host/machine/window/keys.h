// The codes of Linux's input for SDL's keys.
#pragma once

#include <cstdint>

namespace tgsi2spv::window {

/// A scancode of SDL is a usage of USB's keyboard page. 0: Linux has no such key.
uint32_t code_of_scancode(uint32_t scancode);

}  // namespace tgsi2spv::window
