// Conservative ranges of float components, derived from their definitions.
#pragma once

#include <limits>

#include "ir/builder.h"

namespace tgsi2spv::lower {

struct FloatRange {
    float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
    bool maybe_nan = true;
};

FloatRange either(const FloatRange& a, const FloatRange& b);

/// The range of one component of an f32 value. Only near definitions are looked at: the time does not grow with the
/// text.
FloatRange range_of(const ir::Builder& builder, ir::Value value, int component);

}  // namespace tgsi2spv::lower
