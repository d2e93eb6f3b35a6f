#include "machine/agent/agent.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace tgsi2spv::vdagent {
namespace {

constexpr uint32_t kSelection = 0;         // the clipboard; 1 is the primary selection
constexpr size_t kMostWaiting = 4u << 20;  // for a guest that does not read
/// Time for a busy desktop to set a size: it would be given size after size otherwise, long after the last wish.
constexpr auto kToSetASize = std::chrono::seconds(5);

uint32_t word_of(std::span<const std::byte> message, size_t index) {
    uint32_t word = 0;
    if (message.size() >= (index + 1) * sizeof word)
        std::memcpy(&word, message.data() + index * sizeof word, sizeof word);
    return word;
}

/// Bytes of the UTF-8 character at the beginning (RFC 3629, 4); 0: there is none.
size_t character_bytes(std::string_view text) {
    const auto byte = [text](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
    const uint32_t a = byte(0), b = byte(1);
    if (a < 0x80) return 1;
    const size_t size = a < 0xc2 || a > 0xf4 ? 0 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < size; i++)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const bool too_long = (a == 0xe0 && b < 0xa0) || (a == 0xf0 && b < 0x90);
    const bool surrogate = a == 0xed && b >= 0xa0, too_large = a == 0xf4 && b >= 0x90;
    return too_long || surrogate || too_large ? 0 : size;
}

/// Bytes that are not UTF-8 become question marks.
std::string as_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t size = character_bytes(text);
        out += size > 0 ? text.substr(0, size) : "?";
        text.remove_prefix(std::max<size_t>(size, 1));
    }
    return out;
}

}  // namespace

void Agent::add_waits(std::vector<pollfd>& waits) const {
    waits.push_back({socket_.number(), static_cast<short>(POLLIN | (at_ < out_.size() ? POLLOUT : 0)), 0});
}

void Agent::serve(std::span<const pollfd> waits) {
    pass_on_size();
    if (waits[0].revents == 0 || socket_.number() < 0) return;
    if ((waits[0].revents & ~POLLOUT) != 0) receive();
    send();
}

int Agent::time_to_wait() const {
    using std::chrono::milliseconds, std::chrono::steady_clock;
    if (!wanted_ || !can(kCanSetMonitors)) return -1;
    const auto left = std::chrono::ceil<milliseconds>(patience_ends_ - steady_clock::now()).count();
    return static_cast<int>(std::max<milliseconds::rep>(left, 0));
}

void Agent::end(const char* reason) {
    log_.line(reason);
    socket_ = process::Descriptor();
    capabilities_ = 0;
    text_.clear();
    wanted_.reset();
    out_ = std::vector<std::byte>();
    at_ = 0;
}

void Agent::receive() {
    std::array<std::byte, 16384> buffer;
    const ssize_t got = recv(socket_.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return end("the agent's port is closed");
    std::span<const std::byte> bytes = std::span(buffer).first(static_cast<size_t>(got));
    // One that was killed in the middle of a message leaves out the rest of it, and the next one begins anew.
    while (!bytes.empty()) {
        size_t next = find_agent(bytes);
        if (next == 0) {
            if (!reader_.is_between()) reader_ = {};
            is_lost_ = false;
            next = 1 + find_agent(bytes.subspan(1));
        }
        read(bytes.first(next));
        bytes = bytes.subspan(next);
    }
}

void Agent::read(std::span<const std::byte> bytes) {
    while (!bytes.empty() && !is_lost_) {
        if (!reader_.read(bytes)) return lose();
        if (reader_.has_message()) take(reader_.type(), reader_.message());
    }
}

/// Until an agent starts again.
void Agent::lose() {
    log_.line("the agent breaks its protocol: no clipboard until it starts again");
    is_lost_ = true;
    reader_ = {};
    capabilities_ = 0;
    wanted_.reset();
}

void Agent::take(uint32_t type, std::span<const std::byte> message) {
    const bool is_clipboard = can(kCanSelection) && message.size() >= 4 && (word_of(message, 0) & 0xff) == kSelection;
    switch (type) {
        case kCapabilities:
            // Also those of an agent that was started again.
            capabilities_ = word_of(message, 1);
            if (word_of(message, 0) != 0) greet();
            asked_ = false;
            if (!text_.empty()) say(kClipboardGrab, std::array{kSelection, uint32_t{kUtf8}});
            pass_on_size();
            break;
        case kClipboardGrab:
            if (!is_clipboard) break;
            text_.clear();  // another text has been copied
            for (size_t i = 1; i < message.size() / 4; i++) {
                if (word_of(message, i) != kUtf8) continue;
                asked_ = true;
                return say(kClipboardRequest, std::array{kSelection, uint32_t{kUtf8}});
            }
            break;
        case kClipboardRequest: {
            if (!is_clipboard) break;
            const bool has = word_of(message, 1) == kUtf8;
            say(kClipboard, std::array{kSelection, uint32_t{has ? kUtf8 : kNoContent}},
                std::as_bytes(std::span(text_)).first(has ? text_.size() : 0));
            break;
        }
        case kClipboard: {
            if (!is_clipboard || !std::exchange(asked_, false) || word_of(message, 1) != kUtf8) break;
            const auto content = message.subspan(std::min<size_t>(message.size(), 8));
            on_text_(as_utf8({reinterpret_cast<const char*>(content.data()), content.size()}));
            break;
        }
        default:
            break;
    }
}

void Agent::greet() {
    say(kCapabilities, std::array{0u, 1u << kCanSetMonitors | 1u << kCanClipboardByDemand | 1u << kCanSelection});
}

void Agent::offer(const std::string& text) {
    if (text.size() > kMostText) return;
    text_ = as_utf8(text);
    miss_agent();
    if (can(kCanSelection)) say(kClipboardGrab, std::array{kSelection, uint32_t{kUtf8}});
}

bool Agent::ask_for_size(Size size) {
    wanted_ = size;
    miss_agent();
    pass_on_size();
    return can(kCanSetMonitors);
}

void Agent::miss_agent() {
    if (capabilities_ != 0 || has_ended() || std::exchange(missed_, true)) return;
    log_.line("no agent has answered in the guest yet: sizes and the clipboard need spice-vdagent there");
}

void Agent::pass_on_size() {
    if (!wanted_ || !can(kCanSetMonitors)) return;
    const Size now = shown_();
    const bool was_set = now != was_ && now != Size{};  // a display is off before it gets another mode
    if (!was_set && std::chrono::steady_clock::now() < patience_ends_) return;
    was_ = now;
    patience_ends_ = std::chrono::steady_clock::now();
    if (*wanted_ != now) patience_ends_ += kToSetASize;
    say(kMonitorsConfig, std::array{1u, 0u, wanted_->height, wanted_->width, 32u, 0u, 0u});
    wanted_.reset();
}

void Agent::say(Message type, std::span<const uint32_t> words, std::span<const std::byte> content) {
    if (out_.size() - at_ > kMostWaiting) return;
    out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(std::exchange(at_, 0)));
    write(out_, type, words, content);
    send();
}

void Agent::send() {
    while (at_ < out_.size() && socket_.number() >= 0) {
        const ssize_t put = ::send(socket_.number(), out_.data() + at_, out_.size() - at_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put <= 0) return;  // an end is seen by reading
        at_ += static_cast<size_t>(put);
    }
    out_.clear();
    at_ = 0;
}

}  // namespace tgsi2spv::vdagent
