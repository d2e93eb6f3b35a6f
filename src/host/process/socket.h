// Local sockets.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "process/stream.h"

namespace tgsi2spv::process {

/// Closes its file at the end; -1: none.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();
    int number() const { return number_; }
    /// Passes it to another owner, which closes it.
    int release() { return std::exchange(number_, -1); }

  private:
    int number_;
};

/// Listens at a path, without waiting: only this user can connect there. A socket that a dead server left there is
/// replaced; anything else there is an error.
tl::expected<Descriptor, std::string> listen_at(const std::string& path);
/// The next client; an error of errno.h. Those that concern only that client are passed over.
tl::expected<Descriptor, int> accept_client(const Descriptor& listener);
/// Whether an error means that no client waits yet, or that descriptors or memory are short: it may work later.
bool is_shortage(int error);
/// Both ends of a pipe, the reading one first, which does not wait; an error of errno.h.
tl::expected<std::pair<Descriptor, Descriptor>, int> make_pipe();

/// Fills all of `bytes`.
Got read_all(int socket, std::span<std::byte> bytes);
/// False: the other end is gone.
bool write_all(int socket, std::span<const std::byte> bytes);
/// The most files of a message. A receiver has room for one more, so that it sees when there are too many.
inline constexpr size_t kMostFiles = 8;
/// recvmsg(), with the files that come with the bytes. They are closed in new programs.
ssize_t receive_with_files(int socket, std::span<std::byte> bytes, std::vector<Descriptor>& files, int flags);
/// Sends a copy of an open file over a socket, with one byte of data; -1: the byte alone.
bool send_file_by(int socket, int descriptor);

class SocketStream final : public Stream {
  public:
    /// A client that does not read for a minute is lost.
    explicit SocketStream(Descriptor socket);
    Got read(std::span<std::byte> bytes) override { return read_all(socket_.number(), bytes); }
    bool write(std::span<const std::byte> bytes) override { return write_all(socket_.number(), bytes); }
    bool send_file(int descriptor) override { return send_file_by(socket_.number(), descriptor); }

  private:
    Descriptor socket_;
};

}  // namespace tgsi2spv::process
