// tgsi-run: one shader, one case of inputs, one engine; outputs as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "api/convert.h"
#include "cases/compare.h"
#include "cases/evidence_pictures.h"
#include "cases/run/run_vulkan.h"
#include "files/files.h"
#include "files/png.h"
#include "harness/device.h"
#include "inputs/case.h"
#include "inputs/square.h"
#include "inputs/template.h"
#include "inputs/unused.h"
#include "reference/run.h"
#include "shared/complain.h"
#include "shared/device_main.h"
#include "shared/dialect_words.h"
#include "shared/options.h"
#include "shared/paths.h"
#include "vulkan/floats.h"
#include "vulkan/instance.h"

namespace {

using namespace tgsi2spv;

constexpr int kDone = 0, kRefused = 1, kUsage = 2;
constexpr size_t kMaxJson = size_t{1} << 28;

struct Arguments {
    std::string shader, inputs, device, picture;
    std::string engine;
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    uint32_t entry = 0;
    bool one_level_offsets = false;
    bool bounds = false, floats = false, as_template = false, list_devices = false, validation = false;
};

int complain(int status, const std::string& message) {
    return tools::complain("tgsi-run", status, message);
}

int list_devices() {
    const auto instance = vulkan::Instance::create({});
    if (!instance) return complain(kUsage, instance.error().message);
    for (const auto& d : (*instance)->devices())
        fmt::print("{}: {}, {}, Vulkan {}.{}.{}, uuid {}\n", d.index, d.name, d.driver,
                   VK_API_VERSION_MAJOR(d.api_version), VK_API_VERSION_MINOR(d.api_version),
                   VK_API_VERSION_PATCH(d.api_version), d.uuid);
    if ((*instance)->devices().empty()) return complain(kUsage, "no Vulkan device found");
    return kDone;
}

void show(const api::Context& context, const Arguments& arguments, const std::string& text) {
    for (const auto& d : context.diagnostics)
        if (d.severity == tgsi::Severity::Error) fmt::print(stderr, "{}", tgsi::render(d, arguments.shader, text));
}

int write_picture(const std::string& path, const difftest::Picture& picture) {
    const auto png = png_bytes(picture.width, picture.height, picture.rgba);
    if (!png) return complain(kUsage, path + ": " + png.error());
    const std::string reason = write_file(path, *png);
    return reason.empty() ? kDone : complain(kUsage, cannot_write(path, reason));
}

int show_result(const reference::Result& result, const Arguments& arguments, const api::Context& context,
                const reference::Inputs& inputs) {
    if (!arguments.picture.empty())
        return write_picture(arguments.picture, difftest::picture_of(context.program, inputs, result));
    difftest::WriteOptions options;
    options.bounds = arguments.bounds;
    options.floats = arguments.floats;
    options.killed = context.program.stage == tgsi::Stage::Fragment;
    options.lanes = inputs.lanes;
    std::fputs(difftest::write_result(result, options).c_str(), stdout);
    std::fflush(stdout);  // a driver that crashes or hangs when the device is destroyed must not take the answer along
    return kDone;
}

/// Says whether the reference permits the device's picture.
int compare_picture(const std::string& device, const reference::Result& judged, const reference::Result& drawn,
                    uint32_t lanes) {
    const auto compared = difftest::compare(judged, drawn, lanes);
    if (compared.unknown == compared.words)
        return complain(kRefused, "nothing could be compared: the reference knows no word of the picture");
    const std::string unknown =
        compared.unknown == 0 ? "" : fmt::format(" ({} are unknown to the reference)", compared.unknown);
    fmt::print("{} and the reference {}: {} of {} words differ{}\n", device, compared.passed() ? "agree" : "DISAGREE",
               compared.wrong, compared.words, unknown);
    return compared.passed() ? kDone : kRefused;
}

std::string endless(const reference::Result& result, const Arguments& arguments, const std::string& text) {
    const tgsi::LineColumn at = tgsi::line_column_of(text, result.error_position);
    return fmt::format(
        "{}:{}:{}: not run on the device: {}. Drivers end such shaders somewhere, or lose the device, so their outputs are not a result",
        arguments.shader, at.line, at.column, result.error);
}

int run_reference(api::Context& context, const Arguments& arguments, const reference::Inputs& inputs,
                  const std::string& text) {
    reference::Options options;
    options.dialect = arguments.dialect;
    options.most_instructions = reference::patience_for(inputs.lanes);
    const auto result = reference::run(context.program, context.registers, inputs, options);
    if (!result.error.empty()) return complain(kRefused, reference::refusal(result, arguments.shader, text));
    return show_result(result, arguments, context, inputs);
}

int run_on_vulkan(api::Context& context, const Arguments& arguments, const reference::Inputs& inputs,
                  const std::string& text) {
    const auto instance = vulkan::Instance::create({arguments.validation});
    if (!instance) return complain(kUsage, instance.error().message);
    if (arguments.validation && !(*instance)->validates()) complain(kDone, vulkan::kNoValidation);
    const auto info = (*instance)->find_or_default(arguments.device);
    if (!info) return complain(kUsage, info.error().message);
    const auto device = harness::Device::create(**instance, *info);
    if (!device) return complain(kUsage, device.error().message);

    // A driver cannot be stopped, so the reference looks first whether there is an answer. Without --bounds, shaders
    // that it cannot run for another reason are left to the device.
    reference::Result judged;
    if (arguments.bounds || reference::may_be_endless(context.program)) {
        auto judging = difftest::reference_options((*device)->report(), arguments.dialect);
        judging.fast_values = !arguments.bounds;
        judging.most_instructions = reference::patience_for(inputs.lanes);
        judged = reference::run(context.program, context.registers, inputs, judging);
        if (judged.endless) return complain(kRefused, endless(judged, arguments, text));
        if (arguments.bounds && !judged.error.empty())
            return complain(kRefused, "the reference cannot compute bounds for this shader: " + judged.error);
    }
    difftest::VulkanOptions options;
    options.settings.dialect = arguments.dialect;
    options.settings.one_level_offsets = arguments.one_level_offsets;
    auto result = difftest::run_vulkan(**device, context, inputs, options);
    if ((*device)->changed_floats) complain(kDone, fmt::format("{}: {}", info->name, vulkan::kChangesFloats));
    if (!result) {
        if (result.error().kind == difftest::Trouble::Refused || result.error().kind == difftest::Trouble::Invalid)
            show(context, arguments, text);
        return complain(kRefused, fmt::format("{}: {}", info->name, result.error().message));
    }
    const bool compares = arguments.bounds && !arguments.picture.empty();
    int status = compares ? compare_picture(info->name, judged, *result, inputs.lanes) : kDone;
    // Puts the device's words between the bounds that the reference permits for this device.
    if (arguments.bounds && !compares) difftest::take_bounds(*result, judged);
    status = std::max(status, show_result(*result, arguments, context, inputs));
    const auto messages = (*instance)->take_messages();
    for (const auto& m : messages) fmt::print(stderr, "validation: {}\n", m);
    return messages.empty() ? status : std::max<int>(status, kRefused);
}

/// Reads the shader into `context` and its text. Returns kDone, or the status of the error that it reported.
int read_shader(api::Context& context, const Arguments& arguments, std::string& text) {
    api::Options options;
    auto read = read_file(arguments.shader, options.limits.text_bytes);
    if (!read) return complain(kUsage, cannot_read(arguments.shader, read.error()));
    text = std::move(*read);
    options.lower.dialect = arguments.dialect;
    options.entry = arguments.entry;
    if (api::parse(context, text, options)) return kDone;
    show(context, arguments, text);
    return kRefused;
}

/// Returns the status of the error that it reported, if there is one.
tl::expected<reference::Inputs, int> read_case(const api::Context& context, const Arguments& arguments) {
    using Error = tl::unexpected<int>;
    if (arguments.inputs.empty()) return difftest::square_resources(context.program, context.registers);
    const auto json = read_file(arguments.inputs, kMaxJson);
    if (!json) return Error(complain(kUsage, cannot_read(arguments.inputs, json.error())));
    if (json->size() > kMaxJson)
        return Error(complain(kRefused, fmt::format("{}: longer than {} bytes", arguments.inputs, kMaxJson)));
    auto inputs = difftest::read_inputs(*json);
    if (!inputs) return Error(complain(kRefused, fmt::format("{}: {}", arguments.inputs, inputs.error())));
    for (const auto& told : difftest::unused_values(context.program, context.registers, *inputs))
        complain(kDone, fmt::format("{}: {}", arguments.inputs, told));
    return std::move(*inputs);
}

int run(const Arguments& arguments) {
    if (arguments.list_devices) return list_devices();
    if (arguments.shader.empty() || (arguments.inputs.empty() && arguments.picture.empty() && !arguments.as_template))
        return complain(kUsage, "expected a shader and --inputs (see --help)");
    if (const std::string why = tools::conflict({arguments.shader, arguments.inputs}, {arguments.picture});
        !why.empty())
        return complain(kUsage, why);
    if (arguments.shader == "-" && arguments.inputs == "-")
        return complain(kUsage, "standard input can be read only once");
    api::Context context;
    std::string text;
    if (const int status = read_shader(context, arguments, text); status != kDone) return status;
    if (arguments.as_template) {
        std::fputs(difftest::write_template(context.program, context.registers).c_str(), stdout);
        return kDone;
    }
    auto inputs = read_case(context, arguments);
    if (!inputs) return inputs.error();
    if (!arguments.picture.empty()) {
        if (context.program.stage != tgsi::Stage::Fragment) return complain(kRefused, "--picture needs a FRAG shader");
        difftest::cover_square(context.program, *inputs);
    }
    const bool for_a_device = !arguments.device.empty() || arguments.validation || arguments.one_level_offsets;
    if (arguments.engine == "reference" && for_a_device)
        return complain(kUsage, "--device, --validation and --one-level-offsets need --engine vulkan");
    return for_a_device || arguments.engine == "vulkan" ? run_on_vulkan(context, arguments, *inputs, text)
                                                        : run_reference(context, arguments, *inputs, text);
}

int run_tool(int argc, char** argv) {
    Arguments a;
    tools::App app{
        "Run one TGSI shader on given inputs and print its outputs as JSON.\n\n"
        "  tgsi-run shader.tgsi --template >case.json                 begin a case\n"
        "  tgsi-run shader.tgsi --inputs case.json                    run on the CPU reference\n"
        "  tgsi-run shader.tgsi --inputs case.json --bounds           also print the answers that Vulkan permits\n"
        "  tgsi-run shader.tgsi --inputs case.json --engine vulkan    run on a Vulkan device (the first GPU, or "
        "lavapipe)\n"
        "  tgsi-run shader.tgsi --picture square.png                  draw a square with a FRAG shader\n"
        "  tgsi-run --list-devices"};
    app.set_version_flag("--version", "tgsi-run " TGSI2SPV_TOOL_VERSION);
    app.takes_only("--list-devices", {"--validation"});
    app.takes_only("--template", {"SHADER", "--dialect", "--entry"});
    app.add_option("SHADER", a.shader, "Shader as TGSI text; - is standard input");
    app.add_option("--inputs", a.inputs, "Case, as JSON; - is standard input").type_name("CASE");
    app.add_option("--engine", a.engine,
                   "Engine that runs the shader (default: reference, or vulkan if one of its options is given)")
        .type_name("ENGINE")
        .is_member({"reference", "vulkan"});
    app.add_option("--device", a.device, "Vulkan device: its number, UUID or a part of its name").type_name("DEVICE");
    app.add_flag("--list-devices", a.list_devices, "Print the Vulkan devices and exit");
    app.add_flag("--float", a.floats, "Print each word as a float, too");
    app.add_flag("--template", a.as_template,
                 "Print a case with everything that the shader reads, to be filled in, and exit");
    app.add_option(
           "--picture", a.picture,
           "Draw a square with a FRAG shader instead: every input is the texture coordinate, 2D textures are an "
           "example unless there is a CASE; with --engine vulkan and --bounds, compare it with the reference")
        .type_name("PNG");
    app.add_flag("--bounds", a.bounds, "Print the answers that Vulkan permits instead of single words");
    app.add_flag("--validation", a.validation, "Enable the Vulkan validation layer; each of its messages is an error");
    app.add_choice("--dialect", a.dialect, "TGSI edition to follow where editions differ", tools::dialect_words())
        .type_name("EDITION");
    app.add_option("--entry", a.entry, "COMP: start main at this instruction (an old text may hold several kernels)");
    app.add_flag("--one-level-offsets", a.one_level_offsets,
                 "Assume that samplers used with offsets from registers do not blend two levels and have no bias");
    app.footer(
        "Exit status: 0 success; 1 the shader or the case was rejected, or does not end; "
        "2 usage or I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return run(a);
}

}  // namespace

int main(int argc, char** argv) {
    return tools::device_main("tgsi-run", [&] { return run_tool(argc, argv); });
}
