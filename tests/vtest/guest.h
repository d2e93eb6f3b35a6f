// The other side of a session: messages as guests write them, a stream in memory, a renderer that notes its calls.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "vtest/session.h"

namespace tgsi2spv::vtest::test {

using namespace process;
using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::initializer_list<uint32_t> words) {
    Bytes out(words.size() * 4);
    std::memcpy(out.data(), words.begin(), out.size());
    return out;
}
inline Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
inline Bytes text_bytes(const std::string& text) {
    Bytes out(text.size());
    std::memcpy(out.data(), text.data(), out.size());
    return out;
}

// Messages, by their numbers in the protocol's description.
inline Bytes hello(const std::string& name = "gears") {
    return bytes_of({static_cast<uint32_t>(name.size() + 1), 8}) + text_bytes(name) + Bytes(1);
}
inline Bytes ask_version(uint32_t version) {
    return bytes_of({1, 11, version});
}
inline Bytes make(uint32_t handle) {
    return bytes_of({10, 2, handle, 2, 1, 8, 4, 4, 1, 1, 0, 0});
}
inline Bytes make2(uint32_t handle, uint32_t size) {
    return bytes_of({11, 12, handle, 2, 1, 8, 4, 4, 1, 1, 0, 0, size});
}
/// HOST3D, MAPPABLE, a number of two words.
inline Bytes make_blob(uint32_t size, uint32_t type = 2, uint32_t flags = 1) {
    return bytes_of({6, 18, type, flags, size, 0, 7, 1});
}
inline Bytes forget(uint32_t handle) {
    return bytes_of({1, 3, handle});
}
inline Bytes wait_for(uint32_t handle, uint32_t flags = 1) {
    return bytes_of({2, 7, handle, flags});
}
inline Bytes get2(uint32_t handle, uint32_t offset) {
    return bytes_of({10, 13, handle, 0, 0, 0, 0, 4, 4, 1, 64, offset});
}
inline Bytes put2(uint32_t handle, uint32_t offset) {
    return bytes_of({10 + 16, 14, handle, 0, 0, 0, 0, 4, 4, 1, 64, offset});
}

/// The guest's messages are given; the answers are kept. Files are mapped, as guests do.
class MemoryStream final : public Stream {
  public:
    explicit MemoryStream(Bytes sent) : sent_(std::move(sent)) {}
    ~MemoryStream() override {
        for (const auto& file : files) munmap(file.data(), file.size());
    }
    Got read(std::span<std::byte> bytes) override {
        if (at_ == sent_.size()) return Got::End;
        const size_t part = std::min(bytes.size(), sent_.size() - at_);
        std::memcpy(bytes.data(), sent_.data() + at_, part);
        at_ += part;
        return part == bytes.size() ? Got::All : Got::Lost;
    }
    bool write(std::span<const std::byte> bytes) override {
        received.insert(received.end(), bytes.begin(), bytes.end());
        return received.size() <= most_received;
    }
    bool send_file(int descriptor) override {
        if (descriptor < 0) return ++missing_files > 0;
        const off_t size = lseek(descriptor, 0, SEEK_END);
        void* mapped = mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (mapped == MAP_FAILED) return false;
        files.push_back({static_cast<std::byte*>(mapped), static_cast<size_t>(size)});
        return takes_files;
    }
    size_t left() const { return sent_.size() - at_; }

    Bytes received;
    size_t most_received = SIZE_MAX;
    bool takes_files = true;
    std::vector<std::span<std::byte>> files;
    size_t missing_files = 0;

  private:
    Bytes sent_;
    size_t at_ = 0;
};

