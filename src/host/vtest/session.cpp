#include "vtest/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tgsi2spv::vtest {

namespace {

uint64_t words_for(uint32_t bytes) {
    return (uint64_t{bytes} + 3) / 4;
}

/// Bytes of a transfer of version 0 that are read or written at once.
constexpr size_t kPart = 1u << 20;

/// Memory for a transfer, counted in the guest's limit.
class Room {
  public:
    Room(virgl::Renderer& renderer, uint32_t bytes)
        : renderer_(renderer), bytes_(renderer.charge(bytes) ? int64_t{bytes} : -1) {}
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() {
        if (bytes_ > 0) renderer_.charge(-bytes_);
    }
    bool is_there() const { return bytes_ >= 0; }

  private:
    virgl::Renderer& renderer_;
    int64_t bytes_;
};

/// In place of a file that there is no memory for: the guest's driver then reports GL_OUT_OF_MEMORY.
constexpr int kNoFile = -1;

}  // namespace

Session::Session(process::Stream& stream, virgl::Renderer& renderer, process::Log& log, const Limits& limits)
    : stream_(stream), renderer_(renderer), log_(log), limits_(limits), budget_(std::make_shared<SharedBudget>()) {
    budget_->most_bytes = limits.shared_bytes;
}

Ending Session::run() {
    while (step()) {
    }
    if (ending_ == Ending::Lost) log_.line("the connection broke in the middle of a message");
    return ending_;
}

/// A message, and the function that reads its words; those whose length is not fixed check it themselves.
struct Session::Row {
    Message message;
    const char* name;
    int words;    ///< -1: not fixed
    int version;  ///< the protocol's, as needed; -1: any; 2: and later
    Serve Session::*serve;

    bool is_in(uint32_t its) const {
        const auto needed = static_cast<uint32_t>(version);
        return version < 0 || its == needed || (needed != 0 && its > needed);
    }
};

const Session::Row* Session::row_of(uint32_t message) {
    static constexpr Row kRows[] = {
        {Message::GetCaps, "GET_CAPS", 0, -1, &Session::send_caps},
        {Message::ResourceCreate, "RESOURCE_CREATE", kCreateWords, 0, &Session::create_resource},
        {Message::ResourceUnref, "RESOURCE_UNREF", 1, -1, &Session::unref},
        {Message::TransferGet, "TRANSFER_GET", -1, 0, &Session::transfer},
        {Message::TransferPut, "TRANSFER_PUT", -1, 0, &Session::transfer},
        {Message::SubmitCmd, "SUBMIT_CMD", -1, -1, &Session::submit},
        {Message::ResourceBusyWait, "RESOURCE_BUSY_WAIT", 2, -1, &Session::busy_wait},
        {Message::CreateRenderer, "CREATE_RENDERER", -1, -1, &Session::create_renderer},
        {Message::GetCaps2, "GET_CAPS2", 0, -1, &Session::send_caps2},
        {Message::PingProtocolVersion, "PING_PROTOCOL_VERSION", 0, -1, &Session::ping},
        {Message::ProtocolVersion, "PROTOCOL_VERSION", 1, -1, &Session::protocol_version},
        {Message::ResourceCreate2, "RESOURCE_CREATE2", kCreateWords + 1, 2, &Session::create_resource},
        {Message::TransferGet2, "TRANSFER_GET2", -1, 2, &Session::transfer2},
        {Message::TransferPut2, "TRANSFER_PUT2", -1, 2, &Session::transfer2},
        {Message::ResourceCreateBlob, "RESOURCE_CREATE_BLOB", kBlobWords, 3, &Session::create_blob},
    };
    const auto* const row = std::ranges::find(kRows, static_cast<Message>(message), &Row::message);
    return row == std::end(kRows) ? nullptr : row;
}

bool Session::step() {
    std::array<uint32_t, 2> header;
    const process::Got got = stream_.read_first(std::as_writable_bytes(std::span(header)));
    if (got != process::Got::All) {
        ending_ = got == process::Got::End ? Ending::Closed : Ending::Lost;
        return false;
    }
    const auto [length, number] = header;
    const Row* const row = row_of(number);
    if (row == nullptr) return refuse(fmt::format("message {} does not exist", number));
    if (!started_ && row->message != Message::CreateRenderer)
        return refuse(fmt::format("{} before CREATE_RENDERER", row->name));
    if (row->words >= 0 && length != static_cast<uint32_t>(row->words))
        return refuse(fmt::format("{} has length {}, not {}", row->name, length, row->words));
    if (!row->is_in(version_)) return refuse(fmt::format("{} in version {} of the protocol", row->name, version_));
    if (!(this->*row->serve)(*row, length)) return false;
    if (device_lost_) ending_ = Ending::Device;
    return !device_lost_;
}

bool Session::ping(const Row& row, uint32_t) {
    return reply(row.message, {});
}

bool Session::create_renderer(const Row&, uint32_t bytes) {
    if (started_) return refuse("a second CREATE_RENDERER");
    if (bytes > kMaxNameBytes)
        return refuse(fmt::format("CREATE_RENDERER with a name of {} bytes, more than {}", bytes, kMaxNameBytes));
    std::string name(bytes, '\0');
    if (!read(std::as_writable_bytes(std::span(name)))) return false;
    started_ = true;
    log_.line("draws for " + name.substr(0, name.find('\0')));
    return true;
}

