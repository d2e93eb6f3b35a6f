// fuzz-host: recordings of real programs with damaged calls, replayed on a device. The host may draw or refuse any of
// them, or lose its device; it does not crash, hang or break a rule of Vulkan.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "edges.h"
#include "process/log.h"
#include "renderer/renderer.h"
#include "vtest/file_stream.h"
#include "vtest/record.h"
#include "vtest/replay.h"

using namespace tgsi2spv;

namespace {

struct Record {
    vtest::RecordKind kind;
    std::string body;
};
struct Recording {
    std::string name, head;  ///< up to the first record
    std::vector<Record> records;
};

uint32_t word_at(const std::string& bytes, size_t at) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    return word;
}

/// Recordings come from tgsi-host and are whole.
Recording read_recording(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string all(std::istreambuf_iterator<char>(file), {});
    size_t at = vtest::kMagic.size() + 4 + word_at(all, vtest::kMagic.size());
    Recording r{path, all.substr(0, at), {}};
    while (at + 8 <= all.size()) {
        const size_t bytes = word_at(all, at + 4);
        r.records.push_back({static_cast<vtest::RecordKind>(word_at(all, at)), all.substr(at + 8, bytes)});
        at += 8 + bytes;
    }
    return r;
}

std::string bytes_of(const Recording& recording) {
    std::string all = recording.head;
    for (const Record& r : recording.records) {
        const std::array<uint32_t, 2> head{static_cast<uint32_t>(r.kind), static_cast<uint32_t>(r.body.size())};
        all.append(reinterpret_cast<const char*>(head.data()), sizeof head);
        all += r.body;
    }
    return all;
}

class Damage {
  public:
    explicit Damage(uint64_t seed) : random_(seed) {}
    size_t below(size_t n) { return random_() % n; }
    void change(Recording& recording) {
        // Most of a program's calls come after it has made its objects, and are of few kinds: commands get the most
        // damage.
        for (size_t times = 1 + below(4); times > 0; times--) {
            const size_t i = below(recording.records.size());
            auto& records = recording.records;
            const auto at = records.begin() + static_cast<ptrdiff_t>(i);
            if (const size_t what = below(16); what == 0) {
                records.erase(at);
                if (records.empty()) return;
            } else if (what == 1) {
                records.insert(at, Record(*at));
            } else if (what == 2) {
                std::swap(*at, records[below(records.size())]);
            } else if (is_call(*at)) {
                change_words(at->body);
            }
        }
    }

  private:
    /// The rest is the contents of memory: it is checked when a replay reads the file.
    static bool is_call(const Record& r) {
        using enum vtest::RecordKind;
        return r.kind == Create || r.kind == Submit || r.kind == WriteFromMemory || r.kind == ReadToMemory;
    }
    void change_words(std::string& body) {
        const size_t words = body.size() / 4;
        if (words == 0) return;
        for (size_t times = 1 + below(3); times > 0; times--) {
            const size_t at = 4 * below(words);
            const uint32_t value = fuzz::damaged(word_at(body, at), word_at(body, 4 * below(words)), random_);
            std::memcpy(body.data() + at, &value, 4);
        }
    }
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> paths;
    std::string device = "llvmpipe", save;
    uint64_t runs = 100, seed = 1;
    bool validate = false;
    CLI::App app("Damage recordings of tgsi-host and replay them on a device.");
    app.add_option("recordings", paths, "Recordings (NAME.host)")->required()->check(CLI::ExistingFile);
    app.add_option("--runs", runs, "Number of replays");
    app.add_option("--seed", seed, "Seed of the first; each further one has the next number");
    app.add_option("--device", device, "Vulkan device");
    app.add_option("--save", save, "Writes the last damaged recording here");
    app.add_flag("--validate", validate, "Enable the validation layer");
    CLI11_PARSE(app, argc, argv);

    std::vector<Recording> recordings;
    for (const std::string& path : paths) recordings.push_back(read_recording(path));
    const host::HostOptions options{
        .device = device, .validate = validate, .memory_limit = 256u << 20, .without = {}, .shader_folder = {}};
    const auto other_client = host::make_renderer(options);  // keeps the driver loaded
    if (!other_client) return std::fprintf(stderr, "fuzz-host: %s\n", other_client.error().c_str()), 2;
    uint64_t whole = 0, calls = 0, refused = 0;
    for (uint64_t run = seed; run < seed + runs; run++) {
        Damage damage(run);
        Recording recording = recordings[damage.below(recordings.size())];
        damage.change(recording);
        std::string bytes = bytes_of(recording);
        if (!save.empty()) std::ofstream(save, std::ios::binary) << bytes;
        std::printf("seed %llu, %s\n", static_cast<unsigned long long>(run), recording.name.c_str());
        std::fflush(stdout);
        auto renderer = host::make_renderer(options);
        if (!renderer) return std::fprintf(stderr, "fuzz-host: %s\n", renderer.error().c_str()), 1;
        std::FILE* file = fmemopen(bytes.data(), bytes.size(), "rb");
        vtest::FileStream stream(file);
        process::Log log("fuzz-host", 1000, [](const std::string&) {});
        if (stream.begins_with(vtest::kMagic)) {
            if (const auto done = vtest::replay(stream, **renderer, log)) {
                whole++;
                calls += done->calls;
                refused += done->refused;
            }
        }
        std::fclose(file);
    }
    std::printf("%llu replays, %llu of them to the end: %llu calls, %llu refused\n",
                static_cast<unsigned long long>(runs), static_cast<unsigned long long>(whole),
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(refused));
    return 0;
}
