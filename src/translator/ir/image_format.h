// The formats of storage images, as SPIR-V numbers them: ImageType::format.
#pragma once

#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::ir {

/// Whether capability Shader includes the format (SPIR-V, Image Format), so that every device stores it; the others
/// need StorageImageExtendedFormats.
constexpr bool is_base_format(spv::ImageFormat format) {
    using Format = spv::ImageFormat;
    switch (format) {
        case Format::Unknown:
        case Format::Rgba32f:
        case Format::Rgba16f:
        case Format::R32f:
        case Format::Rgba8:
        case Format::Rgba8Snorm:
        case Format::Rgba32i:
        case Format::Rgba16i:
        case Format::Rgba8i:
        case Format::R32i:
        case Format::Rgba32ui:
        case Format::Rgba16ui:
        case Format::Rgba8ui:
        case Format::R32ui:
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::ir
