#include "host_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/files.h"
#include "files/png.h"

namespace tools {

using namespace tgsi2spv;

namespace {

// VIRGL format numbers of windows' surfaces.
constexpr uint32_t kB8G8R8A8 = 1, kB8G8R8X8 = 2, kR8G8B8A8 = 67, kR8G8B8X8 = 134;
constexpr uint32_t kMostPixels = 1u << 28;

}  // namespace

FrameWriter::Outcome FrameWriter::create_resource(const ResourceRequest& r,
                                                  std::shared_ptr<virgl::SharedMemory> memory) {
    const bool blue_first = r.format == kB8G8R8A8 || r.format == kB8G8R8X8;
    const bool known = blue_first || r.format == kR8G8B8A8 || r.format == kR8G8B8X8;
    if ((r.bind & (virgl::kBindDisplayTarget | virgl::kBindScanout)) != 0 && known && r.width > 0 && r.height > 0 &&
        uint64_t{r.width} * r.height <= kMostPixels)
        surfaces_[r.handle] = {r.width, r.height, blue_first, memory, {}};
    return renderer_.create_resource(r, std::move(memory));
}

FrameWriter::Outcome FrameWriter::destroy_resource(uint32_t handle) {
    surfaces_.erase(handle);
    return renderer_.destroy_resource(handle);
}

FrameWriter::Outcome FrameWriter::read(const TransferRequest& r, std::span<std::byte> data) {
    const Outcome outcome = renderer_.read(r, data);
    const auto found = surfaces_.find(r.handle);
    if (outcome != Outcome::Done || r.level != 0 || found == surfaces_.end()) return outcome;
    Surface& s = found->second;
    const size_t row = size_t{r.box.width} * 4, stride = r.stride != 0 ? r.stride : row;
    if (uint64_t{r.box.x} + r.box.width > s.width || uint64_t{r.box.y} + r.box.height > s.height || r.box.height == 0 ||
        (r.box.height - 1) * stride + row > data.size())
        return outcome;
    s.pixels.resize(size_t{s.width} * s.height * 4);
    for (size_t y = 0; y < r.box.height; y++)
        std::ranges::copy(data.subspan(y * stride, row),
                          s.pixels.begin() + static_cast<ptrdiff_t>(((r.box.y + y) * s.width + r.box.x) * 4));
    write_frame(s, s.pixels);
    return outcome;
}

FrameWriter::Outcome FrameWriter::read_to_memory(const TransferRequest& r, uint64_t offset) {
    if (const auto found = surfaces_.find(r.handle); found != surfaces_.end() && r.level == 0)
        found->second.reads = true;
    return renderer_.read_to_memory(r, offset);
}

bool FrameWriter::busy(uint32_t handle, bool wait) {
    if (renderer_.busy(handle, wait)) return true;
    const auto found = surfaces_.find(handle);
    if (found != surfaces_.end() && found->second.reads) {
        found->second.reads = false;
        if (found->second.memory != nullptr) write_frame(found->second, found->second.memory->bytes);
    }
    return false;
}

void FrameWriter::write_frame(const Surface& surface, std::span<const std::byte> pixels) {
    const size_t size = size_t{surface.width} * surface.height * 4;
    if (pixels.size() < size) return;
    std::vector<uint8_t> rgba(size);
    for (size_t i = 0; i < size; i += 4) {
        for (size_t c = 0; c < 3; c++)
            rgba[i + c] = std::to_integer<uint8_t>(pixels[i + (surface.blue_first ? 2 - c : c)]);
        rgba[i + 3] = 255;  // windows are opaque
    }
    const std::string path = fmt::format("{}{:04}.png", prefix_, ++frames_);
    const auto png = png_bytes(surface.width, surface.height, rgba);
    const std::string error = png ? write_file(path, *png) : png.error();
    if (!error.empty()) log_.line(cannot_write(path, error));
}

}  // namespace tools
