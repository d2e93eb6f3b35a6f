// Registers that are values: four cells each, or a slot that may also be in memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/walk/walk.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

/// Register components that are values.
struct Cells {
    explicit Cells(std::pmr::memory_resource* memory)
        : slots(memory), inputs(memory), systems(memory), immediates(memory) {}

    std::pmr::vector<Ref> slots;            ///< components of slots
    std::pmr::vector<Ref> inputs, systems;  ///< components of registers, in the open function
    /// By IMM register and component: the constant as u32 and as f32, once it has been read.
    std::pmr::vector<std::array<ir::Value, 2>> immediates;
};

/// True if the operand is loaded and stored directly in the interface; the walk keeps no value for it.
inline bool stands_in_interface(const Walk& walk, const tgsi::Operand& operand) {
    if (operand.file != tgsi::File::Input)
        return operand.file == tgsi::File::Output && walk.program.stage == tgsi::Stage::TessControl;
    return has_vertices(walk.program.stage, tgsi::File::Input) && (operand.has_dim || operand.index_is_relative);
}

/// The four cells of a register, if it is named directly and is a value; nullptr if more has to be done.
inline Ref* cells_of(Walk& walk, const tgsi::Operand& operand) {
    if (operand.index_is_relative || operand.dim_is_relative || operand.has_dim) return nullptr;
    const FileCells& file = walk.files[static_cast<size_t>(operand.file)];
    const auto index = static_cast<uint32_t>(operand.index);
    if (index >= file.count) return nullptr;
    if (file.segment_of != nullptr && file.segment_of[index] != kNoIndex) return nullptr;
    return file.cells + size_t{4} * index;
}
/// The same for a register that the instruction writes unconditionally, so that its cells can simply be set.
inline Ref* written_cells(Walk& walk, const tgsi::Operand& operand) {
    const bool plain =
        walk.files[static_cast<size_t>(operand.file)].segment_of != nullptr && operand.file != tgsi::File::Predicate;
    return plain && walk.predicate.instruction == nullptr ? cells_of(walk, operand) : nullptr;
}

/// A component of IMM[index] as a scalar (`scalar`: U32 or F32), for uses that need not be opaque.
ir::Value known_immediate(Walk& walk, size_t index, int component, ir::Scalar scalar);
void read_slot(Walk& walk, uint32_t slot, std::span<const uint8_t> comps, Ref* out);
void write_slot(Walk& walk, uint32_t slot, uint8_t mask, const Ref* refs);
}  // namespace tgsi2spv::lower
