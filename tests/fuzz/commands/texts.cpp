#include "texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "places.h"

namespace tgsi2spv::fuzz {
namespace {

constexpr const char* kTextureTargets[] = {
    "1D",         "2D",     "3D",      "CUBE",     "RECT",       "1D_ARRAY",      "2D_ARRAY",
    "CUBE_ARRAY", "BUFFER", "2D_MSAA", "SHADOW2D", "SHADOWCUBE", "2D_ARRAY_MSAA", "SHADOW2D_ARRAY"};
constexpr const char* kTypes[] = {"FLOAT", "SINT", "UINT"};
constexpr const char* kImageTargets[] = {"1D", "2D", "3D", "CUBE", "2D_ARRAY", "CUBE_ARRAY", "BUFFER", "2D_MSAA"};
constexpr const char* kImageFormats[] = {"PIPE_FORMAT_R32_UINT", "PIPE_FORMAT_R32G32B32A32_FLOAT",
                                         "PIPE_FORMAT_R8G8B8A8_UNORM", "PIPE_FORMAT_NONE"};

/// A fetch, or a sample where the target has them, and a size.
std::string texture_text(std::string_view target, std::string_view type) {
    const bool fetched = target == "BUFFER" || target.ends_with("MSAA");
    const char* const op = fetched ? "TXF" : "TEX";
    return fmt::format(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], {0}, {1}\nDCL "
        "TEMP[0..1]\n"
        "IMM[0] UINT32 {{0, 0, 0, 0}}\n{2} TEMP[0], {3}, SAMP[0], {0}\n{4}MOV OUT[0], TEMP[0]\nEND\n",
        target, type, op, fetched ? "IMM[0]" : "IN[0]",
        fetched || target == "RECT" ? "" : fmt::format("TXQ TEMP[1], IMM[0].xxxx, SAMP[0], {}\n", target));
}

std::string image_text(std::string_view target, std::string_view format) {
    const bool loads = format != "PIPE_FORMAT_NONE";
    const std::string load = fmt::format("LOAD TEMP[0], IMAGE[0], IMM[0], {}, {}\n", target, format);
    const std::string add = fmt::format("ATOMUADD TEMP[0].x, IMAGE[0], IMM[0], IMM[0].yyyy, {}, {}\n", target, format);
    return fmt::format(
        "FRAG\nDCL OUT[0], COLOR\nDCL IMAGE[0], {0}, {1}, WR\nDCL TEMP[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\nMOV TEMP[0], "
        "IMM[0]\n"
        "{2}{3}STORE IMAGE[0], IMM[0], TEMP[0], {0}, {1}\nMOV OUT[0], TEMP[0]\nEND\n",
        target, format, loads ? load : "", format == "PIPE_FORMAT_R32_UINT" ? add : "");
}

/// The text with its first property before it, of another value: the last one counts, for the library and for the host.
std::string repeat_property(std::string text) {
    const size_t line = text.find("PROPERTY "), end = text.find('\n', line);
    const std::string name = text.substr(line, text.rfind(' ', end) + 1 - line);
    return text.insert(line, name + "1\n");
}

virgl::Stage stage_of(std::string_view text) {
    constexpr std::array kNames{"VERT\n", "FRAG\n", "GEOM\n", "TESS_CTRL\n", "TESS_EVAL\n", "COMP\n"};
    const auto at = std::ranges::find_if(kNames, [&](const char* name) { return text.starts_with(name); });
    if (at == kNames.end()) std::abort();
    return static_cast<virgl::Stage>(at - kNames.begin());
}

/// The texts of shaders.txt, which blank lines separate.
std::vector<std::string> read_texts() {
    std::ifstream file(test::source_path("tests/fuzz/commands/shaders.txt"));
    std::vector<std::string> texts(1);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() && !texts.back().empty()) texts.emplace_back();
        if (!line.empty() && line[0] != '#') texts.back() += line + '\n';
    }
    return texts;
}

}  // namespace

std::vector<Text> shader_texts() {
    std::vector<Text> all;
    const auto add = [&](const std::string& text) { all.push_back({stage_of(text), text}); };
    for (const std::string& text : read_texts()) {
        add(text);
        if (text.find("PROPERTY ") != std::string::npos) add(repeat_property(text));
    }
    for (const char* target : kTextureTargets)
        for (const char* type : kTypes)
            if (!std::string_view(target).starts_with("SHADOW") || type == kTypes[0]) add(texture_text(target, type));
    for (const char* target : kImageTargets)
        for (const char* format : kImageFormats) add(image_text(target, format));
    return all;
}

}  // namespace tgsi2spv::fuzz
