// What emulated stages cost: a draw of 100,000 triangles through GEOM, and one that is captured, on a device that has
// these stages, and without them. tools/bench-host --stages runs it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "renderer/drawing.h"

using namespace tgsi2spv::host;

namespace {

constexpr uint32_t kTriangles = 100'000, kVertexWords = 8, kTimes = 15, kPicture = 256, kBuffer = 10, kCaptured = 11;

/// Each triangle is as it came.
constexpr const char* kGeom =
    R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[1][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
MOV OUT[1], IN[2][1]
EMIT IMM[0].xxxx
END
)";

/// Right triangles of about a pixel, in rows.
std::vector<float> vertices() {
    std::vector<float> all;
    constexpr uint32_t kRow = 320;
    constexpr float kSide = 2.F / kRow;
    for (uint32_t t = 0; t < kTriangles; t++) {
        const float x = static_cast<float>(t % kRow) * kSide - 1, y = static_cast<float>(t / kRow) * kSide - 1;
        for (uint32_t v = 0; v < 3; v++)
            all.insert(all.end(), {x + (v == 1 ? kSide : 0), y + (v == 2 ? kSide : 0), 0, 1, x, y, 1, 1});
    }
    return all;
}

Buffer captured(uint32_t bytes) {
    const auto output = [](uint32_t reg) { return reg | 4U << 10 | (4 * reg) << 16; };
    return use(20, kVert, {2, 8, 0, 0, 0, output(0), 0, output(1), 0}) +
           object(O::StreamoutTarget, {21, kCaptured, 0, bytes}) + command(Id::SetStreamoutTargets, {0, 21});
}

bool make(Renderer& renderer, uint32_t handle, uint32_t bind, std::span<const std::byte> content) {
    const auto bytes = static_cast<uint32_t>(content.size());
    return renderer.create_resource({handle, 0, 64, bind, bytes, 1, 1, 1, 0, 0}, nullptr) == Outcome::Done &&
           renderer.write({handle, 0, 0, 0, {0, 0, 0, bytes, 1, 1}}, content) == Outcome::Done;
}

struct Cost {
    double wall = 1e9, cpu = 1e9;  ///< milliseconds of a draw; cpu: of all threads
};

double cpu_now() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The least from the commands to a texel of the picture: others may use the machine, too. Empty: it fails, or nothing
/// is drawn.
std::optional<Cost> measure(const std::vector<std::string>& without, bool through_geom) {
    auto made = make_renderer({.device = "llvmpipe", .without = without});
    if (!made) return std::nullopt;
    Renderer& renderer = **made;
    const std::vector<float> list = vertices();
    const auto content = std::as_bytes(std::span(list));
    if (renderer.create_resource({kTarget, 2, kBgra, kBindRenderTarget, kPicture, kPicture, 1, 1, 0, 0}, nullptr) !=
            Outcome::Done ||
        !make(renderer, kBuffer, kBindVertexBuffer, content) ||
        !make(renderer, kVertices, kBindVertexBuffer, content) ||
        !make(renderer, kCaptured, kBindStreamOutput, content))
        return std::nullopt;
    const float half = kPicture / 2.F;
    const Buffer begin =
        scene() +
        command(Id::SetViewportState, {0, bits(half), bits(half), bits(0.5F), bits(half), bits(half), bits(0.5F)}) +
        command(Id::SetScissorState, {0, 0, kPicture | kPicture << 16}) +
        command(Id::SetVertexBuffers, {4 * kVertexWords, 0, kBuffer}) +
        (through_geom ? use(20, kGeom) : captured(static_cast<uint32_t>(content.size())));
    if (renderer.submit(begin) != Outcome::Done) return std::nullopt;
    Cost least;
    for (uint32_t i = 0; i < kTimes; i++) {
        const double cpu = cpu_now();
        const auto start = std::chrono::steady_clock::now();
        std::array<uint32_t, 1> texel{};  // its centre is in a triangle; scene() clears to green
        const Buffer again = through_geom ? Buffer{} : command(Id::SetStreamoutTargets, {0, 21});
        if (renderer.submit(again + command(Id::DrawVbo, {0, 3 * kTriangles, 4, 0, 1, 0, 0, 0, 0, 0, ~0U, 0})) !=
                Outcome::Done ||
            renderer.read({kTarget, 0, 0, 0, {2, 83, 0, 1, 1, 1}}, std::as_writable_bytes(std::span(texel))) !=
                Outcome::Done ||
            texel[0] == kGreen)
            return std::nullopt;
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        least = {std::min(least.wall, taken.count()), std::min(least.cpu, cpu_now() - cpu)};
    }
    return least;
}

}  // namespace

int main() {
    const std::vector<std::string> hidden{"geometryShader", "tessellationShader", "VK_EXT_transform_feedback"};
    fmt::print("{:<24}{:>10}{:>10}{:>10}\n", "100,000 triangles", "own, ms", "emulated", "ratio");
    for (const bool through_geom : {true, false}) {
        const auto own = measure({}, through_geom), emulated = measure(hidden, through_geom);
        if (!own || !emulated) {
            fmt::print(stderr, "a draw fails, or draws nothing\n");
            return 1;
        }
        const auto print = [&](const char* what, double Cost::*cost) {
            fmt::print("{:<24}{:>10.1f}{:>10.1f}{:>10.2f}\n", what, *own.*cost, *emulated.*cost,
                       *own.*cost / *emulated.*cost);
        };
        print(through_geom ? "through GEOM" : "captured", &Cost::wall);
        print("  CPU, all threads", &Cost::cpu);
    }
    return 0;
}
