// tgsi2spv: TGSI text to SPIR-V, and to the forms in between.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/device.h"
#include "files/files.h"
#include "shared/device_caps.h"
#include "shared/device_json.h"
#include "shared/dialect_words.h"
#include "shared/guarded.h"
#include "shared/options.h"
#include "shared/paths.h"
#include "tgsi/text/diagnostic.h"
#include "tgsi2spv/conversion.h"
#include "tgsi2spv/extraction.h"
#include "tgsi2spv/list_opcodes.h"

namespace {

using namespace tgsi2spv;

/// Exit statuses; if several apply, the largest one.
constexpr int kDone = 0, kRefused = 1, kUsage = 2, kInvalid = 3;

/// --caps, instead of a file.
constexpr std::string_view kAnyDevice = "minimum";

constexpr const char* kExamples = R"(Examples:
  tgsi2spv shader.tgsi -o shader.spv            write a module for Vulkan 1.2
  tgsi2spv shader.tgsi --emit=spvasm            print its assembly
  tgsi2spv --validate --target-env vulkan1.0 shader.tgsi -o shader.spv
  tgsi2spv dumps/ -o modules/                   convert many files on all cores, keeping relative paths
  tgsi2spv shader.tgsi --emit=reflect           print bindings, inputs, outputs and requirements (JSON)
  tgsi2spv shader.tgsi --emit=tgsi              print the text in canonical form
  vulkaninfo --json; tgsi2spv --caps VP_VULKANINFO_name.json shader.tgsi -o shader.spv   convert for that device
  tgsi2spv tese.tgsi --passthrough-tess-ctrl 3 -o tesc.spv    write the TESS_CTRL that an application omits
  tgsi2spv --list-opcodes                       list all 273 opcodes with editions and stages
  tgsi2spv --extract driver.log -o dumps/       extract the shaders from a log
  cat shader.tgsi | tgsi2spv - -o - | spirv-dis

Exit status: 0 success; 1 an input was rejected (the others are still written); 2 usage or I/O error;
3 --validate found a generated module invalid.)";

struct Arguments {
    std::vector<std::string> inputs;
    std::string out = "-", log, caps;
    std::optional<tools::Option> target;  ///< --target-env
    tools::Settings settings;
    bool debug = false, unoptimised = false, keep_depth = false, list_opcodes = false;
    unsigned jobs = 0;
};

/// A problem without a place in a text: a file that cannot be read, arguments that do not go together.
struct Trouble {
    std::string file = {};  ///< empty: none
    const char* code = "usage";
    std::string message = {};
    uint32_t line = 0;  ///< line of the file; 0: none
};

/// Formats it as --diagnostics asks; JSON has the same members as for diagnostics of texts, except unknown parts of the
/// place.
std::string shown(const Trouble& trouble, bool as_json, const char* severity = "error") {
    if (!as_json) {
        const std::string line = trouble.line == 0 ? "" : fmt::format(":{}", trouble.line);
        return tgsi::printable(fmt::format("tgsi2spv: {}{}{}{}", trouble.file, line, trouble.file.empty() ? "" : ": ",
                                           trouble.message)) +
               '\n';
    }
    const auto quoted = [](const std::string& text) {
        return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    const std::string line = trouble.line == 0 ? "" : fmt::format("\"line\": {}, ", trouble.line);
    return fmt::format("{{\"file\": {}, {}\"severity\": \"{}\", \"code\": \"{}\", \"message\": {}, \"hint\": \"\"}}\n",
                       quoted(trouble.file), line, severity, trouble.code, quoted(trouble.message));
}

/// Whether errors of the options are JSON too: these are found before the options have values.
bool asks_for_json(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--diagnostics=json") return true;
        if (word == "--diagnostics" && i + 1 < argc && argv[i + 1] == std::string_view("json")) return true;
    }
    return false;
}

int complain(const Arguments& arguments, const Trouble& trouble) {
    std::fputs(shown(trouble, arguments.settings.json_diagnostics).c_str(), stderr);
    return kUsage;
}
int complain(const Arguments& arguments, std::string message) {
    return complain(arguments, Trouble{.message = std::move(message)});
}
int cannot_read(const Arguments& arguments, const std::string& file, const std::string& reason) {
    return complain(arguments, {file, "cannot-read", "cannot read: " + reason});
}

