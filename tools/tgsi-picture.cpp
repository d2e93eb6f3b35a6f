// tgsi-picture: draws a square with a FRAG shader on a Vulkan device through the unmodified interface, computes the
// same picture with the reference, and says whether they agree.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "complain.h"
#include "device_main.h"
#include "difftest/picture.h"
#include "difftest/png.h"
#include "difftest/sources.h"
#include "files/files.h"
#include "options.h"
#include "paths.h"
#include "vulkan/device.h"
#include "vulkan/floats.h"
#include "vulkan/instance.h"

namespace {

using namespace tgsi2spv;

int complain(int status, const std::string& message) {
    return tools::complain("tgsi-picture", status, message);
}

int run_tool(int argc, char** argv) {
    tools::App app{
        "Draw a square with a FRAG shader on Vulkan and with the reference, and compare the pictures.\n\n"
        "  tgsi-picture shaders/frag/textured.tgsi --vertex shaders/vert/passthrough.tgsi -o out\n\n"
        "This writes out-vulkan.png and out-reference.png. SAMP[0] is an example texture, filtered linearly."};
    std::string fragment_path, vertex_path, out, device_name;
    uint32_t size = 256;
    app.add_option("FRAG", fragment_path, "Fragment shader").required();
    app.add_option("--vertex", vertex_path,
                   "Vertex shader: IN[0] is the corner, which it must keep, IN[1] the texture coordinate")
        .type_name("FILE")
        .required();
    app.add_option("-o,--output", out, "Prefix of the two PNG files").type_name("PREFIX").required();
    app.add_option("--size", size, "Width and height in pixels, rounded down to an even number (default: 256)")
        .check(tools::Range{2, 1024});
    app.add_option("--device", device_name, "Vulkan device: its number, UUID or a part of its name")
        .type_name("DEVICE");
    app.set_version_flag("--version", "tgsi-picture " TGSI2SPV_TOOL_VERSION);
    app.footer(
        "Exit status: 0 the pictures agree; 1 they differ, nothing could be compared, or a shader was rejected or does "
        "not\nend; 2 usage or I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;

    const std::string drawn_path = out + "-vulkan.png", computed_path = out + "-reference.png";
    if (const std::string why = tools::conflict({fragment_path, vertex_path}, {drawn_path, computed_path});
        !why.empty())
        return complain(2, why);
    const auto fragment = difftest::read_source(fragment_path), vertex = difftest::read_source(vertex_path);
    if (!fragment) return complain(2, fragment.error());
    if (!vertex) return complain(2, vertex.error());
    auto instance = vulkan::Instance::create({});
    if (!instance) return complain(2, instance.error().message);
    auto info = (*instance)->find_or_default(device_name);
    if (!info) return complain(2, info.error().message);
    auto device = vulkan::Device::create(**instance, *info);
    if (!device) return complain(2, device.error().message);

    difftest::Scene scene{*vertex, *fragment, vertex_path, fragment_path, {}, size & ~1u};
    scene.inputs.textures[0] = difftest::example_texture(32);
    reference::SamplerState linear;
    linear.min_filter = linear.mag_filter = reference::Filter::Linear;
    linear.wrap[0] = linear.wrap[1] = linear.wrap[2] = reference::Wrap::ClampToEdge;
    scene.inputs.samplers[0] = linear;

    // First, since a driver that draws a shader without an end cannot be stopped. With bounds, since a word that the
    // reference does not know would otherwise be compared.
    const auto computed = difftest::compute(scene, true);
    if (!computed) return complain(1, computed.error());
    const auto drawn = difftest::draw(**device, scene);
    if ((*device)->changed_floats) complain(0, info->name + ": " + vulkan::kChangesFloats);
    if (!drawn) return complain(1, drawn.error());
    // Filtering and interpolation may each round by less than half a step of the attachment in different directions.
    constexpr uint32_t kAllowed = 1;
    for (const auto& [picture, path] : {std::pair{&*drawn, &drawn_path}, std::pair{&*computed, &computed_path}}) {
        const auto png = difftest::png_bytes(picture->width, picture->height, picture->rgba);
        if (!png) return complain(2, *path + ": " + png.error());
        const std::string error = write_file(*path, *png);
        if (!error.empty()) return complain(2, cannot_write(*path, error));
        fmt::print("{}\n", *path);
    }
    const uint32_t worst = difftest::difference(*computed, *drawn);
    const size_t unknown = difftest::unknown_pixels(*computed);
    if (unknown == size_t{scene.size} * scene.size)
        return complain(1,
                        fmt::format("nothing could be compared: all {} pixels are unknown to the reference", unknown));
    fmt::print("{} and the reference {}: {} x {} pixels, largest channel difference {}/255 (allowed {}/255){}\n",
               info->name, worst <= kAllowed ? "agree" : "DISAGREE", scene.size, scene.size, worst, kAllowed,
               unknown == 0 ? "" : fmt::format("; {} pixels are unknown to the reference", unknown));
    return worst <= kAllowed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    return tools::device_main("tgsi-picture", [&] { return run_tool(argc, argv); });
}
