// A guest's agent, which the monitor has connected by a socket: the clipboard, and the size of the desktop.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "machine/agent/messages.h"
#include "machine/vhost/part.h"
#include "process/log.h"
#include "process/socket.h"

namespace tgsi2spv::vdagent {

struct Size {
    uint32_t width = 0, height = 0;
    bool operator==(const Size&) const = default;
};

class Agent final : public vhost::Part {
  public:
    /// `on_text`: a program of the guest has copied this text, in UTF-8.
    /// `shown`: the size of the guest's display; while it is off, it has none.
    Agent(process::Descriptor socket, std::function<void(const std::string&)> on_text, std::function<Size()> shown,
          process::Log& log)
        : socket_(std::move(socket)), on_text_(std::move(on_text)), shown_(std::move(shown)), log_(log) {}

    void add_waits(std::vector<pollfd>& waits) const override;
    int time_to_wait() const override;
    void serve(std::span<const pollfd> waits) override;
    /// Offers a viewer's copied text, up to kMostText: the guest asks for it when a program pastes.
    void offer(const std::string& text);
    /// Asks the guest's desktop for this size, once it has set the one before it or had the time to: what is asked for
    /// meanwhile is replaced by this. False: there is no agent yet that can set it.
    bool ask_for_size(Size size);
    /// The port is closed, or of no more use.
    bool has_ended() const { return socket_.number() < 0; }

  private:
    bool can(Capability capability) const { return (capabilities_ >> capability & 1) != 0; }
    void receive();
    void read(std::span<const std::byte> bytes);
    void lose();
    void take(uint32_t type, std::span<const std::byte> message);
    void greet();
    void pass_on_size();
    /// Says once that there is no agent yet.
    void miss_agent();
    void say(Message type, std::span<const uint32_t> words, std::span<const std::byte> content = {});
    void send();
    void end(const char* reason);

    process::Descriptor socket_;
    std::function<void(const std::string&)> on_text_;
    std::function<Size()> shown_;
    process::Log& log_;
    Reader reader_;
    uint32_t capabilities_ = 0;  ///< capabilities of the agent; 0: it has not come yet
    bool asked_ = false;         ///< the guest's text was asked for
    bool is_lost_ = false;       ///< bytes are dropped until an agent starts
    bool missed_ = false;
    std::string text_;            ///< the viewers'
    std::optional<Size> wanted_;  ///< is not asked for yet
    Size was_;                    ///< shown when a size was asked for last
    std::chrono::steady_clock::time_point patience_ends_;
    std::vector<std::byte> out_;
    size_t at_ = 0;  ///< number of sent bytes of out_
};

}  // namespace tgsi2spv::vdagent
