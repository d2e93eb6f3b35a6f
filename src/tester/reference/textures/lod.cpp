#include "reference/textures/lod.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/textures/cube.h"

namespace tgsi2spv::reference {
namespace {

using sampling::Message;
using sampling::SampleOp;

/// Vulkan, limits: mipmapPrecisionBits is at least 4.
constexpr double kLogarithm = 0x1p-4;
constexpr double kLeastMaxBias = 2;  // Vulkan, limits: maxSamplerLodBias is at least 2
constexpr double kMaxBias = 16;      // semantics: bias is clamped to ±16

/// Infinite ends stay as they are: the level of a scale factor of 0 is infinite.
Real widen(Real r, double relative) {
    auto magnitude = [](double x) { return std::isfinite(x) ? std::abs(x) : 0; };
    const double slack = std::max(magnitude(r.lo), magnitude(r.hi)) * relative;
    return {r.lo - slack, r.hi + slack, r.nominal};
}
Real subtract(const Real& a, const Real& b) {
    return widen({a.lo - b.hi, a.hi - b.lo, a.nominal - b.nominal}, 0x1p-23);
}
Real multiply(const Real& a, const Real& b) {
    const double p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return {*std::min_element(p, p + 4), *std::max_element(p, p + 4), a.nominal * b.nominal};
}
Real magnitude(const Real& a) {
    const double least = a.lo <= 0 && a.hi >= 0 ? 0 : std::min(std::abs(a.lo), std::abs(a.hi));
    return {least, std::max(std::abs(a.lo), std::abs(a.hi)), std::abs(a.nominal)};
}
void join_into(Real& a, const Real& b) {
    a.lo = std::min(a.lo, b.lo);
    a.hi = std::max(a.hi, b.hi);
}

struct Gradient {
    Real x[3], y[3];  ///< derivatives of each coordinate, in its own unit
};

/// Lengths in texels that the derivatives `d` span: any f with max |m| <= f <= sqrt(2) * sum |m|.
Real length(const Real (&d)[3], int coords, const Image& image, bool in_texels) {
    Real l{0, 0, 0};
    for (int c = 0; c < coords; ++c) {
        const double size = in_texels ? 1 : static_cast<double>(image.size(c, 0));
        const Real m = magnitude(d[c]);
        l.lo = std::max(l.lo, m.lo * size);
        l.hi += m.hi * size;
        l.nominal += m.nominal * size * m.nominal * size;
    }
    return {l.lo, l.hi * std::sqrt(2.0), std::sqrt(l.nominal)};
}

Real rho(const Gradient& gradient, int coords, const Image& image, bool in_texels) {
    const Real x = length(gradient.x, coords, image, in_texels), y = length(gradient.y, coords, image, in_texels);
    return {std::max(x.lo, y.lo), std::max(x.hi, y.hi), std::max(x.nominal, y.nominal)};
}

/// Derivatives on the face: ds = (|rc| dsc - sc d|rc|) / (2 rc^2). Vulkan, "Cube Map Derivative Transformation".
bool on_face(const Real (&r)[3], int face, const Real (&d)[3], Real (&out)[3]) {
    const Face& f = face_of(face);
    auto oriented = [](const Real& a, int sign) { return sign > 0 ? a : Real{-a.hi, -a.lo, -a.nominal}; };
    const Real major = oriented(r[f.axis_m], f.sign_m), d_major = oriented(d[f.axis_m], f.sign_m);
    if (major.lo <= 0) return false;
    auto transform = [&](int axis, int sign) {
        const Real c = oriented(r[axis], sign), dc = oriented(d[axis], sign);
        Real n = subtract(multiply(major, dc), multiply(c, d_major));
        const double least = 2 * major.lo * major.lo, most = 2 * major.hi * major.hi;
        n.lo = n.lo < 0 ? n.lo / least : n.lo / most;
        n.hi = n.hi > 0 ? n.hi / least : n.hi / most;
        n.nominal /= 2 * major.nominal * major.nominal;
        return widen(n, 0x1p-20);
    };
    out[0] = transform(f.axis_s, f.sign_s);
    out[1] = transform(f.axis_t, f.sign_t);
    out[2] = {};
    return true;
}

/// rho of a cube: every lane of the quad must hit the same face, otherwise the difference means nothing.
bool cube_rho(const Real (*corners)[3], int count, const Gradient* gradients, int gradient_count, const Image& image,
              Real& out) {
    int face = -1;
    for (int i = 0; i < count; ++i) {
        const FaceHits hits = face_hits(corners[i], false);
        if (hits.count != 1 || (face >= 0 && hits.hit[0].face != face)) return false;
        face = hits.hit[0].face;
    }
    bool first = true;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < gradient_count; ++k) {
            Gradient g;
            if (!on_face(corners[i], face, gradients[k].x, g.x) || !on_face(corners[i], face, gradients[k].y, g.y))
                return false;
            const Real r = rho(g, 2, image, false);
            if (first)
                out = r;
            else
                join_into(out, r);
            first = false;
        }
    return !first;
}

/// From the four lanes of the quad: the device chooses coarse or fine, and the rows and columns. The lanes may have
/// different textures and samplers: TGSI still takes the level from the coordinates. Vulkan leaves the derivatives of
/// such an instruction undefined ("Derivative Image Operations", "Implicit derivatives", unless
/// quadDivergentImplicitLod), so a correct module must not rely on them.
bool implicit_rho(const Message& message, std::span<const TextureLane> lanes, size_t at, const Image& image,
                  bool in_texels, Real& out) {
    const size_t base = at & ~size_t{3};
    if (base + 4 > lanes.size()) return false;
    Real c[4][3];
    for (size_t i = 0; i < 4; ++i)
        if (!lanes[base + i].takes_part || !coordinates_of(message, lanes[base + i], c[i])) return false;
    const int coords = message.surface.coords;
    Gradient g[4];  // (row, column): the nominal one is the lane's own
    const size_t own = at - base;
    for (size_t k = 0; k < 4; ++k) {
        const size_t row = k ? (own >> 1) ^ (k & 1) : own >> 1, column = (own & 1) ^ (k >> 1);
        for (int i = 0; i < coords; ++i) {
            g[k].x[i] = subtract(c[row * 2 + 1][i], c[row * 2][i]);
            g[k].y[i] = subtract(c[2 + column][i], c[column][i]);
        }
    }
    if (message.surface.dim == sampling::Dim::Cube) {
        std::swap(c[0], c[own]);
        return cube_rho(c, 4, g, 4, image, out);
    }
    out = rho(g[0], coords, image, in_texels);
    for (size_t k = 1; k < 4; ++k) join_into(out, rho(g[k], coords, image, in_texels));
    return true;
}

bool gradient_rho(const Message& message, const TextureLane& lane, const Image& image, bool in_texels, Real& out) {
    Gradient g;
    for (int c = 0; c < message.surface.gradients; ++c)
        if (!real_of(lane.ddx[c], g.x[c]) || !real_of(lane.ddy[c], g.y[c])) return false;
    if (message.surface.dim != sampling::Dim::Cube) {
        out = rho(g, message.surface.gradients, image, in_texels);
        return true;
    }
    Real c[1][3];
    return coordinates_of(message, lane, c[0]) && cube_rho(c, 1, &g, 1, image, out);
}

double quantise(double x, uint32_t bits, bool up) {
    const double step = std::ldexp(1.0, -static_cast<int>(bits));
    return std::isinf(x) ? x : (up ? std::ceil(x / step) : std::floor(x / step)) * step;
}

/// Limits a bias by every limit in [least, most] that the device may have: a larger limit leaves more of a bias.
struct BiasLimit {
    double least, most;
    Real operator()(const Real& b) const {
        const auto within = [](double x, double limit) { return std::clamp(x, -limit, limit); };
        return {std::min(within(b.lo, least), within(b.lo, most)), std::max(within(b.hi, least), within(b.hi, most)),
                within(b.nominal, std::min(kMaxBias, most))};
    }
};

/// Vulkan, "LOD Operation", limits the sum of the biases to ±maxSamplerLodBias. TGSI's own limit is ±16 (semantics:
/// Textures); if a device has a larger limit, either may apply.
BiasLimit bias_limit(const Options& options) {
    if (options.max_sampler_lod_bias <= 0) return {kLeastMaxBias, std::numeric_limits<double>::infinity()};
    const double limit = options.max_sampler_lod_bias;
    return {std::min(limit, kMaxBias), limit};
}

}  // namespace

