#include "tgsi-host/screen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "files/files.h"
#include "files/png.h"

namespace tools {

using namespace tgsi2spv;
using virtio_gpu::ViewerEvent;

namespace {

constexpr int kToConnect = 5000;  // milliseconds, after the machine's graphics

tl::expected<std::string, std::string> png_of(const virtio_gpu::Screen& screen) {
    std::vector<uint8_t> rgba;
    rgba.reserve(screen.pixels.size() * 4);
    for (const uint32_t pixel : screen.pixels)
        for (const uint32_t byte : {pixel >> 16, pixel >> 8, pixel, 0xffu}) rgba.push_back(static_cast<uint8_t>(byte));
    return png_bytes(screen.width, screen.height, rgba);
}

/// Runs a program of this one's in place of a child process, with one more file open: `channel`. It is beside this
/// program or, installed, in libexec. Returns if it is in neither place.
void run_beside(const char* name, int channel, std::vector<std::string> words) {
    close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    fcntl(channel, F_SETFD, 0);
    words.insert(words.begin(), {name, std::to_string(channel)});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (error) std::fputs("tgsi-host: cannot read /proc/self/exe, which says where its programs are\n", stderr);
    for (const char* folder : {".", "../libexec/tgsi2spv"}) execv((here / folder / name).c_str(), arguments.data());
}

[[noreturn]] void run_vnc(const ScreenArguments& arguments, uint64_t viewer_bytes, int channel) {
    // The path may name a file of this process alone, as that of a shell's <(…) does.
    const std::string& password = arguments.vnc_password;
    if (!password.empty() && std::freopen(password.c_str(), "r", stdin) == nullptr) {
        std::fputs(fmt::format("tgsi-host: {}: cannot read: {}\n", password, reason()).c_str(), stderr);
        _exit(1);
    }
    run_beside("tgsi-host-vnc", channel, {arguments.vnc, std::to_string(viewer_bytes), password, arguments.vnc_title});
    std::fputs("tgsi-host: tgsi-host-vnc is not installed\n", stderr);
    _exit(1);
}

[[noreturn]] void run_window(const ScreenArguments& arguments, int channel) {
    run_beside("tgsi-host-window", channel,
               {arguments.device, arguments.vnc_title, arguments.validate ? "validate" : ""});
    std::fputs(
        "tgsi-host: this build has no windows: it was made without SDL 2, or tgsi-host-window is not installed\n",
        stderr);
    _exit(1);
}

/// A child process that calls `run` with its end of a socket of this kind. The other end, once a byte has come there.
tl::expected<process::Descriptor, std::string> start(int kind, const char* why_not,
                                                     const std::function<void(int channel)>& run) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ends.data()) != 0) return tl::unexpected(reason());
    process::Descriptor inside(ends[0]), outside(ends[1]);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) return tl::unexpected("cannot start a process: " + reason());
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() == parent) run(outside.number());
        _exit(0);
    }
    outside = process::Descriptor();
    char ready;
    if (recv(inside.number(), &ready, 1, 0) <= 0) return tl::unexpected(std::string(why_not));
    return inside;
}

/// Blocked for all threads from now on, and read from a file.
process::Descriptor take_signal(int signal) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, signal);
    pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
    return process::Descriptor(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

tl::expected<ScreenFiles, std::string> open_screen(const ScreenArguments& arguments, uint64_t viewer_bytes) {
    ScreenFiles files;
    if (!arguments.screenshot.empty()) {
        auto writer = FileWriter::start(arguments.screenshot);
        if (!writer) return tl::unexpected(writer.error());
        files.screenshot = std::make_unique<FileWriter>(std::move(*writer));
        files.screenshot_signal = take_signal(SIGUSR1);
    }
    if (!arguments.vnc.empty()) {
        auto channel = start(SOCK_SEQPACKET, "--vnc: viewers cannot connect",
                             [&](int number) { run_vnc(arguments, viewer_bytes, number); });
        if (!channel) return tl::unexpected(channel.error());
        files.channel = std::move(*channel);
    }
    if (arguments.window) {
        auto window =
            start(SOCK_STREAM, "--window: it cannot be opened", [&](int number) { run_window(arguments, number); });
        if (!window) return tl::unexpected(window.error());
        files.window = std::move(*window);
    }
    for (auto [path, listener] : {std::pair(&arguments.keyboard, &files.keyboard),
                                  {&arguments.pointer, &files.pointer},
                                  {&arguments.agent, &files.agent},
                                  {&arguments.boot_keys, &files.boot_keys}}) {
        if (path->empty()) continue;
        auto listening = process::listen_at(*path);
        if (!listening) return tl::unexpected(listening.error());
        *listener = std::move(*listening);
    }
    return files;
}

void accept_inputs(const ScreenArguments& arguments, ScreenFiles& files, process::Log& log) {
    for (auto [path, file] : {std::pair(&arguments.keyboard, &files.keyboard),
                              {&arguments.pointer, &files.pointer},
                              {&arguments.agent, &files.agent},
                              {&arguments.boot_keys, &files.boot_keys}}) {
        if (path->empty()) continue;
        pollfd wait{file->number(), POLLIN, 0};
        auto socket = poll(&wait, 1, kToConnect) > 0 ? process::accept_client(*file) : tl::unexpected(ETIMEDOUT);
        if (!socket) log.line(fmt::format("{}: nobody has connected: go on without", *path));
        *file = socket ? std::move(*socket) : process::Descriptor();
        unlink(path->c_str());
    }
}

/// The first display, on a signal.
class MachineScreen::Screenshots final : public vhost::Part {
  public:
    Screenshots(ScreenFiles files, const virtio_gpu::Display& display, process::Log& log)
        : writer_(std::move(*files.screenshot)),
          signal_(std::move(files.screenshot_signal)),
          display_(display),
          log_(log) {}
    void add_waits(std::vector<pollfd>& waits) const override { waits.push_back({signal_.number(), POLLIN, 0}); }
    void serve(std::span<const pollfd> waits) override {
        signalfd_siginfo info;
        if (waits[0].revents == 0 || read(signal_.number(), &info, sizeof info) != sizeof info) return;
        if (display_.screen(0).width == 0) log_.line("no screenshot: the display is off");
        take();
    }
    void take() {
        if (display_.screen(0).width == 0) return;
        const auto png = png_of(display_.screen(0));
        const std::string why = png ? writer_.write(*png) : png.error();
        if (!why.empty()) log_.line("no screenshot: " + why);
    }

  private:
    FileWriter writer_;
    process::Descriptor signal_;
    const virtio_gpu::Display& display_;
    process::Log& log_;
};

MachineScreen::MachineScreen(virtio_gpu::Machine& machine, ScreenFiles files, process::Log& log) : machine_(machine) {
    using virtio_input::Input, virtio_input::Kind;
    if (files.keyboard.number() >= 0)
        machine.add(*(keyboard_ = std::make_unique<Input>(std::move(files.keyboard), Kind::Keyboard, log)));
    if (files.pointer.number() >= 0)
        machine.add(*(pointer_ = std::make_unique<Input>(std::move(files.pointer), Kind::Pointer, log)));
    if (files.agent.number() >= 0)
        machine.add(*(agent_ = std::make_unique<vdagent::Agent>(
                          std::move(files.agent),
                          [this](const std::string& text) {
                              if (viewers_) viewers_->tell_text(text);
                          },
                          [&display = machine.display()] {
                              const virtio_gpu::Screen& screen = display.screen(0);
                              return vdagent::Size{screen.width, screen.height};
                          },
                          log)));
    // Before viewers, who are then told.
    if (files.boot_keys.number() >= 0)
        machine.add(*(boot_ = std::make_unique<BootScreen>(std::move(files.boot_keys), machine, log)));
    if (files.channel.number() >= 0 || files.window.number() >= 0)
        machine.add(*(viewers_ = std::make_unique<virtio_gpu::Viewers>(
                          std::move(files.channel), machine.display(),
                          [this](const ViewerEvent& event) { handle_event(event); },
                          [this](const std::string& text) {
                              if (agent_) agent_->offer(text);
                          })));
    if (files.window.number() >= 0) viewers_->add_window(std::move(files.window));
    if (files.screenshot)
        machine.add(*(screenshots_ = std::make_shared<Screenshots>(std::move(files), machine.display(), log)));
}

void MachineScreen::take_screenshot() {
    if (screenshots_) screenshots_->take();
}

void MachineScreen::handle_event(const ViewerEvent& event) {
    switch (event.kind) {
        case ViewerEvent::Key:
            // A key that was pressed for a boot loader may be let go later.
            if (boot_ && (event.b == 0 || !keyboard_ || !keyboard_->device().is_driven()))
                boot_->press(event.a, event.b);
            if (!keyboard_) return;
            keyboard_->device().key(event.a, event.b != 0);
            return keyboard_->device().serve();
        case ViewerEvent::Pointer:
            if (!pointer_) return boot_ ? boot_->point(event.a, event.b, event.c) : void();
            point(event);
            if (keyboard_) keyboard_->device().serve();
            return pointer_->device().serve();
        default:
            return ask_for_size(event.a, event.b);
    }
}

/// An agent that has not come yet may come.
void MachineScreen::ask_for_size(uint32_t width, uint32_t height) {
    machine_.display().wish(width, height);  // also for the next start of the guest
    if (agent_ && agent_->ask_for_size({width, height})) return;
    if (!machine_.ask_for_size(width, height) && (!agent_ || agent_->has_ended())) viewers_->tell_size_stays();
}

/// RFB's buttons: the first three are held; the next four are steps of the wheels; two for pages back and forth, which
/// are keys (virtio_input's pointer has no such buttons).
void MachineScreen::point(const ViewerEvent& event) {
    struct Button {
        uint32_t bit, code;
    };
    constexpr std::array<Button, 3> kHeld{{{0, BTN_LEFT}, {1, BTN_MIDDLE}, {2, BTN_RIGHT}}};
    constexpr std::array<Button, 2> kPages{{{7, KEY_BACK}, {8, KEY_FORWARD}}};
    virtio_input::Device& device = pointer_->device();
    device.move(event.a, event.b);
    for (const Button& button : kHeld) device.key(button.code, (event.c >> button.bit & 1) != 0);
    for (const Button& page : kPages)
        if (keyboard_) keyboard_->device().key(page.code, (event.c >> page.bit & 1) != 0);
    const uint32_t pressed = event.c & ~std::exchange(buttons_, event.c);
    if ((pressed >> 3 & 1) != 0) device.turn(REL_WHEEL, 1);
    if ((pressed >> 4 & 1) != 0) device.turn(REL_WHEEL, -1);
    if ((pressed >> 5 & 1) != 0) device.turn(REL_HWHEEL, -1);
    if ((pressed >> 6 & 1) != 0) device.turn(REL_HWHEEL, 1);
}

void write_flushes(virtio_gpu::Display& display, const std::string& prefix, process::Log& log) {
    display.on_flush = [&display, &log, prefix, number = 0u](uint32_t scanout) mutable {
        const std::string path = fmt::format("{}{}-{:04}.png", prefix, scanout, ++number);
        const auto png = png_of(display.screen(scanout));
        const std::string error = png ? write_file(path, *png) : png.error();
        if (!error.empty()) log.line(cannot_write(path, error));
    };
}

}  // namespace tools
