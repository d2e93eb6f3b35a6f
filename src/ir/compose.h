// What a Compose of given components comes to: one value, a constant, or the cheapest selection of components.
#pragma once

#include <array>
#include <span>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// One component of a value.
struct Component {
    Value value = kNone;
    uint8_t component = 0;
    bool operator==(const Component&) const = default;
};

struct Composition {
    Type type{};
    Value single = kNone;   ///< it is this value
    bool constant = false;  ///< it is this constant
    Constant words{};
    std::array<Component, 4> components{};  ///< else: a Compose of these

    uint32_t selector() const;  ///< Instruction::aux of that Compose
};

/// Looks through one level of Compose (each was resolved so when it was made, so one is enough) where the result
/// takes no more SPIR-V instructions.
Composition resolve(const Module& module, const Function& function, std::span<const Component> components);

}  // namespace tgsi2spv::ir
