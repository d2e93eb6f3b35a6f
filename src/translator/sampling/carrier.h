// Puts messages that no TGSI opcode reaches into a program that both readers of messages can run. The texture pages'
// own features (sparse residency, half parameters, packed offsets, handles, …) are in the messages; everything else is
// plain TGSI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sampling/message.h"
#include "tgsi/program/program.h"

namespace tgsi2spv::sampling {

/// One message and its resources: textures and samplers of a pool are consecutive SVIEW and SAMP registers.
struct Call {
    Message message{};
    tgsi::Target target = tgsi::Target::T2D;
    tgsi::ReturnType returns = tgsi::ReturnType::Float;
    int32_t texture = 0;  ///< SVIEW register (SAMP if the message's operand is combined)
    int32_t sampler = 0;  ///< SAMP register
    /// Used where the message says that the registers differ between lanes: a word of the lane that is added to the
    /// registers above. It is a component of a source after the parameters.
    Param texture_index{}, sampler_index{};
};

/// Message k is instruction k of `program`. Destination 0 is OUT[2k]; destination 1, present if the message is sparse,
/// is OUT[2k + 1]. Sources are IN[0], IN[1], … for the parameters, then the texture and sampler operands.
struct Carrier {
    tgsi::Program program;
    std::vector<Message> messages;
};

/// Makes the program of these calls, as one shader of `stage` (FRAG or VERT). SVIEW and SAMP are declared from 0 to
/// `pool` - 1.
Carrier carry(std::span<const Call> calls, tgsi::Stage stage, int32_t pool);

}  // namespace tgsi2spv::sampling
