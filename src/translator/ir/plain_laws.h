// The laws of x op x, and of x op c for a simple constant c, whose result is x or a constant: a row for each operation.
#pragma once

#include <array>
#include <initializer_list>

#include "ir/module.h"

namespace tgsi2spv::ir {

struct PlainLaws {
    enum class Result : uint8_t { Unknown, X, NotX, Zero, One, AllBits };

    Result same = Result::Unknown;  ///< the result of x op x
    /// Of x op c, where each component of c is this.
    Result zero = Result::Unknown, one = Result::Unknown, all_bits = Result::Unknown;
};

inline constexpr auto kPlainLaws = [] {
    std::array<PlainLaws, kOpCount> table{};
    auto set = [&](std::initializer_list<Op> ops, const PlainLaws& laws) {
        for (const Op op : ops) table[static_cast<size_t>(op)] = laws;
    };
    using enum PlainLaws::Result;
    set({Op::FMin, Op::FMax, Op::SMin, Op::SMax}, {.same = X});
    // x < x is false, for NaN too. (x == x and x != x test for NaN: they stay.)
    set({Op::FOLt, Op::FOGt, Op::SLt, Op::SGt, Op::ULt, Op::UGt, Op::INe}, {.same = Zero});
    set({Op::IEq, Op::SLe, Op::SGe, Op::ULe, Op::UGe}, {.same = One});
    set({Op::UMin}, {.same = X, .zero = Zero});
    set({Op::UMax}, {.same = X, .zero = X});
    set({Op::IAdd, Op::Shl, Op::LShr, Op::AShr}, {.zero = X});
    set({Op::ISub}, {.same = Zero, .zero = X});
    set({Op::IMul}, {.zero = Zero, .one = X});
    set({Op::UDiv, Op::SDiv}, {.one = X});
    set({Op::UMod}, {.one = Zero});
    set({Op::And}, {.same = X, .zero = Zero, .all_bits = X});
    set({Op::Or}, {.same = X, .zero = X, .all_bits = AllBits});
    set({Op::Xor}, {.same = Zero, .zero = X});
    set({Op::LAnd}, {.same = X, .zero = Zero, .one = X});
    set({Op::LOr}, {.same = X, .zero = X, .one = One});
    set({Op::LEq}, {.same = One, .zero = NotX, .one = X});
    set({Op::LNe}, {.same = Zero, .zero = X, .one = NotX});
    return table;
}();

}  // namespace tgsi2spv::ir