void add_translation_options(tools::App& app, Arguments& arguments) {
    api::Options& o = arguments.settings.options;
    const std::string meaning = "Translation";
    app.add_flag("--exact", o.lower.exact,
                 "Do not contract float arithmetic; preserve signed zeros, infinities and NaN")
        .group(meaning);
    app.add_choice<bool>("--io", o.lower.io_buffers,
                         "Place inputs and outputs in the shader interface (default) or in storage buffers",
                         {{"interface", false}, {"buffers", true}})
        .type_name("KIND")
        .group(meaning);
    app.add_flag("--records", o.lower.records,
                 "Stages before FRAG are compute shaders, whose outputs are records in storage buffers")
        .group(meaning);
    app.add_option("--max-iterations", o.lower.max_iterations,
                   "Exit loops and calls once an invocation has made N iterations and calls (0: no guard)")
        .group(meaning);
    app.add_flag("--trust-indices", o.lower.trust_indices, "Emit no bounds checks: all indices are in range")
        .group(meaning);
    app.add_choice<lower::Conversions>("--conversions", o.lower.conversions,
                                       "Floats that do not fit an integer saturate (default), become some integer, or "
                                       "do not occur",
                                       {{"saturate", lower::Conversions::Saturate},
                                        {"clamp", lower::Conversions::Clamp},
                                        {"trust", lower::Conversions::Trust}})
        .type_name("HOW")
        .group(meaning);
    app.add_flag(
           "--loop-registers-in-memory", o.lower.workarounds.loop_registers_in_memory,
           "Keep registers that loops write in memory: lavapipe otherwise keeps first-iteration values in some loops")
        .group(meaning);
    app.add_flag("--keep-depth-range", arguments.keep_depth, "Do not convert depth from -1..1 to 0..1").group(meaning);
    app.add_flag("--flip-y", o.lower.flip_y, "Negate y of the position").group(meaning);
    app.add_flag("--points", o.lower.draws_points,
                 "Assume that points are drawn: PointSize is 1 if the shader writes no PSIZE")
        .group(meaning);
    app.add_flag("--dual-source", o.lower.dual_source, "Use COLOR[1] as the second source of dual-source blending")
        .group(meaning);
    app.add_flag("--zero-memory", o.lower.zero_memory,
                 "Clear MEMORY and the outputs of TESS_CTRL, which otherwise hold what other programs left there")
        .group(meaning);
    app.add_flag("--one-level-offsets", o.lower.offsets_read_one_level,
                 "Assume that samplers used with offsets from registers do not blend two levels and have no bias")
        .group(meaning);
    app.add_option("--passthrough-tess-ctrl", arguments.settings.passthrough_vertices,
                   "For each TESS_EVAL shader, write the TESS_CTRL that passes patches of N vertices through to it")
        .check(tools::NumberRange{1u, 32u})
        .group(meaning);
    app.add_option("--entry", o.entry, "COMP: start main at instruction N (an old text may hold several kernels)")
        .group(meaning);
    app.add_flag("--no-optimise", arguments.unoptimised, "Skip the optimisation passes").group(meaning);
}

