#include "scene/fragments.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "scene/undefined.h"
#include "tgsi/program/semantics.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::scene {

using reference::Vec4;
using tgsi::File;
using tgsi::Interpolation;
using tgsi::Property;
using tgsi::Semantic;

namespace {

uint32_t word(double x) {
    return std::bit_cast<uint32_t>(static_cast<float>(x));
}
double number(uint32_t w) {
    return double{std::bit_cast<float>(w)};
}

/// Whether FRAG inputs with this semantic are interpolated from outputs of the stage before.
bool is_varying(Semantic semantic) {
    return semantic == Semantic::Generic || semantic == Semantic::Color || semantic == Semantic::TexCoord ||
           semantic == Semantic::Fog || semantic == Semantic::Normal;
}

/// Fragments are shaded in runs of so many, whole quads: the reference keeps every lane's registers.
constexpr size_t kMaxAtOnce = 1u << 14;

/// Whether a lane's results may depend on other quads.
bool shares_with_other_quads(const tgsi::Program& program) {
    return std::ranges::any_of(program.instructions, [](const tgsi::Instruction& i) {
        const tgsi::Family family = tgsi::info(i.op).family;
        return family == tgsi::Family::memory || family == tgsi::Family::subgroup;
    });
}

/// Vulkan defines the formula of interpolation ("Polygon Rasterization": a sum of three products), but not its
/// precision: we allow some roundings of floats, relative to the vertices' values.
constexpr double kInterpolation = 0x1p-20;
/// Towards which side interpolation rounds component `c` of a register at a place, so that the places differ in every
/// difference of two components; 0 in the centre.
double rounding(size_t place, int32_t reg, size_t c) {
    if (place == 0) return 0;
    const bool up = place < 3 || ((static_cast<size_t>(reg) + c) & 1) != 0;
    return ((place & 1) != 0) == up ? kInterpolation : -kInterpolation;
}

/// Some of a primitive's fragments.
struct Shading {
    const Scene& scene;
    const State& state;
    const Parsed& last;
    const Parsed& fragment;
    const Primitive& primitive;
    const Rastered& rastered;
    std::span<const Fragment> fragments;  ///< of `rastered`
    bool undefined = false;               ///< the shader reads an undefined input

    static size_t index_of(const Fragment& covered, const PrimitivePoint& point) {
        return static_cast<size_t>(&point - covered.places.data());
    }

    /// A position in the point, from its upper left; t points upwards if the state says so (sprite_coord_mode).
    Vec4 sprite(const Fragment& covered, const PrimitivePoint& point) const {
        const auto [right, down] = kDirections[index_of(covered, point)];
        const double x = covered.x + 0.5 + right * rastered.reach, y = covered.y + 0.5 + down * rastered.reach;
        const double s = 0.5 + (x - rastered.point_x) / rastered.point_size;
        const double t = 0.5 + (y - rastered.point_y) / rastered.point_size;
        return {word(s), word(state.sprite_lower_left ? 1 - t : t), 0, word(1)};
    }

    bool is_sprite(Semantic semantic, uint32_t index) const {
        const Semantic replaced = scene.prepared.sprites_are_texcoords ? Semantic::TexCoord : Semantic::Generic;
        return scene.prepared.sprites && rastered.point && semantic == replaced && index < 32 &&
               (state.sprite_mask >> index & 1) != 0;
    }

    /// POSITION: x and y as FS_COORD_ORIGIN and FS_COORD_PIXEL_CENTER say, or as the state inverts them; z; 1/w.
    Vec4 position(const Fragment& f, const PrimitivePoint& point) const {
        const auto says = [&](Property property, bool other) {
            return (fragment.program.property(property) != 0) != other;
        };
        const bool lower_left = says(Property::FsCoordOrigin, state.coord_origin);
        const bool integer = says(Property::FsCoordPixelCenter, state.pixel_center);
        const double half = integer ? 0 : 0.5;
        double z = 0, w = 0;
        for (size_t i = 0; i < 3; i++) {
            z += point.share[i] * rastered.z[i];
            w += point.share[i] * rastered.inverse_w[i];
        }
        // Below the last row are lanes of quads.
        const double row = lower_left ? static_cast<double>(scene.height) - 1 - f.y : f.y;
        return {word(f.x + half), word(row + half), word(z), word(w)};
    }