bool Session::protocol_version(const Row& row, uint32_t) {
    uint32_t requested;
    if (!read_words({&requested, 1})) return false;
    version_ = std::min(requested, limits_.version);
    if (version_ == 1) version_ = 0;
    return reply(row.message, {&version_, 1});
}

bool Session::send_caps(const Row&, uint32_t) {
    const virgl::CapsV1& caps = renderer_.caps().v1;
    const std::array<uint32_t, 2> header{sizeof caps + 1, 1};
    return write(std::as_bytes(std::span(header))) && write(std::as_bytes(std::span(&caps, 1)));
}

bool Session::send_caps2(const Row&, uint32_t) {
    virgl::CapsV2 caps = renderer_.caps();
    if (maps()) {
        caps.capability_bits |= virgl::kCapArbBufferStorage;
        caps.host_feature_check_version = kFeaturesOfVersion3;
    }
    const std::array<uint32_t, 2> header{sizeof caps + 1, 2};
    return write(std::as_bytes(std::span(header))) && write(std::as_bytes(std::span(&caps, 1)));
}

bool Session::busy_wait(const Row& row, uint32_t) {
    std::array<uint32_t, 2> words;
    if (!read_words(words)) return false;
    const bool busy = renderer_.busy(words[0], (words[1] & kBusyWaitFlag) != 0);
    return reply(row.message, std::array{busy ? 1u : 0u});
}

bool Session::create_resource(const Row& row, uint32_t words) {
    std::array<uint32_t, kCreateWords + 1> w{};
    if (!read_words(std::span(w).first(words))) return false;
    virgl::ResourceRequest request{w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]};
    const uint32_t size = w[kCreateWords];
    if (version_ >= 3 && request.handle != 0)
        return refuse(fmt::format("resource {}: version 3 takes no handles", request.handle));
    if (version_ >= 3) request.handle = new_handle();
    if (request.handle == 0 || resources_.contains(request.handle))
        return refuse(
            fmt::format("resource {}: the handle is {}", request.handle, request.handle == 0 ? "not one" : "in use"));
    const auto made = make_memory(request.handle, size);
    if (!made) return answer(row.message, request.handle, size > 0 ? std::optional(kNoFile) : std::nullopt);
    // A refused resource affects only draws that use it: the guest continues, and its transfers do nothing.
    const bool known = done(renderer_.create_resource(request, made->memory));
    resources_.emplace(request.handle, Resource{known, made->memory});
    return answer(row.message, request.handle, size > 0 ? std::optional(made->file.number()) : std::nullopt);
}

bool Session::create_blob(const Row& row, uint32_t) {
    std::array<uint32_t, kBlobWords> w;
    if (!read_words(w)) return false;
    const uint64_t size = w[2] | uint64_t{w[3]} << 32, number = w[4] | uint64_t{w[5]} << 32;
    if (w[0] != kBlobOfHost || w[1] != kBlobIsMapped)
        return refuse(fmt::format("RESOURCE_CREATE_BLOB has type {} and flags {}, not {} and {}", w[0], w[1],
                                  kBlobOfHost, kBlobIsMapped));
    if (size == 0) return refuse("RESOURCE_CREATE_BLOB of 0 bytes");
    if (!maps()) return refuse("RESOURCE_CREATE_BLOB, which the device cannot serve");
    const uint32_t handle = new_handle();
    const auto made = make_memory(handle, size);
    if (!made) return answer(row.message, handle, kNoFile);
    const bool known = done(renderer_.create_mapped(handle, number, made->memory));
    resources_.emplace(handle, Resource{known, made->memory});
    return answer(row.message, handle, made->file.number());
}

std::optional<SharedFile::Made> Session::make_memory(uint32_t handle, uint64_t size) {
    std::string why = fmt::format("more than {} resources", limits_.resources);
    if (resources_.size() < limits_.resources) {
        if (size == 0) return std::make_optional<SharedFile::Made>();
        auto made = SharedFile::create(size, budget_);
        if (made) return std::move(*made);
        why = std::move(made.error());
    }
    log_.line(fmt::format("resource {}: {}", handle, why));
    return {};
}

bool Session::maps() {
    if (version_ < 3) return false;
    if (!maps_) {
        const auto page = SharedFile::create(1, budget_);
        maps_ = page && renderer_.maps(page->memory);
    }
    return *maps_;
}

uint32_t Session::new_handle() {
    while (next_handle_ == 0 || resources_.contains(next_handle_)) next_handle_++;
    return next_handle_++;
}

bool Session::answer(Message message, uint32_t handle, std::optional<int> file) {
    if (version_ >= 3 && !reply(message, {&handle, 1})) return false;
    if (!file || stream_.send_file(*file)) return true;
    ending_ = Ending::Lost;
    return false;
}

