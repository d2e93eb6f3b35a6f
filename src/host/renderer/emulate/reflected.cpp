#include "renderer/emulate/reflected.h"

#include <algorithm>

namespace tgsi2spv::host {
namespace {

uint32_t slots(const Program& program, uint32_t tgsi2spv_program_info::*count,
               tgsi2spv_register (Program::*get)(uint32_t) const noexcept) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < program.info().*count; i++) {
        const tgsi2spv_register r = (program.*get)(i);
        slots = std::max(slots, r.index + r.count);
    }
    return slots;
}

}  // namespace

uint32_t property_of(const Program& program, std::string_view name, uint32_t unless) {
    for (uint32_t i = program.info().property_count; i-- > 0;)
        if (const tgsi2spv_property p = program.property(i); p.name == name) return p.value;
    return unless;
}

uint32_t input_slots(const Program& program) {
    return slots(program, &tgsi2spv_program_info::input_count, &Program::input);
}

uint32_t output_slots(const Program& program) {
    return slots(program, &tgsi2spv_program_info::output_count, &Program::output);
}

}  // namespace tgsi2spv::host
