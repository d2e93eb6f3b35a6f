// FRAG: interpolation at other positions, reads of the framebuffer, and whether the invocation is a helper.
//
// A case gives inputs of FRAG as values at the lane, and its draw has one sample per pixel, at the centre. So the
// centroid and sample 0 are at the lane's position. Values at other samples are not known, nor are values at an offset
// unless the inputs say how they change (Slope; scenes do). CONSTANT inputs are the same everywhere.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "reference/families/families.h"
#include "reference/machine/system_values.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;
using tgsi::Opcode;

/// Whether an input is flat (semantics: a missing interpolation is CONSTANT).
bool is_flat(const tgsi::Declaration& declaration) {
    return declaration.interpolation == tgsi::Interpolation::Constant ||
           declaration.interpolation == tgsi::Interpolation::Unwritten;
}

/// Whether every input that the operand may name is flat.
bool only_flat(const Machine& machine, const tgsi::Operand& operand) {
    const auto flat = [&](const tgsi::Range& r) { return is_flat(machine.program.declarations[r.declaration]); };
    if (!operand.index_is_relative) {
        const tgsi::Range* r = machine.registers.find(File::Input, operand.index);
        return !r || flat(*r);
    }
    if (const tgsi::Range* r = operand.array_id ? machine.registers.array(File::Input, operand.array_id) : nullptr)
        return flat(*r);
    return std::ranges::all_of(machine.registers.ranges,
                               [&](const tgsi::Range& r) { return r.file != File::Input || flat(r); });
}

/// Whether the position that INTERP_* asks for is that of the lane.
bool at_centre(Frame& frame, uint32_t lane) {
    const auto is = [&](const Value* column, auto holds) {
        return is_exact(column[lane]) && holds(column[lane].words[0]);
    };
    const auto zero = [](uint32_t w) { return is_zero(w); };
    switch (frame.op()) {
        case Opcode::INTERP_SAMPLE:
            return is(frame.src(1, 0), [](uint32_t sample) { return sample == 0; });
        case Opcode::INTERP_OFFSET:
            return is(frame.src(1, 0), zero) && is(frame.src(1, 1), zero);
        default:
            return true;
    }
}

/// Vulkan, "Limits": offsets are rounded to at least 4 bits (subPixelInterpolationOffsetBits), from
/// minInterpolationOffset, at least −0.5, to maxInterpolationOffset, at least half a pixel less one such step.
constexpr double kOffsetSteps = 16, kLeastOffset = -0.5, kMaxOffset = 0.5 - 1 / kOffsetSteps;

struct Offset {
    double x = 0, y = 0;
};

/// The offset of INTERP_OFFSET; empty if it is unknown, or beyond the range of every device.
std::optional<Offset> offset_of(Frame& frame, uint32_t lane) {
    if (frame.op() != Opcode::INTERP_OFFSET) return std::nullopt;
    const Value &x = frame.src(1, 0)[lane], &y = frame.src(1, 1)[lane];
    if (!is_exact(x) || !is_exact(y)) return std::nullopt;
    const Offset o{std::bit_cast<float>(x.words[0]), std::bit_cast<float>(y.words[0])};
    const auto within = [](double d) { return d >= kLeastOffset && d <= kMaxOffset; };
    return within(o.x) && within(o.y) ? std::optional(o) : std::nullopt;
}

/// The operand's component at an offset: from the smallest to the largest value at the steps around it. The input is a
/// quotient of two linear functions, whose extremes are at the corners.
Value at_offset(const tgsi::Operand& operand, int component, uint32_t word, const Slope& slope, const Offset& offset) {
    const auto c = static_cast<size_t>(operand.component(component));
    const auto at = [&](double x, double y) {
        double v = (std::bit_cast<float>(word) + x * slope.along_x[c] + y * slope.along_y[c]) /
                   (1 + x * slope.weight_x + y * slope.weight_y);
        if (operand.absolute) v = std::abs(v);
        return operand.negate ? -v : v;
    };
    double lo = at(offset.x, offset.y), hi = lo;
    for (const double x : {std::floor(offset.x * kOffsetSteps), std::ceil(offset.x * kOffsetSteps)})
        for (const double y : {std::floor(offset.y * kOffsetSteps), std::ceil(offset.y * kOffsetSteps)}) {
            const double v = at(x / kOffsetSteps, y / kOffsetSteps);
            lo = std::min(lo, v);
            hi = std::max(hi, v);
        }
    if (!std::isfinite(lo) || !std::isfinite(hi)) return unknown(word);
    const auto bits = [](double v) { return std::bit_cast<uint32_t>(static_cast<float>(v)); };
    return interval(next_down(bits(lo)), next_up(bits(hi)), bits(at(offset.x, offset.y)));
}

