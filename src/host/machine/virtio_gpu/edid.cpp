#include "machine/virtio_gpu/edid.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>

namespace tgsi2spv::virtio_gpu {
namespace {

constexpr uint32_t kMostPixels = 4095;  // of a direction: 12 bits

uint8_t byte(uint32_t value) {
    return static_cast<uint8_t>(value & 0xff);
}

/// A detailed timing (3.10.2) with the blanks of reduced blanking, 60 times a second or as often as its clock permits.
void put_timing(std::span<uint8_t> to, uint32_t width, uint32_t height) {
    constexpr uint32_t kBlankX = 160, kFrontX = 48, kSyncX = 32, kFrontY = 3, kSyncY = 6;
    const uint32_t blank_y = std::max(height / 32, 20u);
    const uint64_t clock = uint64_t{width + kBlankX} * (height + blank_y) * 60 / 10000;
    const auto units = static_cast<uint32_t>(std::min<uint64_t>(clock, 0xffff));
    const uint32_t mm_x = width * 254 / 960, mm_y = height * 254 / 960;  // 96 pixels an inch
    const std::array<uint8_t, 18> timing{byte(units),
                                         byte(units >> 8),
                                         byte(width),
                                         byte(kBlankX),
                                         byte(width >> 8 << 4 | kBlankX >> 8),
                                         byte(height),
                                         byte(blank_y),
                                         byte(height >> 8 << 4 | blank_y >> 8),
                                         byte(kFrontX),
                                         byte(kSyncX),
                                         byte(kFrontY << 4 | kSyncY),
                                         0,
                                         byte(mm_x),
                                         byte(mm_y),
                                         byte(mm_x >> 8 << 4 | mm_y >> 8),
                                         0,
                                         0,
                                         0x1e};
    std::ranges::copy(timing, to.begin());
}

/// A display descriptor (3.10.3): its tag, and a text of up to 13 bytes.
void put_text(std::span<uint8_t> to, uint8_t tag, std::string_view text) {
    std::ranges::fill(to.first(18), uint8_t{0});
    to[3] = tag;
    std::ranges::fill(to.subspan(5, 13), uint8_t{' '});
    std::memcpy(to.data() + 5, text.data(), text.size());
    if (text.size() < 13) to[5 + text.size()] = '\n';
}

}  // namespace

Edid make_edid(uint32_t width, uint32_t height) {
    width = std::clamp(width, 1u, kMostPixels);
    height = std::clamp(height, 1u, kMostPixels);
    Edid edid{};
    const std::array<uint8_t, 8> magic{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0};
    std::ranges::copy(magic, edid.begin());
    constexpr uint32_t kMaker = ('T' - '@') << 10 | ('G' - '@') << 5 | ('S' - '@');
    edid[8] = byte(kMaker >> 8);
    edid[9] = byte(kMaker);
    edid[10] = 1;                                         // product
    edid[17] = 2026 - 1990;                               // year
    edid[18] = 1, edid[19] = 4;                           // version
    edid[20] = 0xa5;                                      // digital, 8 bits a colour, DisplayPort
    edid[21] = byte(std::min(width * 254 / 9600, 255u));  // cm
    edid[22] = byte(std::min(height * 254 / 9600, 255u));
    edid[23] = 120;   // gamma 2.2
    edid[24] = 0x06;  // sRGB; the first timing is the preferred one
    // sRGB's primaries (3.7)
    const std::array<uint8_t, 10> chroma{0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f, 0x50, 0x54};
    std::ranges::copy(chroma, edid.begin() + 25);
    edid[35] = 0x21, edid[36] = 0x08;  // 640x480, 800x600, 1024x768, at 60 Hz
    // Standard timings (3.9): a width, and the ratio of the sides.
    constexpr uint8_t k16To10 = 0 << 6, k5To4 = 2 << 6, k16To9 = 3 << 6;
    const std::array<uint8_t, 16> standard{(1920 / 8) - 31, k16To9,  (1920 / 8) - 31, k16To10, (1680 / 8) - 31, k16To10,
                                           (1600 / 8) - 31, k16To9,  (1440 / 8) - 31, k16To10, (1280 / 8) - 31, k5To4,
                                           (1280 / 8) - 31, k16To10, (1280 / 8) - 31, k16To9};
    std::ranges::copy(standard, edid.begin() + 38);
    const std::span<uint8_t> all(edid);
    put_timing(all.subspan(54), width, height);
    put_text(all.subspan(72), 0xfc, "tgsi-host");
    put_text(all.subspan(90), 0xfe, "virtual");
    put_text(all.subspan(108), 0x10, "");
    std::ranges::fill(all.subspan(113, 13), uint8_t{0});
    edid[127] = byte(0u - std::accumulate(edid.begin(), edid.end() - 1, 0u));
    return edid;
}

}  // namespace tgsi2spv::virtio_gpu
