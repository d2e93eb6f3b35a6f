// tgsi-difftest with failures planted in its workers (TGSI_DIFFTEST_FAULTS), for tgsi-difftest-test.
#include <unistd.h>

#include <utility>

#include "campaign/worker.h"
#include "cases/faults.h"
#include "shared/guarded.h"
#include "shared/keep_memory.h"
#include "tgsi-difftest/commands.h"

namespace {

using namespace tgsi2spv::difftest;

int worker(int, char**) {
    const Faults faults = faults_from_environment();
    Planted planted;
    planted.at_start = [&] {
        while (faults.at_start(Fault::HangStart)) pause();
    };
    planted.hook_of = [&](const std::string& id, uint32_t attempt) {
        const auto fault = faults.of(id, attempt);
        return fault ? hook_of(*fault) : ModuleHook();
    };
    planted.is_lost = [&](const std::string& id, uint32_t attempt) { return faults.of(id, attempt) == Fault::Lose; };
    return worker_main(planted);
}

}  // namespace

int main(int argc, char** argv) {
    tools::keep_memory();
    return tools::guarded("tgsi-difftest", [&] { return tools::run_difftest(argc, argv, worker); });
}
