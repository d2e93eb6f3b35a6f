// Operands whose register is selected by another register.
#pragma once

#include <cstdint>
#include <span>

#include "lower/walk/regions.h"
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// A test of whether an index is within the declared registers of a file.
struct RangeTest {
    ir::Value index = ir::kNone;
    tgsi::File file{};
    int32_t dim = 0;
    Cached inside{};
};
/// The latest tests, by index: an index often selects several registers in succession, and a file may have many runs.
struct RangeTests {
    RangeTest last[8];
};

/// The index of an indirect access, as u32.
ir::Value relative_index(Walk& walk, const tgsi::Relative& relative, int32_t offset);
/// A bool: `index` is within the declared registers of the file. kNone if Options::bounds asks for no test.
ir::Value in_range(Walk& walk, tgsi::File file, int32_t dim, uint16_t array_id, ir::Value index);
/// A bool: `index` is within one of the runs that begin at `firsts` and have `counts` registers.
ir::Value in_runs(Walk& walk, ir::Value index, std::span<const uint32_t> firsts, std::span<const uint32_t> counts);
/// Which of `count` registers from `first` on an index selects, from 0. If register accesses are clamped, an index
/// outside of the operand's array (of all these registers, if it has none) selects the last one: neighbours of the
/// array may be among the registers.
ir::Value selected_element(Walk& walk, const tgsi::Operand& operand, ir::Value index, int32_t first, uint32_t count);
bool read_indirect(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_indirect(Walk& walk, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// Writes both destinations of an instruction; the first may be the register that indexes the second.
bool write_two(Walk& walk, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
               const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs);

}  // namespace tgsi2spv::lower
