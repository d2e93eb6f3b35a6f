#include "cases/evidence_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "files/png.h"
#include "tgsi/program/semantics.h"

namespace tgsi2spv::difftest {

namespace {

constexpr size_t kMaxRegisters = 4;

/// A channel of a pixel: 255 for 1 and more, 0 for 0 and less, and for NaN.
uint8_t to_byte(uint32_t word) {
    const auto value = std::bit_cast<float>(word);
    if (!(value > 0)) return 0;
    return static_cast<uint8_t>(std::lrint(std::min(value, 1.0f) * 255.0f));
}

/// The positions of lanes: quads row by row, each two pixels high, numbered as in lower/io_buffers.h.
struct Grid {
    uint32_t quads_a_row = 1, width = 0, height = 0;
    explicit Grid(const reference::Inputs& inputs) {
        const uint32_t quads = (inputs.lanes + 3) / 4, most = std::max(1u, inputs.framebuffer_width / 2);
        quads_a_row = std::clamp(quads, 1u, most);
        width = 2 * quads_a_row;
        height = 2 * ((quads + quads_a_row - 1) / quads_a_row);
    }
    Picture picture() const { return {width, height, std::vector<uint8_t>(size_t{width} * height * 4)}; }
    size_t byte(uint32_t lane) const {
        const uint32_t quad = lane / 4;
        const size_t x = quad % quads_a_row * 2 + (lane & 1), y = quad / quads_a_row * 2 + (lane >> 1 & 1);
        return (y * width + x) * 4;
    }
};

bool is_set(const std::vector<bool>& flags, uint32_t lane) {
    return lane < flags.size() && flags[lane];
}

}  // namespace

Picture picture_of(const tgsi::Program& program, const reference::Inputs& inputs, const reference::Result& result) {
    const Grid grid(inputs);
    Picture picture = grid.picture();
    tgsi::for_each_semantic(program, tgsi::File::Output, [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
        const auto found = result.outputs.find(reg);
        if (d.semantic != tgsi::Semantic::Color || index != 0 || found == result.outputs.end()) return;
        const auto lanes = std::min<size_t>(found->second.size(), inputs.lanes);
        for (uint32_t lane = 0; lane < lanes; lane++)
            for (uint32_t c = 0; c < 4 && !is_set(result.killed, lane); c++)
                if ((d.usage_mask >> c & 1) != 0)
                    picture.rgba[grid.byte(lane) + c] = to_byte(found->second[lane][c].value);
    });
    return picture;
}

std::vector<EvidencePicture> pictures_of(const reference::Result& judged, const reference::Result& device,
                                         const reference::Inputs& inputs, bool zeros_alike) {
    std::vector<EvidencePicture> all;
    const Grid grid(inputs);
    for (const auto& [reg, permitted] : judged.outputs) {
        const auto found = device.outputs.find(reg);
        const auto mask = judged.written.find(reg);
        if (found == device.outputs.end() || mask == judged.written.end() || all.size() >= 3 * kMaxRegisters) continue;
        Picture expected = grid.picture(), got = expected, difference = expected;
        bool wrong = false;
        const auto lanes = static_cast<uint32_t>(
            std::min({permitted.size(), found->second.size(), static_cast<size_t>(inputs.lanes)}));
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const size_t at = grid.byte(lane);
            const bool killed = is_set(judged.killed, lane), gone = is_set(device.killed, lane);
            const bool compared = !gone && (!killed || is_set(judged.killed_unknown, lane));
            const uint8_t mismatched =
                compared ? wrong_components(permitted[lane], found->second[lane], mask->second, zeros_alike) : 0;
            difference.rgba[at + 3] = 255;
            for (uint32_t c = 0; c < 4; c++) {
                if (!killed) expected.rgba[at + c] = to_byte(permitted[lane][c].value);
                if (!gone) got.rgba[at + c] = to_byte(found->second[lane][c].value);
                if ((mismatched >> c & 1) == 0) continue;
                wrong = true;
                // Red, green and blue by component; a wrong alpha is white.
                if (c < 3) difference.rgba[at + c] = 255;
                if (c == 3) std::fill_n(difference.rgba.begin() + static_cast<std::ptrdiff_t>(at), 3, uint8_t{255});
            }
            if (killed != gone && !is_set(judged.killed_unknown, lane)) {
                wrong = true;
                std::fill_n(difference.rgba.begin() + static_cast<std::ptrdiff_t>(at), 3, uint8_t{255});
            }
        }
        if (!wrong) continue;
        // Makes live lanes opaque, since transparency would hide their colours.
        for (Picture* p : {&expected, &got})
            for (uint32_t lane = 0; lane < lanes; lane++)
                if (!is_set(p == &got ? device.killed : judged.killed, lane)) p->rgba[grid.byte(lane) + 3] = 255;
        for (const auto& [what, picture] :
             {std::pair{"expected", &expected}, std::pair{"got", &got}, std::pair{"difference", &difference}})
            if (const auto png = png_bytes(picture->width, picture->height, picture->rgba))
                all.push_back({fmt::format("OUT[{}] {}", reg, what), base64({png->begin(), png->end()})});
    }
    return all;
}

std::string base64(const std::vector<uint8_t>& bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++) text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace tgsi2spv::difftest
