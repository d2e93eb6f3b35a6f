// tgsi-host: lets OpenGL programs whose driver is Mesa's virpipe draw with Vulkan.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "files/files.h"
#include "machine/virtio_gpu/machine.h"
#include "process/client.h"
#include "process/landlock.h"
#include "process/sandbox.h"
#include "process/server.h"
#include "renderer/renderer.h"
#include "shared/complain.h"
#include "shared/device_json.h"
#include "shared/guarded.h"
#include "shared/keep_memory.h"
#include "shared/options.h"
#include "tgsi-host/caches.h"
#include "tgsi-host/device_profile.h"
#include "tgsi-host/frames.h"
#include "tgsi-host/screen.h"
#include "vtest/file_stream.h"
#include "vtest/null_renderer.h"
#include "vtest/record.h"
#include "vtest/replay.h"
#include "vtest/session.h"

namespace {

using namespace tgsi2spv;

constexpr const char* kSocketOfMesa = "/tmp/.virgl_test";
constexpr int kServed = 0, kEndedBadly = 1, kUsage = 2;

struct Arguments {
    std::string socket, device, dump_shaders, record, replay, frames;
    std::string pipeline_cache, vhost_user, profile_file;
    std::vector<std::string> without;
    std::optional<vulkan::DeviceProfile> profile;  ///< the device that --device-profile describes
    bool once = false, no_sandbox = false, virgl = false, print_capabilities = false;
    host::HostOptions debug;                      ///< the options that TGSI_HOST_DEBUG sets
    std::atomic<int64_t>* record_left = nullptr;  ///< bytes of all programs' recordings, which their processes share
    bool opens_files = false;                     ///< the driver does so in the sandbox, where Landlock says which ones
    int fd = -1;
    unsigned limit_memory = 2048, timeout = 300, protocol = vtest::kVersion;
    tools::ScreenArguments screen;
};

int complain(int status, const std::string& message) {
    return tools::complain("tgsi-host", status, message);
}

using tools::File;

vtest::Limits limits_of(const Arguments& arguments) {
    vtest::Limits limits;
    limits.shared_bytes = uint64_t{arguments.limit_memory} << 19;
    limits.transfer_bytes = static_cast<uint32_t>(std::min<uint64_t>(limits.shared_bytes, limits.transfer_bytes));
    limits.version = arguments.protocol;
    return limits;
}

/// Makes a folder. Returns why nothing can be written to it, or an empty string.
std::string make_folder(const std::string& folder) {
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    return error ? cannot_write(folder, error.message()) : std::string();
}

/// The file of --record; with several clients, one for each.
File open_record(const Arguments& arguments, unsigned client, process::Log& log) {
    if (arguments.record.empty()) return {};
    const std::string path = arguments.once ? arguments.record : fmt::format("{}.{}", arguments.record, client);
    const auto file = open_output(path, Output::New);
    if (!file) log.line(cannot_write(path, file.error()));
    return File(file ? fdopen(*file, "wb") : nullptr);
}

/// Null if no file of pipelines is wanted, or it cannot be used; then we draw without it.
File open_pipelines(const Arguments& arguments, process::Log& log) {
    if (arguments.pipeline_cache.empty()) return {};
    std::string why;
    File file = tools::open_pipelines(arguments.pipeline_cache, why);
    if (!file) log.line(cannot_write(arguments.pipeline_cache, why));
    return file;
}

/// Files are limited to the guest's limit of memory, which is in files, too, or to what is recorded. A log may grow by
/// as much.
void limit_files(const Arguments& arguments) {
    if (arguments.pipeline_cache.empty() && arguments.record.empty()) return;
    struct stat log {};
    const bool logs_to_file = fstat(STDERR_FILENO, &log) == 0 && S_ISREG(log.st_mode);
    const rlim_t guest = rlim_t{arguments.limit_memory} << (arguments.record.empty() ? 20 : 21);
    const rlim_t most = guest + (logs_to_file ? static_cast<rlim_t>(log.st_size) : 0);
    const rlimit limit{most, most};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
}

tl::expected<std::unique_ptr<virgl::SharedRenderer>, std::string> open_vulkan(const Arguments& arguments,
                                                                              const std::string& shaders,
                                                                              std::FILE* pipelines) {
    if (const std::string why = make_folder(shaders); !why.empty()) return tl::unexpected(why);
    host::HostOptions options = arguments.debug;
    options.device = arguments.device;
    options.memory_limit = uint64_t{arguments.limit_memory} << 20;
    options.without = arguments.without;
    options.profile = arguments.profile;
    options.pipeline_file = pipelines == nullptr ? -1 : fileno(pipelines);
    options.shader_folder = shaders;
    return host::make_renderer(options);
}

tl::expected<std::unique_ptr<virgl::Renderer>, std::string> open_device(const Arguments& arguments,
                                                                        const std::string& shaders,
                                                                        std::FILE* pipelines) {
    if (arguments.device == "none") return std::make_unique<vtest::NullRenderer>();
    return open_vulkan(arguments, shaders, pipelines);
}

bool confines(const Arguments& arguments) {
    return !arguments.no_sandbox && arguments.frames.empty() && arguments.dump_shaders.empty();
}

/// Before a driver is loaded.
std::string restrict_files(const Arguments& arguments) {
    process::DriverFiles files = process::driver_files();
    if (!arguments.pipeline_cache.empty()) files.caches.push_back(arguments.pipeline_cache + ".mesa");
    return process::restrict_files(files);
}

/// Whether the device can be used, and its name.
struct Tried {
    int status = kUsage;
    std::string name;
};

/// Tries the device before any program waits for it: in a process of its own, since a driver does not survive fork().
/// `restricted`: only with the files that it would have in the sandbox, and silently.
Tried try_once(const Arguments& arguments, bool restricted) {
    auto pipe = process::make_pipe();
    const pid_t child = pipe ? fork() : -1;
    if (child < 0) return {complain(kUsage, "cannot start a process: " + reason()), {}};
    if (child == 0) {
        const int status = tools::guarded("tgsi-host", [&] {
            if (restricted && (std::freopen("/dev/null", "w", stderr) == nullptr || !restrict_files(arguments).empty()))
                return kUsage;
            const auto device = open_device(arguments, arguments.dump_shaders, nullptr);
            if (!device) return complain(kUsage, device.error());
            const auto& name = (*device)->caps().renderer;
            return write(pipe->second.number(), name.data(), name.size()) > 0 ? kServed : kUsage;
        });
        _exit(status);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    std::array<char, sizeof virgl::CapsV2{}.renderer + 1> name{};
    if (read(pipe->first.number(), name.data(), name.size() - 1) < 0) name[0] = 0;
    if (WIFEXITED(status)) return {WEXITSTATUS(status), name.data()};
    return {restricted ? kUsage : complain(kUsage, "the device cannot be used: its driver crashes"), {}};
}

/// A device that is not found with the usual files alone, or another one, has all files open before the sandbox.
Tried try_device(Arguments& arguments) {
    Tried tried = try_once(arguments, false);
    if (tried.status != kServed) return tried;
    arguments.opens_files = confines(arguments) && process::landlock_version() > 0;
    if (arguments.opens_files) arguments.opens_files = try_once(arguments, true).name == tried.name;
    return tried;
}

/// No more files, but those of drivers that open some late, and no more memory than guests may have and the driver
/// needs for itself. Returns why that failed, or an empty string.
/// `more`: bytes that the guest may have beside its budget.
std::string confine(const Arguments& arguments, bool receives_files, uint64_t more = 0) {
    constexpr uint64_t kDriverBytes = 128U << 20;  // as it compiles
    const std::string unlimited = process::limit_memory((uint64_t{arguments.limit_memory} << 20) + kDriverBytes + more);
    const std::string open =
        arguments.opens_files ? process::confine_to_files(receives_files) : process::confine(receives_files);
    return open.empty() ? unlimited : open;
}

/// Why programs could not be confined; empty: they can be, or are not to be.
std::string why_not_confined(const Arguments& arguments) {
    if (!confines(arguments)) return {};
    const std::string why = process::try_confining([&] {
        const std::string first = arguments.opens_files ? restrict_files(arguments) : std::string();
        return first.empty() ? confine(arguments, false) : first;
    });
    return why.empty() ? why : why + " (--no-sandbox serves without it)";
}

/// A client's renderer, wrapped by the recorder of its calls and pictures.
class Drawing {
  public:
    Drawing(std::unique_ptr<virgl::Renderer> device, File record, const Arguments& arguments, unsigned client,
            process::Log& log)
        : record_(std::move(record)), device_(std::move(device)) {
        if (!arguments.frames.empty())
            top_ = &frames_.emplace(*top_, fmt::format("{}/{}-", arguments.frames, client), log);
        if (!record_) return;
        std::setvbuf(record_.get(), nullptr, _IONBF, 0);
        const auto sink = [file = record_.get(), &log, left = arguments.record_left](std::span<const std::byte> bytes) {
            const auto size = static_cast<int64_t>(bytes.size());
            if (left->fetch_sub(size) < size) {
                log.line("the recording ends here: all of them together have reached twice --limit-memory");
                return false;
            }
            if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size()) return true;
            log.line("cannot record: " + reason());
            return false;
        };
        top_ = &recorder_.emplace(*top_, sink);
    }
    virgl::Renderer& renderer() { return *top_; }

  private:
    File record_;
    std::unique_ptr<virgl::Renderer> device_;
    std::optional<tools::FrameWriter> frames_;
    std::optional<vtest::Recorder> recorder_;
    virgl::Renderer* top_ = device_.get();
};

int serve(const Arguments& arguments, process::Descriptor client, unsigned number, process::Progress& progress) {
    process::Log log(fmt::format("tgsi-host: client {}", number));
    // Programs number their shaders alike.
    const bool alone = arguments.once || arguments.dump_shaders.empty();
    const File pipelines = open_pipelines(arguments, log);
    File record = open_record(arguments, number, log);
    if (arguments.opens_files)
        if (const std::string why = restrict_files(arguments); !why.empty()) return complain(kUsage, why);
    auto device =
        open_device(arguments, alone ? arguments.dump_shaders : fmt::format("{}/{}", arguments.dump_shaders, number),
                    pipelines.get());
    if (!device) return complain(kUsage, device.error());
    Drawing drawing(std::move(*device), std::move(record), arguments, number, log);
    process::SocketStream socket(std::move(client));
    process::WatchedStream watched(socket, progress);
    vtest::Session session(watched, drawing.renderer(), log, limits_of(arguments));
    limit_files(arguments);
    if (confines(arguments))
        if (const std::string why = confine(arguments, false); !why.empty()) return complain(kUsage, why);
    return session.run() == vtest::Ending::Closed ? kServed : kEndedBadly;
}

/// Ends this process if it makes no progress, as server.cpp does for processes that it has started. In a thread, since
/// the one that serves may wait in a driver.
void watch(const Arguments& arguments, const process::Progress& progress) {
    if (arguments.timeout == 0) return;
    std::thread([&progress, timeout = arguments.timeout] {
        uint64_t before = 0;
        for (unsigned seconds = 0; seconds < timeout; seconds++) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            const uint64_t reads = progress.reads;
            if (reads % 2 != 0 || reads != std::exchange(before, reads)) seconds = 0;
        }
        std::fprintf(stderr, "tgsi-host: no progress in %u s\n", timeout);
        _exit(kEndedBadly);
    }).detach();
}

