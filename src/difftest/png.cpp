#include <fmt/format.h>
#include <png.h>

#include <cstdio>

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

tl::expected<void, std::string> write_png(const Picture& picture, const std::string& path) {
    png_image image = describe(picture);
    const std::string part = path + ".part";
    const bool written = png_image_write_to_file(&image, part.c_str(), 0, picture.rgba.data(), 0, nullptr) != 0;
    if (!written || std::rename(part.c_str(), path.c_str()) != 0) {
        const std::string why = written ? "cannot rename" : image.message;
        std::remove(part.c_str());
        return tl::unexpected<std::string>(fmt::format("{}: {}", path, why));
    }
    return {};
}

}  // namespace tgsi2spv::difftest
