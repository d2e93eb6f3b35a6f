#include "ir/flat_table.h"

#include <atomic>
#include <random>

namespace tgsi2spv::ir {
namespace {

uint64_t secret_of_process() {
    try {
        std::random_device source;
        const uint64_t high = source();
        return high << 32 | source();
    } catch (...) {  // the system gives no random numbers: an address is better than nothing
        static const int place = 0;
        return reinterpret_cast<uintptr_t>(&place);
    }
}

}  // namespace

uint64_t random_seed() noexcept {
    static const uint64_t secret = secret_of_process();
    static std::atomic<uint64_t> tables;
    return hash_word(hash_word(secret, tables.fetch_add(1, std::memory_order_relaxed)), secret);
}

}  // namespace tgsi2spv::ir