bool Session::unref(const Row&, uint32_t) {
    uint32_t handle;
    if (!read_words({&handle, 1})) return false;
    if (const Resource* resource = find(handle)) {
        if (resource->known) done(renderer_.destroy_resource(handle));
        resources_.erase(handle);
    }
    return true;
}

bool Session::transfer(const Row& row, uint32_t length) {
    const bool puts = row.message == Message::TransferPut;
    if (length < kTransferWords) return expect_length(row, length);
    std::array<uint32_t, kTransferWords> w;
    if (!read_words(w)) return false;
    const uint32_t size = w[10];
    if (length != kTransferWords + (puts ? words_for(size) : 0)) return expect_length(row, length);
    if (size > limits_.transfer_bytes)
        return refuse(fmt::format("a transfer of {} bytes, more than {}", size, limits_.transfer_bytes));
    const virgl::TransferRequest request{w[0], w[1], w[2], w[3], {w[4], w[5], w[6], w[7], w[8], w[9]}};
    return puts ? put(size, request) : get(size, request);
}

bool Session::get(uint32_t size, const virgl::TransferRequest& request) {
    const Room room(renderer_, size);
    const Resource* const resource = room.is_there() ? find(request.handle) : no_room(request.handle, size);
    std::vector<std::byte> bytes(room.is_there() ? size : std::min<size_t>(size, kPart));
    if (resource != nullptr && resource->known && !done(renderer_.read(request, bytes)))
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
    bool on = true;
    for (size_t left = size; on && left > 0; left -= std::min(left, bytes.size()))
        on = write(std::span(bytes).first(std::min(left, bytes.size())));
    return on;
}

bool Session::put(uint32_t size, const virgl::TransferRequest& request) {
    const Room room(renderer_, size);
    std::vector<std::byte> bytes;
    bytes.reserve(room.is_there() ? size : kPart);
    for (size_t left = size; left > 0;) {  // the system gives memory only for bytes that have arrived
        if (!room.is_there()) bytes.clear();
        const size_t part = std::min(kPart, left);
        bytes.resize(bytes.size() + part);
        if (!read(std::span(bytes).last(part))) return false;
        left -= part;
    }
    const Resource* const resource = room.is_there() ? find(request.handle) : no_room(request.handle, size);
    if (resource != nullptr && resource->known) done(renderer_.write(request, bytes));
    return true;
}

/// The transfer does nothing.
const Session::Resource* Session::no_room(uint32_t handle, uint32_t bytes) {
    log_.line(fmt::format("resource {}: no memory for a transfer of {} bytes", handle, bytes));
    return nullptr;
}

bool Session::transfer2(const Row& row, uint32_t length) {
    const bool puts = row.message == Message::TransferPut2;
    if (length < kTransfer2Words) return expect_length(row, length);
    std::array<uint32_t, kTransfer2Words> w;
    if (!read_words(w)) return false;
    // PUT2's length also counts the data, which is in shared memory.
    if (length != kTransfer2Words + (puts ? words_for(w[8]) : 0)) return expect_length(row, length);
    const Resource* resource = find(w[0]);
    if (resource == nullptr || !resource->known || resource->memory == nullptr) return true;
    const virgl::TransferRequest request{w[0], w[1], 0, 0, {w[2], w[3], w[4], w[5], w[6], w[7]}};
    if (puts)
        done(renderer_.write_from_memory(request, w[9]));
    else
        done(renderer_.read_to_memory(request, w[9]));
    return true;
}

bool Session::submit(const Row&, uint32_t length) {
    if (length > limits_.command_words)
        return refuse(fmt::format("SUBMIT_CMD of {} words, more than {}", length, limits_.command_words));
    words_.resize(length);
    if (!read_words(words_)) return false;
    done(renderer_.submit(words_));
    return true;
}

bool Session::done(virgl::Outcome outcome) {
    device_lost_ |= outcome == virgl::Outcome::Lost;
    return outcome == virgl::Outcome::Done;
}

bool Session::refuse(const std::string& why) {
    log_.line("refused, the connection ends: " + why);
    ending_ = Ending::Refused;
    return false;
}

bool Session::expect_length(const Row& row, uint32_t length) {
    return refuse(fmt::format("{} has length {}, which does not fit its size", row.name, length));
}

bool Session::read(std::span<std::byte> bytes) {
    if (bytes.empty() || stream_.read(bytes) == process::Got::All) return true;
    ending_ = Ending::Lost;
    return false;
}

bool Session::read_words(std::span<uint32_t> words) {
    return read(std::as_writable_bytes(words));
}

bool Session::write(std::span<const std::byte> bytes) {
    if (stream_.write(bytes)) return true;
    ending_ = Ending::Lost;
    return false;
}

bool Session::reply(Message message, std::span<const uint32_t> words) {
    const std::array header{static_cast<uint32_t>(words.size()), static_cast<uint32_t>(message)};
    return write(std::as_bytes(std::span(header))) && write(std::as_bytes(words));
}

Session::Resource* Session::find(uint32_t handle) {
    const auto found = resources_.find(handle);
    if (found != resources_.end()) return &found->second;
    log_.line(fmt::format("resource {} does not exist", handle));
    return nullptr;
}

}  // namespace tgsi2spv::vtest
