// tgsi-draw: a scene (shaders, vertices, constants, textures, state) drawn with Vulkan into a picture.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "difftest/png.h"
#include "draw_job.h"
#include "files/files.h"
#include "guarded.h"
#include "keep_memory.h"
#include "options.h"
#include "paths.h"
#include "scene/read.h"
#include "scene/render.h"
#include "vulkan/instance.h"

namespace {

using namespace tgsi2spv;

constexpr int kDone = 0, kRefused = 1, kUsage = 2;
constexpr size_t kMostJson = 64u << 20, kMostText = 16u << 20;

struct Arguments {
    std::string scene, out, device;
    bool without_state = false, validation = false, reference = false, check = false;
};

int complain(int status, const std::string& message) {
    fmt::print(stderr, "tgsi-draw: {}\n", message);
    return status;
}

int write(const Arguments& a, const scene::Scene& scene, const std::vector<uint8_t>& rgba) {
    const auto png = difftest::png_bytes(scene.width, scene.height, rgba);
    if (!png) return complain(kUsage, a.out + ": " + png.error());
    const std::string reason = write_file(a.out, *png);
    return reason.empty() ? kDone : complain(kUsage, a.out + ": cannot write: " + reason);
}

/// Shaders that a scene names are in the same folder as the scene. Adds the paths of those that are read to `inputs`.
scene::ReadShader beside(const std::string& scene, std::vector<std::string>& inputs) {
    return [folder = std::filesystem::path(scene).parent_path(), &inputs](const std::string& name) {
        std::string error;
        inputs.push_back((folder / name).string());
        auto text = read_file(inputs.back(), kMostText, error);
        return text ? tl::expected<std::string, std::string>(std::move(*text))
                    : tl::unexpected<std::string>(name + ": cannot read: " + error);
    };
}

int run(const Arguments& a) {
    if (a.reference && (a.check || a.validation || !a.device.empty()))
        return complain(kUsage, "--check, --device and --validation need a device, and --reference draws without one");
    std::string error;
    const auto json = read_file(a.scene, kMostJson, error);
    if (!json) return complain(kUsage, a.scene + ": cannot read: " + error);
    std::vector<std::string> inputs = {a.scene};
    auto scene = scene::read_scene(*json, beside(a.scene, inputs), a.without_state);
    if (!scene) return complain(kRefused, a.scene + ": " + scene.error());
    if (const std::string why = tools::conflict(inputs, {a.out}); !why.empty()) return complain(kUsage, why);
    const auto paint = [&] { return scene::render(*scene, a.without_state ? scene->neutral : scene->state); };
    if (a.reference) {
        const auto painted = paint();
        return painted ? write(a, *scene, scene::plain_bytes(*painted))
                       : complain(kRefused, a.scene + ": " + painted.error());
    }
    auto instance = vulkan::Instance::create({.validation = a.validation});
    if (!instance) return complain(kUsage, instance.error().message);
    const auto info = a.device.empty() ? (*instance)->default_device() : (*instance)->find(a.device);
    if (!info) return complain(kUsage, info.error().message);
    auto device = vulkan::Device::create(**instance, *info);
    if (!device) return complain(kUsage, device.error().message);
    const auto& limits = (*device)->report().limits;
    scene->precision = {limits.subTexelPrecisionBits, limits.mipmapPrecisionBits};
    tl::expected<scene::Picture, std::string> painted;
    if (a.check || scene::may_be_endless(*scene)) painted = paint();
    if (!painted) return complain(kRefused, a.scene + ": " + painted.error());
    const auto modules = tools::convert_scene(*scene);
    if (!modules) return complain(kRefused, a.scene + ": " + modules.error());
    const auto constants = a.without_state ? std::vector<vulkan::SpecValue>{} : tools::chosen(*scene, scene->state);
    const auto rgba = tools::draw_scene(**device, *scene, *modules, constants);
    device->reset();
    for (const auto& message : (*instance)->take_messages()) error = message;
    if (!rgba) return complain(kRefused, a.scene + ": " + sentence(rgba.error()));
    if (!error.empty()) return complain(kRefused, "validation: " + error);
    if (a.check) {
        const auto verdict = scene::compare(*painted, *rgba);
        if (verdict.wrong != 0)
            return complain(kRefused, fmt::format("{}: {} pixels differ from the reference, the first at {}", a.scene,
                                                  verdict.wrong, verdict.first));
        const size_t all = painted->pixels.size();
        if (verdict.unknown == all)
            return complain(kRefused, a.scene + ": nothing could be compared: the reference knows no pixel");
        if (verdict.unknown != 0)
            complain(kDone, fmt::format("{}: {} of {} pixels are unknown to the reference and were not compared",
                                        a.scene, verdict.unknown, all));
    }
    return write(a, *scene, *rgba);
}

int run_tool(int argc, char** argv) {
    Arguments a;
    tools::App app{
        "Draw a scene with Vulkan: TGSI shaders, vertices, constants, textures and the state that gallium bakes into\n"
        "shader keys.\n\n"
        "  tgsi-draw scene.json -o picture.png\n"
        "  tgsi-draw scene.json -o plain.png --without-state    the same modules with default state\n"
        "  tgsi-draw scene.json -o expected.png --reference"};
    app.set_version_flag("--version", "tgsi-draw " TGSI2SPV_TOOL_VERSION);
    app.add_option("SCENE", a.scene, "Scene, as JSON; - is standard input").required();
    app.add_option("-o,--output", a.out, "Picture, as PNG; - is standard output").type_name("PNG").required();
    app.add_option("--device", a.device, "Vulkan device: its number, UUID or a part of its name").type_name("DEVICE");
    app.add_flag(
        "--without-state", a.without_state,
        "Leave every specialization constant at its default, and take all other state from the scene's \"without\"");
    app.add_flag("--reference", a.reference, "Compute the picture with the reference, without Vulkan");
    app.add_flag("--check", a.check, "Fail if the reference does not permit the picture");
    app.add_flag("--validation", a.validation, "Enable the Vulkan validation layer; each of its messages is an error");
    app.footer(
        "Exit status: 0 success; 1 the scene was rejected, or --check found a difference or could compare nothing; "
        "2 usage or I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return run(a);
}

}  // namespace

int main(int argc, char** argv) {
    tools::keep_memory();
    const int status = tools::guarded("tgsi-draw", [&] { return run_tool(argc, argv); });
    vulkan::end_process_if_left(status);
    return status;
}
