// Texels: a case's words as a device stores them; addressing; borders.
#pragma once

#include <array>
#include <cstdint>

#include "reference/case/inputs.h"
#include "reference/numbers/value.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::reference {

/// Four channels as a shader sees them: in the order of the format (tgsi::channels_of), before any swizzle.
using Texel = std::array<Value, 4>;
inline Texel all_unknown(uint32_t nominal = 0) {
    return {unknown(nominal), unknown(nominal), unknown(nominal), unknown(nominal)};
}

/// Vulkan, "Numeric Representation and Computation", names texture sampling among the computations outside shaders. For
/// these, "Floating-Point Computation" demands that each result be accurate to about 1 part in 10^5, and that 0·x, 1·x
/// and x + 0 be exact.
inline constexpr double kOperation = 1e-5;
/// The change that flushing may cause in a sum of products of weights and texels, the largest of which is `largest`: of
/// texels this small, each product may be a denormal.
inline double flushed_of(int products, double largest) {
    return largest < 0x1p-100 ? products * 0x1p-126 : 0;
}

/// Component `c` of the format in a texel that was uploaded as `word`, as a shader reads it back. The upload rounds to
/// the nearest value of the format (for ties, to either). Reading a normalised component is one division, correct to
/// kOperation or done in the fixed point of numbers near 1 (2^-24). sRGB decoding is correct to half a step of the
/// encoded value. `word` of an sRGB colour is the encoded value divided by its largest value. Denormals may be flushed,
/// and a NaN may become any NaN.
Value stored(const tgsi::FormatInfo& format, int c, uint32_t word);

/// A texture whose sizes and words can be trusted: sizes are at least 1, missing words are 0.
class Image {
  public:
    explicit Image(const Texture& texture);

    const tgsi::FormatInfo& format() const { return *format_; }
    bool valid() const { return valid_; }      ///< the format is one that stored() knows
    bool integer() const { return integer_; }  ///< channels are words, never filtered
    bool depth_unorm() const { return depth_unorm_; }
    bool buffer() const { return shape_.buffer; }
    /// The error that filtering may add, for any texels: the format of the texels may limit precision ("Numeric
    /// Representation and Computation"), and devices filter normalised components of up to 16 bits in 16-bit fixed
    /// point.
    double filter_slack() const { return 3 * filter_step_; }  ///< two filters and their blend, a step each
    /// The error that a gather, which reads through the filter, may add: a step, if 16 bits do not have all numbers of
    /// the format.
    double gather_slack() const { return gather_slack_; }
    bool of_halves() const { return of_halves_; }  ///< floats of 16 bits or less
    bool is_srgb(int channel) const;               ///< alpha is not
    const tgsi::TargetShape& shape() const { return shape_; }
    int levels() const { return levels_; }
    int layers() const { return layers_; }  ///< cubes: faces
    int samples() const { return samples_; }
    int64_t size(int axis, int level) const;  ///< texels; axes beyond the target's are 1

    /// Arguments must be in range: 0 <= i < size, 0 <= layer < layers(), 0 <= level < levels(), 0 <= sample <
    /// samples().
    Texel texel(int level, int layer, int64_t x, int64_t y, int64_t z, int sample = 0) const;
    Texel border(const SamplerState& sampler) const;
    /// Zeros for components that the format has, else 0, 0, 1.
    Texel zero() const;
    Value one() const { return exact(integer_ ? 1u : kOne); }

  private:
    /// The value of a channel that is not a component.
    Value fill(uint8_t channel) const { return channel == tgsi::kChannelOne ? one() : exact(0u); }
    const Texture* texture_;
    const tgsi::FormatInfo* format_;
    tgsi::TargetShape shape_;
    std::array<uint8_t, 4> channels_{};  ///< the component of each channel (tgsi::channels_of)
    bool rearranged_ = false;            ///< some component is not in its own channel
    int components_ = 0, levels_ = 1, layers_ = 1, samples_ = 1;
    int64_t size_[3] = {1, 1, 1};
    double filter_step_ = 0, gather_slack_ = 0;  ///< normalised formats: filters may work in 16 bits
    bool of_halves_ = false;
    bool valid_ = false, integer_ = false, depth_unorm_ = false;
};

/// True for a border colour that is none of Vulkan's VK_BORDER_COLOR_FLOAT_* and VK_BORDER_COLOR_INT_*, which are of
/// the same numbers.
bool is_custom_border(const SamplerState& sampler);

/// The texel that coordinate i addresses on an axis of n texels; -1 for the border. Vulkan, "Wrapping Operation".
int64_t wrap_index(Wrap wrap, int64_t i, int64_t n);
/// CLAMP and MIRROR_CLAMP are made of a clamped coordinate and the border if the sampler filters linearly; without a
/// filter, CLAMP_TO_EDGE and MIRROR_CLAMP_TO_EDGE are the same. With one filter of two, results are unknown.
bool wrap_exists(const SamplerState& sampler, int axis);

/// The channels of a texel that a view's swizzle selects: 0 to 3, 4 zero, 5 one.
Texel through_view(const Texel& t, const std::array<uint8_t, 4>& swizzle, const Image& image);

}  // namespace tgsi2spv::reference
