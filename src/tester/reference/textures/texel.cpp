#include "reference/textures/texel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/textures/border.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::FormatInfo;
using tgsi::Numeric;

/// A real number that conversion made; zero and one are exact. Vulkan, "Conversion From Normalized Fixed-Point to
/// Floating-Point", gives c / (2^b - 1) and no error bound of its own: a device may divide as exactly as it must
/// (relative), or convert in the fixed point of numbers near 1.
Value near(double x, double relative) {
    if (x == 0 || x == 1 || x == -1) return exact(static_cast<float>(x));
    constexpr double kFixedPoint = 0x1p-24;
    const double slack = std::abs(x) * relative + kFixedPoint;
    Hull h;
    h.add_real(x - slack, x + slack);
    return h.finish(as_word(static_cast<float>(x)));
}

/// The steps of a normalised component that x rounds to: two for a tie, where float arithmetic may go either way.
struct Steps {
    double first, last, nominal;
};
Steps steps(double x, double least, double most) {
    const double t = std::clamp(x * most, least, most);
    const double slack = std::abs(t) * 0x1p-22;
    return {std::clamp(std::ceil(t - slack - 0.5), least, most), std::clamp(std::floor(t + slack + 0.5), least, most),
            std::nearbyint(t)};
}

Value normalised(double x, int bits, bool with_sign) {
    const double most = std::ldexp(1.0, with_sign ? bits - 1 : bits) - 1;
    if (std::isnan(x) || most <= 0) return unknown();
    const Steps s = steps(x, with_sign ? -most : 0, most);
    const Value nominal = near(s.nominal / most, kOperation);
    if (s.first == s.last) return nominal;
    Hull h;
    h.add(near(s.first / most, kOperation));
    h.add(near(s.last / most, kOperation));
    return h.finish(nominal.value);
}

