#include "worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "findings.h"
#include "grammar.h"
#include "renderer/renderer.h"
#include "stream.h"

namespace tgsi2spv::fuzz {
namespace {

using virgl::Outcome;

/// The host's log lines since the last look. (A log's function takes no object of ours.)
std::vector<std::string>& logged() {
    static std::vector<std::string> lines;
    return lines;
}

struct Played {
    uint64_t stream = 0, calls = 0, submissions = 0, refused = 0, draws = 0;
    std::set<std::string> found{};  ///< keys
};

std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return text.substr(0, 2000);
}

std::string joined_arguments(const PlayOptions& options) {
    return fmt::format("{}", fmt::join(arguments_of(options), " "));
}

void report(const PlayOptions& options, Played& played, const std::string& key, const std::string& text) {
    if (played.found.insert(key).second) save_calls(options, key);
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", kFound, key, played.stream, played.calls, joined_arguments(options),
               one_line(text));
    std::fflush(stdout);
}

/// False: the device is lost.
bool look(const PlayOptions& options, Played& played, Outcome outcome) {
    constexpr std::string_view kMessage = "validation: ";
    std::string last;
    for (const std::string& line : logged()) {
        if (options.log) fmt::print(stderr, "{} {}\n", played.calls, line);
        if (!line.starts_with(kMessage)) {
            last = line;
            continue;
        }
        const std::string key = key_of(std::string_view(line).substr(kMessage.size()));
        if (reason_to_ignore(key, line) == nullptr) report(options, played, key, line.substr(kMessage.size()));
    }
    logged().clear();
    if (outcome == Outcome::Lost) report(options, played, "lost " + last.substr(0, 40), last);
    return outcome != Outcome::Lost;
}

void count(Played& played, const Call& call, Outcome outcome) {
    played.calls++;
    if (call.op == kSubmit) {
        played.submissions++;
        played.refused += outcome == Outcome::Refused;
    }
    const auto id = static_cast<virgl::CommandId>(call.op & 0xff);
    played.draws +=
        (call.op & kHostCall) == 0 && (id == virgl::CommandId::DrawVbo || id == virgl::CommandId::LaunchGrid);
}

std::unique_ptr<virgl::SharedRenderer> open(const PlayOptions& options) {
    host::set_log([](const std::string& line) { logged().push_back(line); });
    auto made = host::make_renderer({.device = options.device,
                                     .validate = options.validate,
                                     .memory_limit = uint64_t{options.limit_memory} << 20,
                                     .without = options.without,
                                     .shader_folder = {}});
    if (!made) {
        fmt::print(stderr, "fuzz-commands: {}\n", made.error());
        return nullptr;
    }
    return std::move(*made);
}

/// What streams hide: all for which the host has another way, or offers less.
// clang-format off
constexpr const char* kHidden[] = {
    "geometryShader", "tessellationShader", "VK_EXT_transform_feedback", "vertexPipelineStoresAndAtomics",
    "multiViewport", "dualSrcBlend", "logicOp", "fillModeNonSolid", "sampleRateShading", "imageCubeArray",
    "depthClamp", "multiDrawIndirect", "drawIndirectFirstInstance", "occlusionQueryPrecise", "dynamicRendering",
    "extendedDynamicState", "extendedDynamicState2", "VK_EXT_extended_dynamic_state3",
    "VK_EXT_vertex_input_dynamic_state", "VK_EXT_vertex_attribute_divisor", "VK_EXT_depth_clip_enable",
    "VK_EXT_depth_clip_control", "VK_EXT_provoking_vertex", "VK_EXT_line_rasterization", "VK_EXT_index_type_uint8",
    "VK_EXT_primitive_topology_list_restart", "VK_EXT_primitives_generated_query", "VK_EXT_conditional_rendering",
    "VK_EXT_image_2d_view_of_3d", "VK_EXT_robustness2", "VK_EXT_external_memory_host"};
// clang-format on

uint64_t seed_of(const PlayOptions& options, uint64_t stream) {
    return options.seed * 0x9e3779b97f4a7c15 + stream;
}

/// Half of the streams have the whole device; a third has little memory, so that programs are released.
PlayOptions of_stream(const PlayOptions& options, uint64_t stream) {
    PlayOptions own = options;
    if (options.alike) return own;
    Random random(~seed_of(options, stream));
    const uint32_t one_in = random.one_in(2) ? 0 : random.one_in(2) ? 3 : 10;
    if (one_in != 0)
        std::ranges::copy_if(kHidden, std::back_inserter(own.without), [&](auto) { return random.one_in(one_in); });
    if (random.one_in(3)) own.limit_memory = 8U << random.below(3);
    return own;
}

/// Plays a call after it has been written down.
struct Recorder {
    const PlayOptions& options;
    Player player;
    std::ofstream file;
    Played played{};
    bool lost = false;

    void write_to(const std::string& path) {
        if (path.empty()) return;
        file.open(path, std::ios::trunc);
        file << kArguments << joined_arguments(options) << std::endl;
    }
    Outcome play(const Call& call) {
        if (lost) return Outcome::Lost;
        if (file.is_open()) file << line_of(call) << std::endl;
        const Outcome outcome = player.play(call);
        count(played, call, outcome);
        lost = !look(options, played, outcome);
        return outcome;
    }
};

}  // namespace

void save_calls(const PlayOptions& options, const std::string& key) {
    if (options.save.empty() || options.calls_file.empty()) return;
    std::string name = key;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    std::ofstream(options.save + "/" + name + ".calls")
        << std::ifstream(options.calls_file).rdbuf() << kKeyLine << key << '\n';
}

std::vector<std::string> arguments_of(const PlayOptions& options) {
    std::vector<std::string> arguments{"--device=" + options.device,
                                       fmt::format("--limit-memory={}", options.limit_memory)};
    for (const std::string& name : options.without) arguments.push_back("--without=" + name);
    if (!options.validate) arguments.emplace_back("--no-validation");
    return arguments;
}

int play_streams(const PlayOptions& options) {
    const auto other_client = open(options);  // keeps the driver loaded
    if (other_client == nullptr) return 2;
    for (uint64_t number = options.first; number < options.end; number += options.step) {
        const PlayOptions own = of_stream(options, number);
        const auto renderer = open(own);
        if (renderer == nullptr) return 2;
        Recorder recorder{own, Player(*renderer), {}};
        recorder.played.stream = number;
        recorder.write_to(options.calls_file);
        Stream stream{.random = Random(seed_of(options, number)),
                      .offers = offers_of(renderer->caps()),
                      .texts = shader_texts(),
                      .play = [&](const Call& call) { return recorder.play(call); },
                      .one_wrong_in = options.one_wrong_in};
        while (recorder.played.calls < options.stream_calls && !recorder.lost) step(stream);
        finish(stream);
        const Played& p = recorder.played;
        fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", kDone, number, p.calls, p.submissions, p.refused, p.draws);
        std::fflush(stdout);
    }
    return 0;
}

int play_calls(const PlayOptions& options, const std::vector<Call>& calls) {
    const auto renderer = open(options);
    if (renderer == nullptr) return 2;
    Recorder recorder{options, Player(*renderer), {}};
    recorder.write_to(options.calls_file);
    for (const Call& call : calls) recorder.play(call);
    return 0;
}

}  // namespace tgsi2spv::fuzz
