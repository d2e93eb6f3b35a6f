#include "tgsi2spv/extraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "files/files.h"
#include "shared/complain.h"
#include "shared/paths.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/utf8.h"
#include "tgsi2spv/log_shaders.h"

namespace tools {
namespace {

using namespace tgsi2spv;

constexpr size_t kLogBytes = size_t{4} << 30;

/// The advice for a log that is compressed; empty if it is not.
std::string compressed(std::string_view log) {
    struct Format {
        std::string_view magic, name, program;
    };
    static constexpr Format kFormats[] = {{"\x1f\x8b", "gzip", "zcat"},
                                          {"\xfd"
                                           "7zXZ",
                                           "xz", "xzcat"},
                                          {"\x28\xb5\x2f\xfd", "zstd", "zstdcat"},
                                          {"BZh", "bzip2", "bzcat"}};
    for (const Format& f : kFormats)
        if (log.starts_with(f.magic))
            return fmt::format("is compressed with {}: use {} LOG | tgsi2spv --extract - -o FOLDER", f.name, f.program);
    return {};
}

/// A log that begins with a byte order mark of UTF-16, which tools of Windows write, as UTF-8.
std::string from_utf16(std::string_view log, bool big) {
    const auto unit = [&](size_t at) {
        const auto a = static_cast<uint8_t>(log[at]), b = static_cast<uint8_t>(log[at + 1]);
        return static_cast<uint32_t>(big ? a << 8 | b : b << 8 | a);
    };
    std::string out;
    for (size_t at = 2; at + 1 < log.size(); at += 2) {
        uint32_t c = unit(at);
        if (c >> 10 == 0x36 && at + 3 < log.size() && unit(at + 2) >> 10 == 0x37) {  // a pair of surrogates
            c = 0x10000 + ((c & 0x3ff) << 10) + (unit(at + 2) & 0x3ff);
            at += 2;
        }
        tgsi::append_utf8(out, c);
    }
    return out;
}

/// Removes the sequences that set colours on a terminal: ESC [, numbers, a letter.
std::string without_colours(std::string_view log) {
    std::string out;
    out.reserve(log.size());
    for (size_t at = 0; at < log.size();) {
        const size_t escape = std::min(log.find("\x1b[", at), log.size());
        out += log.substr(at, escape - at);
        at = escape == log.size() ? escape : log.find_first_not_of("0123456789;:?", escape + 2);
        at = at == log.npos ? log.size() : at + (escape != log.size());
    }
    return out;
}

/// How many shaders a folder has besides those of `index`: of another log, perhaps.
size_t older_shaders(const std::string& folder, const std::string& index) {
    size_t count = 0;
    std::error_code ignored;
    for (std::filesystem::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
        count +=
            it->path().extension() == ".tgsi" && index.find('\n' + it->path().filename().string() + ',') == index.npos;
    return count;
}

std::string as_text(std::string log) {
    if (log.starts_with("\xff\xfe") || log.starts_with("\xfe\xff")) log = from_utf16(log, log[0] == '\xfe');
    if (log.starts_with("\xef\xbb\xbf")) log.erase(0, 3);
    if (log.find("\x1b[") != log.npos) log = without_colours(log);
    return log;
}

}  // namespace

Extraction extract_log(const std::string& log, const std::string& folder,
                       const std::function<void(const ExtractionNote&)>& tell) {
    Extraction done;
    const auto fail = [&](const std::string& file, std::string why, bool is_output) {
        done.file = file;
        done.trouble = std::move(why);
        done.is_output = is_output;
        return done;
    };
    auto bytes = read_file(log, kLogBytes);
    if (!bytes) return fail(log, bytes.error(), false);
    if (std::string why = compressed(*bytes); !why.empty()) return fail(log, std::move(why), false);
    std::unordered_map<std::string, std::string> files;  // by text
    std::string index = "file,line,stage\n";
    const LogShaders found = shaders_of_log(as_text(std::move(*bytes)));
    for (const LogShader& shader : found.shaders) {
        std::string stage(tgsi::name(shader.stage));
        for (char& c : stage) c = c == '_' ? '_' : static_cast<char>(c - 'A' + 'a');
        const auto [place, fresh] =
            files.try_emplace(shader.text, fmt::format("{:04}-{}.tgsi", files.size() + 1, stage));
        index += fmt::format("{},{},{}\n", place->second, shader.line, tgsi::name(shader.stage));
        if (!fresh) continue;
        done.shaders++;
        const std::string path = folder + "/" + place->second;
        if (!overwritten({log}, {path}).empty()) return fail(log, "the output would overwrite the input", true);
        if (std::string why = write_file(path, shader.text); !why.empty()) return fail(path, std::move(why), true);
        for (const LogNote& note : shader.notes) {
            tell({log, note.code, fmt::format("{} ({})", note.message, path), note.line, true});
            done.lost = true;
        }
    }
    for (const uint32_t line : found.headers) {
        tell({log, "no-shader", "no shader follows this stage", line, true});
        done.lost = true;
    }
    const std::string path = folder + "/index.csv";
    if (done.shaders == 0) return done;
    if (!overwritten({log}, {path}).empty()) return fail(log, "the output would overwrite the input", true);
    if (std::string why = write_file(path, index); !why.empty()) return fail(path, std::move(why), true);
    const auto repeated = static_cast<size_t>(std::ranges::count(index, '\n')) - 1 - done.shaders;
    if (const size_t older = older_shaders(folder, index); older > 0)
        tell({folder, "older-shaders",
              fmt::format("the folder also has {} that this log does not have", counted(older, "shader")), 0, true});
    tell({{},
          "extracted",
          fmt::format("extracted {} from {}{}", counted(done.shaders, "shader"), log,
                      repeated == 0 ? "" : fmt::format(", without {} (index.csv)", counted(repeated, "repetition")))});
    return done;
}

}  // namespace tools
