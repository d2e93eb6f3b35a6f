// Modules that differ in one word, and what is proven of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "difftest/mutate/equal.h"

namespace tgsi2spv::difftest {

/// A work group of eight; %40 is one of eight lanes, %41 a word of the lane, %42 the word as a float; %43 may be
/// stored.
std::vector<uint32_t> module_of(const std::string& body);

/// The body with each of two texts in place of '@': as far as Vulkan does not leave it open.
Sameness sameness_of(const std::string& body, const std::string& first, const std::string& second);
/// Proven; what is only permitted is a failure.
bool same(const std::string& body, const std::string& first, const std::string& second);
bool permitted(const std::string& body, const std::string& first, const std::string& second);

inline const std::string kStore = "OpStore %38 %50\n";
/// Of %74, eight registers of two words: the first and the second word of the second one, the first word of the lane's,
/// the second one as a whole.
inline const std::string kRegisters =
    "%77 = OpAccessChain %75 %74 %21 %20\n%78 = OpAccessChain %75 %74 %21 %21\n"
    "%79 = OpAccessChain %75 %74 %40 %20\n%80 = OpAccessChain %76 %74 %21\n";

}  // namespace tgsi2spv::difftest
