// 32-bit integer, bitwise and bit-field opcodes (docs: Integer ISA, Bitwise ISA; semantics: Integer).
#pragma once

#include "reference/tables/table.h"

namespace tgsi2spv::tables {

inline std::vector<Table> integer() {
    const uint32_t none = ~0u;
    return {
        {"UADD", {row({1, 2}, 3), row({kTrue, 1}, 0u), row({kIntMax, 1}, kIntMin)}, {}},
        {"UMUL", {row({6, 7}, 42), row({0x10000, 0x10000}, 0u), row({i(-3), 5}, i(-15))}, {}},
        {"UMAX", {row({1, 2}, 2), row({kTrue, 1}, kTrue), row({kIntMin, kIntMax}, kIntMin)}, {}},
        {"UMIN", {row({1, 2}, 1), row({kTrue, 1}, 1), row({kIntMin, kIntMax}, kIntMax)}, {}},
        {"UDIV", {row({7, 2}, 3), row({7, 0}, none), row({0, 0}, none), row({kTrue, 1}, kTrue)}, {}},
        {"UMOD", {row({7, 2}, 1), row({7, 0}, none), row({kTrue, 16}, 15), row({3, 5}, 3)}, {}},
        {"UMUL_HI", {row({kTrue, kTrue}, 0xfffffffe), row({0x10000, 0x10000}, 1), row({3, 5}, 0u)}, {}},
        {"UMAD", {row({2, 3, 4}, 10), row({kTrue, kTrue, 1}, 2), row({0x10000, 0x10000, 9}, 9)}, {}},
        {"IDIV",
         {row({7, 2}, 3), row({i(-7), 2}, i(-3)), row({7, i(-2)}, i(-3)), row({5, 0}, 0u),
          row({kIntMin, i(-1)}, kIntMin), row({kIntMin, 0}, 0u)},
         {}},
        {"MOD",
         {row({7, 3}, 1), row({i(-7), 3}, i(-1)), row({7, i(-3)}, 1), row({i(-7), i(-3)}, i(-1)), row({5, 0}, i(-1)),
          row({kIntMin, i(-1)}, 0u), row({kIntMin, kIntMin}, 0u)},
         {}},
        {"IMAX", {row({1, i(-2)}, 1), row({kIntMin, kIntMax}, kIntMax), row({i(-1), i(-2)}, i(-1))}, {}},
        {"IMIN", {row({1, i(-2)}, i(-2)), row({kIntMin, kIntMax}, kIntMin), row({i(-1), i(-2)}, i(-2))}, {}},
        {"IMUL_HI",
         {row({i(-1), i(-1)}, 0u), row({i(-1), 1}, kTrue), row({kIntMin, 2}, kTrue),
          row({kIntMin, kIntMin}, 0x40000000)},
         {}},
        {"IABS", {row({5}, 5), row({i(-5)}, 5), row({kIntMin}, kIntMin), row({0}, 0u)}, {}},
        {"INEG", {row({5}, i(-5)), row({i(-5)}, 5), row({kIntMin}, kIntMin), row({0}, 0u)}, {}},
        {"ISSG", {row({5}, 1), row({i(-5)}, i(-1)), row({0}, 0u), row({kIntMin}, i(-1))}, {}},
        {"AND", {row({0xff00ff00, 0x0ff00ff0}, 0x0f000f00), row({kTrue, kOneF}, kOneF)}, {}},
        {"OR", {row({0xff00ff00, 0x0ff00ff0}, 0xfff0fff0)}, {}},
        {"XOR", {row({0xff00ff00, 0x0ff00ff0}, 0xf0f0f0f0), row({kQuietNan, kMinusZero}, 0xffc00000)}, {}},
        {"NOT", {row({0}, kTrue), row({0x0000ffff}, 0xffff0000)}, {}},
        {"SHL",
         {row({1, 4}, 16), row({1, 31}, kIntMin), row({1, 32}, 1), row({1, 33}, 2), row({3, i(-1)}, kIntMin)},
         {}},
        {"USHR",
         {row({kIntMin, 31}, 1), row({kIntMin, 32}, kIntMin), row({kTrue, 4}, 0x0fffffff), row({kTrue, i(-1)}, 1)},
         {}},
        {"ISHR",
         {row({kIntMin, 31}, kTrue), row({kIntMin, 32}, kIntMin), row({i(-16), 2}, i(-4)), row({16, 33}, 8)},
         {}},
        {"BFI",
         {row({0xffffffff, 0, 8, 8}, 0xffff00ff), row({0, 0xabc, 4, 8}, 0xbc0), row({5, 6, 0, 32}, 6),
          row({5, 6, 3, 0}, 5), row({5, 6, 32, 0}, 5), row({0, kTrue, 31, 1}, kIntMin)},
         {}},
        {"UBFE",
         {row({0xabcd1234, 8, 8}, 0x12), row({kTrue, 0, 32}, kTrue), row({kTrue, 5, 0}, 0u), row({kIntMin, 31, 1}, 1),
          row({kTrue, 30, 5}, free())},
         {}},
        {"IBFE",
         {row({0x0000ff80, 7, 8}, i(-1)), row({0x00000f00, 8, 5}, 15), row({kTrue, 0, 32}, kTrue),
          row({kTrue, 5, 0}, 0u), row({kIntMin, 31, 1}, i(-1)), row({kIntMin, i(-1), 4}, free())},
         {}},
        {"BREV", {row({1}, kIntMin), row({0x0000ffff}, 0xffff0000), row({0x12345678}, 0x1e6a2c48)}, {}},
        {"POPC", {row({0}, 0u), row({kTrue}, 32), row({0x80000001}, 2)}, {}},
        {"LSB", {row({0}, none), row({1}, 0u), row({kIntMin}, 31), row({0x00000f00}, 8)}, {}},
        {"UMSB", {row({0}, none), row({1}, 0u), row({kIntMin}, 31), row({0x00000f00}, 11)}, {}},
        {"IMSB",
         {row({0}, none), row({i(-1)}, none), row({1}, 0u), row({i(-2)}, 0u), row({kIntMin}, 30), row({kIntMax}, 30)},
         {}},
    };
}

}  // namespace tgsi2spv::tables
