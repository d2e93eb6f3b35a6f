// tgsi-host-window: a window that shows a machine, for tgsi-host, which starts it. A program of its own, since it has
// the user's desktop, which the process that draws for a guest must not have. Arguments: the number of the machine's
// socket, the device as for --device, the title, and "validate" or nothing.
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "machine/window/window.h"
#include "shared/complain.h"
#include "shared/guarded.h"

int main(int argc, char** argv) {
    using namespace tgsi2spv;
    constexpr int kFailed = 1, kUsage = 2;
    std::signal(SIGPIPE, SIG_IGN);
    return tools::guarded("tgsi-host-window", [&] {
        if (argc != 5) return tools::complain("tgsi-host-window", kUsage, "tgsi-host --window starts this program");
        const window::Options options{
            .device = argv[2], .title = argv[3], .validate = std::string_view(argv[4]) == "validate"};
        process::Descriptor machine(
            std::atoi(argv[1]));  // open until the reason is printed: tgsi-host waits for its end
        const std::string why = window::serve_window(machine, options);
        return why.empty() ? 0 : tools::complain("tgsi-host: --window", kFailed, why);
    });
}
