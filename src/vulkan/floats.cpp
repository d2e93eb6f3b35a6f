#include "vulkan/floats.h"

#include <cfenv>
#include <limits>

namespace tgsi2spv::vulkan {

namespace {

/// Whether operands or results that are denormals become zeros.
bool flushes() {
    volatile float normal = std::numeric_limits<float>::min(), denormal = std::numeric_limits<float>::denorm_min();
    const volatile float half = normal * 0.5f, twice = denormal * 2.0f;
    return half == 0.0f || twice == 0.0f;
}

}  // namespace

bool restore_floats() {
    const bool differs = std::fegetround() != FE_TONEAREST || flushes();
    std::fesetenv(FE_DFL_ENV);
    return differs;
}

}  // namespace tgsi2spv::vulkan
