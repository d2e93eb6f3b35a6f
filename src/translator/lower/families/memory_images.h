// An image as memory: its descriptor, its type, and a texel's place in it.
#pragma once

#include <cstdint>
#include <span>

#include <spirv/unified1/spirv.hpp11>

#include "lower/families/memory.h"
#include "lower/interface/resources.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

struct ImageMemory {
    ResourceRef ref;
    ir::ImageType type;
    tgsi::TargetShape shape;
    ir::Value selected = ir::kNone;  ///< bool: the index or handle selects a declared image; kNone: always
    uint32_t descriptors = 0;        ///< number of descriptors to try one by one; 0: the device indexes them
    bool is_words = false;           ///< an R32_FLOAT image with atomics, viewed as R32_UINT
    bool is_pair = false;            ///< R64_UINT, R64_SINT: two words, as a register holds 64 bits
    bool adds_floats = false;        ///< an R32_FLOAT image whose only atomics are ATOMFADD, on a device that has them
    bool raw = false;                ///< RES … RAW: words at byte addresses
    uint32_t samples = 0;            ///< State::image_samples
};

/// Coordinates with layer or face, as SPIR-V expects them, and the sample.
struct ImagePlace {
    ir::Value coordinate = ir::kNone;
    ir::Value sample = ir::kNone;
};

/// False after a refusal.
bool image_memory(Operation& op, const tgsi::Operand& operand, ImageMemory& memory);
/// Selects the image at one descriptor of its array (kNone: not an array).
inline void select_descriptor(Operation&, ImageMemory& memory, ir::Value descriptor) {
    memory.ref.index = descriptor;
}
int coordinates_of(const ImageMemory& memory);
/// Reads the place from source `address`.
ImagePlace place_of(Operation& op, const ImageMemory& memory, int address);
ir::Value issue_image(Operation& op, const ImageMemory& memory, ir::Op o, ir::Type type, ir::ImageOp image,
                      std::span<const ir::Value> args, uint8_t sub = 0);

Outcome lower_image(Operation& op);

}  // namespace tgsi2spv::lower