/// Notes each call as a line. Refuses resources of format 999. Readbacks give 0xab.
class NotingRenderer final : public virgl::Renderer {
  public:
    const virgl::CapsV2& caps() const override { return offered; }
    bool charge(int64_t bytes) override {
        if (bytes > room) return false;
        room -= bytes;
        return true;
    }
    virgl::Outcome create_resource(const virgl::ResourceRequest& r,
                                   std::shared_ptr<virgl::SharedMemory> memory) override {
        calls.push_back(
            fmt::format("create {} target {} format {} bind {} {}x{}x{} array {} last level {} samples {} memory {}",
                        r.handle, r.target, r.format, r.bind, r.width, r.height, r.depth, r.array_size, r.last_level,
                        r.samples, memory ? memory->bytes.size() : 0));
        if (r.format == 999) return virgl::Outcome::Refused;
        memories[r.handle] = std::move(memory);
        return virgl::Outcome::Done;
    }
    bool maps(const std::shared_ptr<virgl::SharedMemory>&) override { return can_map; }
    virgl::Outcome create_mapped(uint32_t handle, uint64_t number,
                                 std::shared_ptr<virgl::SharedMemory> memory) override {
        calls.push_back(fmt::format("map {} number {:x} memory {}", handle, number, memory->bytes.size()));
        memories[handle] = std::move(memory);
        return virgl::Outcome::Done;
    }
    virgl::Outcome destroy_resource(uint32_t handle) override {
        calls.push_back(fmt::format("destroy {}", handle));
        if (!keeps) memories.erase(handle);
        return virgl::Outcome::Done;
    }
    virgl::Outcome submit(virgl::Words words) override {
        calls.push_back(fmt::format("submit {:x}", fmt::join(words, " ")));
        // A refusal makes no difference to the guest.
        return loses_device ? virgl::Outcome::Lost : virgl::Outcome::Refused;
    }
    virgl::Outcome write(const virgl::TransferRequest& r, std::span<const std::byte> data) override {
        calls.push_back("write " + text(r) + hex(data));
        return virgl::Outcome::Done;
    }
    virgl::Outcome read(const virgl::TransferRequest& r, std::span<std::byte> data) override {
        calls.push_back(fmt::format("read {} {}", text(r), data.size()));
        std::fill(data.begin(), data.end(), std::byte{0xab});
        return refuses_reads ? virgl::Outcome::Refused : virgl::Outcome::Done;
    }
    virgl::Outcome write_from_memory(const virgl::TransferRequest& r, uint64_t offset) override {
        calls.push_back(fmt::format("write from memory {} {}", text(r), offset));
        return virgl::Outcome::Done;
    }
    virgl::Outcome read_to_memory(const virgl::TransferRequest& r, uint64_t offset) override {
        calls.push_back(fmt::format("read to memory {} {}", text(r), offset));
        return virgl::Outcome::Done;
    }
    bool busy(uint32_t handle, bool wait) override {
        calls.push_back(fmt::format("{} {}", wait ? "wait" : "busy", handle));
        return is_busy;
    }

    virgl::CapsV2 offered{};
    int64_t room = 1 << 30;
    std::vector<std::string> calls;
    std::map<uint32_t, std::shared_ptr<virgl::SharedMemory>> memories;
    bool can_map = true, keeps = false, refuses_reads = false, is_busy = false, loses_device = false;

  private:
    static std::string text(const virgl::TransferRequest& r) {
        return fmt::format("{} level {} strides {} {} at {} {} {} size {} {} {}", r.handle, r.level, r.stride,
                           r.layer_stride, r.box.x, r.box.y, r.box.z, r.box.width, r.box.height, r.box.depth);
    }
    static std::string hex(std::span<const std::byte> data) {
        std::string out;
        for (const std::byte b : data) out += fmt::format(" {:02x}", static_cast<unsigned>(b));
        return out;
    }
};

/// A session over memory, run to its end.
struct Talk {
    explicit Talk(Bytes sent, const Limits& limits = {}) : Talk(std::move(sent), limits, [](Talk&) {}) {}
    Talk(Bytes sent, const Limits& limits, const std::function<void(Talk&)>& prepare) : stream(std::move(sent)) {
        prepare(*this);
        Session session(stream, renderer, log, limits);
        ending = session.run();
    }

    MemoryStream stream;
    NotingRenderer renderer;
    std::vector<std::string> lines;
    Log log{"log", 1000, [this](const std::string& line) { lines.push_back(line); }};
    Ending ending;
};

}  // namespace tgsi2spv::vtest::test