double linear(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

Value srgb(double x, int bits) {
    const double most = std::ldexp(1.0, bits) - 1;
    if (std::isnan(x)) return unknown();
    const Steps s = steps(x, 0, most);
    const uint32_t nominal = as_word(static_cast<float>(linear(s.nominal / most)));
    if (s.first == s.last && (s.nominal == 0 || s.nominal == most)) return exact(nominal);
    Hull h;
    h.add_real(linear(std::max(0.0, (s.first - 0.5) / most)), linear(std::min(1.0, (s.last + 0.5) / most)));
    return h.finish(nominal);
}

/// Floats with `mantissa` bits and five exponent bits, as R16 (with sign), R11 and R10 (without).
Value small_float(double x, int mantissa, bool with_sign) {
    if (std::isnan(x)) return any_nan();
    if (!with_sign && x <= 0) x = 0;  // -0.0 as well
    const double most = std::ldexp(2 - std::ldexp(1.0, -mantissa), 15);
    const float sign = std::signbit(x) ? -1.0f : 1.0f;
    if (std::isinf(x)) return exact(static_cast<float>(x));
    if (std::abs(x) > most) {
        Hull h;
        h.add_float(as_word(static_cast<float>(sign * most)));
        h.add_float(as_word(sign * std::numeric_limits<float>::infinity()));
        return h.finish(as_word(static_cast<float>(sign * most)));
    }
    if (x == 0) return exact(static_cast<float>(x));
    int exponent = 0;
    std::frexp(x, &exponent);
    const double ulp = std::ldexp(1.0, std::max(exponent - 1, -14) - mantissa);
    const double t = x / ulp;
    Hull h;
    h.add_float(as_word(static_cast<float>(std::floor(t) * ulp)));
    h.add_float(as_word(static_cast<float>(std::ceil(t) * ulp)));
    if (std::abs(x) < 0x1p-14) {  // a denormal of the format
        h.add_word(0);
        if (with_sign) h.add_word(kSign);
    }
    return h.finish(as_word(static_cast<float>(std::nearbyint(t) * ulp)));
}

Value whole_float(uint32_t word) {
    if (is_nan(word)) return any_nan();
    if (!is_denormal(word)) return exact(word);
    Hull h;
    h.add_word(word);
    h.flush();
    return h.finish(word);
}

bool is_alpha(const FormatInfo& format, int c) {
    const auto channels = tgsi::channels_of(format);
    return channels[3] == c && channels[0] != c;
}

bool is_float_depth(const FormatInfo& format) {
    return format.numeric == Numeric::Depth && format.name.starts_with("Z32_FLOAT");
}

bool is_normalised(const FormatInfo& format) {
    return format.numeric == Numeric::Unorm || format.numeric == Numeric::Srgb ||
           (format.numeric == Numeric::Depth && !is_float_depth(format));
}

/// The mantissa bits of a float that is smaller than a word; 0: it is not such a float.
int small_mantissa(const FormatInfo& format, int c) {
    if (format.numeric != Numeric::Float) return 0;
    return format.bits[c] == 16 ? 10 : format.bits[c] == 11 ? 6 : format.bits[c] == 10 ? 5 : 0;
}

/// The largest value of component `c` of the format.
double most_of(const FormatInfo& format, int c) {
    if (is_normalised(format) || format.numeric == Numeric::Snorm) return 1;
    if (format.numeric == Numeric::Uint || format.numeric == Numeric::Stencil)
        return std::ldexp(1.0, format.bits[c]) - 1;
    if (format.numeric == Numeric::Sint) return std::ldexp(1.0, format.bits[c] - 1) - 1;
    const int mantissa = small_mantissa(format, c);
    return mantissa > 0 ? std::ldexp(2 - std::ldexp(1.0, -mantissa), 15) : std::numeric_limits<double>::infinity();
}
double least_of(const FormatInfo& format, int c) {
    if (is_normalised(format) || format.numeric == Numeric::Uint || format.numeric == Numeric::Stencil) return 0;
    if (format.numeric == Numeric::Sint) return -std::ldexp(1.0, format.bits[c] - 1);
    const int mantissa = small_mantissa(format, c);
    return mantissa == 6 || mantissa == 5 ? 0 : -most_of(format, c);
}

/// A unit in the last place of component `c` at x; 0 if the format holds x itself or whole floats, or if no unit is
/// given here (sRGB).
double ulp_of(const FormatInfo& format, int c, double x) {
    double ulp = 0;
    if (format.numeric == Numeric::Unorm || (format.numeric == Numeric::Depth && !is_float_depth(format)))
        ulp = 1 / (std::ldexp(1.0, format.bits[c]) - 1);
    else if (format.numeric == Numeric::Snorm)
        ulp = 1 / (std::ldexp(1.0, format.bits[c] - 1) - 1);
    else if (const int mantissa = small_mantissa(format, c); mantissa > 0 && x != 0)
        ulp = std::ldexp(1.0, std::max(std::ilogb(x), -14) - mantissa);
    return ulp > 0 && x / ulp != std::nearbyint(x / ulp) ? ulp : 0;
}

}  // namespace

Value stored(const FormatInfo& format, int c, uint32_t word) {
    const int bits = format.bits[c];
    const double x = as_number(word);
    switch (format.numeric) {
        case Numeric::None:
            return unknown(word);
        case Numeric::Float:
            if (bits == 32) return whole_float(word);
            if (bits == 16) return small_float(x, 10, true);
            if (bits == 11) return small_float(x, 6, false);
            if (bits == 10) return small_float(x, 5, false);
            return unknown(word);  // a shared exponent depends on the other components
        case Numeric::Unorm:
            return normalised(x, bits, false);
        case Numeric::Snorm:
            return normalised(x, bits, true);
        case Numeric::Srgb:
            return is_alpha(format, c) ? normalised(x, bits, false) : srgb(x, bits);
        case Numeric::Depth:
            return is_float_depth(format) ? whole_float(word) : normalised(x, bits, false);
        case Numeric::Uint:
        case Numeric::Stencil:
            return bits < 32 && word >> bits ? unknown(word) : exact(word);
        case Numeric::Sint: {
            const int64_t v = static_cast<int32_t>(word), limit = int64_t{1} << (bits - 1);
            return v < -limit || v >= limit ? unknown(word) : exact(word);
        }
    }
    return unknown(word);
}

