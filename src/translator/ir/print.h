// The module as text; tests/ir/parse.h reads it back.
//
//   entry Fragment f0 depth_replacing
//   $0 = StorageBuffer u32 index=3
//   #0 = image $1 lod
//   function f0 "main" (f32, u32x2) -> void {
//   b0: merge b2                                   a selection's header; a loop's: `b0: loop b5 continue b4`
//     %0 = Load u32 $0[u32(7)]                     the number of a value is its index; constants are written inline
//     %1 = Compose f32x2 %7.x, %8.w
//     %2 = FAdd f32x2 %1, f32x2(1.5, 0x7fc00000) !precise
//     BranchIf %3, b1, b2
//   }
#pragma once

#include <string>

#include "ir/module.h"

namespace tgsi2spv::ir {

struct PrintOptions {
    bool lines = false;  ///< `!line(n)` after an instruction: Instruction::line
};

/// Accepts any module, even a broken one (a wrong id is printed as its number).
std::string print(const Module& module, const PrintOptions& options = {});
/// One instruction, without indentation or end of line.
std::string print(const Module& module, const Function& function, uint32_t instruction);

}  // namespace tgsi2spv::ir
