// Files in place of guests.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "process/stream.h"

namespace tgsi2spv::vtest {

/// Reads a guest's messages from a file, and drops the answers. The caller keeps the file.
class FileStream final : public process::Stream {
  public:
    explicit FileStream(std::FILE* file) : file_(file) {}
    /// Whether the file begins with `text`, which can still be read.
    bool begins_with(std::string_view text) {
        begin_.resize(text.size());
        begin_.resize(std::fread(begin_.data(), 1, text.size(), file_));
        return begin_ == text;
    }
    process::Got read(std::span<std::byte> bytes) override {
        const size_t kept = std::min(bytes.size(), begin_.size());
        std::memcpy(bytes.data(), begin_.data(), kept);
        begin_.erase(0, kept);
        const size_t got = kept + std::fread(bytes.data() + kept, 1, bytes.size() - kept, file_);
        return got == bytes.size() ? process::Got::All : got == 0 ? process::Got::End : process::Got::Lost;
    }
    bool write(std::span<const std::byte>) override { return true; }
    bool send_file(int) override { return true; }

  private:
    std::FILE* file_;
    std::string begin_;
};

}  // namespace tgsi2spv::vtest
