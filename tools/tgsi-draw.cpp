// tgsi-draw: a scene (shaders, vertices, constants, textures, state) drawn with Vulkan into a picture.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "complain.h"
#include "device_main.h"
#include "draw_job.h"
#include "files/files.h"
#include "files/png.h"
#include "options.h"
#include "paths.h"
#include "scene/read.h"
#include "scene/render.h"
#include "vulkan/floats.h"
#include "vulkan/instance.h"

namespace {

using namespace tgsi2spv;

constexpr int kDone = 0, kRefused = 1, kUsage = 2;
constexpr size_t kMaxJson = 64u << 20, kMaxText = 16u << 20;

struct Arguments {
    std::vector<std::string> scenes;
    std::string out, device;
    bool without_state = false, state_as_data = false, validation = false, reference = false, check = false,
         any_path = false;
};

int complain(int status, const std::string& message) {
    return tools::complain("tgsi-draw", status, message);
}

int write(const std::string& out, const scene::Scene& scene, const std::vector<uint8_t>& rgba) {
    const auto png = png_bytes(scene.width, scene.height, rgba);
    if (!png) return complain(kUsage, out + ": " + png.error());
    const std::string reason = write_file(out, *png);
    return reason.empty() ? kDone : complain(kUsage, cannot_write(out, reason));
}

/// Whether the path leads below the folder, also where parts of it are links.
bool is_below(const std::filesystem::path& folder, const std::filesystem::path& path) {
    std::error_code failed;
    const auto top = std::filesystem::canonical(folder.empty() ? "." : folder, failed);
    if (failed) return false;
    const auto full = std::filesystem::weakly_canonical(top / path, failed);
    return !failed && std::mismatch(top.begin(), top.end(), full.begin(), full.end()).first == top.end();
}

/// Shaders that a scene names are below the scene's folder: the scene may come from elsewhere, and an error shows a
/// line of the file. Adds the paths of those that are read to `paths`.
scene::ReadShader beside(const Arguments& arguments, const std::string& scene, std::vector<std::string>& paths) {
    using Text = tl::expected<std::string, std::string>;
    return [&arguments, folder = std::filesystem::path(scene).parent_path(), &paths](const std::string& name) -> Text {
        if (!arguments.any_path && !is_below(folder, name))
            return tl::unexpected(cannot_read(name, "is outside the scene's folder (--any-path allows it)"));
        paths.push_back((folder / name).string());
        return read_file(paths.back(), kMaxText).map_error([&](const std::string& reason) {
            return cannot_read(name, reason);
        });
    };
}

/// The device that draws. It is opened for each scene, so that the validation layer's messages on closing belong to
/// that scene.
struct Canvas {
    std::unique_ptr<vulkan::Instance> instance;
    vulkan::DeviceInfo info;
    bool told = false;  ///< that its driver changes the floating-point environment
};

tl::expected<Canvas, std::string> open_canvas(const Arguments& arguments) {
    using Error = tl::unexpected<std::string>;
    auto instance = vulkan::Instance::create({.validation = arguments.validation});
    if (!instance) return Error(instance.error().message);
    static bool told = false;  // once for all scenes
    if (arguments.validation && !(*instance)->validates() && !std::exchange(told, true))
        complain(kDone, vulkan::kNoValidation);
    const auto info = (*instance)->find_or_default(arguments.device);
    if (!info) return Error(info.error().message);
    return Canvas{std::move(*instance), *info, false};
}

/// Reports the reference's verdict on a picture. Returns kDone if it permits the picture.
int check(const std::string& name, const scene::Picture& painted, const std::vector<uint8_t>& rgba) {
    const auto verdict = scene::compare(painted, rgba);
    if (verdict.wrong != 0)
        return complain(kRefused, fmt::format("{}: {} pixels differ from the reference, the first at {}", name,
                                              verdict.wrong, verdict.first));
    const size_t all = painted.pixels.size();
    if (verdict.unknown == all)
        return complain(kRefused, name + ": nothing could be compared: the reference knows no pixel");
    if (verdict.unknown != 0)
        complain(kDone, fmt::format("{}: {} of {} pixels are unknown to the reference and were not compared", name,
                                    verdict.unknown, all));
    return kDone;
}

/// Draws one scene, with the reference if there is no canvas.
int draw(const Arguments& arguments, const std::string& name, const std::string& out, Canvas& canvas) {
    const auto json = read_file(name, kMaxJson);
    if (!json) return complain(kUsage, cannot_read(name, json.error()));
    std::vector<std::string> paths;
    auto scene = scene::read_scene(*json, beside(arguments, name, paths), arguments.without_state);
    if (!scene) return complain(kRefused, name + ": " + scene.error());
    if (const std::string why = tools::conflict(paths, {out}); !why.empty()) return complain(kUsage, why);
    scene->state_is_data = arguments.state_as_data;
    const auto paint = [&] { return scene::render(*scene, arguments.without_state ? scene->neutral : scene->state); };
    if (!canvas.instance) {
        const auto painted = paint();
        return painted ? write(out, *scene, scene::plain_bytes(*painted))
                       : complain(kRefused, name + ": " + painted.error());
    }
    auto device = vulkan::Device::create(*canvas.instance, canvas.info);
    if (!device) return complain(kUsage, device.error().message);
    const auto& limits = (*device)->report().limits;
    scene->precision = {limits.subTexelPrecisionBits, limits.mipmapPrecisionBits};
    tl::expected<scene::Picture, std::string> painted;
    if (arguments.check || scene::may_be_endless(*scene)) painted = paint();
    if (!painted) return complain(kRefused, name + ": " + painted.error());
    const auto modules = tools::convert_scene(*scene);
    if (!modules) return complain(kRefused, name + ": " + modules.error());
    const auto constants =
        arguments.without_state ? tools::neutral_values(*scene) : tools::spec_values(*scene, scene->state);
    const auto rgba = tools::draw_scene(**device, *scene, *modules, constants);
    if ((*device)->changed_floats && !std::exchange(canvas.told, true))
        complain(kDone, canvas.info.name + ": " + vulkan::kChangesFloats);
    device->reset();
    const auto messages = canvas.instance->take_messages();
    if (!rgba) return complain(kRefused, name + ": " + sentence(rgba.error()));
    if (!messages.empty()) return complain(kRefused, name + ": validation: " + messages.back());
    const int checked = arguments.check ? check(name, *painted, *rgba) : kDone;
    return std::max(checked, write(out, *scene, *rgba));  // the picture is needed to find the difference
}

int run(const Arguments& arguments) {
    if (arguments.reference && (arguments.check || arguments.validation || !arguments.device.empty()))
        return complain(kUsage, "--check, --device and --validation need a device, and --reference draws without one");
    const auto outputs = tools::output_paths(arguments.scenes, arguments.out, ".json", ".png");
    if (!outputs) return complain(kUsage, outputs.error());
    if (const std::string why = tools::conflict(arguments.scenes, *outputs); !why.empty()) return complain(kUsage, why);
    Canvas canvas;
    if (!arguments.reference) {
        auto opened = open_canvas(arguments);
        if (!opened) return complain(kUsage, opened.error());
        canvas = std::move(*opened);
    }
    int status = kDone;
    for (size_t i = 0; i < arguments.scenes.size(); ++i)
        status = std::max(status, draw(arguments, arguments.scenes[i], (*outputs)[i], canvas));
    return status;
}

int run_tool(int argc, char** argv) {
    Arguments a;
    tools::App app{
        "Draw a scene with Vulkan: TGSI shaders, vertices, constants, textures and the state that gallium bakes into\n"
        "shader keys.\n\n"
        "  tgsi-draw scene.json -o picture.png\n"
        "  tgsi-draw scene.json -o plain.png --without-state    the same modules with default state\n"
        "  tgsi-draw scene.json -o expected.png --reference\n"
        "  tgsi-draw scenes/*.json -o pictures/ --check         one picture for each scene"};
    app.set_version_flag("--version", "tgsi-draw " TGSI2SPV_TOOL_VERSION);
    app.add_option("SCENE", a.scenes, "Scenes, as JSON; - is standard input").required();
    app.add_option("-o,--output", a.out, "Picture, as PNG; - is standard output; a folder, for several scenes")
        .type_name("PNG")
        .required();
    app.add_option("--device", a.device, "Vulkan device: its number, UUID or a part of its name").type_name("DEVICE");
    app.add_flag(
        "--without-state", a.without_state,
        "Leave every specialization constant at its default, and take all other state from the scene's \"without\"");
    app.add_flag("--state-as-data", a.state_as_data,
                 "Read the values of state from the state buffer, not from specialization constants");
    app.add_flag("--reference", a.reference, "Compute the picture with the reference, without Vulkan");
    app.add_flag("--check", a.check,
                 "Fail if the reference does not permit the picture, which is written all the same");
    app.add_flag("--any-path", a.any_path, "Also read shaders that a scene names outside its folder");
    app.add_flag("--validation", a.validation, "Enable the Vulkan validation layer; each of its messages is an error");
    app.footer(
        "Exit status: 0 success; 1 a scene was rejected, or --check found a difference or could compare nothing;\n"
        "2 usage or I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return run(a);
}

}  // namespace

int main(int argc, char** argv) {
    return tools::device_main("tgsi-draw", [&] { return run_tool(argc, argv); });
}
