#include "reference/texture.h"

namespace tgsi2spv::reference {

void execute(const sampling::Message& m, std::span<const TextureLane> lanes, const Options& options,
             std::span<std::array<Value, 4>> results) {
    (void)m;
    (void)options;
    for (size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i].wants) results[i] = {unknown(), unknown(), unknown(), unknown()};
}

}  // namespace tgsi2spv::reference
