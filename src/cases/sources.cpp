#include "cases/sources.h"

#include <algorithm>
#include <filesystem>

#include "files/files.h"
#include "tgsi/parse.h"

namespace tgsi2spv::difftest {

namespace fs = std::filesystem;

tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths) {
    std::vector<Source> all;
    for (const auto& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            std::vector<Source> found;
            // What cannot be read is an error: missing cases would make a run green.
            std::string at = path;
            for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
                at = it->path().string();
                if (it->path().extension() != ".tgsi") continue;
                const fs::file_status status = it->status(error);
                if (!error && !fs::exists(status)) error = std::make_error_code(std::errc::no_such_file_or_directory);
                if (error) break;
                if (fs::is_regular_file(status)) found.push_back({at, it->path().lexically_relative(path).string()});
            }
            if (error) return tl::unexpected<std::string>(at + ": " + error.message());
            std::sort(found.begin(), found.end(), [](const Source& a, const Source& b) { return a.shown < b.shown; });
            all.insert(all.end(), found.begin(), found.end());
        } else if (fs::exists(path, error)) {
            all.push_back({path, path});
        } else {
            return tl::unexpected<std::string>(path + ": no such file or folder");
        }
    }
    return all;
}

tl::expected<std::string, std::string> read_source(const std::string& path) {
    // A file of that name, not standard input: in a worker, that is from its parent. The parser refuses longer texts.
    auto text = read_file(path == "-" ? "./-" : path, tgsi::Limits{}.text_bytes);
    if (!text) return tl::unexpected(cannot_read(path, text.error()));
    return text;
}

}  // namespace tgsi2spv::difftest
