// The outermost frame of the tools that run shaders on a device in their own process.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "shared/guarded.h"
#include "shared/keep_memory.h"
#include "vulkan/instance.h"

namespace tools {

/// The tool while its main runs, else null.
inline const char* running_tool = nullptr;

inline void fail_if_running() {
    if (running_tool == nullptr) return;
    std::fprintf(stderr, "%s: the process was ended before its work was done, probably by the Vulkan driver\n",
                 running_tool);
    std::fflush(nullptr);
    _exit(2);
}

template <typename Main>
int device_main(const char* tool, const Main& main) {
    keep_memory();
    // A driver that calls exit(0) must not look like success.
    running_tool = tool;
    std::atexit(fail_if_running);
    const int status = guarded(tool, main);
    running_tool = nullptr;
    tgsi2spv::vulkan::end_process_if_left(status);
    return status;
}

}  // namespace tools
