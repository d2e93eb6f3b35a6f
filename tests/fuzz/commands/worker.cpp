#include "worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

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
};

std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return text.substr(0, 2000);
}

void report(const Played& played, const std::string& key, const std::string& text) {
    fmt::print("{}\t{}\t{}\t{}\t{}\n", kFound, key, played.stream, played.calls, one_line(text));
    std::fflush(stdout);
}

/// False: the device is lost.
bool look(const PlayOptions& options, const Played& played, Outcome outcome) {
    constexpr std::string_view kMessage = "validation: ";
    std::string last;
    for (const std::string& line : logged()) {
        if (options.log) fmt::print(stderr, "{} {}\n", played.calls, line);
        if (!line.starts_with(kMessage)) {
            last = line;
            continue;
        }
        const std::string key = key_of(std::string_view(line).substr(kMessage.size()));
        if (reason_to_ignore(key, line) == nullptr) report(played, key, line.substr(kMessage.size()));
    }
    logged().clear();
    if (outcome == Outcome::Lost) report(played, "lost " + last.substr(0, 40), last);
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
                                     .memory_limit = uint64_t{96} << 20,
                                     .without = options.without,
                                     .shader_folder = {}});
    if (!made) {
        fmt::print(stderr, "fuzz-commands: {}\n", made.error());
        return nullptr;
    }
    return std::move(*made);
}

/// Plays a call after it has been written down.
struct Recorder {
    const PlayOptions& options;
    Player player;
    std::ofstream file;
    Played played{};
    bool lost = false;

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

int play_streams(const PlayOptions& options) {
    const auto other_client = open(options);  // keeps the driver loaded
    if (other_client == nullptr) return 2;
    for (uint64_t number = options.first; number < options.end; number += options.step) {
        const auto renderer = open(options);
        if (renderer == nullptr) return 2;
        Recorder recorder{options, Player(*renderer), {}};
        recorder.played.stream = number;
        if (!options.calls_file.empty()) recorder.file.open(options.calls_file, std::ios::trunc);
        Stream stream{.random = Random(options.seed * 0x9e3779b97f4a7c15 + number),
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
    if (!options.calls_file.empty()) recorder.file.open(options.calls_file, std::ios::trunc);
    for (const Call& call : calls) recorder.play(call);
    return 0;
}

}  // namespace tgsi2spv::fuzz
