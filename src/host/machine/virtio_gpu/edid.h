// A display's description (VESA E-EDID 1.4), so that the guest takes the size that the front end wants.
#pragma once

#include <array>
#include <cstdint>

namespace tgsi2spv::virtio_gpu {

using Edid = std::array<uint8_t, 128>;
/// The EDID of a display whose preferred mode is this size; widths and heights beyond 4,095 become 4,095.
Edid make_edid(uint32_t width, uint32_t height);

}  // namespace tgsi2spv::virtio_gpu
