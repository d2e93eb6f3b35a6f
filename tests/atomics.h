// The results of atomic operations on a word, by the documents.
#pragma once

#include <bit>
#include <cstdint>

namespace tgsi2spv::test {

struct Atomic {
    const char* opcode;
    uint32_t old, data, third;  ///< the word and the operands
    uint32_t stored;
};

inline constexpr Atomic kAtomics[] = {
    {"ATOMUADD", 5, 7, 0, 12},
    {"ATOMUADD", 0xffffffff, 2, 0, 1},
    {"ATOMXCHG", 5, 7, 0, 7},
    {"ATOMCAS", 5, 5, 9, 9},
    {"ATOMCAS", 5, 6, 9, 5},
    {"ATOMAND", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {"ATOMOR", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {"ATOMXOR", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {"ATOMUMIN", 0xffffffff, 1, 0, 1},
    {"ATOMUMAX", 0xffffffff, 1, 0, 0xffffffff},
    {"ATOMIMIN", 0xffffffff, 1, 0, 0xffffffff},
    {"ATOMIMAX", 0xffffffff, 1, 0, 1},
    {"ATOMIMIN", 0x80000000, 0x7fffffff, 0, 0x80000000},
    {"ATOMFADD", std::bit_cast<uint32_t>(1.5f), std::bit_cast<uint32_t>(2.25f), 0, std::bit_cast<uint32_t>(3.75f)},
    {"ATOMFADD", std::bit_cast<uint32_t>(-1.0f), std::bit_cast<uint32_t>(1.0f), 0, std::bit_cast<uint32_t>(0.0f)},
    {"ATOMINC_WRAP", 3, 5, 0, 4},
    {"ATOMINC_WRAP", 4, 5, 0, 5},
    {"ATOMINC_WRAP", 5, 5, 0, 0},
    {"ATOMINC_WRAP", 9, 5, 0, 0},
    {"ATOMINC_WRAP", 0xffffffff, 0xffffffff, 0, 0},
    {"ATOMDEC_WRAP", 3, 5, 0, 2},
    {"ATOMDEC_WRAP", 5, 5, 0, 4},
    {"ATOMDEC_WRAP", 0, 5, 0, 5},
    {"ATOMDEC_WRAP", 6, 5, 0, 5},
};

}  // namespace tgsi2spv::test
