// Which command of tgsi-difftest it is.
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi-difftest/commands.h"
#include "tgsi-difftest/options.h"
#include "tgsi/text/nearest.h"

namespace tools {

std::vector<std::string> worker_command() {
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return {n > 0 ? std::string(path, static_cast<size_t>(n)) : "tgsi-difftest", kWorkerFlag};
}

int run_difftest(int argc, char** argv, int (*worker)(int argc, char** argv)) {
    struct Command {
        std::string_view name;
        int (*run)(int argc, char** argv);
    };
    const Command commands[] = {
        {kWorkerFlag, worker},      {"merge", merge_command}, {"run", run_command},
        {"reduce", reduce_command}, {"stats", stats_command},
    };
    for (const Command& c : commands)
        if (argc > 1 && c.name == argv[1]) return c.run(argc - 1, argv + 1);
    // A word that is neither a command nor a file or folder may be a mistyped command.
    std::error_code ignored;
    if (argc > 1 && argv[1][0] != '-' && !std::filesystem::exists(argv[1], ignored)) {
        tgsi2spv::tgsi::Nearest nearest(argv[1]);
        for (const Command& c : commands)
            if (!c.name.starts_with('-')) nearest.offer(c.name);
        if (!nearest.word.empty())
            return complain(
                fmt::format("{}: no such file or folder; did you mean the command '{}'?", argv[1], nearest.word));
    }
    return campaign_command(argc, argv);
}

}  // namespace tools
