#include "renderer/debug.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tgsi2spv::host {
namespace {

// The table of docs/host.md.
constexpr std::pair<std::string_view, bool HostOptions::*> kWords[] = {
    {"sync", &HostOptions::sync},
    {"nocache", &HostOptions::no_cache},
    {"labels", &HostOptions::labels},
};

}  // namespace

std::string add_debug_words(HostOptions& options, std::string_view words) {
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(','));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        const auto at = std::ranges::find(kWords, word, [](const auto& row) { return row.first; });
        if (at != std::end(kWords))
            options.*at->second = true;
        else if (!word.empty())
            return std::string(word);
    }
    return {};
}

}  // namespace tgsi2spv::host
