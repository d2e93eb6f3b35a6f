#include "renderer/record/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tgsi2spv::host {

uint64_t hash_bytes(const void* data, size_t bytes) {
    return XXH3_64bits(data, bytes);
}

}  // namespace tgsi2spv::host