/// The most bytes of a machine's pictures, and of viewers'.
uint64_t screen_bytes(const Arguments& arguments) {
    return uint64_t{arguments.limit_memory} << 17;
}

/// A virtual machine's graphics, by vhost-user. All of its contexts share their resources, so they share this process.
int serve_machine(const Arguments& arguments, process::Descriptor monitor, tools::ScreenFiles screen_files,
                  unsigned number, process::Progress& progress) {
    process::Log log(fmt::format("tgsi-host: machine {}", number));
    tools::accept_inputs(arguments.screen, screen_files, log);
    const File pipelines = open_pipelines(arguments, log);
    std::unique_ptr<virgl::MachineRenderer> renderer;
    if (arguments.opens_files)
        if (const std::string why = restrict_files(arguments); !why.empty()) return complain(kUsage, why);
    if (arguments.device != "none") {
        auto device = open_vulkan(arguments, arguments.dump_shaders, pipelines.get());
        if (!device) return complain(kUsage, device.error());
        renderer = std::move(*device);
    }
    if (arguments.once || arguments.fd >= 0) watch(arguments, progress);
    limit_files(arguments);
    virtio_gpu::Limits limits;
    limits.flat_bytes = uint64_t{arguments.limit_memory} << 19;
    limits.screen_bytes = screen_bytes(arguments);
    virtio_gpu::Machine machine(std::move(monitor), std::move(renderer), log, limits);
    tools::MachineScreen screen(machine, std::move(screen_files), log);
    if (!arguments.frames.empty())
        tools::write_flushes(machine.display(), fmt::format("{}/{}-", arguments.frames, number), log);
    if (confines(arguments))
        if (const std::string why = confine(arguments, true, 3 * limits.screen_bytes); !why.empty())
            return complain(kUsage, why);
    const bool well = machine.run(progress);
    screen.take_screenshot();
    return well ? kServed : kEndedBadly;
}

