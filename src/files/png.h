// The files of pictures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

namespace tgsi2spv {

/// Returns the bytes of a PNG file. `rgba`: four bytes for each pixel, in rows from the top.
tl::expected<std::string, std::string> png_bytes(uint32_t width, uint32_t height, std::span<const uint8_t> rgba);

}  // namespace tgsi2spv
