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

#include "answers.h"
#include "api/device.h"
#include "conversion.h"
#include "device_caps.h"
#include "dialect_words.h"
#include "files.h"
#include "guarded.h"
#include "list_opcodes.h"
#include "options.h"
#include "paths.h"
#include "tgsi/extract.h"
#include "tgsi/names.h"

namespace {

using namespace tgsi2spv;

/// Exit statuses; if several apply, the largest one.
constexpr int kDone = 0, kRefused = 1, kUsage = 2, kInvalid = 3;

constexpr size_t kLogBytes = size_t{4} << 30;

constexpr const char* kExamples = R"(Examples:
  tgsi2spv shader.tgsi -o shader.spv            the module for Vulkan 1.2
  tgsi2spv shader.tgsi --emit=spvasm            its assembly, on standard output
  tgsi2spv --validate --target-env vulkan1.0 shader.tgsi -o shader.spv
  tgsi2spv dumps/*/*.tgsi -o modules/           many files, on all cores; paths are kept
  tgsi2spv shader.tgsi --emit=reflect           how to bind the module (JSON)
  tgsi2spv shader.tgsi --emit=tgsi              the text in canonical form
  vulkaninfo --json; tgsi2spv --caps VP_VULKANINFO_*.json shader.tgsi -o shader.spv   for that device
  tgsi2spv tese.tgsi --passthrough-tess-ctrl 3 -o tesc.spv    where an application has no TESS_CTRL
  tgsi2spv --list-opcodes                       all 273, with editions and stages
  tgsi2spv --extract driver.log -o dumps/       the shaders out of a log
  cat shader.tgsi | tgsi2spv - -o - | spirv-dis

Exit status: 0 done; 1 an input was refused (the others are written); 2 usage or I/O;
3 a module of ours failed validation.)";

struct Arguments {
    std::vector<std::string> inputs;
    std::string out = "-", log, caps, cache;
    std::optional<tools::Option> target;  ///< --target-env
    tools::Answers answers;
    tools::Settings settings;
    bool debug = false, unoptimised = false, keep_depth = false, list_opcodes = false;
    unsigned jobs = 0;
};

/// A problem without a place in a text: a file that cannot be read, arguments that do not go together.
struct Trouble {
    std::string file = {};  ///< empty: none
    const char* code = "usage";
    std::string message = {};
};

/// Formats it as --diagnostics asks; JSON has the same members as for diagnostics of texts, except the place.
std::string shown(const Trouble& t, bool as_json, const char* severity = "error") {
    if (!as_json) return fmt::format("tgsi2spv: {}{}{}\n", t.file, t.file.empty() ? "" : ": ", t.message);
    const auto quoted = [](const std::string& text) {
        return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    return fmt::format("{{\"file\": {}, \"severity\": \"{}\", \"code\": \"{}\", \"message\": {}, \"hint\": \"\"}}\n",
                       quoted(t.file), severity, t.code, quoted(t.message));
}

int complain(const Arguments& a, const Trouble& t) {
    std::fputs(shown(t, a.settings.json_diagnostics).c_str(), stderr);
    return kUsage;
}
int complain(const Arguments& a, std::string message) {
    return complain(a, Trouble{.message = std::move(message)});
}
int cannot_read(const Arguments& a, const std::string& file, const std::string& reason) {
    return complain(a, {file, "cannot-read", "cannot read: " + reason});
}

void add_options(tools::App& app, Arguments& a) {
    using spirv::TargetEnv;
    using tgsi::Dialect;
    using tools::Emit;
    api::Options& o = a.settings.options;
    o.lower.max_operations = 0;

    app.add_option("FILE", a.inputs, "shaders; - is standard input").type_name("");
    app.add_option("-o", a.out, "a file, - for standard output (default), or a folder (with several inputs always)")
        .type_name("OUT");
    app.add_choice<Emit>("--emit", a.settings.emit, "what is written (default: spv)",
                         {{"spv", Emit::Spv},
                          {"spvasm", Emit::SpvAsm},
                          {"ir", Emit::Ir},
                          {"tgsi", Emit::Tgsi},
                          {"reflect", Emit::Reflect},
                          {"sampling", Emit::Sampling}})
        .type_name("KIND");
    a.target = app.add_choice<TargetEnv>("--target-env", o.emit.env,
                                         "what will run it (default: vulkan1.2, or the device's version)",
                                         {{"vulkan1.0", TargetEnv::Vulkan10},
                                          {"vulkan1.1", TargetEnv::Vulkan11},
                                          {"vulkan1.2", TargetEnv::Vulkan12},
                                          {"vulkan1.3", TargetEnv::Vulkan13}})
                   .type_name("KIND");
    app.add_choice<Dialect>("--dialect", o.lower.dialect, "whose meaning holds where editions differ (default: auto)",
                            tools::dialect_words())
        .type_name("KIND");
    app.add_option("--caps", a.caps, "keep to what a device has, by the JSON that vulkaninfo wrote of it")
        .type_name("FILE");
    app.add_option("--cache", a.cache, "keep outputs in this folder, and take them from there").type_name("DIR");
    app.add_flag("--validate", a.settings.validate, "let SPIRV-Tools validate each module");
    app.add_flag("-g", a.debug, "names, and lines that point into the text");
    app.add_option("--jobs,-j", a.jobs, "inputs converted at a time (default: the number of cores)")
        .check(tools::Range{1u, 1024u})
        .type_name("N");
    app.add_choice<bool>("--diagnostics", a.settings.json_diagnostics,
                         "how messages look (default: text); json is a line each", {{"text", false}, {"json", true}})
        .type_name("KIND");
    app.add_option("--extract", a.log, "take a log with several shaders apart, into the folder OUT").type_name("LOG");

    app.add_flag("--list-opcodes", a.list_opcodes, "print the table of opcodes and what is shown of each");

    const std::string meaning = "Meaning";
    app.add_flag("--exact", o.lower.exact, "no contraction; signed zeros, infinities and NaN kept").group(meaning);
    app.add_choice<bool>("--io", o.lower.io_buffers,
                         "where inputs and outputs are (default: interface); buffers are storage buffers",
                         {{"interface", false}, {"buffers", true}})
        .type_name("KIND")
        .group(meaning);
    app.add_option("--max-iterations", o.lower.max_iterations, "every loop leaves after N turns (0: no guard)")
        .type_name("N")
        .group(meaning);
    app.add_flag("--trust-indices", o.lower.trust_indices, "indices are in range: no checks").group(meaning);
    app.add_flag("--unguarded-conversions", o.lower.unguarded_conversions, "floats fit the integers they become")
        .group(meaning);
    app.add_flag("--loop-registers-in-memory", o.lower.workarounds.loop_registers_in_memory,
                 "for lavapipe, which keeps what the first turn of some loops wrote")
        .group(meaning);
    app.add_flag("--keep-depth-range", a.keep_depth, "do not turn depth -1..1 into 0..1").group(meaning);
    app.add_flag("--flip-y", o.lower.flip_y, "turn y of the position over").group(meaning);
    app.add_flag("--points", o.lower.draws_points, "points are drawn: PointSize is 1 where the shader writes no PSIZE")
        .group(meaning);
    app.add_flag("--dual-source", o.lower.dual_source, "COLOR[1] is the second source of blending").group(meaning);
    app.add_flag("--one-level-offsets", o.lower.offsets_read_one_level,
                 "samplers used with offsets from registers blend no two levels, and have no bias")
        .group(meaning);
    app.add_option("--passthrough-tess-ctrl", a.settings.passthrough_vertices,
                   "instead of each TESS_EVAL shader, a TESS_CTRL that passes patches of N vertices on to it")
        .check(tools::Range{1u, 32u})
        .type_name("N")
        .group(meaning);
    app.add_option("--entry", o.entry, "COMP: main begins at instruction N (old texts hold several pieces)")
        .type_name("N")
        .group(meaning);
    app.add_flag("--no-optimise", a.unoptimised, "leave the passes out").group(meaning);

    const std::string limits = "Limits";
    app.add_option("--max-text-bytes", o.limits.text_bytes, "of a shader")
        .capture_default_str()
        .type_name("N")
        .group(limits);
    app.add_option("--max-instructions", o.limits.instructions, "of a shader")
        .capture_default_str()
        .type_name("N")
        .group(limits);
    app.add_option("--max-nesting", o.limits.nesting, "of flow").capture_default_str().type_name("N").group(limits);
    app.add_option("--max-registers", o.limits.registers, "of a file")
        .capture_default_str()
        .type_name("N")
        .group(limits);
    app.add_option("--max-operations", o.lower.max_operations,
                   "that a shader becomes (0: 16,384 and one for every four bytes of its text)")
        .capture_default_str()
        .type_name("N")
        .group(limits);
    app.add_option("--max-errors", o.limits.errors, "shown of a shader")
        .check(tools::Range{1u, UINT32_MAX})
        .capture_default_str()
        .type_name("N")
        .group(limits);
    app.set_version_flag("--version", "tgsi2spv " TGSI2SPV_TOOL_VERSION);
    app.footer(kExamples);
}

/// The result for one input.
struct Result {
    tools::Converted converted;
    Trouble trouble;  ///< I/O; without a message: none
    bool ready = false;
};

Result run_one(api::Context& context, const Arguments& a, const std::string& input, const std::string& out) {
    Result result;
    std::string error;
    const auto text = tools::read_file(input, a.settings.options.limits.text_bytes, error);
    if (!text) {
        result.trouble = {input, "cannot-read", "cannot read: " + error};
        return result;
    }
    const std::string name = input == "-" ? "<stdin>" : input;
    if (!a.answers.load(name, *text, result.converted.output)) {
        result.converted = tools::convert(context, name, *text, a.settings);
        if (result.converted.outcome == tools::Outcome::Done && result.converted.messages.empty())
            a.answers.store(name, *text, result.converted.output);
    }
    if (result.converted.outcome != tools::Outcome::Done) return result;
    error = tools::write_file(out, result.converted.output);
    if (!error.empty()) result.trouble = {out, "cannot-write", "cannot write: " + error};
    result.converted.output = {};
    return result;
}

/// Converts all inputs, `jobs` at a time; messages come in the order of the inputs.
int run_all(const Arguments& a, const std::vector<std::string>& outputs) {
    std::vector<Result> results(a.inputs.size());
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    size_t told = 0;
    int status = kDone;
    const auto tell = [&](size_t i, Result result) {
        const std::lock_guard lock(mutex);
        results[i] = std::move(result);
        results[i].ready = true;
        for (; told < results.size() && results[told].ready; ++told) {
            Result& r = results[told];
            std::fputs(r.converted.messages.c_str(), stderr);
            if (!r.trouble.message.empty()) status = std::max(status, complain(a, r.trouble));
            if (r.converted.outcome == tools::Outcome::Refused) status = std::max(status, kRefused);
            if (r.converted.outcome == tools::Outcome::Invalid) status = kInvalid;
            r = {.converted = {}, .trouble = {}, .ready = true};
        }
    };
    const auto work = [&] {
        api::Context context;
        for (size_t i = next++; i < a.inputs.size(); i = next++) tell(i, run_one(context, a, a.inputs[i], outputs[i]));
    };
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const size_t threads = std::min<size_t>(a.jobs ? a.jobs : cores, a.inputs.size());
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
    for (std::thread& t : helpers) t.join();
    return status;
}

/// Writes the shaders of a log as files of OUT: `0001-frag.tgsi`, …
int extract(const Arguments& a) {
    if (a.out == "-") return complain(a, "--extract needs a folder: -o FOLDER");
    std::string error;
    const auto log = tools::read_file(a.log, kLogBytes, error);
    if (!log) return cannot_read(a, a.log, error);
    const auto shaders = tgsi::extract(*log);
    size_t number = 0;
    const auto note = [&](const Trouble& t, const char* severity) {
        std::fputs(shown(t, a.settings.json_diagnostics, severity).c_str(), stderr);
    };
    for (const tgsi::Extracted& shader : shaders) {
        std::string stage(tgsi::name(shader.stage));
        for (char& c : stage) c = c == '_' ? '_' : static_cast<char>(c - 'A' + 'a');
        const std::string path = fmt::format("{}/{:04}-{}.tgsi", a.out, ++number, stage);
        error = tools::write_file(path, shader.text);
        if (!error.empty()) return complain(a, {path, "cannot-write", "cannot write: " + error});
        if (!shader.complete)
            note({fmt::format("{}:{}", a.log, shader.line), "cut-off",
                  fmt::format("the log breaks off inside this shader ({})", path)},
                 "warning");
    }
    note({{}, "extracted", fmt::format("{} shaders in {}", shaders.size(), a.log)}, "note");
    return shaders.empty() ? kRefused : kDone;
}

/// --caps: uses the device, and its newest environment if none is asked for. Returns an error message, or nothing.
std::string use_device(Arguments& a, const std::string& json) {
    const auto caps = tools::read_device_caps(json);
    if (!caps) return caps.error();
    api::Options& o = a.settings.options;
    a.settings.device = *caps;
    o.capabilities = api::capabilities_of(*caps);
    if (a.target->count() == 0) o.emit.env = api::target_of(caps->api_version);
    return {};
}

/// What decides the outputs besides the text: every given option, except those that say where things are.
std::string question_of(const tools::App& app) {
    std::string question;
    for (const auto& [name, values] : app.given()) {
        if (name == "FILE" || name == "-o" || name == "--jobs" || name == "--cache") continue;
        question += name;
        for (const std::string& value : values) question += "=" + value;
        question += '\n';
    }
    return question;
}

int run(Arguments& a, const tools::App& app) {
    api::Options& o = a.settings.options;
    std::string device;
    if (!a.caps.empty()) {
        std::string error;
        const auto json = tools::read_file(a.caps, tools::kMostCapsBytes, error);
        if (!json) return cannot_read(a, a.caps, error);
        device = *json;
        if (const std::string wrong = use_device(a, device); !wrong.empty())
            return complain(a, {a.caps, "device-caps", wrong});
    }
    if (!a.cache.empty() && !a.answers.open(a.cache, question_of(app), device, a.debug))
        return complain(a, {a.cache, "cannot-write", "no folder to write in"});
    o.emit.debug_names = o.emit.debug_lines = a.debug;
    o.optimise = !a.unoptimised;
    o.lower.convert_depth_range = !a.keep_depth;
    if (a.list_opcodes) {
        std::fputs(tools::list_opcodes().c_str(), stdout);
        return kDone;
    }
    if (!a.log.empty()) return a.inputs.empty() ? extract(a) : complain(a, "--extract takes no other input");
    if (a.inputs.empty()) return complain(a, "no input (see --help)");
    if (std::ranges::count(a.inputs, "-") > 1) return complain(a, "standard input can be read once");
    std::vector<std::string> outputs;
    // A shell pattern may have matched a single file: a folder stays a folder.
    std::error_code ignored;
    const bool folder = a.out.ends_with('/') || std::filesystem::is_directory(a.out, ignored);
    if (a.inputs.size() == 1 && (!folder || a.inputs[0] == "-")) {
        outputs.push_back(a.out);
        if (a.out == "-" && a.settings.emit == tools::Emit::Spv && isatty(STDOUT_FILENO))
            return complain(a, "a module is no text for a terminal: -o FILE, or --emit=spvasm");
    } else {
        if (a.out == "-" || std::filesystem::is_regular_file(a.out, ignored))
            return complain(a, "several inputs need a folder: -o FOLDER");
        if (std::ranges::count(a.inputs, "-") > 0) return complain(a, "standard input cannot be one of several inputs");
        std::string error;
        outputs = tools::output_paths(a.inputs, a.out, tools::extension(a.settings.emit), error);
        if (outputs.empty()) return complain(a, error);
    }
    if (const std::string input = tools::overwritten(a.inputs, outputs); !input.empty())
        return complain(a, input + " is an input: its output would overwrite it");
    return run_all(a, outputs);
}

int run_tool(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    Arguments arguments;
    tools::App app("Translates TGSI shaders (Mesa Gallium's intermediate language) to SPIR-V for Vulkan.", "tgsi2spv");
    add_options(app, arguments);
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return run(arguments, app);
}

}  // namespace

int main(int argc, char** argv) {
    return tools::guarded("tgsi2spv", [&] { return run_tool(argc, argv); });
}
