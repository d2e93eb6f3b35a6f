// PIPE_FORMAT names of images and textures, and the contents of their texels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tgsi2spv::tgsi {

/// How the components of a texel are stored and read back.
enum class Numeric : uint8_t { None, Float, Unorm, Snorm, Uint, Sint, Srgb, Depth, Stencil };
/// Texture opcodes return integers.
constexpr bool is_integer(Numeric n) {
    return n == Numeric::Uint || n == Numeric::Sint || n == Numeric::Stencil;
}

struct FormatInfo {
    std::string_view name;  ///< name without PIPE_FORMAT_
    uint8_t components = 0;
    uint8_t bits[4] = {};  ///< bits of each component, in the order x y z w; A, L, I: of the only one
    Numeric numeric = Numeric::None;
};

/// 0 is PIPE_FORMAT_NONE. Ids are dense, 0..format_count()-1.
uint16_t format_count();
const FormatInfo& format_info(uint16_t format);
/// The results of texture opcodes in x y z w: a component of the format, or these constants (tgsi-newest, "Texture
/// Sampling and Texture Formats": A, L, LA, I and S are not as R and RG).
inline constexpr uint8_t kChannelZero = 4, kChannelOne = 5;
std::array<uint8_t, 4> channels_of(const FormatInfo& format);
/// Accepts names with or without the PIPE_FORMAT_ prefix, in any case.
std::optional<uint16_t> format_from_name(std::string_view name);

/// Whether the name, without PIPE_FORMAT_, is built like those of gallium's formats: most of them are not in the table.
bool is_format_name(std::string_view name);

}  // namespace tgsi2spv::tgsi
