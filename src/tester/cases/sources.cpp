#include "cases/sources.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "files/files.h"
#include "tgsi/parse/parse.h"

namespace tgsi2spv::difftest {

namespace fs = std::filesystem;

namespace {

/// An absolute path without ".", ".." and a slash at its end. Links are not followed: a name is the path that the user
/// gave.
fs::path whole(const std::string& path) {
    std::error_code error;
    const fs::path normal = fs::absolute(path, error).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

/// The path from the root to a file; empty if the file is not below the root.
std::string name_below(const fs::path& root, const std::string& path) {
    const fs::path name = whole(path).lexically_relative(root);
    return name.empty() || *name.begin() == ".." ? std::string() : name.string();
}

}  // namespace

std::string common_folder(std::span<const std::string> paths) {
    fs::path common;
    for (const auto& path : paths) {
        std::error_code error;
        fs::path folder = whole(path);
        if (!fs::is_directory(folder, error)) folder = folder.parent_path();
        if (common.empty()) common = folder;
        fs::path shared;
        for (auto a = common.begin(), b = folder.begin(); a != common.end() && b != folder.end() && *a == *b; ++a, ++b)
            shared /= *a;
        common = shared;
    }
    return common.string();
}

bool are_below(std::span<const std::string> paths, const std::string& root) {
    return std::ranges::none_of(paths, [&](const auto& path) { return name_below(whole(root), path).empty(); });
}

tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths,
                                                            const std::string& root) {
    std::vector<Source> all;
    std::set<std::string> names;
    const fs::path top = whole(root.empty() ? common_folder(paths) : root);
    for (const auto& path : paths) {
        std::error_code error;
        if (!fs::exists(path, error)) return tl::unexpected<std::string>(path + ": no such file or folder");
        const std::string name = name_below(top, path);
        if (name.empty()) return tl::unexpected<std::string>(path + ": not below the root " + root);
        // A file that cannot be read is an error: missing cases would make a run green.
        auto files = fs::is_directory(path, error) ? files_below(path, ".tgsi") : std::vector{path};
        if (!files) return tl::unexpected(files.error());
        for (std::string& file : *files) {
            std::string below = name_below(top, file);
            if (names.insert(below).second) all.push_back({std::move(file), std::move(below)});
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
