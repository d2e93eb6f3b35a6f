#include <fmt/format.h>
#include <png.h>

#include <cstdio>

#include "difftest/picture.h"

namespace tgsi2spv::difftest {

tl::expected<void, std::string> write_png(const Picture& picture, const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = picture.width;
    image.height = picture.height;
    image.format = PNG_FORMAT_RGBA;
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
