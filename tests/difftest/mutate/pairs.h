// Pairs of modules that differ in one word, and what the analysis proves of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "difftest/mutate/equal.h"

namespace tgsi2spv::difftest {

/// Assembles a module with a work group of eight: %40 is the lane (0 to 7), %38 points to the lane's word of the
/// buffer, %41 is that word, %42 the same word as a float.
std::vector<uint32_t> module_of(const std::string& body);

/// Compares the body with each of two texts in place of '@', with and without what Vulkan leaves open.
Sameness sameness_of(const std::string& body, const std::string& first, const std::string& second);
/// Whether they are proven equal; if they are only permitted to differ, the test fails.
bool same(const std::string& body, const std::string& first, const std::string& second);
bool permitted(const std::string& body, const std::string& first, const std::string& second);

inline const std::string kStore = "OpStore %38 %50\n";
/// Pointers into %74, eight registers of two words: the first and the second word of register 1, the first word of the
/// lane's register, register 1 as a whole.
inline const std::string kRegisters =
    "%77 = OpAccessChain %75 %74 %21 %20\n%78 = OpAccessChain %75 %74 %21 %21\n"
    "%79 = OpAccessChain %75 %74 %40 %20\n%80 = OpAccessChain %76 %74 %21\n";

}  // namespace tgsi2spv::difftest
