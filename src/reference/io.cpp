// FRAG: interpolation at other positions, what the framebuffer holds, and whether the invocation is a helper.
//
// A case gives inputs of FRAG as values at the lane, and its draw has one sample per pixel, at the centre. So the
// centroid and sample 0 are at the lane's position. Values at other samples or at an offset are not known, since no
// document bounds how a varying is interpolated. CONSTANT inputs are the same everywhere.
#include <algorithm>

#include "reference/frame.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;
using tgsi::Opcode;

/// Whether an input is flat (semantics: a missing interpolation is CONSTANT).
bool is_flat(const tgsi::Declaration& d) {
    return d.interpolation == tgsi::Interpolation::Constant || d.interpolation == tgsi::Interpolation::Unwritten;
}

/// Whether every input that the operand may name is flat.
bool only_flat(const Machine& m, const tgsi::Operand& o) {
    const auto flat = [&](const tgsi::Range& r) { return is_flat(m.program.declarations[r.declaration]); };
    if (!o.index_is_relative) {
        const tgsi::Range* r = m.registers.find(File::Input, o.index);
        return !r || flat(*r);
    }
    if (const tgsi::Range* r = o.array_id ? m.registers.array(File::Input, o.array_id) : nullptr) return flat(*r);
    return std::ranges::all_of(m.registers.ranges,
                               [&](const tgsi::Range& r) { return r.file != File::Input || flat(r); });
}

/// Whether the position that INTERP_* asks for is that of the lane.
bool at_centre(Frame& f, uint32_t lane) {
    const auto is = [&](const Value* column, auto holds) {
        return is_exact(column[lane]) && holds(column[lane].words[0]);
    };
    const auto zero = [](uint32_t w) { return is_zero(w); };
    switch (f.op()) {
        case Opcode::INTERP_SAMPLE:
            return is(f.src(1, 0), [](uint32_t sample) { return sample == 0; });
        case Opcode::INTERP_OFFSET:
            return is(f.src(1, 0), zero) && is(f.src(1, 1), zero);
        default:
            return true;
    }
}

bool interpolate(Frame& f) {
    const bool flat = only_flat(f.m, f.m.program.srcs(f.instruction)[0]);
    for (int c = 0; c < 4; ++c) {
        if (!f.writes(c)) continue;
        const Value* column = f.src(0, c);
        Value* out = f.scratch();
        for (uint32_t lane : f.lanes())
            out[lane] = flat || at_centre(f, lane) ? column[lane] : unknown(column[lane].value);
        f.result[static_cast<size_t>(c)] = out;
    }
    return true;
}

/// The colour that the attachment of OUT held before this draw.
bool fetch_framebuffer(Frame& f) {
    const Machine& m = f.m;
    const tgsi::Operand& o = m.program.srcs(f.instruction)[0];
    const tgsi::Range* r = m.registers.find(File::Output, o.index);
    if (o.index_is_relative || !r || m.program.declarations[r->declaration].semantic != tgsi::Semantic::Color)
        return false;
    const tgsi::Declaration& d = m.program.declarations[r->declaration];
    const auto target = m.inputs.framebuffer_colors.find(d.semantic_index + static_cast<uint32_t>(o.index - d.first));
    for (int c = 0; c < 4; ++c) {
        if (!f.writes(c)) continue;
        Value* out = f.scratch();
        for (uint32_t lane : f.lanes()) {
            const auto [x, y] = pixel_of(m, lane);
            const size_t at = (size_t{y} * m.inputs.framebuffer_width + x) * 4 + static_cast<size_t>(o.component(c));
            const bool given = target != m.inputs.framebuffer_colors.end() && at < target->second.size();
            out[lane] = exact(given ? target->second[at] : 0u);
        }
        f.result[static_cast<size_t>(c)] = out;
    }
    return true;
}

/// ~0 if the lane was killed. Lanes that fill up the last quad are helpers only on some devices.
void read_helper(Frame& f) {
    Value* out = f.scratch();
    for (uint32_t lane : f.lanes()) {
        const Presence killed = f.m.killed[lane];
        const Truth is{(killed & kPlain) != 0, (killed & kMay) != 0, !(killed & kMust)};
        out[lane] = lane < f.m.inputs.lanes ? select(is, exact(~0u), exact(0u)) : unknown();
    }
    f.replicate(out);
}

}  // namespace

bool io(Frame& f) {
    switch (f.op()) {
        case Opcode::INTERP_CENTROID:
        case Opcode::INTERP_SAMPLE:
        case Opcode::INTERP_OFFSET:
            return interpolate(f);
        case Opcode::FBFETCH:
            return fetch_framebuffer(f);
        case Opcode::READ_HELPER:
            read_helper(f);
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference
