// Conversions, packing, unpacking (docs: Integer ISA, Core ISA; semantics: Float).
#pragma once

#include "reference/tables/table.h"

namespace tgsi2spv::tables {

inline std::vector<Table> convert() {
    return {
        {"F2I",
         {row({f(1.9f)}, 1), row({f(-1.9f)}, i(-1)), row({kMinusZero}, 0u), row({kQuietNan}, 0u),
          row({kInfinity}, kIntMax), row({kMinusInfinity}, kIntMin), row({f(0x1p31f)}, kIntMax),
          row({f(-0x1p31f)}, kIntMin), row({f(-3e9f)}, kIntMin), row({f(2147483520.0f)}, 2147483520u),
          row({kLeastDenormal}, 0u)},
         {}},
        {"F2U",
         {row({f(1.9f)}, 1), row({f(-0.9f)}, 0u), row({f(-5)}, 0u), row({kQuietNan}, 0u), row({kInfinity}, kTrue),
          row({kMinusInfinity}, 0u), row({f(0x1p32f)}, kTrue), row({f(3e9f)}, 3000000000u),
          row({f(4294967040.0f)}, 4294967040u)},
         {}},
        {"I2F",
         {row({5}, f(5)), row({i(-1)}, f(-1)), row({kIntMin}, f(-0x1p31f)), row({0}, kZero),
          row({16777217}, 0x4b800000u), row({16777219}, 0x4b800002u), row({kIntMax}, 0x4f000000u),
          row({i(-16777217)}, 0xcb800000u)},
         {}},
        {"U2F",
         {row({5}, f(5)), row({kIntMin}, f(0x1p31f)), row({kTrue}, 0x4f800000u), row({0}, kZero),
          row({0xffffff00}, 0x4f7fffff)},
         {}},
        {"PK2H",
         {vectors({floats(1, -2, 9, 9)}, all(word(0xc0003c00))),
          vectors({floats(65504, 0.5f, 9, 9)}, all(word(0x38007bff))),
          vectors({floats(1e6f, 1, 9, 9)}, all(either({0x3c007bff, 0x3c007c00}))),
          vectors({floats(0.1f, 1, 9, 9)}, all(either({0x3c002e66, 0x3c002e67}))),
          vectors({{kInfinity, kMinusInfinity, 0, 0}}, all(word(0xfc007c00)))},
         {}},
        {"PK2US",
         {vectors({floats(1, 0, 9, 9)}, all(word(0x0000ffff))), vectors({floats(2, -1, 9, 9)}, all(word(0x0000ffff))),
          vectors({floats(0, 0.5f, 9, 9)}, all(either({0x7fff0000, 0x80000000})))},
         {}},
        {"PK4UB",
         {vectors({floats(1, 0, -3, 2)}, all(word(0xff0000ff))),
          vectors({floats(0.2f, 0.4f, 0.6f, 0.8f)}, all(word(0xcc996633))),
          vectors({floats(0.5f, 0, 0, 0)}, all(either({0x7f, 0x80})))},
         {}},
        {"PK4B",
         {vectors({floats(-1, 1, 0, -2)}, all(word(0x81007f81))),
          vectors({floats(0.5f, 0, 0, 0)}, all(either({63, 64}))),
          vectors({{kMinusInfinity, kInfinity, 0, 0}}, all(word(0x00007f81)))},
         {}},
        {"UP2H",
         {vectors({{0xc0003c00, 9, 9, 9}}, {word(f(1)), word(f(-2)), word(f(1)), word(f(-2))}),
          vectors({{0xfc007bff, 9, 9, 9}},
                  {word(f(65504)), word(kMinusInfinity), word(f(65504)), word(kMinusInfinity)}),
          vectors({{0x80000001, 9, 9, 9}},
                  {either({0x33800000, kZero}), word(kMinusZero), either({0x33800000, kZero}), word(kMinusZero)})},
         {}},
        {"UP2US",
         {vectors({{0xffff0000, 9, 9, 9}}, {word(kZero), near(1, 2.5f), word(kZero), near(1, 2.5f)}),
          vectors({{0x00003333, 9, 9, 9}}, {near(0.2f, 2.5f), word(kZero), near(0.2f, 2.5f), word(kZero)})},
         {}},
        {"UP4UB",
         {vectors({{0xff006633, 9, 9, 9}}, {near(0.2f, 2.5f), near(0.4f, 2.5f), word(kZero), near(1, 2.5f)})},
         {}},
        {"UP4B",
         {vectors({{0x7f810080, 9, 9, 9}}, {word(f(-1)), word(kZero), between(-1, -0.9999997f), near(1, 2.5f)})},
         {}},
    };
}

/// Opcodes that write address registers, tested through a move.
inline std::vector<Table> address() {
    return {
        {"ARL",
         {row({f(1.5f)}, 1), row({f(-1.5f)}, i(-2)), row({kQuietNan}, 0u), row({kInfinity}, kIntMax),
          row({kMinusDenormal}, either({kTrue, 0}))},
         {}},
        {"ARR",
         {row({f(1.4f)}, 1), row({f(2.5f)}, either({2, 3})), row({f(-1.5f)}, either({i(-1), i(-2)})),
          row({f(1e20f)}, kIntMax)},
         {}},
        {"UARL", {row({7}, 7), row({kTrue}, kTrue)}, {}},
    };
}

}  // namespace tgsi2spv::tables
