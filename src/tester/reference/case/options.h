// The promises of the module and the properties of the device that a case is run for.
#pragma once

#include <cstdint>

#include "tgsi/tables/types.h"

namespace tgsi2spv::reference {

/// The promises of the module under judgement, and the device's properties.
struct Options {
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    bool exact = true;                   ///< NoContraction everywhere (the module was converted with `exact`)
    bool preserves_nan_inf_zero = true;  ///< SignedZeroInfNanPreserve 32 is in force
    /// Functions (GLSL.std.450: roots, exponentials, SIN, FLR, …) give NaN for NaN too, and RSQ takes +inf. SPIR-V's
    /// SignedZeroInfNanPreserve forbids every floating-point instruction to assume that operands are not NaN or
    /// infinite. Vulkan holds devices only to a list of core instructions, so code that judges a device sets false.
    bool functions_keep_nan = true;
    bool round_to_even = true;              ///< RoundingModeRTE 32 is in force
    bool preserves_nan_inf_zero_64 = true;  ///< SignedZeroInfNanPreserve 64 is in force
    bool round_to_even_64 = true;           ///< RoundingModeRTE 64 is in force
    /// Vulkan says only that doubles are at least as precise as floats. False: the ULPs in the table are those of the
    /// type (its conformance tests hold devices to that). True: to the letter, so the errors of DDIV, DRCP, DSQRT and
    /// DRSQ are in ULPs of a float.
    bool doubles_as_single = false;
    bool fast_values = false;  ///< words only, no bounds (tgsi-run without --bounds may use it)
    /// subTexelPrecisionBits and mipmapPrecisionBits of the device; 4 is the least that Vulkan allows for both.
    uint32_t sub_texel_bits = 4;
    uint32_t mipmap_bits = 4;
    /// Filters may round: the weight of a texel, which is the product of those of its axes and level, to
    /// sub_texel_bits; the colours of 16-bit floats to such floats, and those of sRGB to eight bits of the largest
    /// texel. NVIDIA's do. Vulkan ("Texel Filtering") has formulas and gives them no precision, so code that judges a
    /// device sets true.
    bool rounding_filters = false;
    /// maxSamplerLodBias of the device. 0: not known, so any limit from 2 up; 2 is the least that Vulkan allows.
    float max_sampler_lod_bias = 0;
    /// borderColorSwizzleFromImage is enabled. False: opaque black and custom borders through a view's swizzle are
    /// undefined (Vulkan, "Instruction/Sampler/Image View Validation").
    bool border_swizzle_from_image = false;
    /// The view's swizzle acts on the result (r, r, r, 1) of a comparison. False: on that or on the texel, as the
    /// device likes.
    bool swizzled_comparisons = false;
    /// CONST by an index is checked by the device alone (robustBufferAccess2): beyond the declared registers it reads
    /// the buffer's own words, and 0 beyond these.
    bool constants_as_bound = false;
    /// MAX and DMAX of two numbers that flush to −0 may give the smaller one: a bug, for the devices that have it.
    bool tiny_maxima_are_minima = false;
    /// DROUND of a number in the middle of two integers may give the one nearer to zero: as above.
    bool middles_round_to_zero = false;
    /// SIN, COS and SCS take whole turns off by a product with 1 / 2 pi, not as lowering does.
    bool angles_by_device = false;
    /// COMP: not 0 if every subgroup is known to have this many (up to 64) consecutive invocations of a work group.
    /// Vulkan promises this for no device: set it only if you know the device at hand and check that it holds.
    uint32_t subgroup_size = 0;
    /// The module's budget of turns of loops and calls of subroutines, per invocation (semantics, Flow); 0: none.
    uint32_t max_iterations = 0;
    uint64_t max_steps = 4'000'000;  ///< instructions per lane; beyond that, writes are unknown
    /// It is an error instead if a lane reaches max_steps, or if all lanes together reach this many instructions (a
    /// texture instruction counts as 64): a program that does not end has no answer. 0: no error.
    uint64_t most_instructions = 0;
    /// For callers who use no result of as many instructions over all lanes (Result::instructions): there the run
    /// stops, and writes are unknown. 0: it goes on.
    uint64_t most_useful = 0;
};

}  // namespace tgsi2spv::reference
