// A module parsed for mutations: instructions, uses, and which components of its values matter. Internal to
// mutate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <utility>
#include <vector>

namespace tgsi2spv::difftest::mutation {

inline constexpr uint8_t kAllComponents = 0xff;
/// The word of the header that holds the bound of ids.
inline constexpr uint32_t kBound = 3;

constexpr uint32_t head(size_t size, spv::Op op) {
    return static_cast<uint32_t>(size) << 16 | static_cast<uint32_t>(op);
}

struct Instruction {
    spv::Op op{};
    uint32_t at = 0, size = 0;  ///< words
    uint32_t type = 0, result = 0;
    uint32_t operands = 1;  ///< first word after type and result, from `at`
    uint32_t block = 0;     ///< label; 0: outside functions
};

struct Module {
    std::span<const uint32_t> words;
    std::vector<Instruction> all{};
    std::map<uint32_t, size_t> defined{};  ///< id: its instruction
    std::map<uint32_t, uint32_t> uses{};   ///< id: number of uses in functions
    /// Ids that types, scopes, semantics or array lengths name.
    std::map<uint32_t, bool> structural{};
    /// By id: one bit for each component that something depends on.
    std::vector<uint8_t> live{};
    /// By id of a register in the invocation's memory, or of an array of registers: the components that some load
    /// reads.
    std::map<uint32_t, uint8_t> loaded{};
    std::vector<bool> of_clock{};  ///< by id: computed from a clock, whose time is unknown

    uint8_t live_components(uint32_t id) const { return id < live.size() ? live[id] : kAllComponents; }
    uint32_t word(const Instruction& instruction, uint32_t k) const { return words[instruction.at + k]; }
    const Instruction* definition(uint32_t id) const {
        const auto found = defined.find(id);
        return found == defined.end() ? nullptr : &all[found->second];
    }
    uint32_t type_of(uint32_t id) const {
        const auto* d = definition(id);
        return d == nullptr ? 0 : d->type;
    }
    bool is_type(uint32_t type, spv::Op op) const {
        const auto* d = definition(type);
        return d != nullptr && d->op == op;
    }
    /// The word of a scalar constant.
    std::optional<uint32_t> constant(uint32_t id) const {
        const auto* d = definition(id);
        if (d != nullptr && d->op == spv::Op::OpConstant && d->size == 4) return word(*d, 3);
        if (d == nullptr || d->op != spv::Op::OpConstantComposite) return std::nullopt;
        std::optional<uint32_t> same;
        for (uint32_t k = 3; k < d->size; k++) {
            const auto c = constant(word(*d, k));
            if (!c || (same && *same != *c)) return std::nullopt;
            same = c;
        }
        return same;
    }
};

Module read(std::span<const uint32_t> words);

/// Whether word `k` of the instruction can make a difference: it is not an operand of a shuffle that no index selects,
/// nor a component of a vector that nothing reads.
bool reaches_live_component(const Module& module, const Instruction& instruction, uint32_t k);

/// A store to a component that no load reads, of a register in memory or of an array of registers.
bool is_dead_store(const Module& module, const Instruction& instruction);

/// A branch that only decides whether a value computed from a clock is stored: that value is unknown.
bool stores_clock_only(const Module& module, const Instruction& instruction);

/// The places of instructions that only choose which vertex does the work of a lane, of those that the tessellator
/// makes from a patch. Any of them would do the same, since everything that it reads is in buffers (`io=buffers`).
std::set<uint32_t> choosing_vertex(const Module& module);

/// By variable: descriptor set and binding.
std::map<uint32_t, std::pair<uint32_t, uint32_t>> places_of(const Module& module);

/// The variable that an access chain starts from; 0: the pointer is of another kind.
uint32_t variable_of(const Module& module, uint32_t pointer);

/// Whether the value only has effects where the condition holds (or does not, if `holds` is false): stores there, and
/// selections that take it only there. Elsewhere the value only matters for accesses staying inside, and the devices
/// used here let no access leave a buffer.
bool matters_only_where(const Module& module, uint32_t id, uint32_t condition, bool holds);

/// Whether an access may reach an element of the array type after the first: if none does, its stride means nothing.
bool reads_beyond_first(const Module& module, uint32_t array);

/// reads_clock: an operand is computed from a clock. serves_clock_only: every use of the constant is such an
/// instruction.
bool reads_clock(const Module& module, const Instruction& instruction);
bool serves_clock_only(const Module& module, uint32_t constant);

}  // namespace tgsi2spv::difftest::mutation
