#include "calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "grammar.h"

namespace tgsi2spv::fuzz {
namespace {

/// No call needs more, and a wrong number must not use up this process's memory.
constexpr uint32_t kMostBytes = 1u << 20;

/// Of exactly the announced size, so that the address sanitizer sees accesses outside.
struct Bytes final : virgl::SharedMemory {
    explicit Bytes(size_t size) : storage(size) { bytes = storage; }
    std::vector<std::byte> storage;
};

/// Whole pages, whose words are small.
struct Pages final : virgl::SharedMemory {
    explicit Pages(size_t size) {
        const size_t whole = (size + 4095) / 4096 * 4096;
        bytes = {static_cast<std::byte*>(std::aligned_alloc(4096, whole)), whole};
        for (size_t i = 0; i < whole; i++) bytes[i] = static_cast<std::byte>(i % 4 == 0 ? i / 4 % 7 : 0);
    }
    ~Pages() override { std::free(bytes.data()); }
};

std::shared_ptr<virgl::SharedMemory> memory_of(uint32_t bytes) {
    return bytes == 0 ? nullptr : std::make_shared<Bytes>(std::min(bytes, kMostBytes));
}

virgl::TransferRequest transfer_of(const std::vector<uint32_t>& w) {
    return {w[0], w[1], w[2], w[3], {w[4], w[5], w[6], w[7], w[8], w[9]}};
}

/// Words that are small, as arguments of indirect draws and indices must be to end in time, or floats around 1, or ~0,
/// which restarts.
std::vector<std::byte> content(uint32_t bytes, uint32_t seed) {
    std::vector<uint32_t> words(std::min(bytes, kMostBytes) / 4 + 1);
    for (size_t i = 0; i < words.size(); i++) {
        seed = seed * 1664525 + 1013904223;
        words[i] = (seed & 1u << 30) != 0  ? 0x3f000000 + (seed >> 8 & 0xff0000)
                   : (seed >> 20 & 7) == 7 ? ~0U
                                           : seed >> 20 & 3;
    }
    std::vector<std::byte> all(std::min(bytes, kMostBytes));
    std::ranges::copy(std::as_bytes(std::span(words)).first(all.size()), all.begin());
    return all;
}

/// Arguments and indices: no word beyond a few.
std::vector<std::byte> small_content(uint32_t bytes, uint32_t seed) {
    std::vector<std::byte> all(std::min(bytes, kMostBytes));
    for (size_t i = 0; i < all.size(); i += 4) all[i] = static_cast<std::byte>((seed >> i % 29) & 7);
    return all;
}

}  // namespace

std::string line_of(const Call& call) {
    const Row* const row = row_of(call.op);
    std::string line = row == nullptr ? fmt::format("{:x}", call.op) : row->name;
    for (const uint32_t word : call.words) line += fmt::format(" {:x}", word);
    return line;
}

std::optional<Call> read_line(std::string_view line) {
    const auto next = [&] {
        const size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return word;
    };
    const auto number = [](std::string_view text) -> std::optional<uint32_t> {
        uint32_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
        return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
    };
    const std::string_view name = next();
    const auto row = std::ranges::find_if(rows(), [&](const Row& r) { return r.name == name; });
    const std::optional<uint32_t> op = row != rows().end() ? std::optional(row->op) : number(name);
    if (!op) return std::nullopt;
    Call call{*op, {}};
    while (!line.empty()) {
        const auto word = number(next());
        if (!word) return std::nullopt;
        call.words.push_back(*word);
    }
    return call;
}

virgl::Outcome Player::play(const Call& call) {
    if ((call.op & kHostCall) != 0) return host_call(call);
    commands_.push_back(call.op | static_cast<uint32_t>(call.words.size()) << 16);
    commands_.insert(commands_.end(), call.words.begin(), call.words.end());
    return virgl::Outcome::Done;
}

virgl::Outcome Player::host_call(const Call& call) {
    std::vector<uint32_t> w = call.words;
    w.resize(12);  // a line of a file may lack some
    switch (call.op) {
        case kCreateResource:
            return renderer_.create_resource({w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]},
                                             memory_of(w[10]));
        case kCreateMapped: {
            if (w[1] != 0) return virgl::Outcome::Refused;
            constexpr uint32_t kNumber = 7;
            const std::vector<uint32_t> described{48 | 11 << 16, w[1], w[2], w[3], w[4], w[5],
                                                  w[6],          w[7], w[8], w[9], 0,    kNumber};
            renderer_.submit(described);
            return renderer_.create_mapped(w[0], kNumber, std::make_shared<Pages>(std::clamp(w[4], 1U, kMostBytes)));
        }
        case kDestroyResource:
            return renderer_.destroy_resource(w[0]);
        case kSetMemory:
            return renderer_.set_memory(w[0], memory_of(w[1]));
        case kCreateContext:
            return renderer_.create_context(w[0]);
        case kDestroyContext:
            return renderer_.destroy_context(w[0]);
        case kAttach:
            return renderer_.attach(w[0], w[1]);
        case kDetach:
            return renderer_.detach(w[0], w[1]);
        case kSubmit: {
            const std::vector<uint32_t> commands = std::move(commands_);
            commands_.clear();
            return renderer_.submit(w[0], commands);
        }
        case kWrite:
            return renderer_.write(transfer_of(w),
                                   w[11] % 4 == 0 ? content(w[10], w[11]) : small_content(w[10], w[11]));
        case kRead: {
            std::vector<std::byte> data(std::min(w[10], kMostBytes));
            return renderer_.read(transfer_of(w), data);
        }
        case kWriteFromMemory:
            return renderer_.write_from_memory(transfer_of(w), w[10]);
        case kReadToMemory:
            return renderer_.read_to_memory(transfer_of(w), w[10]);
        case kBusy:
            renderer_.busy(w[0], w[1] != 0);
            return virgl::Outcome::Done;
        default:
            renderer_.fence();
            return virgl::Outcome::Done;
    }
}

}  // namespace tgsi2spv::fuzz