Image::Image(const Texture& texture) : texture_(&texture), shape_(tgsi::shape(texture.target)) {
    format_ = &tgsi::format_info(texture.format < tgsi::format_count() ? texture.format : uint16_t{0});
    const Numeric n = format_->numeric;
    valid_ = n != Numeric::None;
    integer_ = tgsi::is_integer(n);
    if ((n == Numeric::Unorm || n == Numeric::Snorm || n == Numeric::Srgb) && format_->bits[0] <= 16)
        filter_step_ = n == Numeric::Snorm ? 0x1p-15 : 0x1p-16;
    const auto most = [&](int bits) { return (1 << (n == Numeric::Snorm ? bits - 1 : bits)) - 1; };
    for (int c = 0; c < format_->components && filter_step_ > 0; ++c)
        if (const int m = most(format_->bits[c]); m > 0 && most(16) % m != 0) gather_slack_ = filter_step_;
    of_halves_ = n == Numeric::Float && format_->bits[0] <= 16;
    depth_unorm_ = n == Numeric::Depth && !is_float_depth(*format_);
    channels_ = tgsi::channels_of(*format_);
    components_ = n == Numeric::Depth || n == Numeric::Stencil ? 1 : format_->components;
    for (uint8_t c = 0; c < 4; ++c) rearranged_ |= c < components_ ? channels_[c] != c : channels_[c] < components_;
    auto at_least_one = [](uint32_t v) { return static_cast<int>(std::clamp(v, 1u, 1u << 30)); };
    levels_ = std::min(at_least_one(texture.levels), 31);
    layers_ = at_least_one(texture.layers);
    samples_ = at_least_one(texture.samples);
    size_[0] = at_least_one(texture.width);
    if (shape_.coords > 1) size_[1] = at_least_one(texture.height);
    if (shape_.coords > 2 && !shape_.cube) size_[2] = at_least_one(texture.depth);
    if (shape_.cube) {  // whole cubes only
        layers_ = std::max(layers_ / 6 * 6, 6);
        size_[1] = size_[0];
    }
}

int64_t Image::size(int axis, int level) const {
    return std::max<int64_t>(1, size_[axis] >> level);
}

Texel Image::texel(int level, int layer, int64_t x, int64_t y, int64_t z, int sample) const {
    const int64_t w = size(0, level), h = size(1, level), d = size(2, level);
    const int64_t index = (((layer * d + z) * h + y) * w + x) * samples_ + sample;
    const auto l = static_cast<size_t>(level);
    const uint32_t* words = nullptr;
    if (l < texture_->data.size() && static_cast<size_t>((index + 1) * components_) <= texture_->data[l].size())
        words = texture_->data[l].data() + index * components_;
    Texel t;
    for (size_t c = 0; c < 4; ++c) {
        const uint8_t from = channels_[c];
        t[c] = from >= components_ ? fill(from) : words ? stored(*format_, from, words[from]) : exact(0u);
    }
    return t;
}

Texel Image::zero() const {
    Texel t;
    for (size_t c = 0; c < 4; ++c) t[c] = channels_[c] >= components_ ? fill(channels_[c]) : exact(0u);
    return t;
}

bool is_custom_border(const SamplerState& sampler) {
    const std::array<float, 4>& c = sampler.border_color;
    const auto is = [&](float rgb, float a) { return c[0] == rgb && c[1] == rgb && c[2] == rgb && c[3] == a; };
    return !is(0, 0) && !is(0, 1) && !is(1, 1);
}

bool Image::is_srgb(int channel) const {
    const uint8_t from = channels_[static_cast<size_t>(channel)];
    return format_->numeric == Numeric::Srgb && from < components_ && !is_alpha(*format_, from);
}