/// Serves a socket that the parent process has connected.
int serve_given(const Arguments& arguments, tools::ScreenFiles screen) {
    struct stat given {};
    if (fstat(arguments.fd, &given) != 0 || !S_ISSOCK(given.st_mode))
        return complain(kUsage, fmt::format("--fd {}: is not a socket", arguments.fd));
    const process::LoggedOutput output(process::Log("tgsi-host"));
    if (!output.works()) return complain(kUsage, "no process for the log: " + reason());
    process::Progress progress;
    return serve_machine(arguments, process::Descriptor(arguments.fd), std::move(screen), 1, progress);
}

/// Says where programs connect, once they can, and what draws.
int listen_for(const Arguments& arguments, const std::string& socket, const std::string& device,
               const process::Serve& one) {
    auto listener = process::listen_at(socket);
    if (!listener) return complain(kUsage, listener.error());
    process::Log log("tgsi-host");
    log.line(fmt::format("listens on {}, draws with {}", socket, device));
    if (arguments.once) {
        const auto status = process::serve_one(std::move(*listener), socket, log, one);
        return status ? *status : complain(kUsage, status.error());
    }
    const process::ServerLimits limits{.timeout = std::chrono::seconds(arguments.timeout)};
    const std::string why = process::serve_all(std::move(*listener), limits, log, one);
    unlink(socket.c_str());
    return why.empty() ? kServed : complain(kUsage, why);
}

