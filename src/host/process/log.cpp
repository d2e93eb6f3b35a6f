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

Minute::Line Minute::count() {
    const auto now = std::chrono::steady_clock::now();
    if (now - begin_ >= std::chrono::minutes(1)) lines_ = 0;
    if (lines_ == 0) begin_ = now;
    if (lines_ > most_) return Line::Dropped;
    return lines_++ < most_ ? Line::Shown : Line::First;
}

Log::Log(std::string prefix, size_t most, Sink sink)
    : prefix_(std::move(prefix)), sink_(std::move(sink)), minute_(most) {
    // One write per line: the lines of several processes do not mix.
    if (!sink_) sink_ = [](const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); };
}

void Log::line(std::string_view text) {
    Minute::Line how = minute_.count();
    const bool own = how != Minute::Line::Shown;
    if (!own && all_) how = all_->count();
    if (how == Minute::Line::Dropped) return;
    if (how == Minute::Line::First)
        text = own ? "too many lines: the others of this minute are left out"
                   : "too many lines of all clients: the others of this minute are left out";
    const bool cut = text.size() > kMostLineBytes;
    sink_(fmt::format("{}: {}{}\n", prefix_, escaped(text.substr(0, kMostLineBytes)), cut ? "..." : ""));
}

}  // namespace tgsi2spv::process
