#include "vtest/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

#include "vtest/record.h"

namespace tgsi2spv::vtest {

namespace {

struct Replayable {
    std::shared_ptr<virgl::OwnMemory> memory;
    std::vector<std::byte> recorded;  ///< its contents when it was recorded
};

class Replay {
  public:
    Replay(process::Stream& file, virgl::Renderer& renderer, process::Log& log, uint64_t most)
        : file_(file), renderer_(renderer), log_(log), bytes_left_(most) {}
    tl::expected<Replayed, std::string> run();

  private:
    tl::expected<void, std::string> calls();
    tl::expected<void, std::string> head();
    /// The next record into kind_, words_ (its first words, as many as its kind has) and data_ (the rest).
    tl::expected<bool, std::string> next();
    tl::expected<void, std::string> perform();
    tl::expected<void, std::string> create();
    tl::expected<void, std::string> memory();
    void count(virgl::Outcome outcome);
    void compare(uint32_t handle, std::span<const std::byte> got, std::span<const std::byte> expected);
    virgl::TransferRequest transfer() const {
        const auto& w = words_;
        return {w[0], w[1], w[2], w[3], {w[4], w[5], w[6], w[7], w[8], w[9]}};
    }
    uint64_t offset() const { return words_[kTransferRecordWords] | uint64_t{words_[kTransferRecordWords + 1]} << 32; }

    process::Stream& file_;
    virgl::Renderer& renderer_;
    process::Log& log_;
    uint64_t bytes_left_;
    RecordKind kind_{};
    std::vector<uint32_t> words_;
    std::vector<std::byte> data_;
    std::unordered_map<uint32_t, Replayable> resources_;
    Replayed replayed_;
    std::string missing_;  ///< a cap of the host that recorded this, which this one lacks; or empty
    bool lost_ = false;
};

/// How many words begin a record; the rest is data. -1: all are words.
int words_in(RecordKind kind) {
    constexpr int kTransfer = kTransferRecordWords;
    constexpr int kWords[] = {-2, 11, 1, -1, kTransfer, kTransfer, kTransfer + 2, kTransfer + 2, 1, 2, 2, 1};
    const auto number = static_cast<size_t>(kind);
    return number < std::size(kWords) ? kWords[number] : -2;
}

bool has_data(RecordKind kind) {
    return kind == RecordKind::Write || kind == RecordKind::Read || kind == RecordKind::Memory ||
           kind == RecordKind::Expected;
}

tl::expected<void, std::string> Replay::head() {
    std::array<char, kMagic.size()> magic;
    uint32_t size;
    if (file_.read(std::as_writable_bytes(std::span(magic))) != process::Got::All ||
        std::string_view(magic.data(), magic.size()) != kMagic ||
        file_.read(std::as_writable_bytes(std::span(&size, 1))) != process::Got::All || size > sizeof(virgl::CapsV2) ||
        size < sizeof(virgl::CapsV1))
        return tl::unexpected(std::string("not a recording of this version"));
    virgl::CapsV2 caps{};
    if (file_.read(std::as_writable_bytes(std::span(&caps, 1)).first(size)) != process::Got::All)
        return tl::unexpected(std::string("the recording is cut off"));
    missing_ = missing(caps, renderer_.caps());
    return {};
}

tl::expected<bool, std::string> Replay::next() {
    const auto cut = [] { return tl::unexpected(std::string("the recording is cut off")); };
    std::array<uint32_t, 2> header;
    const process::Got got = file_.read(std::as_writable_bytes(std::span(header)));
    if (got == process::Got::End) return false;
    if (got != process::Got::All) return cut();
    kind_ = static_cast<RecordKind>(header[0]);
    const uint32_t size = header[1];
    const int fixed = words_in(kind_);
    const size_t words = fixed >= 0 ? static_cast<size_t>(fixed) : size / 4;
    if (fixed < -1 || (fixed == -1 && (size % 4 != 0 || words > virgl::kMaxBufferWords)) || size < words * 4 ||
        (!has_data(kind_) && size != words * 4))
        return tl::unexpected(fmt::format("a record of kind {} with {} bytes", header[0], size));
    words_.resize(words);
    if (words > 0 && file_.read(std::as_writable_bytes(std::span(words_))) != process::Got::All) return cut();
    constexpr size_t kPart = 1u << 20;
    data_.clear();
    for (const size_t all = size - words * 4; data_.size() < all;) {  // memory only for bytes that the file has
        const size_t part = std::min(kPart, all - data_.size());
        data_.resize(data_.size() + part);
        if (file_.read(std::span(data_).last(part)) != process::Got::All) return cut();
    }
    return true;
}

tl::expected<void, std::string> Replay::perform() {
    switch (kind_) {
        case RecordKind::Create:
            return create();
        case RecordKind::Destroy:
            if (const auto found = resources_.find(words_[0]); found != resources_.end()) {
                bytes_left_ += found->second.recorded.size();
                resources_.erase(found);
            }
            count(renderer_.destroy_resource(words_[0]));
            return {};
        case RecordKind::Submit:
            count(renderer_.submit(words_));
            return {};
        case RecordKind::Write:
            count(renderer_.write(transfer(), data_));
            return {};
        case RecordKind::Read: {
            std::vector<std::byte> got(data_.size());
            count(renderer_.read(transfer(), got));
            compare(words_[0], got, data_);
            return {};
        }
        case RecordKind::WriteFromMemory:
            count(renderer_.write_from_memory(transfer(), offset()));
            return {};
        case RecordKind::ReadToMemory:
            count(renderer_.read_to_memory(transfer(), offset()));
            return {};
        case RecordKind::Wait:
            replayed_.calls++;
            renderer_.busy(words_[0], true);
            return {};
        case RecordKind::Memory:
        case RecordKind::Expected:
            return memory();
        case RecordKind::Compare:
            if (const auto found = resources_.find(words_[0]); found != resources_.end() && found->second.memory)
                compare(words_[0], found->second.memory->bytes, found->second.recorded);
            return {};
    }
    return {};
}

tl::expected<void, std::string> Replay::create() {
    const auto& w = words_;
    const size_t size = w[10];
    if (size > bytes_left_) return tl::unexpected(std::string("too much shared memory"));
    if (resources_.contains(w[0])) return tl::unexpected(fmt::format("resource {} is made twice", w[0]));
    bytes_left_ -= size;
    auto memory = size > 0 ? std::make_shared<virgl::OwnMemory>(size) : nullptr;
    resources_[w[0]] = {memory, std::vector<std::byte>(size)};
    count(renderer_.create_resource({w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]}, memory));
    return {};
}

tl::expected<void, std::string> Replay::memory() {
    const auto found = resources_.find(words_[0]);
    const size_t at = words_[1];
    if (found == resources_.end() || at > found->second.recorded.size() ||
        data_.size() > found->second.recorded.size() - at)
        return tl::unexpected(
            fmt::format("bytes {} to {} of resource {}, which has fewer", at, at + data_.size(), words_[0]));
    std::ranges::copy(data_, found->second.recorded.begin() + static_cast<ptrdiff_t>(at));
    if (kind_ == RecordKind::Memory && !data_.empty())
        std::memcpy(found->second.memory->bytes.data() + at, data_.data(), data_.size());
    return {};
}

void Replay::count(virgl::Outcome outcome) {
    replayed_.calls++;
    if (outcome != virgl::Outcome::Done && replayed_.refused++ == 0) replayed_.first_refused = replayed_.calls;
    lost_ |= outcome == virgl::Outcome::Lost;
}

void Replay::compare(uint32_t handle, std::span<const std::byte> got, std::span<const std::byte> expected) {
    uint64_t different = 0, clearly = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        const int by = std::abs(std::to_integer<int>(got[i]) - std::to_integer<int>(expected[i]));
        different += by > 0;
        clearly += by > 2;
    }
    replayed_.reads++;
    replayed_.bytes += expected.size();
    replayed_.different += different;
    replayed_.clearly_different += clearly;
    if (different > 0)
        log_.line(fmt::format("call {} reads resource {}: {} of {} bytes differ, {} by more than 2", replayed_.calls,
                              handle, different, expected.size(), clearly));
}

