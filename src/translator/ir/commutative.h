#pragma once

#include <array>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// The source of is_commutative()'s table.
constexpr bool commutes(Op op) {
    switch (op) {
        case Op::FAdd:
        case Op::FMul:
        case Op::FMin:
        case Op::FMax:
        case Op::FDot:
        case Op::FOEq:
        case Op::FUNe:
        case Op::IAdd:
        case Op::IMul:
        case Op::SMin:
        case Op::SMax:
        case Op::UMin:
        case Op::UMax:
        case Op::And:
        case Op::Or:
        case Op::Xor:
        case Op::UMulExt:
        case Op::SMulExt:
        case Op::IEq:
        case Op::INe:
        case Op::LAnd:
        case Op::LOr:
        case Op::LEq:
        case Op::LNe:
            return true;
        default:
            return false;
    }
}

inline constexpr auto kCommutative = [] {
    std::array<bool, kOpCount> table{};
    for (size_t op = 0; op < table.size(); op++) table[op] = commutes(static_cast<Op>(op));
    return table;
}();

/// a op b equals b op a in every bit (except for the payload of a NaN, which Vulkan leaves open).
constexpr bool is_commutative(Op op) {
    return kCommutative[static_cast<size_t>(op)];
}

}  // namespace tgsi2spv::ir
