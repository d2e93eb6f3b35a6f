// tgsi-difftest: shaders on Vulkan devices, judged by the reference.
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/worker.h"
#include "difftest_commands.h"
#include "difftest_options.h"
#include "guarded.h"
#include "keep_memory.h"
#include "tgsi/nearest.h"

namespace tools {

std::vector<std::string> worker_command() {
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return {n > 0 ? std::string(path, static_cast<size_t>(n)) : "tgsi-difftest", kWorkerFlag};
}

namespace {

int run(int argc, char** argv) {
    struct Command {
        std::string_view name;
        int (*run)(int argc, char** argv);
    };
    static constexpr Command kCommands[] = {
        {kWorkerFlag, [](int, char**) { return tgsi2spv::difftest::worker_main(); }},
        {"merge", merge_command},
        {"run", run_command},
        {"reduce", reduce_command},
        {"stats", stats_command},
    };
    for (const Command& c : kCommands)
        if (argc > 1 && c.name == argv[1]) return c.run(argc - 1, argv + 1);
    // What is neither a command nor a file or folder may be a mistyped command.
    std::error_code ignored;
    if (argc > 1 && argv[1][0] != '-' && !std::filesystem::exists(argv[1], ignored)) {
        tgsi2spv::tgsi::Nearest nearest(argv[1]);
        for (const Command& c : kCommands)
            if (!c.name.starts_with('-')) nearest.offer(c.name);
        if (!nearest.word.empty())
            return complain(
                fmt::format("{}: no such file or folder; did you mean the command '{}'?", argv[1], nearest.word));
    }
    return campaign_command(argc, argv);
}

}  // namespace

}  // namespace tools

int main(int argc, char** argv) {
    tools::keep_memory();
    return tools::guarded("tgsi-difftest", [&] { return tools::run(argc, argv); });
}
