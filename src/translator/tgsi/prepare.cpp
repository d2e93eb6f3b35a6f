#include "tgsi/prepare.h"

#include <algorithm>

#include "tgsi/check/check.h"
#include "tgsi/program/stage.h"
#include "tgsi/virgl.h"

namespace tgsi2spv::tgsi {

namespace {

/// In old compute text, which needs no END, an END inside a construct leaves main as RET does. This does not hold if
/// something is called: RET would continue after the call.
void leave_by_end(Program& program, const Survey& survey) {
    const auto op = [&](uint32_t n) { return program.instructions[n].op; };
    const bool calls = std::ranges::any_of(survey.flow, [&](uint32_t n) {
        return op(n) == Opcode::CAL || op(n) == Opcode::CALLNZ || op(n) == Opcode::BRA;
    });
    if (calls) return;
    int open = 0;
    for (const uint32_t n : survey.flow) {
        open += opens_construct(op(n)) ? 1 : 0;
        open -= closes_construct(op(n)) ? 1 : 0;
        if (open > 0 && op(n) == Opcode::END) program.instructions[n].op = Opcode::RET;
    }
}

}  // namespace

void prepare(Program& program, Survey& survey, Registers& registers) {
    if (may_lack_end(program)) leave_by_end(program, survey);
    mend_virgl(program, survey);
    gather(program, survey, registers);  // last: its ranges follow from the operands
}

bool read_text(std::string_view text, const Limits& limits, Program& program, Survey& survey, Registers& registers,
               std::vector<Diagnostic>& diagnostics, uint32_t entry, std::pmr::memory_resource* memory) {
    if (!parse(text, limits, program, survey, diagnostics)) return false;
    program.entry = entry;
    prepare(program, survey, registers);
    return check(program, registers, survey, limits, diagnostics, memory);
}

}  // namespace tgsi2spv::tgsi