Texel Image::border(const SamplerState& sampler) const {
    Texel t;
    // Vulkan, "Instruction/Sampler/Image View Validation": a custom colour that the format cannot represent makes the
    // texel undefined.
    const bool custom = is_custom_border(sampler);
    bool fits = true;
    for (int c = 0; c < components_ && custom; ++c) {
        const float given = sampler.border_color[static_cast<size_t>(c)];
        fits &= given >= least_of(*format_, c) && given <= most_of(*format_, c);
        fits &= !integer_ || integer_border(given);
    }
    for (int c = 0; c < 4; ++c) {
        const float given = sampler.border_color[static_cast<size_t>(c)];
        const uint32_t word = integer_ ? integer_border(given).value_or(0) : as_word(given);
        if (!fits) {
            t[c] = unknown(word);
            continue;
        }
        // No document says which colour component becomes which channel, and Vulkan does not specify it if the view has
        // a swizzle.
        if (rearranged_) {
            t[c] = unknown();
            continue;
        }
        if (c >= components_) {
            t[c] = fill(channels_[static_cast<size_t>(c)]);
            continue;
        }
        if (integer_) {  // no integer that the format can hold is rounded
            t[c] = exact(word);
            continue;
        }
        if (std::isnan(given)) {
            t[c] = unknown();
            continue;
        }
        // A device may store the colour as it is, limited to the format's range, or in the format itself.
        float limited = given;
        if (format_->numeric == Numeric::Snorm)
            limited = std::clamp(given, -1.0f, 1.0f);
        else if (format_->numeric != Numeric::Float && (format_->numeric != Numeric::Depth || depth_unorm_))
            limited = std::clamp(given, 0.0f, 1.0f);
        Hull h;
        h.add_word(word);
        h.add_word(as_word(limited));
        if (format_->numeric == Numeric::Srgb)  // the colour is already linear
            h.add(near(limited, 0x1p-8));
        else
            h.add(stored(*format_, c, as_word(limited)));
        // "The error introduced by such a rounding must not exceed one ULP of the image's format" (Vulkan, "Texel
        // Replacement"). That is more than the half ULP by which a device should be off.
        if (const double ulp = ulp_of(*format_, c, limited); custom && ulp > 0)
            h.add_real(std::max<double>(least_of(*format_, c), limited - ulp),
                       std::min<double>(most_of(*format_, c), limited + ulp));
        t[c] = h.finish(as_word(limited));
    }
    return t;
}

bool wrap_exists(const SamplerState& sampler, int axis) {
    const Wrap wrap = sampler.wrap[axis];
    if (wrap != Wrap::Clamp && wrap != Wrap::MirrorClamp) return true;
    return sampler.min_filter == Filter::Linear && sampler.mag_filter == Filter::Linear;
}

int64_t wrap_index(Wrap wrap, int64_t i, int64_t n) {
    auto modulo = [](int64_t a, int64_t b) { return (a % b + b) % b; };
    auto mirror = [](int64_t a) { return a >= 0 ? a : -(1 + a); };
    switch (wrap) {
        case Wrap::Repeat:
            return modulo(i, n);
        case Wrap::MirrorRepeat:
            return n - 1 - mirror(modulo(i, 2 * n) - n);
        case Wrap::ClampToEdge:
            return std::clamp<int64_t>(i, 0, n - 1);
        case Wrap::MirrorClampToEdge:
            return std::clamp<int64_t>(mirror(i), 0, n - 1);
        case Wrap::ClampToBorder:
        case Wrap::MirrorClampToBorder:  // of a coordinate that is mirrored
        case Wrap::Clamp:
        case Wrap::MirrorClamp:
            return i < 0 || i >= n ? -1 : i;
        default:
            return -1;
    }
}

Texel through_view(const Texel& t, const std::array<uint8_t, 4>& swizzle, const Image& image) {
    Texel out;
    for (size_t c = 0; c < 4; ++c) out[c] = swizzle[c] < 4 ? t[swizzle[c]] : swizzle[c] == 4 ? exact(0u) : image.one();
    return out;
}

}  // namespace tgsi2spv::reference
