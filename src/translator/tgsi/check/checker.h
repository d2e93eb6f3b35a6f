// The shared part of the checker. check.cpp walks declarations and instructions, check_operand.cpp checks operands
// against the table and the declarations, check_copies.cpp the inputs of INTERP_*, check_modifiers.cpp _SAT and
// predicates, check_texture.cpp targets and offsets, check_flow.cpp structure.
#pragma once

#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "tgsi/program/limits.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"
#include "tgsi/program/survey.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::tgsi {

struct Checker {
    Program& program;
    const Limits& limits;
    std::vector<Diagnostic>& diagnostics;
    const Registers& registers;
    std::pmr::memory_resource* memory;
    uint32_t errors = 0, warnings = 0;
    bool stop = false;
    bool has_vertices = false;  ///< inputs or outputs may be arrays over vertices
    FileSet only_vertices = 0;  ///< files whose declared registers all are such arrays
    FileSet indexed = 0;        ///< files of resources that some index was seen to select in
    bool followed_copies = false;
    bool lacks_register = false;  ///< the instruction at hand needs a register that is not declared
    /// The run of declared registers that contained the last operand of each file.
    const Range* last_run[kFileCount] = {};

    // Reporting functions are cold, so that the compiler keeps messages out of the path of correct programs.
    [[gnu::cold]] void fail(uint32_t at, Code code, std::string message, std::string hint = {});
    [[gnu::cold]] void warn(uint32_t at, Code code, std::string message, std::string hint = {});
    /// Whether a warning would be kept: if not, its message need not be made.
    bool warns() const { return !stop && warnings < limits.errors; }
    /// A second place that explains the preceding error.
    [[gnu::cold]] void note(uint32_t at, std::string message);
};

/// Makes registers outside every declaration NULL, with a warning (semantics: Addressing).
void check_operands(Checker& checker, const Instruction& instruction, const OpcodeInfo& info);
/// INTERP_* of a TEMP that is a copy of an input becomes INTERP_* of the input: in the whole program, once.
void follow_copies(Checker& checker);
/// _SAT and the predicate of an instruction whose operands are right.
void check_modifiers(Checker& checker, const Instruction& instruction, const OpcodeInfo& info);
/// Gives a target UNKNOWN that of the declared view.
void check_texture(Checker& checker, Instruction& instruction, const OpcodeInfo& info);
/// `flow`: the instructions of the flow family.
void check_flow(Checker& checker, std::span<const uint32_t> flow);

/// `TEMP[3]`, `CONST[0..31]`, `CONST[1][2..3]`.
[[gnu::cold]] std::string range_name(File file, int32_t dim, bool show_dim, int32_t first, int32_t last);

}  // namespace tgsi2spv::tgsi
