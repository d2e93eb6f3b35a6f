#include "renderer/state/reflected.h"

#include <algorithm>

namespace tgsi2spv::host {
namespace {

template <class Get>
Registers registers_of(const Program& program, uint32_t tgsi2spv_program_info::*count, Get get) {
    Registers registers;
    for (uint32_t i = 0, end = program ? program.info().*count : 0; i < end; i++)
        registers.push_back((program.*get)(i));
    return registers;
}

}  // namespace

Registers inputs_of(const Program& program) {
    return registers_of(program, &tgsi2spv_program_info::input_count, &Program::input);
}

Registers outputs_of(const Program& program) {
    return registers_of(program, &tgsi2spv_program_info::output_count, &Program::output);
}

Registers system_values_of(const Program& program) {
    return registers_of(program, &tgsi2spv_program_info::system_value_count, &Program::system_value);
}

bool have(const Registers& registers, tgsi2spv_semantic semantic, uint32_t index) {
    return std::ranges::any_of(registers, [&](const tgsi2spv_register& r) {
        return r.semantic == semantic && index >= r.semantic_index && index - r.semantic_index < std::max(r.count, 1U);
    });
}

uint32_t slots_of(const Registers& registers) {
    uint32_t slots = 0;
    for (const tgsi2spv_register& r : registers) slots = std::max(slots, r.index + r.count);
    return slots;
}

uint32_t property_of(const Program& program, std::string_view name, uint32_t unless) {
    for (uint32_t i = program.info().property_count; i-- > 0;)
        if (const tgsi2spv_property p = program.property(i); p.name == name) return p.value;
    return unless;
}

}  // namespace tgsi2spv::host
