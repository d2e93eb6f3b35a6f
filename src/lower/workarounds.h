// What drivers get wrong, apart from meaning (Options) and ability (Capabilities). None of these changes what a module
// means; what costs nothing to speak of is on.
#pragma once

namespace tgsi2spv::lower {

struct Workarounds {
    /// io_buffers only: IMM words pass through a zero that is loaded from the parameters. lavapipe folds x · 0 and x +
    /// 0 with constants, and loses signs of zero, infinities and NaN, whatever SignedZeroInfNanPreserve says.
    bool opaque_immediates = false;
    /// With opaque_immediates: integers that become floats pass through that zero too. lavapipe makes −1.0 or 0.0,
    /// selected, a negated bool converted, which is −0. And so do floats that were of 64 bits: it believes that 0 of
    /// 64 bits is above 0.0.
    bool opaque_integers = false;
    /// The stack's depth (PUSHA, POPA) is an array of one register. SwiftShader reads 0 of a scalar variable that a
    /// loop writes.
    bool scalars_in_arrays = true;
    /// Sizes of a level that lanes do not share are those of level 0, halved: drivers err where lanes ask for the sizes
    /// of different levels.
    bool sizes_of_level_0 = true;
    /// Registers that loops write stand in memory. lavapipe (Mesa 22.3) keeps what a loop's first turn wrote, or a
    /// product of it, where a phi of the loop changes in later turns: lavapipe-loop-constant and -product of its
    /// baseline.
    bool loop_registers_in_memory = false;
};

}  // namespace tgsi2spv::lower
