// How a request ends. A failure's cause decides what follows: only a bad request may end the program that made it.
#pragma once

#include <cstdint>

namespace tgsi2spv::vk {

enum class [[nodiscard]] Status : uint8_t{
    Done,
    BadRequest,   ///< it breaks a rule that holds on every device
    Unsupported,  ///< the device lacks something
    NoMemory,
};

}  // namespace tgsi2spv::vk
