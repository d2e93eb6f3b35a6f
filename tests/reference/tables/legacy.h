// Opcodes of the older editions (docs: oldest and middle; semantics: Float, Integer).
#pragma once

#include "reference/tables/table.h"

namespace tgsi2spv::tables {

inline std::vector<Table> legacy() {
    const Expect one = word(kOneF);
    return {
        {"ABS", {row({f(-3)}, f(3)), row({kMinusZero}, kZero), row({kMinusInfinity}, kInfinity)}, {}},
        {"SUB",
         {row({f(5), f(3)}, f(2)), row({kZero, kZero}, kZero), row({kMinusZero, kZero}, kMinusZero),
          row({kInfinity, kInfinity}, any_nan())},
         {}},
        {"CLAMP",
         {row({f(5), f(0), f(1)}, f(1)), row({f(-5), f(0), f(1)}, kZero), row({f(0.5f), f(0), f(1)}, f(0.5f)),
          row({f(0.5f), f(2), f(1)}, f(2)),  // x < y is tested first
          row({kQuietNan, f(2), f(3)}, kQuietNan)},
         {}},
        {"CND",
         {row({11, 22, f(1)}, 11), row({11, 22, f(0.5f)}, 22), row({11, 22, f(0)}, 22), row({11, 22, kQuietNan}, 22),
          row({11, 22, 0x3f000001}, 11)},
         {}},
        {"ARA", {vectors({{1, 2, 3, 4}}, {word(4), word(6), word(4), word(6)})}, {}},
        {"DP2A", {vectors({floats(1, 2, 9, 9), floats(3, 4, 9, 9), floats(100, 9, 9, 9)}, all(word(f(111))))}, {}},
        {"DPH", {vectors({floats(1, 2, 3, 9), floats(4, 5, 6, 7)}, all(word(f(39))))}, {}},
        {"NRM",
         {vectors({floats(3, 0, 4, 9)}, {near(0.6f, 10), zero(), near(0.8f, 10), one}),
          vectors({floats(0, -2, 0, 9)}, {zero(), near(-1, 10), zero(), one})},
         {}},
        {"NRM4", {vectors({floats(1, 1, 1, 1)}, all(near(0.5f, 10)))}, {}},
        {"SCS",
         {vectors({floats(0, 9, 9, 9)},
                  {between(1 - 0x1p-11f, 1 + 0x1p-11f), between(-0x1p-11f, 0x1p-11f), word(kZero), one})},
         {}},
        {"RCC",
         {row({f(2)}, near(0.5f, 2.5f)), row({kZero}, f(1.884467e+19f)), row({kMinusZero}, f(-1.884467e+19f)),
          row({f(1e25f)}, f(5.42101e-20f)), row({f(-1e25f)}, f(-5.42101e-20f))},
         {}},
        {"RFL",
         {vectors({floats(0, 1, 0, 9), floats(1, -1, 0, 9)}, {word(f(-1)), near(-1, 12), word(kMinusZero), one})},
         {}},
        {"XPD",
         {vectors({floats(1, 0, 0, 9), floats(0, 1, 0, 9)}, {word(kZero), word(kZero), word(kOneF), one}),
          vectors({floats(2, 3, 4, 9), floats(5, 6, 7, 9)}, {word(f(-3)), word(f(6)), word(f(-3)), one})},
         {}},
        {"X2D",
         {vectors({floats(1, 2, 9, 9), floats(3, 4, 9, 9), floats(5, 6, 7, 8)},
                  {word(f(40)), word(f(55)), word(f(40)), word(f(55))})},
         {}},
        {"SAD", {row({7, 3, 10}, 14), row({3, 7, 10}, 14), row({0, kTrue, 1}, 0u)}, {}},
        {"SHR", {row({kIntMin, 31}, kTrue), row({i(-16), 34}, i(-4)), row({16, 1}, 8)}, {}},
        {"SFL", {row({}, kZero)}, {}},
        {"STR", {row({}, kOneF)}, {}},
    };
}

}  // namespace tgsi2spv::tables
