// The union of several texels.
#pragma once

#include <array>
#include <cstdint>

#include "reference/textures/texel.h"

namespace tgsi2spv::reference {

/// Answers collected over the choices that a device has; `nominal` is the answer of the nominal choice, which is added
/// first.
struct Answers {
    Hull hull[4];
    std::array<uint32_t, 4> nominal{};
    bool any = false;
    void add(const Texel& t);
    void add_unknown();
    Texel finish() const;
};

}  // namespace tgsi2spv::reference