int listen(Arguments arguments) {
    const Tried tried = try_device(arguments);
    if (tried.status != kServed) return tried.status;
    if (const std::string why = why_not_confined(arguments); !why.empty()) return complain(kUsage, why);
    return listen_for(arguments, arguments.socket, tried.name,
                      [&](process::Descriptor client, unsigned number, process::Progress& progress) {
                          return tools::guarded("tgsi-host",
                                                [&] { return serve(arguments, std::move(client), number, progress); });
                      });
}

/// Machines have their displays without a device, too, unless a certain one was asked for.
int listen_for_machines(Arguments arguments) {
    if (arguments.fd >= 0 && !arguments.virgl) arguments.device = "none";
    const Tried tried = try_device(arguments);
    if (tried.status != kServed) {
        if (!arguments.device.empty()) return tried.status;
        complain(tried.status, "machines have 2D only");
        arguments.device = "none";
    }
    if (const std::string why = why_not_confined(arguments); !why.empty()) return complain(kUsage, why);
    if (const std::string why = make_folder(arguments.frames); !why.empty()) return complain(kUsage, why);
    arguments.once |= arguments.screen.any();
    arguments.screen.validate = arguments.debug.validate;
    if (arguments.device != "none") arguments.screen.device = arguments.device;
    if (arguments.fd >= 0) fcntl(arguments.fd, F_SETFD, FD_CLOEXEC);  // not for the viewers' server
    auto screen = tools::open_screen(arguments.screen, confines(arguments) ? screen_bytes(arguments) : 0);
    if (!screen) return complain(kUsage, screen.error());
    if (arguments.fd >= 0) return serve_given(arguments, std::move(*screen));
    const std::string device = tried.status == kServed ? tried.name : "no device: 2D only";
    return listen_for(arguments, arguments.vhost_user, device,
                      [&](process::Descriptor monitor, unsigned number, process::Progress& progress) {
                          return tools::guarded("tgsi-host", [&] {
                              return serve_machine(arguments, std::move(monitor), std::move(*screen), number, progress);
                          });
                      });
}

