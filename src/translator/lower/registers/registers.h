// Where the registers' components are, and reading and writing them: a file's own way (constant buffers, arrays over
// vertices, TEMPX, an index) is chosen here, so that no other file has to know it.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "lower/walk/components.h"
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

/// Registers that live in memory, in an array variable of vectors of floats.
struct Segment {
    uint32_t first = 0;  ///< slot (or register) of element 0
    uint32_t count = 0;
    uint32_t variable = kNoIndex;
    bool padded = false;     ///< one extra element takes out-of-range writes
    uint8_t components = 4;  ///< components of an element; nothing reads the others
    ir::Type element() const { return ir::f32(components); }
};

/// Registers in memory: because an index may select them, a subroutine touches them, or they need too many phis.
struct Arrays {
    explicit Arrays(std::pmr::memory_resource* memory)
        : segment_of(memory), array_of(memory), segments(memory), cleared_by_loops(memory), reads(memory) {}

    std::pmr::vector<uint32_t> segment_of;  ///< the segment of each slot; kNoIndex: SSA
    /// By slot: 0, or a number of the ARRAY that an index selects in, other than its neighbours'; none if none does.
    std::pmr::vector<uint8_t> array_of;
    std::pmr::vector<Segment> segments;
    std::pmr::vector<uint32_t> cleared_by_loops;  ///< variables that no initialiser sets to zero: they are too long
    // See narrow_arrays.h.
    std::pmr::vector<uint8_t> reads;  ///< components of each TEMP slot that are read
    uint8_t read_by_index = 0;        ///< … of some TEMP register
    /// All registers of a file that is only read, if an index selects among them.
    struct Copies {
        Segment inputs, systems, immediates, immediate_rows;
    } copies;
};

/// Drivers make a store of each element that an initialiser sets: RADV ten times the code of a loop, and LLVM takes
/// half a minute for 2,049 of them before nested loops.
inline constexpr uint32_t kMostInitialised = 64;

void prepare_registers(Walk& walk);
/// At the start of main: sets TEMP, ADDR and OUT to zero.
void clear_registers(Walk& walk);
/// Stores zeros to the elements `start`, `start` + `step`, …
void clear_in_loop(Walk& walk, uint32_t variable, ir::Value start, ir::Value step);
/// A per-lane array of vectors of floats, zero at the start; `by_index`: some index selects in it.
uint32_t array_variable(Walk& walk, uint32_t elements, bool by_index, std::string_view name,
                        ir::Type element = ir::f32(4));

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

/// Reads components `comps` of a register of any file, unswizzled; false after an error.
bool read(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Writes refs[k] to the k-th component in `mask`.
bool write(Walk& walk, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
[[gnu::cold]] bool refuse_two_indices(Walk& walk, const tgsi::Operand& operand);

/// A component of IMM[index] as a scalar (`scalar`: U32 or F32), for uses that need not be opaque.
ir::Value known_immediate(Walk& walk, size_t index, int component, ir::Scalar scalar);
void read_slot(Walk& walk, uint32_t slot, std::span<const uint8_t> comps, Ref* out);
void write_slot(Walk& walk, uint32_t slot, uint8_t mask, const Ref* refs);
/// Stores refs[k] to the k-th component in `mask` of one element of an array in memory.
void store_memory(Walk& walk, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower
