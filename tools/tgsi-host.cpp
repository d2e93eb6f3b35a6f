// tgsi-host: lets OpenGL programs whose driver is Mesa's virpipe draw with Vulkan.
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <string>

#include "complain.h"
#include "guarded.h"
#include "host/renderer.h"
#include "keep_memory.h"
#include "options.h"
#include "vtest/null_renderer.h"
#include "vtest/server.h"
#include "vtest/session.h"

namespace {

using namespace tgsi2spv;

constexpr int kServed = 0, kEndedBadly = 1, kUsage = 2;
constexpr unsigned kMostClients = 64;

struct Arguments {
    std::string socket = "/tmp/.virgl_test", device, dump_shaders;
    bool once = false, validate = false;
    unsigned limit_memory = 2048;
};

int complain(int status, const std::string& message) {
    return tools::complain("tgsi-host", status, message);
}

vtest::Limits limits_of(const Arguments& a) {
    vtest::Limits limits;
    limits.shared_bytes = uint64_t{a.limit_memory} << 19;
    return limits;
}

int serve(const Arguments& a, vtest::Descriptor client, unsigned number) {
    vtest::Log log(fmt::format("tgsi-host: client {}", number));
    std::unique_ptr<virgl::Renderer> renderer;
    if (a.device == "none") {
        renderer = std::make_unique<vtest::NullRenderer>();
    } else {
        auto made = host::make_renderer({.device = a.device,
                                         .validate = a.validate,
                                         .memory_limit = uint64_t{a.limit_memory} << 20,
                                         .shader_folder = a.dump_shaders});
        if (!made) return complain(kUsage, made.error());
        renderer = std::move(*made);
    }
    vtest::SocketStream stream(std::move(client));
    vtest::Session session(stream, *renderer, log, limits_of(a));
    return session.run() == vtest::Ending::Closed ? kServed : kEndedBadly;
}

int listen(const Arguments& a) {
    const vtest::Serve one = [&](vtest::Descriptor client, unsigned number) {
        return tools::guarded("tgsi-host", [&] { return serve(a, std::move(client), number); });
    };
    vtest::Log log("tgsi-host");
    if (!a.once) {
        const std::string why = vtest::serve_all(a.socket, kMostClients, log, one);
        return why.empty() ? kServed : complain(kUsage, why);
    }
    const auto status = vtest::serve_one(a.socket, one);
    return status ? *status : complain(kUsage, status.error());
}

int run_tool(int argc, char** argv) {
    tools::App app{
        "Let OpenGL programs draw with Vulkan: serves Mesa's virpipe driver.\n\n"
        "  tgsi-host &\n"
        "  LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=virpipe glxgears"};
    Arguments a;
    app.add_option("--socket", a.socket, "Where programs connect (default: /tmp/.virgl_test, as all of them do)")
        .type_name("PATH");
    app.add_option("--device", a.device, "As tgsi-run --list-devices shows it; none: draw nothing, for tests")
        .type_name("DEVICE");
    app.add_flag("--validate", a.validate, "Enable the validation layer; its messages go to the log");
    app.add_option("--dump-shaders", a.dump_shaders, "Write the text of each shader into this folder").type_name("DIR");
    app.add_flag("--once", a.once, "Serve one program in this process, then exit");
    app.add_option("--limit-memory", a.limit_memory,
                   "Memory of a program on the device, in MiB; it may share half of it (default: 2048)")
        .type_name("MIB")
        .check(tools::Range{16u, 1u << 20});
    app.set_version_flag("--version", "tgsi-host " TGSI2SPV_TOOL_VERSION);
    app.footer(
        "Exit status: 0 the programs ended, or SIGINT or SIGTERM; 1 (--once) the program broke the protocol or the "
        "connection;\n2 usage or I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return listen(a);
}

}  // namespace

int main(int argc, char** argv) {
    tools::keep_memory();
    std::signal(SIGPIPE, SIG_IGN);
    return tools::guarded("tgsi-host", [&] { return run_tool(argc, argv); });
}