/// Half a per cent of the bytes may differ by more than 2: edges, which devices draw differently.
int report(const vtest::Replayed& replayed) {
    const std::string from =
        replayed.refused > 0 ? fmt::format(", the first is call {}", replayed.first_refused) : std::string();
    fmt::print("{} calls, {} refused{}; {} reads compared: {} of {} bytes differ, {} by more than 2\n", replayed.calls,
               replayed.refused, from, replayed.reads, replayed.different, replayed.bytes, replayed.clearly_different);
    return replayed.clearly_different * 200 <= replayed.bytes ? kServed : kEndedBadly;
}

/// Confined and limited as a client: the recording may be a stranger's.
int replay(Arguments arguments) {
    if (const std::string why = why_not_read(arguments.replay); !why.empty())
        return complain(kUsage, cannot_read(arguments.replay, why));
    // A confined process has no standard input.
    const File file(arguments.replay == "-" ? fdopen(dup(STDIN_FILENO), "rb")
                                            : std::fopen(arguments.replay.c_str(), "rb"));
    if (!file) return complain(kUsage, fmt::format("{}: cannot read: {}", arguments.replay, reason()));
    const int first = std::fgetc(file.get());
    if (first == EOF) return complain(kUsage, arguments.replay + ": is empty");
    std::ungetc(first, file.get());
    process::Log log("tgsi-host: " + arguments.replay);
    if (confines(arguments))
        if (const Tried tried = try_device(arguments); tried.status != kServed) return tried.status;
    const File pipelines = open_pipelines(arguments, log);
    File record = open_record(arguments, 1, log);
    if (arguments.opens_files)
        if (const std::string why = restrict_files(arguments); !why.empty()) return complain(kUsage, why);
    auto device = open_device(arguments, arguments.dump_shaders, pipelines.get());
    if (!device) return complain(kUsage, device.error());
    Drawing drawing(std::move(*device), std::move(record), arguments, 1, log);
    limit_files(arguments);
    // A client shares memory with the guest, beside its own; a replay holds both copies in its own.
    const uint64_t shared = limits_of(arguments).shared_bytes;
    if (confines(arguments))
        if (const std::string why = confine(arguments, false, 2 * shared); !why.empty()) return complain(kUsage, why);
    vtest::FileStream stream(file.get());
    if (!stream.begins_with(vtest::kMagic)) {  // a guest's bytes, as virglrenderer's server keeps them (VTEST_SAVE)
        vtest::Session session(stream, drawing.renderer(), log, limits_of(arguments));
        return session.run() == vtest::Ending::Closed ? kServed : kEndedBadly;
    }
    const auto replayed = vtest::replay(stream, drawing.renderer(), log, shared);
    return replayed ? report(*replayed) : complain(kUsage, arguments.replay + ": " + replayed.error());
}

/// Returns why not, or an empty string.
std::string read_profile(Arguments& arguments) {
    if (arguments.profile_file.empty()) return {};
    const auto text = read_file(arguments.profile_file, tools::kMaxCapsBytes);
    if (!text) return cannot_read(arguments.profile_file, text.error());
    auto profile = tools::read_device_profile(*text);
    if (!profile) return fmt::format("{}: {}", arguments.profile_file, profile.error());
    arguments.profile = std::move(*profile);
    return {};
}

/// Only the socket of this user's own programs has caches by default: another one may serve another guest.
std::string choose_caches(Arguments& a) {
    const bool own = a.socket.empty() && a.vhost_user.empty() && a.fd < 0 && a.replay.empty();
    if (a.socket.empty()) a.socket = kSocketOfMesa;
    if (a.pipeline_cache.empty() && own)
        a.pipeline_cache = tools::own_pipelines();
    else if (a.pipeline_cache == "none")
        a.pipeline_cache.clear();
    else if (!a.pipeline_cache.empty())
        return tools::use_folder_of_mesa(a.pipeline_cache + ".mesa");
    return {};
}

