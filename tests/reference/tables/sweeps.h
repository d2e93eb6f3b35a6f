// Ordinary operands for opcodes whose other tables contain mostly edge cases: twenty rows each, with words from the
// document's formula.
#pragma once

#include <cmath>

#include "reference/tables/table.h"
#include "reference/tables/wide.h"

namespace tgsi2spv::tables {

/// `make` returns row k.
template <class Make>
Table sweep(std::string instruction, Make make) {
    Table t{std::move(instruction), {}, {}};
    for (int k = 0; k < 20; ++k) t.rows.push_back(make(k));
    return t;
}

/// Within `error` of x, with both ends rounded outwards.
inline Expect within(double x, double error) {
    return between(std::nextafter(static_cast<float>(x - error), -INFINITY),
                   std::nextafter(static_cast<float>(x + error), INFINITY));
}

/// Returns `count` bits of a word, starting at bit `first`.
inline uint32_t field(uint32_t word, uint32_t first, uint32_t count) {
    return word >> first & ((1u << count) - 1);
}

inline std::vector<Table> sweeps() {
    const auto angle = [](int k) { return -3.0f + 0.3f * static_cast<float>(k); };
    const auto positive = [](int k) { return std::ldexp(1.3f, k - 10); };
    constexpr uint32_t kBits = 0x9a5c3e71, kWidth = 7;
    return {
        sweep("FLR",
              [](int k) {
                  const float x = -4.75f + 0.5f * static_cast<float>(k);
                  return row({f(x)}, x >= 0 && x < 1 ? zero() : word(f(std::floor(x))));
              }),
        // 2^-11, and more when whole turns are removed from an angle (docs/judge.md), which does not happen here.
        sweep("SIN", [&](int k) { return row({f(angle(k))}, within(std::sin(double{angle(k)}), 0x1.1p-11)); }),
        sweep("COS", [&](int k) { return row({f(angle(k))}, within(std::cos(double{angle(k)}), 0x1.1p-11)); }),
        sweep("DIV",
              [](int k) {
                  const float x = 1.0f + static_cast<float>(k), y = 3.5f - 0.5f * static_cast<float>(k % 6);
                  return row({f(x), f(y)}, within(double{x} / y, 0x1.8p-22 * std::abs(double{x} / y)));
              }),
        sweep("RSQ",
              [&](int k) {
                  const double root = 1 / std::sqrt(double{positive(k)});
                  return row({f(positive(k))}, within(root, 0x1.8p-22 * root));
              }),
        // 3 ULP of logarithms with an absolute value of at most 10.
        sweep("LG2", [&](int k) { return row({f(positive(k))}, within(std::log2(double{positive(k)}), 0x1p-18)); }),
        sweep("LOG",
              [&](int k) {
                  const auto p = double{positive(k)};
                  return vectors({floats(positive(k), 9, 9, 9)},
                                 {k == 10 ? zero() : word(f(static_cast<float>(k - 10))), between(1.2999f, 1.3001f),
                                  within(std::log2(p), 0x1p-18), word(kOneF)});
              }),
        sweep("POW",
              [](int k) {
                  const float x = 1.1f + 0.1f * static_cast<float>(k), y = 0.5f * static_cast<float>(k) - 4;
                  const double p = std::pow(double{x}, double{y});
                  return row({f(x), f(y)}, within(p, 1e-4 * p));
              }),
        sweep("LDEXP",
              [](int k) {
                  return row({f(-1.5f), i(k - 10)}, word(f(std::ldexp(-1.5f, k - 10))));
              }),
        sweep("UBFE",
              [](int k) {
                  const auto first = static_cast<uint32_t>(k);
                  return row({kBits, first, kWidth}, word(field(kBits, first, kWidth)));
              }),
        sweep("IBFE",
              [](int k) {
                  const auto first = static_cast<uint32_t>(k);
                  const uint32_t bits = field(kBits, first, kWidth), sign = 1u << (kWidth - 1);
                  return row({kBits, first, kWidth}, word((bits ^ sign) - sign));
              }),
    };
}

/// A double that is known within `ulps` ULPs.
inline std::array<Expect, 4> about(long double x, float ulps) {
    const Bits bits = q(static_cast<double>(x));
    const Expect low{Expect::Kind::Double, {bits[0], bits[1]}, ulps}, high{Expect::Kind::Upper, {}};
    return {low, high, low, high};
}

inline std::vector<Table> wide_sweeps() {
    return {
        sweep("DDIV",
              [](int k) {
                  const double x = 3.0 * k + 1;  // not a multiple of 3: the quotient is not a double
                  return wide_row({q(x), q(3.0)}, about(static_cast<long double>(x) / 3, 2.5f));
              }),
        sweep("DRSQ",
              [](int k) {
                  const double x = k * k + 2;  // not a square
                  return wide_row({q(x)}, about(1 / std::sqrt(static_cast<long double>(x)), 2));
              }),
        sweep("DLDEXP",
              [](int k) {
                  return wide_row({q(-1.5), q(k - 10)}, q(std::ldexp(-1.5, k - 10)));
              }),
    };
}

}  // namespace tgsi2spv::tables
