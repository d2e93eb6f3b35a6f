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
    bool constant = false;          ///< all are components of constants: constant_words() gives it
    Value single = kNone;           ///< it is this value
    std::array<Value, 4> values{};  ///< else: a Compose of these
    uint32_t selector = 0;          ///< with this Instruction::aux
};

/// Looks through one level of Compose (each was resolved so when it was made, so one is enough) where the result
/// takes no more SPIR-V instructions.
Composition resolve(const Module& module, const Function& function, std::span<const Component> components);

/// The constant that a composition of constants is.
Constant constant_words(const Module& module, const Composition& composition);

}  // namespace tgsi2spv::ir
