#include "difftest/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tgsi2spv::difftest {

namespace fs = std::filesystem;

tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths) {
    std::vector<Source> all;
    for (const auto& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            std::vector<Source> found;
            for (fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end;
                 !error && it != end; it.increment(error))
                if (it->path().extension() == ".tgsi" && it->is_regular_file(error))
                    found.push_back({it->path().string(), it->path().lexically_relative(path).string()});
            if (error) return tl::unexpected<std::string>(path + ": " + error.message());
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
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) return tl::unexpected<std::string>("cannot open " + path);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (file.bad()) return tl::unexpected<std::string>("cannot read " + path);
    return text;
}

}  // namespace tgsi2spv::difftest
