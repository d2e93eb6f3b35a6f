// Writes a file for a confined process, which can name none.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "process/socket.h"

namespace tools {

/// A process of its own with the rights of the user, which ends with this object. It trusts nothing but the path, which
/// it was given before there was a guest, and writes the file as write_file() does: completely, or not at all.
class FileWriter {
  public:
    /// Fails with a sentence if the file could not be written now.
    static tl::expected<FileWriter, std::string> start(const std::string& path);
    /// Returns why the file was not written, or an empty string.
    std::string write(std::string_view bytes);

  private:
    explicit FileWriter(tgsi2spv::process::Descriptor socket) : socket_(std::move(socket)) {}
    tgsi2spv::process::Descriptor socket_;
};

}  // namespace tools
