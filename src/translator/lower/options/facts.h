// Facts of texts and formats that do not depend on a conversion.
#pragma once

#include <cstdint>

#include "ir/module.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::lower {

/// io_buffers: the slots that registers take (io_buffers.h says which is where).
struct IoSlots {
    uint32_t input = 0;   ///< slots of a lane, without those of SV registers, which follow
    uint32_t output = 0;  ///< slots of a record
};
IoSlots io_slots(const tgsi::Program& program, const tgsi::Registers& registers);
/// The most registers that link() and a pass-through shader take for a record: gallium has no more than 80 outputs.
inline constexpr int32_t kMostRecordSlots = 128;

/// How FRAG's inputs with this declaration are interpolated; COLOR without flat shading.
ir::Interpolation interpolation_of(tgsi::Interpolation interpolation);

/// SPIR-V's number of a format (tgsi/tables/formats.h) for storage images; 0: it has none.
uint16_t storage_format(uint16_t pipe_format);
/// The other way round; 0: there is none.
uint16_t format_of_storage(uint32_t image_format);

}  // namespace tgsi2spv::lower
