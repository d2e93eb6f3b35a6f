// Memory that runs out at any allocation ends a session by an exception, which leaves nothing behind.
#include <gmock/gmock.h>

#include <new>

#include "guest.h"
#include "ir/allocations.h"
#include "vtest/null_renderer.h"
#include "vtest/record.h"

namespace tgsi2spv::vtest::test {
namespace {

TEST(NoMemory, EndsTheSession) {
    const Bytes sent = hello() + ask_version(2) + make2(5, 64) + make2(6, 0) + bytes_of({2, 6, 28 | 1 << 16, 0}) +
                       put2(5, 0) + get2(5, 0) + wait_for(5) + forget(5) + make2(5, 64);
    size_t failed = 0;
    for (size_t at = 1; failed + 1 == at; at++) {
        MemoryStream stream(sent);
        NullRenderer renderer;
        Log log("log", 10, [](const std::string&) {});
        ir::fail_allocation(at);
        try {
            Recorder recorder(renderer, [](std::span<const std::byte>) { return true; });
            Session session(stream, recorder, log);
            session.run();
        } catch (const std::bad_alloc&) {
            failed++;
        }
        ir::fail_allocation(0);
    }
    EXPECT_GT(failed, 10u) << "every allocation has failed once";
}

}  // namespace
}  // namespace tgsi2spv::vtest::test
