// Registers that live in memory: the array variables, and stores to them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

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

/// Stores zeros to the elements `start`, `start` + `step`, …
void clear_in_loop(Context& context, uint32_t variable, ir::Value start, ir::Value step);
/// A per-lane array of vectors of floats, zero at the start; `by_index`: some index selects in it.
uint32_t array_variable(Context& context, uint32_t elements, bool by_index, std::string_view name,
                        ir::Type element = ir::f32(4));
/// Stores refs[k] to the k-th component in `mask` of one element of an array in memory.
void store_memory(Context& context, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower
