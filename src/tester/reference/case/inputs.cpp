#include "reference/case/inputs.h"

#include <algorithm>

namespace tgsi2spv::reference {

uint32_t handles_of(const Inputs& inputs) {
    uint32_t count = 1;
    for (const auto* all : {&inputs.textures, &inputs.images})
        if (!all->empty()) count = std::max(count, all->rbegin()->first + 1);
    return count;
}

}  // namespace tgsi2spv::reference