    /// The previous stage's outputs for an input of FRAG, vertex by vertex.
    std::vector<Vec4> corners(Semantic semantic, uint32_t index, bool flat) const {
        const bool color = semantic == Semantic::Color;
        int32_t reg = find(last, File::Output, semantic, index);
        if (color && state.two_sided && rastered.back) {
            const int32_t back = find(last, File::Output, Semantic::BColor, index);
            if (back >= 0) reg = back;
        }
        std::vector<Vec4> out;
        const std::vector<Vertex> one{primitive.vertices[0]};
        for (const Vertex& v : flat ? one : primitive.vertices) {
            const auto found = v.find(reg);
            // An input that no stage writes is (0, 0, 0, 1): tgsi2spv_linkage_create().
            Vec4 value = found == v.end() ? Vec4{0, 0, 0, word(1)} : found->second;
            if (color && state.clamp_vertex_color)
                for (uint32_t& w : value) w = word(std::clamp(number(w), 0.0, 1.0));
            out.push_back(value);
        }
        return out;
    }

    /// The weight of each vertex at a place. In perspective it counts by 1/w, and the sum of all is 1.
    std::array<double, 3> factors(Interpolation how, const PrimitivePoint& point) const {
        std::array<double, 3> factor{1, 1, 1};
        if (how == Interpolation::Linear) return factor;
        double sum = 0;
        for (size_t i = 0; i < 3; i++) sum += point.share[i] * rastered.inverse_w[i];
        for (size_t i = 0; i < 3; i++) factor[i] = rastered.inverse_w[i] / sum;
        return factor;
    }

    Vec4 interpolated(const std::vector<Vec4>& corners, Interpolation how, const Fragment& covered,
                      const PrimitivePoint& point, int32_t reg) const {
        if (corners.size() == 1) return corners[0];
        const std::array<double, 3> factor = factors(how, point);
        Vec4 out{};
        for (size_t c = 0; c < 4; c++) {
            double value = 0, largest = 0;
            for (size_t i = 0; i < corners.size(); i++) {
                value += point.share[i] * factor[i] * number(corners[i][c]);
                largest = std::max(largest, std::abs(number(corners[i][c])));
            }
            value += rounding(index_of(covered, point), reg, c) * largest;
            // Devices may flush denormals; one place represents those that do.
            const bool flushed = index_of(covered, point) == kPlaces - 1 && std::abs(value) < 0x1p-126;
            out[c] = word(flushed ? 0 : value);
        }
        return out;
    }

    /// How the same changes around the place.
    reference::Slope slope(const std::vector<Vec4>& corners, Interpolation how, const PrimitivePoint& point) const {
        reference::Slope out;
        const std::array<double, 3> factor = factors(how, point);
        for (size_t i = 0; i < 3; i++) {
            const double x = rastered.share_x[i] * factor[i], y = rastered.share_y[i] * factor[i];
            out.weight_x += x;
            out.weight_y += y;
            for (size_t c = 0; c < 4; c++) {
                out.along_x[c] += x * number(corners[i][c]);
                out.along_y[c] += y * number(corners[i][c]);
            }
        }
        return out;
    }

    /// PRIM_ID: after a GEOM it is the one that the GEOM wrote.
    Vec4 number_of_primitive() const {
        if (last.program.stage == tgsi::Stage::Geometry) return corners(Semantic::PrimId, 0, true)[0];
        return {primitive.number, 0, 0, 0};
    }

    /// Calls f(fragment, place, values) for one lane after another: all fragments at one place, then all at the next.
    template <class Value, class F>
    void for_each_lane(std::vector<Value>& values, F&& f) const {
        for (size_t p = 0; p < kPlaces; p++)
            for (const Fragment& fragment_here : fragments) values.push_back(f(fragment_here, fragment_here.places[p]));
    }