void interpolate(Frame& frame) {
    const tgsi::Operand& o = frame.m.program.srcs(frame.instruction)[0];
    const bool flat = only_flat(frame.m, o);
    const Inputs& in = frame.m.inputs;
    const auto slopes = o.index_is_relative ? in.slopes.end() : in.slopes.find(o.index);
    const auto words = in.inputs.find({0, o.index});
    const auto there = [](const auto& lanes, const auto& none, uint32_t lane) {
        return lanes != none && lane < lanes->second.size();
    };
    for (int c = 0; c < 4; ++c) {
        if (!frame.writes(c)) continue;
        const Value* column = frame.src(0, c);
        Value* out = frame.scratch();
        for (uint32_t lane : frame.lanes()) {
            const bool slopes_here = there(slopes, in.slopes.end(), lane) && there(words, in.inputs.end(), lane);
            if (flat || at_centre(frame, lane)) {
                out[lane] = column[lane];
            } else if (const auto at = slopes_here ? offset_of(frame, lane) : std::nullopt) {
                const uint32_t word = words->second[lane][static_cast<size_t>(o.component(c))];
                out[lane] = at_offset(o, c, word, slopes->second[lane], *at);
            } else {
                out[lane] = unknown(column[lane].value);
            }
        }
        frame.result[static_cast<size_t>(c)] = out;
    }
}

/// The colour that the attachment of OUT held before this draw.
void fetch_framebuffer(Frame& frame) {
    const Machine& m = frame.m;
    const tgsi::Operand& o = m.program.srcs(frame.instruction)[0];
    const tgsi::Range* r = m.registers.find(File::Output, o.index);
    if (o.index_is_relative || !r || m.program.declarations[r->declaration].semantic != tgsi::Semantic::Color) return;
    const tgsi::Declaration& d = m.program.declarations[r->declaration];
    const auto target = m.inputs.framebuffer_colors.find(d.semantic_index + static_cast<uint32_t>(o.index - d.first));
    for (int c = 0; c < 4; ++c) {
        if (!frame.writes(c)) continue;
        Value* out = frame.scratch();
        for (uint32_t lane : frame.lanes()) {
            const auto [x, y] = pixel_of(m, lane);
            const size_t at = (size_t{y} * m.inputs.framebuffer_width + x) * 4 + static_cast<size_t>(o.component(c));
            const bool given = target != m.inputs.framebuffer_colors.end() && at < target->second.size();
            out[lane] = exact(given ? target->second[at] : 0u);
        }
        frame.result[static_cast<size_t>(c)] = out;
    }
}

/// ~0 if the lane was killed. Lanes that fill up the last quad are helpers only on some devices.
void read_helper(Frame& frame) {
    Value* out = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        const Presence killed = frame.m.killed[lane];
        const Truth is{(killed & kNominal) != 0, (killed & kMay) != 0, !(killed & kMust)};
        out[lane] = lane < frame.m.inputs.lanes ? select(is, exact(~0u), exact(0u)) : unknown();
    }
    frame.replicate(out);
}

}  // namespace

void io(Frame& frame) {
    switch (frame.op()) {
        case Opcode::INTERP_CENTROID:
        case Opcode::INTERP_SAMPLE:
        case Opcode::INTERP_OFFSET:
            return interpolate(frame);
        case Opcode::FBFETCH:
            return fetch_framebuffer(frame);
        case Opcode::READ_HELPER:
            return read_helper(frame);
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
