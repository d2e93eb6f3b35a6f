#include "shared/paths.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>

#include "files/files.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

/// The deepest folder that holds all paths.
fs::path common_folder(const std::vector<fs::path>& paths) {
    fs::path common = paths[0].parent_path();
    for (const fs::path& path : paths) {
        const fs::path folder = path.parent_path();
        const auto [end, other] = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
        fs::path shorter;
        for (auto part = common.begin(); part != end; ++part) shorter /= *part;
        common = shorter;
    }
    return common;
}

/// The same for every way to name a file, whether it is there or not.
std::string canonical(const std::string& path) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
}

}  // namespace

tl::expected<std::vector<std::string>, std::string> with_folders_searched(const std::vector<std::string>& inputs) {
    std::vector<std::string> all;
    for (const std::string& input : inputs) {
        std::error_code error;
        if (!fs::is_directory(input, error)) {
            all.push_back(input);
            continue;
        }
        const auto found = tgsi2spv::files_below(input, ".tgsi");
        if (!found) return tl::unexpected(found.error());
        if (found->empty()) return tl::unexpected(input + ": no *.tgsi files found");
        all.insert(all.end(), found->begin(), found->end());
    }
    return all;
}

tl::expected<std::vector<std::string>, std::string> output_paths(const std::vector<std::string>& inputs,
                                                                 const std::string& out, const std::string& replaced,
                                                                 const std::string& extension) {
    using Error = tl::unexpected<std::string>;
    std::error_code ignored;
    const bool is_folder = out.ends_with('/') || fs::is_directory(out, ignored);
    if (inputs.size() == 1 && (!is_folder || inputs[0] == "-")) return std::vector{out};
    if (out == "-" || fs::is_regular_file(out, ignored))
        return Error("several inputs need an output folder: use -o FOLDER");
    if (std::find(inputs.begin(), inputs.end(), "-") != inputs.end())
        return Error("standard input cannot be one of several inputs");
    std::vector<fs::path> paths;
    bool keep = true;
    for (const std::string& input : inputs) {
        paths.push_back(fs::path(input).lexically_normal());
        keep &= paths.back().is_relative() && *paths.back().begin() != "..";
    }
    if (!keep) {
        for (fs::path& path : paths) path = fs::absolute(path).lexically_normal();
        const fs::path common = common_folder(paths);
        for (fs::path& path : paths) path = path.lexically_relative(common);
    }
    std::vector<std::string> outputs;
    std::unordered_map<std::string, size_t> seen;
    for (size_t i = 0; i < paths.size(); ++i) {
        fs::path path = paths[i];
        if (path.extension() == replaced) path.replace_extension();
        path += extension;
        outputs.push_back((fs::path(out) / path).string());
        const auto [other, fresh] = seen.emplace(outputs.back(), i);
        if (!fresh)
            return Error("'" + inputs[other->second] + "' and '" + inputs[i] + "' would both be written to '" +
                         outputs.back() + "'");
    }
    return outputs;
}

std::string overwritten(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    std::error_code ignored;
    std::unordered_map<std::string, size_t> read;
    for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] != "-") read.emplace(canonical(inputs[i]), i);
    for (const std::string& output : outputs) {
        // Something that is not a file, such as a terminal, is written to, not overwritten.
        if (output == "-" || !fs::is_regular_file(output, ignored)) continue;
        const auto found = read.find(canonical(output));
        if (found != read.end()) return inputs[found->second];
    }
    return {};
}

std::string conflict(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    if (const std::string input = overwritten(inputs, outputs); !input.empty())
        return "the output would overwrite the input '" + input + "'";
    std::error_code ignored;
    std::unordered_map<std::string, size_t> seen;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const bool no_file = fs::exists(outputs[i], ignored) && !fs::is_regular_file(outputs[i], ignored);
        if (outputs[i].empty() || outputs[i] == "-" || no_file) continue;
        if (!seen.emplace(canonical(outputs[i]), i).second)
            return "two outputs would be written to '" + outputs[i] + "'";
    }
    return {};
}

}  // namespace tools
