#include <png.h>

#include "difftest/picture.h"

namespace tgsi2spv::difftest {

namespace {

png_image describe(const Picture& picture) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = picture.width;
    image.height = picture.height;
    image.format = PNG_FORMAT_RGBA;
    return image;
}

}  // namespace

std::vector<uint8_t> png_bytes(const Picture& picture) {
    png_image image = describe(picture);
    png_alloc_size_t size = 0;
    if (png_image_write_to_memory(&image, nullptr, &size, 0, picture.rgba.data(), 0, nullptr) == 0) return {};
    std::vector<uint8_t> bytes(size);
    image = describe(picture);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgba.data(), 0, nullptr) == 0) return {};
    bytes.resize(size);
    return bytes;
}

}  // namespace tgsi2spv::difftest
