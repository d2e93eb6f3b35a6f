#include "difftest/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "tgsi/parse.h"

namespace tgsi2spv::difftest {

namespace fs = std::filesystem;

tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths) {
    std::vector<Source> all;
    for (const auto& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            std::vector<Source> found;
            // What cannot be read is an error: cases that nobody misses would make a run green.
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
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) return tl::unexpected<std::string>(path + ": cannot read: " + std::strerror(errno));
    // The parser refuses longer texts, by its limit; /dev/zero has no end.
    const size_t most = size_t{tgsi::Limits{}.text_bytes} + 1;
    std::string text;
    char buffer[1 << 16];
    while (text.size() < most) {
        const size_t n = std::fread(buffer, 1, std::min(sizeof buffer, most - text.size()), file.get());
        text.append(buffer, n);
        if (std::ferror(file.get()) != 0)
            return tl::unexpected<std::string>(path + ": cannot read: " + std::strerror(errno));
        if (n == 0) break;
    }
    return text;
}

}  // namespace tgsi2spv::difftest
