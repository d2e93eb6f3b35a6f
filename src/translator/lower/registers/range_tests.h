// Whether an index is within the declared registers, and which of them it selects.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"
#include "lower/context/regions.h"

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

/// A bool: `index` is within the declared registers of the file. kNone if Options::bounds asks for no test.
ir::Value in_range(Context& context, tgsi::File file, int32_t dim, uint16_t array_id, ir::Value index);
/// A bool: `index` is within one of the runs that begin at `firsts` and have `counts` registers.
ir::Value in_runs(Context& context, ir::Value index, std::span<const uint32_t> firsts,
                  std::span<const uint32_t> counts);
/// Which of `count` registers from `first` on an index selects, from 0. If register accesses are clamped, an index
/// outside of the operand's array (of all these registers, if it has none) selects the last one: neighbours of the
/// array may be among the registers.
ir::Value selected_element(Context& context, const tgsi::Operand& operand, ir::Value index, int32_t first,
                           uint32_t count);
}  // namespace tgsi2spv::lower