bool coordinates_of(const Message& message, const TextureLane& lane, Real (&c)[3]) {
    Real q;
    const bool divide = message.divisor.present();
    // Vulkan's precision table makes a promise only for divisors from 2^-126 to 2^126.
    if (divide &&
        (!real_of(lane.divisor, q) || (q.lo < 0x1p-126 && q.hi > -0x1p-126) || q.hi > 0x1p126 || q.lo < -0x1p126))
        return false;
    for (int i = 0; i < message.surface.coords; ++i) {
        if (!real_of(lane.coord[i], c[i])) return false;
        if (!divide) continue;
        // Either a division, correct to 2.5 ulp, or a multiplication by a reciprocal.
        const float nominal = static_cast<float>(c[i].nominal) / static_cast<float>(q.nominal);
        flush(c[i]);
        c[i] = multiply(c[i], {1 / q.hi, 1 / q.lo, 1 / q.nominal});
        c[i].nominal = nominal;
        c[i] = widen(c[i], 0x1p-21);
        if (!std::isfinite(c[i].lo) || !std::isfinite(c[i].hi) || !std::isfinite(nominal)) return false;
    }
    return true;
}

double clamp_level(double lod, int levels) {
    return std::clamp(lod, 0.0, static_cast<double>(levels - 1));
}

