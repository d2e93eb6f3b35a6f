#include "tgsi-host/frames.h"

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

FrameWriter::Outcome FrameWriter::create_resource(const ResourceRequest& request,
                                                  std::shared_ptr<virgl::SharedMemory> memory) {
    const bool blue_first = request.format == kB8G8R8A8 || request.format == kB8G8R8X8;
    const bool known = blue_first || request.format == kR8G8B8A8 || request.format == kR8G8B8X8;
    if ((request.bind & (virgl::kBindDisplayTarget | virgl::kBindScanout)) != 0 && known && request.width > 0 &&
        request.height > 0 && uint64_t{request.width} * request.height <= kMostPixels)
        surfaces_[request.handle] = {request.width, request.height, blue_first, memory, {}};
    return renderer_.create_resource(request, std::move(memory));
}

FrameWriter::Outcome FrameWriter::destroy_resource(uint32_t handle) {
    surfaces_.erase(handle);
    return renderer_.destroy_resource(handle);
}

FrameWriter::Outcome FrameWriter::read(const TransferRequest& request, std::span<std::byte> data) {
    const Outcome outcome = renderer_.read(request, data);
    const auto found = surfaces_.find(request.handle);
    if (outcome != Outcome::Done || request.level != 0 || found == surfaces_.end()) return outcome;
    Surface& s = found->second;
    const size_t row = size_t{request.box.width} * 4, stride = request.stride != 0 ? request.stride : row;
    if (uint64_t{request.box.x} + request.box.width > s.width ||
        uint64_t{request.box.y} + request.box.height > s.height || request.box.height == 0 ||
        (request.box.height - 1) * stride + row > data.size())
        return outcome;
    s.pixels.resize(size_t{s.width} * s.height * 4);
    for (size_t y = 0; y < request.box.height; y++)
        std::ranges::copy(
            data.subspan(y * stride, row),
            s.pixels.begin() + static_cast<ptrdiff_t>(((request.box.y + y) * s.width + request.box.x) * 4));
    write_frame(s, s.pixels);
    return outcome;
}

FrameWriter::Outcome FrameWriter::read_to_memory(const TransferRequest& request, uint64_t offset) {
    if (const auto found = surfaces_.find(request.handle); found != surfaces_.end() && request.level == 0)
        found->second.reads = true;
    return renderer_.read_to_memory(request, offset);
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
