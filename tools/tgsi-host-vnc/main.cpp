// tgsi-host-vnc: serves the viewers of a machine, for tgsi-host, which starts it. A program of its own, since it is
// linked with libvncserver, which is under the GPL. Arguments: the number of the channel's file, the address, the bytes
// of pictures in a viewer's process (0: it is not confined), the path of the password's file, which is standard
// input, or nothing, and the title of viewers' windows.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "machine/vnc/server.h"
#include "process/sandbox.h"
#include "shared/complain.h"
#include "shared/guarded.h"

namespace {

using namespace tgsi2spv;

int serve(int argc, char** argv) {
    constexpr int kUsage = 2;
    const auto complain = [](const std::string& why) { return tools::complain("tgsi-host-vnc", kUsage, why); };
    if (argc != 6) return complain("tgsi-host --vnc starts this program");
    const auto address = vnc::parse_address(argv[2]);
    if (!address) return complain(address.error());
    vnc::ServerOptions options{.address = *address, .password = {}, .confine = {}, .title = argv[5]};
    constexpr uint64_t kLibraryBytes = 64U << 20;  // libvncserver keeps each scale of each size that a viewer asks for
    if (const uint64_t bytes = std::strtoull(argv[3], nullptr, 10); bytes > 0)
        options.confine = [bytes] {
            const std::string unlimited = process::limit_memory(bytes + kLibraryBytes), open = process::confine();
            return open.empty() ? unlimited : open;
        };
    if (const std::string file = argv[4]; !file.empty()) {
        auto password = vnc::read_password(stdin, file);
        if (!password) return complain(password.error());
        options.password = std::move(*password);
        // Viewers' processes inherit it.
        if (std::freopen("/dev/null", "r", stdin) == nullptr) return complain("/dev/null cannot be opened");
    } else if (address->path.empty()) {
        options.password = vnc::make_password();
        std::fputs(fmt::format("tgsi-host: vnc: the password of viewers is {}\n", options.password).c_str(), stderr);
    }
    const std::string why = vnc::serve_viewers(options, std::atoi(argv[1]));
    return why.empty() ? 0 : complain(why);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    return tools::guarded("tgsi-host-vnc", [&] { return serve(argc, argv); });
}