int nearest_level(double d, bool up) {
    return static_cast<int>(up ? std::floor(d + 0.5) : std::ceil(d + 0.5) - 1);
}

Lod lod_of(const Message& message, std::span<const TextureLane> lanes, size_t at, const Image& image,
           const SamplerState& sampler, const Options& options) {
    Lod lod;
    const TextureLane& lane = lanes[at];
    Real base{0, 0, 0};
    double slack = 0;
    const bool gradients = message.sample == SampleOp::sample_d || message.sample == SampleOp::sample_d_c;
    if (message.lod.present()) {
        if (!real_of(lane.lod, base)) return lod;
    } else if (!message.lod_is_zero) {
        // The device chooses the number and place of anisotropic taps.
        if (sampler.max_anisotropy > 1) return lod;
        const bool in_texels = message.surface.rect || sampler.unnormalized;
        Real r;
        if (!(gradients ? gradient_rho(message, lane, image, in_texels, r)
                        : implicit_rho(message, lanes, at, image, in_texels, r)))
            return lod;
        base = {std::log2(r.lo), std::log2(r.hi), std::log2(r.nominal)};
        // mipmapPrecisionBits is the precision of a snapped level; Vulkan does not define how exactly the logarithm of
        // a scale factor ("Level-of-Detail Operation") is taken before that. The least precision that Vulkan allows is
        // used for both.
        slack = std::max(kLogarithm, std::ldexp(1.0, -static_cast<int>(options.mipmap_bits)));
    }
    const BiasLimit limit = bias_limit(options);
    // A sampler's own bias is also within the limit (VUID-VkSamplerCreateInfo-mipLodBias-01069).
    Real bias = limit({sampler.lod_bias, sampler.lod_bias, sampler.lod_bias});
    if (message.bias.present()) {
        Real b;
        if (!real_of(lane.bias, b)) return lod;
        bias = {bias.lo + b.lo, bias.hi + b.hi, bias.nominal + b.nominal};
    }
    bias = limit(bias);
    lod.computed = {base.lo + bias.lo, base.hi + bias.hi, base.nominal + bias.nominal};
    if (bias.lo != 0 || bias.hi != 0) lod.computed = widen(lod.computed, kOperation);  // x + 0 is x
    // A given level is exact up to the step that it is stored in.
    lod.computed.lo = slack > 0 ? lod.computed.lo - slack : quantise(lod.computed.lo, options.mipmap_bits, false);
    lod.computed.hi = slack > 0 ? lod.computed.hi + slack : quantise(lod.computed.hi, options.mipmap_bits, true);
    if (!(sampler.min_lod <= sampler.max_lod)) return lod;
    auto within = [&](double l) { return std::clamp<double>(l, sampler.min_lod, sampler.max_lod); };
    lod.limited = {within(lod.computed.lo), within(lod.computed.hi), within(lod.computed.nominal)};
    // The limited level is quantised ("Image Level(s) Selection"), so a limit is stored in steps too.
    if (lod.limited.lo != lod.computed.lo) lod.limited.lo = quantise(lod.limited.lo, options.mipmap_bits, false);
    if (lod.limited.hi != lod.computed.hi) lod.limited.hi = quantise(lod.limited.hi, options.mipmap_bits, true);
    lod.known = true;
    return lod;
}

}  // namespace tgsi2spv::reference
