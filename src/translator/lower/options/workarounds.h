// Workarounds for driver bugs; meaning is in Options, ability in Capabilities. No workaround changes the meaning of a
// module. Those that cost almost nothing are on.
#pragma once

namespace tgsi2spv::lower {

struct Workarounds {
    /// io_buffers only: a register's known value (IMM, a TEMP that nothing wrote, a folded result) is combined with a
    /// zero that is loaded from the parameters. lavapipe folds x · 0 and x + 0 with constants, and so loses signs of
    /// zero, infinities and NaN, despite SignedZeroInfNanPreserve.
    bool opaque_immediates = false;
    /// With opaque_immediates: integers that are converted to floats are combined with that zero too. lavapipe turns a
    /// selection of −1.0 or 0.0 into the negation of a converted bool, which gives −0. The same is done to floats that
    /// come from 64-bit floats: lavapipe treats a 64-bit 0 as greater than 0.0.
    bool opaque_integers = false;
    /// The stack's depth (PUSHA, POPA) is an array of one register. SwiftShader reads 0 from a scalar variable that a
    /// loop writes.
    bool scalars_in_arrays = true;
    /// Sizes of a level that may differ between lanes are computed by halving those of level 0: drivers err when lanes
    /// query the sizes of different levels.
    bool sizes_of_level_0 = true;
    /// Registers that loops write live in memory. lavapipe (Mesa 22.3) keeps the value of a loop's first iteration, or
    /// a product of it, although a phi of the loop changes in later iterations: lavapipe-loop-constant and -product of
    /// its baseline.
    bool loop_registers_in_memory = false;
    /// Branches on constants, of VERT and FRAG, ask something of the lane, too, which is always true. lavapipe
    /// (Mesa 22.3) puts the values of constants into a shader if these decide branches and half of it then goes away,
    /// and so compiles it anew whenever a constant changes.
    bool branches_by_lane = false;

    // Promises of drivers beyond Vulkan, for smaller machine code.
    /// Conversions::Clamp: OpConvertFToS and FToU give some integer for every float, so no operand is clamped. SPIR-V
    /// leaves that undefined. The instructions of AMD's and NVIDIA's GPUs saturate.
    bool device_saturates = false;
    /// SIN, COS, SCS: the device reduces every argument, with no larger error than lowering does (periodic()). AMD's
    /// GPUs count in whole turns: Mesa multiplies by 1 / 2 pi, and the GPU drops the whole part, exactly.
    bool device_reduces_angles = false;
    /// The device's log2(0) is -inf, which GLSL.std.450 leaves undefined.
    bool device_logs_zero = false;
};

}  // namespace tgsi2spv::lower
