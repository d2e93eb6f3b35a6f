// The brackets of IN[v][i] and OUT[v][i], and accesses to them with io=buffers.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Scratch of an access whose second bracket is an index.
struct IndexedRegisters {
    explicit IndexedRegisters(std::pmr::memory_resource* memory) : candidates(memory), cases(memory) {}

    std::pmr::vector<uint32_t> candidates;  ///< registers that the index may select
    std::pmr::vector<ir::SwitchCase> cases;
};

/// One bracket of an operand. `inside`: a bool value, kNone if the index cannot be out of range.
struct Index {
    ir::Value value = ir::kNone;
    ir::Value inside = ir::kNone;
};

/// The vertex of an operand with two brackets, clamped to the array. A constant vertex of a patch is assumed to exist:
/// a vertex that the patch lacks is undefined, but within the array.
Index vertex_of(Context& context, const tgsi::Operand& operand);
/// The most registers that an indexed second bracket selects among.
inline constexpr size_t kMaxIndexedRegisters = 64;
/// The registers that an indexed second bracket may name, in rising order: those with as many brackets as the operand.
/// False after a refusal.
bool candidates(Context& context, const tgsi::Operand& operand, std::pmr::vector<uint32_t>& registers);
/// Replaces the first `n` of `out` by zeros where `inside` does not hold (kNone: it always does).
void zero_outside(Context& context, ir::Value inside, size_t n, Ref* out);

bool read_vertex_buffer(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Stores zeros to OUT[reg] of a vertex; kNone: of the patch.
void clear_vertex_buffer(Context& context, ir::Value vertex, uint32_t reg);
bool write_vertex_buffer(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower
