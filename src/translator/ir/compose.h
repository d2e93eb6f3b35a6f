// The result of a Compose of given components: one value, a constant, or the cheapest selection of components.
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
    bool constant = false;          ///< all are components of constants: constant_words() gives the result
    Value single = kNone;           ///< the result is this value
    std::array<Value, 4> values{};  ///< otherwise, the result is a Compose of these
    uint32_t selector = 0;          ///< Instruction::aux of this Compose
};

/// Looks through one level of Compose if the result needs no more SPIR-V instructions. (One level is enough, because
/// each Compose was resolved when it was created.)
Composition resolve(const Module& module, const Function& function, std::span<const Component> components);

/// The constant that equals a composition of constants.
Constant constant_words(const Module& module, const Composition& composition);

}  // namespace tgsi2spv::ir
