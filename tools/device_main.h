// The outermost frame of the tools that run shaders on a device in their own process.
#pragma once

#include "guarded.h"
#include "keep_memory.h"
#include "vulkan/instance.h"

namespace tools {

template <typename Main>
int device_main(const char* tool, const Main& main) {
    keep_memory();
    const int status = guarded(tool, main);
    tgsi2spv::vulkan::end_process_if_left(status);
    return status;
}

}  // namespace tools
