// Modules broken on purpose, one change at a time: whether the campaign notices shows how strong its tests are.
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
    Constant,      ///< off by one, or negated
    ImageOperand,  ///< a level, bias, gradient, offset, sample or gathered component
    PhiInput,      ///< swaps the values of two edges
    ControlEdge,   ///< swaps the two targets of a branch; another case of a switch
    Binding,       ///< of another resource
    Interface,     ///< a builtin, location, offset, stride or work group size
};
inline constexpr int kMutationKinds = 8;
std::string_view name(MutationKind kind);

struct Mutation {
    MutationKind kind{};
    std::string what;                                    ///< `%41 OpFAdd becomes OpFSub`
    std::vector<std::pair<uint32_t, uint32_t>> edits{};  ///< a word, and what it becomes
};

/// In the order of the module. Leaves out what is equivalent by construction (mutate.cpp says why at each place). May
/// give modules that no validator accepts: check each with SPIRV-Tools.
std::vector<Mutation> mutations_of(std::span<const uint32_t> words);

std::vector<uint32_t> mutated(std::span<const uint32_t> words, const Mutation& mutation);

/// Decorations that permit a device something or free it from something, by name, and how many of each. They have no
/// effect on software devices, so they are not part of a score.
std::vector<std::pair<std::string, uint32_t>> permissions_of(std::span<const uint32_t> words);

}  // namespace tgsi2spv::difftest