void add_options(tools::App& app, Arguments& arguments) {
    using spirv::TargetEnv;
    using tgsi::Dialect;
    using tools::Emit;
    api::Options& o = arguments.settings.options;
    o.lower.max_operations = 0;

    app.add_option("FILE", arguments.inputs, "Input shaders, and folders of *.tgsi files; - is standard input");
    app.add_option("-o,--output", arguments.out,
                   "Output file, - for standard output (default), or a folder (required with several inputs)")
        .type_name("OUT");
    app.add_choice<Emit>("--emit", arguments.settings.emit, "Output format (default: spv)",
                         {{"spv", Emit::Spv},
                          {"spvasm", Emit::SpvAsm},
                          {"ir", Emit::Ir},
                          {"tgsi", Emit::Tgsi},
                          {"reflect", Emit::Reflect},
                          {"sampling", Emit::Sampling}})
        .type_name("KIND");
    arguments.target =
        app.add_choice<TargetEnv>("--target-env", o.emit.env,
                                  "Target environment (default: vulkan1.2, or the version of the --caps device)",
                                  {{"vulkan1.0", TargetEnv::Vulkan10},
                                   {"vulkan1.1", TargetEnv::Vulkan11},
                                   {"vulkan1.2", TargetEnv::Vulkan12},
                                   {"vulkan1.3", TargetEnv::Vulkan13}})
            .type_name("KIND");
    app.add_choice<Dialect>("--dialect", o.lower.dialect,
                            "TGSI edition to follow where editions differ (default: auto)", tools::dialect_words())
        .type_name("KIND");
    app.add_option(
           "--caps", arguments.caps,
           "Use only what a device supports, as described by the JSON file that vulkaninfo wrote, or 'minimum': "
           "the features of any device of the target environment (default: vulkan1.1). Without --caps, everything "
           "is supported")
        .type_name("FILE");
    app.add_flag("--validate", arguments.settings.validate, "Validate each module with SPIRV-Tools");
    app.add_flag("-g", arguments.debug, "Emit debug names, the input text and its line numbers");
    app.add_option("--jobs,-j", arguments.jobs,
                   "Number of inputs to convert in parallel (default: the number of cores)")
        .check(tools::NumberRange{1u, 1024u});
    app.add_choice<bool>("--diagnostics", arguments.settings.json_diagnostics,
                         "Format of diagnostics (default: text); json prints one object per line",
                         {{"text", false}, {"json", true}})
        .type_name("KIND");
    app.add_option("--extract", arguments.log,
                   "Split a log into its shaders, one file each in the folder OUT, with an index of their lines")
        .type_name("LOG");

    app.add_flag("--list-opcodes", arguments.list_opcodes,
                 "Print the table of opcodes, and how far the examples cover each");

    add_translation_options(app, arguments);
    app.set_version_flag("--version", "tgsi2spv " TGSI2SPV_TOOL_VERSION);
    app.footer(kExamples);
}

/// The result for one input.
struct Result {
    tools::Converted converted;
    Trouble trouble;  ///< I/O; without a message: none
    bool ready = false;
};

Result run_one(api::Context& context, const Arguments& arguments, const std::string& input, const std::string& out) {
    Result result;
    const auto text = read_file(input, arguments.settings.options.limits.text_bytes);
    if (!text) {
        result.trouble = {input, "cannot-read", "cannot read: " + text.error()};
        return result;
    }
    const std::string name = input == "-" ? "<stdin>" : input;
    result.converted = tools::convert(context, name, *text, arguments.settings);
    if (result.converted.outcome != tools::Outcome::Done) return result;
    const std::string error = write_file(out, std::exchange(result.converted.output, {}));
    if (!error.empty()) result.trouble = {out, "cannot-write", "cannot write: " + error};
    return result;
}

/// Converts all inputs, `jobs` at a time; messages come in the order of the inputs.
int run_all(const Arguments& arguments, const std::vector<std::string>& outputs) {
    std::vector<Result> results(arguments.inputs.size());
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    size_t shown_results = 0;
    int status = kDone;
    const auto tell = [&](size_t i, Result result) {
        const std::lock_guard lock(mutex);
        results[i] = std::move(result);
        results[i].ready = true;
        for (; shown_results < results.size() && results[shown_results].ready; ++shown_results) {
            Result& r = results[shown_results];
            std::fputs(r.converted.messages.c_str(), stderr);
            if (!r.trouble.message.empty()) status = std::max(status, complain(arguments, r.trouble));
            if (r.converted.outcome == tools::Outcome::Refused) status = std::max(status, kRefused);
            if (r.converted.outcome == tools::Outcome::Invalid) status = kInvalid;
            r = {.converted = {}, .trouble = {}, .ready = true};
        }
    };
    const auto work = [&] {
        api::Context context;
        for (size_t i = next++; i < arguments.inputs.size(); i = next++)
            tell(i, run_one(context, arguments, arguments.inputs[i], outputs[i]));
    };
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const size_t threads = std::min<size_t>(arguments.jobs ? arguments.jobs : cores, arguments.inputs.size());
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
    for (std::thread& t : helpers) t.join();
    return status;
}

int extract(const Arguments& arguments) {
    if (arguments.out == "-") return complain(arguments, "--extract needs an output folder: use -o FOLDER");
    const auto done = tools::extract_log(arguments.log, arguments.out, [&](const tools::ExtractionNote& n) {
        const Trouble told{.file = n.file, .code = n.code.c_str(), .message = n.message, .line = n.line};
        std::fputs(shown(told, arguments.settings.json_diagnostics, n.is_warning ? "warning" : "note").c_str(), stderr);
    });
    if (!done.trouble.empty())
        return complain(arguments, {done.file, done.is_output ? "cannot-write" : "cannot-read",
                                    (done.is_output ? "cannot write: " : "cannot read: ") + done.trouble});
    if (done.shaders == 0)
        complain(arguments,
                 {arguments.log, "extracted", "no shader found: no line begins a text of TGSI (FRAG, VERT, …)"});
    return done.shaders == 0 || done.lost ? kRefused : kDone;
}

