// Modules broken on purpose, one thing at a time: whether the campaign would notice is the strength of its tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tgsi2spv::difftest {

enum class MutationKind : uint8_t {
    Operation,     ///< another operation of the same shape
    Operand,       ///< another value of the same type
    Constant,      ///< off by one, or of the other sign
    ImageOperand,  ///< a level, bias, gradient, offset, sample or gathered component
    PhiInput,      ///< the values of two edges change places
    ControlEdge,   ///< the two ways of a branch change places; another case of a switch
    Binding,       ///< of another resource
    Interface,     ///< a builtin, location, offset, stride or work group size
};
inline constexpr int kMutationKinds = 8;
std::string_view name(MutationKind kind);

struct Mutation {
    MutationKind kind{};
    std::string what;                                    ///< `%41 OpFAdd becomes OpFSub`
    std::vector<std::pair<uint32_t, uint32_t>> edits{};  ///< word and what it becomes
};

/// In the order of the module. What is equivalent by construction is left out (mutate.cpp says why at each place); what
/// no validator takes is not: hold each against SPIRV-Tools.
std::vector<Mutation> mutations_of(std::span<const uint32_t> words);

std::vector<uint32_t> mutated(std::span<const uint32_t> words, const Mutation& mutation);

/// Decorations that say what a device may do or need not care for, by name: how many. Without effect on software
/// devices, and so no part of a score.
std::vector<std::pair<std::string, uint32_t>> permissions_of(std::span<const uint32_t> words);

}  // namespace tgsi2spv::difftest
