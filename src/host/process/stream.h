// The bytes between a guest and a session: a socket, a file, or memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tgsi2spv::process {

enum class Got : uint8_t {
    All,
    End,   ///< the other side closed before the first byte
    Lost,  ///< it closed later, or an error
};

class Stream {
  public:
    Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    virtual ~Stream() = default;

    /// Fills all of `bytes`.
    virtual Got read(std::span<std::byte> bytes) = 0;
    /// The same for the beginning of a message, for which the other side may take any time.
    virtual Got read_first(std::span<std::byte> bytes) { return read(bytes); }
    virtual bool write(std::span<const std::byte> bytes) = 0;
    /// Gives the other side a copy of an open file, with one byte of data; -1: the byte alone.
    virtual bool send_file(int descriptor) = 0;
};

}  // namespace tgsi2spv::process
