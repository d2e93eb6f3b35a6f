#include "process/log.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace tgsi2spv::process {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c >= 0x20 && c < 0x7f)
            out += c;
        else
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return out;
}

Log::Log(std::string prefix, size_t most, Sink sink) : prefix_(std::move(prefix)), rate_(most), sink_(std::move(sink)) {
    // One write per line: the lines of several processes do not mix.
    if (!sink_) sink_ = [](const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); };
}

void Log::line(std::string_view text) {
    const virgl::LogRate::Answer answer = rate_.line();
    if (answer == virgl::LogRate::Answer::Leave) return;
    if (answer == virgl::LogRate::Answer::WriteThatLinesAreMissing) text = virgl::kLinesAreMissing;
    const bool cut = text.size() > virgl::kMostLineBytes;
    sink_(fmt::format("{}: {}{}\n", prefix_, escaped(text.substr(0, virgl::kMostLineBytes)), cut ? "..." : ""));
}

}  // namespace tgsi2spv::process
