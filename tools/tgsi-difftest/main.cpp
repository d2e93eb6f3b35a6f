// tgsi-difftest: shaders on Vulkan devices, judged by the reference.
#include "campaign/worker.h"
#include "shared/guarded.h"
#include "shared/keep_memory.h"
#include "tgsi-difftest/commands.h"

int main(int argc, char** argv) {
    tools::keep_memory();
    return tools::guarded("tgsi-difftest", [&] {
        return tools::run_difftest(argc, argv, [](int, char**) { return tgsi2spv::difftest::worker_main(); });
    });
}
