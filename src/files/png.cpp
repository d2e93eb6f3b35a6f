#include "files/png.h"

#include <fmt/format.h>
#include <png.h>

namespace tgsi2spv {

tl::expected<std::string, std::string> png_bytes(uint32_t width, uint32_t height, std::span<const uint8_t> rgba) {
    if (rgba.size() != uint64_t{width} * height * 4)
        return tl::unexpected<std::string>(
            fmt::format("{} bytes are not a picture of {} x {} pixels", rgba.size(), width, height));
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, rgba.data(), 0, nullptr) == 0)
        return tl::unexpected<std::string>(fmt::format("cannot be encoded as PNG: {}", image.message));
    bytes.resize(size);
    return bytes;
}

}  // namespace tgsi2spv