tl::expected<void, std::string> Replay::calls() {
    for (;;) {
        const auto more = next();
        if (!more) return tl::unexpected(more.error());
        if (!*more) return {};
        if (auto done = perform(); !done) return tl::unexpected(done.error());
        if (lost_) return tl::unexpected(fmt::format("the device failed at call {}", replayed_.calls));
    }
}

tl::expected<Replayed, std::string> Replay::run() {
    if (auto begun = head(); !begun) return tl::unexpected(begun.error());
    const auto played = calls();
    if (!missing_.empty() && (!played || replayed_.refused + replayed_.clearly_different != 0))
        log_.line("recorded on a host that offered more: " + missing_);
    if (!played) return tl::unexpected(played.error());
    return replayed_;
}

}  // namespace

std::string missing(const virgl::CapsV2& needed, const virgl::CapsV2& offered) {
    const auto formats = [](const char* what, const virgl::FormatMask& n, const virgl::FormatMask& o) -> std::string {
        for (uint32_t format = 0; format < 32 * n.words.size(); format++)
            if (has(n, format) && !has(o, format)) return fmt::format("format {} {}", format, what);
        return {};
    };
    for (const std::string& why :
         {formats("in samplers", needed.v1.sampler, offered.v1.sampler),
          formats("as a colour target", needed.v1.render, offered.v1.render),
          formats("as a depth target", needed.v1.depth_stencil, offered.v1.depth_stencil),
          formats("with several samples", needed.supported_multisample_formats, offered.supported_multisample_formats)})
        if (!why.empty()) return why;
    struct Number {
        const char* name;
        uint32_t needed, offered;
        bool bits;
    };
    for (const Number& n : std::initializer_list<Number>{
             {"flags", needed.v1.flags, offered.v1.flags, true},
             {"capability_bits", needed.capability_bits, offered.capability_bits, true},
             {"capability_bits_v2", needed.capability_bits_v2, offered.capability_bits_v2, true},
             {"prim_mask", needed.v1.prim_mask, offered.v1.prim_mask, true},
             {"glsl_level", needed.v1.glsl_level, offered.v1.glsl_level, false},
             {"host_feature_check_version", needed.host_feature_check_version, offered.host_feature_check_version,
              false},
             {"max_render_targets", needed.v1.max_render_targets, offered.v1.max_render_targets, false},
             {"max_samples", needed.v1.max_samples, offered.v1.max_samples, false},
             {"max_streamout_buffers", needed.v1.max_streamout_buffers, offered.v1.max_streamout_buffers, false},
             {"max_uniform_blocks", needed.v1.max_uniform_blocks, offered.v1.max_uniform_blocks, false},
             {"max_viewports", needed.v1.max_viewports, offered.v1.max_viewports, false}})
        if (n.bits ? (n.needed & ~n.offered) != 0 : n.needed > n.offered)
            return n.bits ? fmt::format("{} {:#x}", n.name, n.needed & ~n.offered)
                          : fmt::format("{} {}, not {}", n.name, n.needed, n.offered);
    return {};
}

tl::expected<Replayed, std::string> replay(process::Stream& file, virgl::Renderer& renderer, process::Log& log,
                                           uint64_t most_shared_bytes) {
    return Replay(file, renderer, log, most_shared_bytes).run();
}

}  // namespace tgsi2spv::vtest
