// The border colours of samplers whose views are of integers. Code that makes the samplers of a case calls the same
// functions, so that devices have the colours that the reference expects.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "reference/case/inputs.h"

namespace tgsi2spv::reference {

/// The integer that a component of SamplerState::border_color gives a view of integers: the same number, so that each
/// of VK_BORDER_COLOR_FLOAT_* becomes its VK_BORDER_COLOR_INT_*, whose white is 1 (Vulkan, "Texel Replacement"). A
/// negative number is in two's complement. Empty if no 32-bit integer, signed or unsigned, is this number.
std::optional<uint32_t> integer_border(float component);

/// The SAMPs of the SAMPLE family that have border colours of integers.
///
/// Vulkan, "Instruction/Sampler/Image View Validation": a texel is undefined if the borderColor is of an integer type
/// and the view's format is not, or the other way round. A VkSampler has one borderColor. Opcodes whose SAMP implies
/// the view have a sampler for each view (a combined image sampler), so its colour is always of the right type. In the
/// SAMPLE family one SAMP may meet views of both types: then its colour is of floats, and only they have a border.
class Borders {
  public:
    Borders() = default;
    Borders(const tgsi::Program& program, const Inputs& inputs);

    /// Every texture that a SAMPLE opcode may read with this SAMP is of integers (or stencil), and there is one.
    bool of_integers(uint32_t sampler) const;

  private:
    /// The samplers that meet textures of each type; those of an index that only a run knows are all.
    struct Met {
        std::set<uint32_t> samplers;
        bool all = false;
        bool contains(uint32_t sampler) const { return all || samplers.contains(sampler); }
    };
    Met integers_, floats_;
};

}  // namespace tgsi2spv::reference
