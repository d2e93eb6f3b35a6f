// The opcodes of each family, and facts about them. A result that a family does not set is unknown.
#pragma once

#include "reference/machine/frame.h"

namespace tgsi2spv::reference {

void arithmetic(Frame& frame);
void compare(Frame& frame);
void integer(Frame& frame);
void convert(Frame& frame);
void legacy(Frame& frame);
void wide_family(Frame& frame);
void wide_convert(Frame& frame);
void texture(Frame& frame);
void io(Frame& frame);
void subgroup(Frame& frame);
/// `here`: the lanes that execute it, under its predicate.
void memory(Frame& frame, const Mask& here);

/// PUSHA (legacy.cpp): entries beyond 8 are dropped.
void push_words(Machine& machine, const std::array<const Value*, 4>& words, const Mask& here);

/// STORE and ATOM*.
bool writes_memory(tgsi::Opcode op);
/// Makes everything unknown that such an instruction may write.
void spoil_resource(Machine& machine, const tgsi::Instruction& in, uint32_t lane);
/// SAMP2HND, IMG2HND.
bool makes_handle(tgsi::Opcode op);

}  // namespace tgsi2spv::reference