int run_tool(int argc, char** argv) {
    tools::App app{
        "Let OpenGL programs draw with Vulkan: serves Mesa's virpipe driver.\n\n"
        "  tgsi-host &\n"
        "  LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=virpipe glxgears"};
    Arguments a;
    app.add_option("--socket", a.socket, "Where programs connect (default: /tmp/.virgl_test, as all of them do)")
        .type_name("PATH");
    app.add_option("--device", a.device,
                   "As tgsi-run --list-devices shows it (default: the first GPU, or else lavapipe); none: draw "
                   "nothing, for tests")
        .type_name("DEVICE");
    app.add_option("--without", a.without,
                   "Do not use these extensions, features and formats of the device, by Vulkan's names: "
                   "VK_EXT_transform_feedback, geometryShader")
        .type_name("NAME");
    app.add_option("--device-profile", a.profile_file,
                   "Do not use what another device lacks: a file that vulkaninfo --json wrote there")
        .type_name("FILE");
    app.add_flag("--validate", a.debug.validate, "Enable the validation layer; its messages go to the log");
    app.add_flag("--stats", a.debug.stats, "Log each second what was drawn, compiled and moved, and how long it took");
    app.add_option("--dump-shaders", a.dump_shaders,
                   "Write the text of each shader into this folder; without --once, into DIR/PROGRAM")
        .type_name("DIR");
    app.add_flag("--once", a.once, "Serve one program in this process, then exit");
    app.add_flag(
        "--no-sandbox", a.no_sandbox,
        "Let programs' processes open any files, not only those of drivers; --frames and --dump-shaders imply it");
    app.add_option("--record", a.record,
                   "Record what programs draw; without --once, one file for each program: FILE.1, FILE.2, ...")
        .type_name("FILE");
    app.add_option("--replay", a.replay, "Draw a recording, and compare the readbacks; -: standard input")
        .type_name("FILE");
    app.add_option("--frames", a.frames, "Write each picture that a program presents to DIR/PROGRAM-NUMBER.png")
        .type_name("DIR");
    app.add_option("--pipeline-cache", a.pipeline_cache,
                   "Keep compiled code in this file, and in FILE.mesa, for the next run; they belong to one "
                   "guest alone (default without --socket: ~/.cache/tgsi-host/pipelines); none: keep nothing")
        .type_name("FILE");
    app.add_option("--limit-memory", a.limit_memory,
                   "Memory of a program on the device, in MiB; it may share half of it (default: 2048)")
        .type_name("MIB")
        .check(tools::NumberRange{16u, 1u << 20});
    app.add_option("--timeout", a.timeout,
                   "Seconds after which a program's process without progress is ended (default: 300; 0: never)")
        .type_name("SECONDS");
    app.add_choice<unsigned>(
           "--protocol", a.protocol,
           "The newest version of the protocol to offer: 0 shares no memory, 3 has buffers that stay mapped",
           {{"0", 0}, {"2", 2}, {"3", 3}})
        .type_name("VERSION");
    app.add_option("--vhost-user,--socket-path", a.vhost_user,
                   "Be the graphics device of virtual machines, whose monitors (QEMU's vhost-user-gpu) connect there")
        .type_name("SOCKET");
    app.add_option("--fd", a.fd, "As --vhost-user, on a connected socket that this process was given; see --virgl")
        .type_name("NUMBER")
        .check(tools::NumberRange{3, 1 << 20});
    app.add_flag("--virgl", a.virgl, "With --fd, also serve 3D");
    app.add_flag("--print-capabilities", a.print_capabilities,
                 "Print the capabilities of this back end for libvirt, and exit");
    app.add_option(
           "--vnc", a.screen.vnc,
           "Show a machine's first display to viewers (VNC) there: a socket's path, or PORT or HOST:PORT with a "
           "password; this and the next eight: of one machine, at whose end this process ends")
        .type_name("ADDRESS");
    app.add_option("--vnc-password", a.screen.vnc_password,
                   "A file with the password that viewers need (default at a port: a new one, which is printed)")
        .type_name("FILE");
    app.add_option("--vnc-title", a.screen.vnc_title, "The title of viewers' windows (default: tgsi-host)")
        .type_name("TEXT");
    app.add_flag("--window", a.screen.window,
                 "Show the first display in a window of this desktop, Wayland or X11, that takes keys and the pointer");
    app.add_option("--keyboard", a.screen.keyboard,
                   "Be the machine's keyboard (QEMU's vhost-user-input): what viewers type")
        .type_name("SOCKET");
    app.add_option("--pointer", a.screen.pointer, "Be its pointer, a second device of that kind").type_name("SOCKET");
    app.add_option("--agent", a.screen.agent,
                   "Share clipboards and sizes of viewers with its desktop: a port of virtio-serial for spice-vdagent")
        .type_name("SOCKET");
    app.add_option(
           "--boot-keys", a.screen.boot_keys,
           "While the guest has no drivers, or this machine no --keyboard and --pointer, write there what viewers "
           "type, CODE 0 or CODE 1 a line, and pointer X Y BUTTONS, as RFB has them, up to 32767; and the line "
           "screen; its answer is shown: width, height (32 bits each), RGB")
        .type_name("SOCKET");
    app.add_option("--screenshot", a.screen.screenshot,
                   "Write what the first display shows to this PNG file on SIGUSR1, and at the end")
        .type_name("FILE");
    app.set_version_flag("--version", "tgsi-host " TGSI2SPV_TOOL_VERSION);
    app.footer(
        "Exit status: 0 the programs ended, SIGINT, SIGTERM, or the replay agrees; 1 the replay differs, or with "
        "--once "
        "the program\nbroke the protocol or the connection; 2 usage or I/O error, or no such device.");
    const std::vector<std::string> of_machines{
        "--device",       "--without",    "--validate",       "--dump-shaders",   "--once",   "--no-sandbox",
        "--limit-memory", "--timeout",    "--virgl",          "--pipeline-cache", "--frames", "--vnc",
        "--vnc-password", "--keyboard",   "--pointer",        "--vnc-title",      "--window", "--agent",
        "--boot-keys",    "--screenshot", "--device-profile", "--stats"};
    for (const char* option : {"--vhost-user", "--fd"}) app.takes_only(option, of_machines);
    if (const auto ended = app.parse(argc, argv)) return *ended;
    if (const char* words = std::getenv("TGSI_HOST_DEBUG"))
        if (const std::string unknown = host::add_debug_words(a.debug, words); !unknown.empty())
            return complain(kUsage, "TGSI_HOST_DEBUG: there is no '" + unknown + "'");
    if (a.print_capabilities) {
        fmt::print("{{\n  \"type\": \"gpu\",\n  \"features\": [\"virgl\"]\n}}\n");
        return kServed;
    }
    const auto left = process::Shared<std::atomic<int64_t>>::create();
    if (!left) return complain(kUsage, "no memory");
    *(a.record_left = &**left) = int64_t{a.limit_memory} << 21;
    if (const std::string why = read_profile(a); !why.empty()) return complain(kUsage, why);
    if (const std::string why = choose_caches(a); !why.empty()) return complain(kUsage, why);
    if (!a.vhost_user.empty() || a.fd >= 0) return listen_for_machines(a);
    if (a.screen.any())
        return complain(
            kUsage,
            "--vnc, --window, --keyboard, --pointer, --agent, --boot-keys and --screenshot are of machines: --vhost-user or --fd");
    return a.replay.empty() ? listen(a) : replay(a);
}

/// Opens a terminal anew, for writing alone: confined processes must not read what the user types. (They close standard
/// input.)
void leave_terminal_unread() {
    for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
        if (isatty(file) == 0) continue;
        const std::string path = fmt::format("/proc/self/fd/{}", file);
        const process::Descriptor terminal(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
        if (terminal.number() >= 0) dup2(terminal.number(), file);
    }
}

}  // namespace

int main(int argc, char** argv) {
    tools::keep_memory();
    std::signal(SIGPIPE, SIG_IGN);
    return tools::guarded("tgsi-host", [&] {
        leave_terminal_unread();
        return run_tool(argc, argv);
    });
}