    reference::Inputs inputs() const {
        reference::Inputs in = resources(state, scene.shaders.back(), fragment);
        in.lanes = static_cast<uint32_t>(kPlaces * fragments.size());
        in.framebuffer_width = scene.width;
        in.framebuffer_height = scene.height;
        tgsi::for_each_semantic(fragment.program, File::Input,
                                [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
                                    auto& values = in.inputs[{0, reg}];
                                    values.clear();
                                    const bool flat = is_flat(scene, d);
                                    const auto written = corners(d.semantic, index, flat);
                                    if (rastered.polygon && !flat && is_varying(d.semantic))
                                        for_each_lane(in.slopes[reg], [&](const Fragment&, const PrimitivePoint& p) {
                                            return slope(written, d.interpolation, p);
                                        });
                                    for_each_lane(values, [&](const Fragment& f, const PrimitivePoint& p) -> Vec4 {
                                        if (d.semantic == Semantic::Position) return position(f, p);
                                        if (d.semantic == Semantic::Face)
                                            return {word(rastered.back ? -1 : 1), 0, 0, word(1)};
                                        if (d.semantic == Semantic::PrimId) return number_of_primitive();
                                        // Targets of scenes have one sample, in the middle.
                                        if (d.semantic == Semantic::SampleId) return {0, 0, 0, 0};
                                        if (d.semantic == Semantic::SampleMask) return {1, 0, 0, 0};
                                        if (d.semantic == Semantic::SamplePos) return {word(0.5f), word(0.5f), 0, 0};
                                        if (d.semantic == Semantic::PCoord || is_sprite(d.semantic, index))
                                            return sprite(f, p);
                                        return interpolated(written, d.interpolation, f, p, reg);
                                    });
                                });
        tgsi::for_each_semantic(
            fragment.program, File::SystemValue, [&](int32_t reg, const tgsi::Declaration& d, uint32_t) {
                const bool on_point = d.semantic == Semantic::PCoord && rastered.point;
                if (d.semantic != Semantic::Position && d.semantic != Semantic::Face &&
                    d.semantic != Semantic::PrimId && !on_point)
                    return;
                for_each_lane(in.system_values[reg], [&](const Fragment& f, const PrimitivePoint& p) -> Vec4 {
                    if (d.semantic == Semantic::PrimId) return number_of_primitive();
                    if (d.semantic == Semantic::Position) return position(f, p);
                    if (on_point) return sprite(f, p);
                    return {rastered.back ? 0u : ~0u, 0, 0, 1};
                });
            });
        return in;
    }
};

enum class Test : uint8_t { Passes, Fails, Either };

/// pipe_alpha_state: compares the fragment's alpha with the reference.
Test alpha_test(uint32_t func, ChannelRange alpha, double ref) {
    const auto passes = [&](double a) {
        const bool all[8] = {false, a<ref, a == ref, a <= ref, a> ref, a != ref, a >= ref, true};
        return all[func & 7];
    };
    const bool lo = passes(alpha.lo), hi = passes(alpha.hi);
    const bool inside = alpha.lo < ref && ref < alpha.hi;
    if (lo != hi || (inside && (func == 2 || func == 5))) return Test::Either;
    return lo ? Test::Passes : Test::Fails;
}

using Lanes = std::map<int32_t, reference::OutputLanes>;

/// A colour that FRAG wrote; false if it cannot be known.
bool color_of(const Lanes& outputs, int32_t reg, size_t lane, NumericType type, Color& out) {
    const auto found = outputs.find(reg);
    if (found == outputs.end()) return false;
    for (size_t c = 0; c < 4; c++) {
        const reference::Value v = found->second[lane][c];
        reference::FloatRange range;
        if (type != NumericType::Float) {
            // Values that eight bits cannot hold are the device's choice; the picture shows the bits of the others.
            const auto i = static_cast<int32_t>(v.value);
            const bool fits = type == NumericType::SInt ? i >= -128 && i <= 127 : v.value <= 255;
            if (!is_exact(v) || !fits) return false;
            out[c] = {double(v.value & 0xff), double(v.value & 0xff)};
        } else if (!float_range(v, range) || range.nan || range.empty) {
            return false;
        } else {
            out[c] = {double{range.lo}, double{range.hi}};
        }
    }
    return true;
}

/// One fragment at one place.
struct Drawn {
    bool happens = false, surely = false;  ///< as in an Outcome
    bool colored = false;                  ///< `color` and `second` are known, whether they are drawn or not
    Color color{}, second{};
};

/// Whether the state or the coverage that FRAG writes leaves the fragment's sample out. Either: it cannot be known.
Test coverage_of(const Shading& shading, const reference::Result& result, size_t lane, const Fragment& fragment) {
    const Scene& scene = shading.scene;
    const State& state = shading.state;
    // 32 × 32 bits of the window, with rows from the top, or from where the state puts the origin.
    const uint32_t row = state.coord_origin ? scene.height - 1 - fragment.y : fragment.y;
    if (state.polygon_stipple && shading.rastered.polygon &&
        (scene.stipple[row % 32] << fragment.x % 32 & 0x8000'0000u) == 0)
        return Test::Fails;
    if ((state.sample_mask & 1) == 0) return Test::Fails;
    const int32_t mask = find(shading.fragment, File::Output, Semantic::SampleMask, 0);
    if (const auto found = result.outputs.find(mask); found != result.outputs.end()) {
        const reference::Value v = found->second[lane][0];
        if (is_exact(v) && (v.value & 1) == 0) return Test::Fails;
        if (!is_exact(v)) return Test::Either;
    }
    return Test::Passes;
}

Drawn drawn_at(const Shading& shading, const reference::Result& result, size_t lane, const Fragment& fragment) {
    const Scene& scene = shading.scene;
    const State& state = shading.state;
    Drawn d;
    const auto is = [&](const std::vector<bool>& flags) { return lane < flags.size() && flags[lane]; };
    const Test coverage = coverage_of(shading, result, lane, fragment);
    const bool unsure = is(result.killed_unknown);
    d.happens = coverage != Test::Fails && (!is(result.killed) || unsure);
    d.surely = d.happens && coverage == Test::Passes && !unsure;
    const NumericType type = scene.fixed.target;
    const int32_t first = find(shading.fragment, File::Output, Semantic::Color, 0);
    const int32_t second = find(shading.fragment, File::Output, Semantic::Color, 1);
    d.colored = color_of(result.outputs, first, lane, type, d.color) &&
                (!scene.fixed.dual_source || color_of(result.outputs, second, lane, type, d.second));
    if (!d.colored || type != NumericType::Float) return d;
    if (state.clamp_fragment_color)
        for (Color* color : {&d.color, &d.second})
            for (ChannelRange& r : *color) r = {std::clamp(r.lo, 0.0, 1.0), std::clamp(r.hi, 0.0, 1.0)};
    const Test test = alpha_test(state.alpha_func, d.color[3], double{state.alpha_ref});
    d.happens = d.happens && test != Test::Fails;
    d.surely = d.surely && test == Test::Passes;
    // Coverage is decided by now: alpha-to-one comes last (pipe_blend_state).
    if (state.alpha_to_one) d.color[3] = d.second[3] = {1, 1};
    return d;
}

void widen(Color& a, const Color& b) {
    for (size_t c = 0; c < 4; c++) a[c] = {std::min(a[c].lo, b[c].lo), std::max(a[c].hi, b[c].hi)};
}

/// The outcome of fragment number `lane` of the run. The device may be at any of its places when it decides whether the
/// fragment is drawn, and near any of them when it computes the colour.
Outcome outcome_of(const Shading& shading, const reference::Result& result, size_t lane, const Fragment& fragment) {
    if (!fragment.covered) return {};
    if (shading.undefined) return {.happens = true, .unknown = true};
    Outcome all;
    all.surely = !fragment.maybe;
    bool colored = false;
    for (size_t p = 0; p < kPlaces; p++) {
        const Drawn here = drawn_at(shading, result, p * shading.fragments.size() + lane, fragment);
        const bool happens = here.happens && !fragment.places[p].clipped;
        all.happens = all.happens || happens;
        all.surely = all.surely && happens && here.surely;
        all.unknown = all.unknown || (here.happens && !here.colored);
        if (!here.colored) continue;
        if (colored) {
            widen(all.color, here.color);
            widen(all.second, here.second);
        } else {
            all.color = here.color;
            all.second = here.second;
        }
        colored = true;
    }
    return all;
}

}  // namespace

tl::expected<std::vector<Outcome>, std::string> shade(const Scene& scene, const State& state, const Parsed& last,
                                                      const Parsed& fragment, const Primitive& primitive,
                                                      const Rastered& rastered) {
    const std::span<const Fragment> all = rastered.fragments;
    const size_t most = shares_with_other_quads(fragment.program) ? all.size() : kMaxAtOnce;
    const bool undefined = reads_undefined(scene, last, fragment, primitive, rastered);
    std::vector<Outcome> out;
    out.reserve(all.size());
    while (out.size() < all.size()) {
        const auto some = all.subspan(out.size(), std::min(most, all.size() - out.size()));
        const Shading s{scene, state, last, fragment, primitive, rastered, some, undefined};
        const auto ran = execute(scene, fragment, s.inputs());
        if (!ran) return tl::unexpected<std::string>(ran.error());
        for (size_t i = 0; i < some.size(); i++) out.push_back(outcome_of(s, *ran, i, some[i]));
    }
    return out;
}

}  // namespace tgsi2spv::scene