/// --caps: uses the device, and its newest environment if none is asked for.
void use_device(Arguments& arguments, const tgsi2spv_device_caps& caps) {
    api::Options& o = arguments.settings.options;
    arguments.settings.device = caps;
    o.capabilities = api::capabilities_of(caps);
    if (arguments.target->count() == 0) o.emit.env = api::target_of(caps.api_version);
}

/// --caps minimum
void use_any_device(Arguments& arguments) {
    const auto asked = TGSI2SPV_TARGET_VULKAN_1_0 + static_cast<uint32_t>(arguments.settings.options.emit.env);
    use_device(arguments,
               api::least_device(arguments.target->count() == 0 ? uint32_t{TGSI2SPV_TARGET_DEFAULT} : asked));
}

int run(Arguments& arguments) {
    api::Options& o = arguments.settings.options;
    bool from_file = false;
    if (std::ranges::count(arguments.inputs, "-") + (arguments.caps == "-" ? 1 : 0) > 1)
        return complain(arguments, "standard input can be read only once");
    if (arguments.caps == kAnyDevice) {
        use_any_device(arguments);
    } else if (!arguments.caps.empty()) {
        const auto json = read_file(arguments.caps, tools::kMaxCapsBytes);
        if (!json) return cannot_read(arguments, arguments.caps, json.error());
        from_file = true;
        const auto caps = tools::read_device_caps(*json);
        if (!caps) return complain(arguments, {arguments.caps, "device-caps", caps.error()});
        use_device(arguments, *caps);
    }
    o.emit.debug_names = o.emit.debug_lines = arguments.debug;
    o.optimise = !arguments.unoptimised;
    o.lower.convert_depth_range = !arguments.keep_depth;
    if (arguments.list_opcodes) {
        std::fputs(tools::list_opcodes().c_str(), stdout);
        return kDone;
    }
    if (!arguments.log.empty()) return extract(arguments);
    if (arguments.inputs.empty()) return complain(arguments, "no input files (see --help)");
    const bool single = arguments.inputs.size() == 1;
    auto inputs = tools::with_folders_searched(arguments.inputs);
    if (!inputs) return complain(arguments, inputs.error());
    arguments.inputs = *inputs;
    // Only a folder of outputs is made: a mistyped name is not.
    std::error_code ignored;
    const auto folder = std::filesystem::path(arguments.out).parent_path();
    if (single && arguments.inputs.size() == 1 && !arguments.out.ends_with('/') && !folder.empty() &&
        !std::filesystem::exists(folder, ignored))
        return complain(arguments,
                        {arguments.out, "cannot-write", "cannot write: there is no folder " + folder.string()});
    const auto outputs =
        tools::output_paths(arguments.inputs, arguments.out, ".tgsi", tools::extension(arguments.settings.emit));
    if (!outputs) return complain(arguments, outputs.error());
    if (outputs->front() == "-" && arguments.settings.emit == tools::Emit::Spv && isatty(STDOUT_FILENO))
        return complain(arguments, "refusing to write a binary module to a terminal: use -o FILE or --emit=spvasm");
    if (from_file) inputs->push_back(arguments.caps);
    if (const std::string input = tools::overwritten(*inputs, *outputs); !input.empty())
        return complain(arguments, "the output would overwrite the input '" + input + "'");
    return run_all(arguments, *outputs);
}

int run_tool(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    Arguments arguments;
    tools::App app("Translate TGSI shaders (the intermediate representation of Mesa's Gallium) to SPIR-V for Vulkan.",
                   "tgsi2spv");
    add_options(app, arguments);
    app.takes_only("--list-opcodes", {"--diagnostics"});
    app.takes_only("--extract", {"--output", "--diagnostics"});
    if (asks_for_json(argc, argv))
        app.show_errors([](const std::string& message) { return shown({.message = message}, true); });
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    return tools::guarded("tgsi2spv", [&] { return run_tool(argc, argv); });
}
