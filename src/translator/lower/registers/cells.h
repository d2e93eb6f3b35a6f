// Registers that are values: four cells each, or a slot that may also be in memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/context/context.h"
#include "tgsi/program/stage.h"

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
inline bool stands_in_interface(const Context& context, const tgsi::Operand& operand) {
    if (operand.file != tgsi::File::Input)
        return operand.file == tgsi::File::Output && context.program.stage == tgsi::Stage::TessControl;
    return has_vertices(context.program.stage, tgsi::File::Input) && (operand.has_dim || operand.index_is_relative);
}

/// The four cells of a register, if it is named directly and is a value; nullptr if more has to be done.
inline Ref* cells_of(Context& context, const tgsi::Operand& operand) {
    if (operand.index_is_relative || operand.dim_is_relative || operand.has_dim) return nullptr;
    const FileCells& file = context.files[static_cast<size_t>(operand.file)];
    const auto index = static_cast<uint32_t>(operand.index);
    if (index >= file.count) return nullptr;
    if (file.segment_of != nullptr && file.segment_of[index] != kNoIndex) return nullptr;
    return file.cells + size_t{4} * index;
}
/// The same for a register that the instruction writes unconditionally, so that its cells can simply be set.
inline Ref* written_cells(Context& context, const tgsi::Operand& operand) {
    const bool plain =
        context.files[static_cast<size_t>(operand.file)].segment_of != nullptr && operand.file != tgsi::File::Predicate;
    return plain && context.predicate.instruction == nullptr ? cells_of(context, operand) : nullptr;
}

/// A component of IMM[index] as a scalar (`scalar`: U32 or F32), for uses that need not be opaque.
ir::Value known_immediate(Context& context, size_t index, int component, ir::Scalar scalar);
void read_slot(Context& context, uint32_t slot, std::span<const uint8_t> comps, Ref* out);
void write_slot(Context& context, uint32_t slot, uint8_t mask, const Ref* refs);
}  // namespace tgsi2spv::lower
