// Votes, ballots and reads of other lanes (docs: Inter-lane opcodes; semantics: Flow).
//
// The device chooses which invocations are in one subgroup, so the bounds hold for every choice: a lane may be alone,
// or together with any others of its work group (in other stages, of the whole case). The nominal execution has
// subgroups of consecutive invocations. If their size is known (Options::subgroup_size) and it is known who takes part
// in a subgroup, that execution is the only one.
#include <algorithm>

#include "reference/families/families.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

/// Whether a device runs more invocations than the case has lanes, with arbitrary inputs: VERT draws whole
/// triangles, FRAG draws whole quads, in a rectangle of the framebuffer's width, starting at its first pixel. In the
/// other stages there are as many invocations as the case says.
bool strangers_run(tgsi::Stage stage, const Inputs& inputs) {
    if (stage == tgsi::Stage::Vertex) return inputs.lanes % 3 != 0;
    if (stage != tgsi::Stage::Fragment) return false;
    const uint32_t quads = (inputs.lanes + 3) / 4, row = std::max(1u, inputs.framebuffer_width / 2);
    return inputs.lanes % 4 != 0 || (quads > row && quads % row != 0);
}

/// Lanes that may share a subgroup, as runs of `active`.
struct Domains {
    const Frame& f;
    uint32_t of(uint32_t lane) const { return f.m.program.stage == tgsi::Stage::Compute ? lane / f.m.group : 0; }
    uint32_t count() const { return of(f.m.lanes - 1) + 1; }
    /// Invocations that the case does not show.
    bool has_strangers() const { return strangers_run(f.m.program.stage, f.m.inputs); }
};

/// The active lanes of each subgroup in the nominal execution, by the number of its first invocation.
struct Nominal {
    bool all = true, any = false, equal = true;
    uint64_t ballot = 0;
    bool seen = false;
    uint32_t first = 0;
};

std::vector<Nominal> nominal_of(const Frame& frame, const Value* column) {
    std::vector<Nominal> groups(frame.m.lanes);
    for (uint32_t lane : frame.lanes()) {
        if (!(frame.m.exec[lane] & kNominal)) continue;
        Nominal& g = groups[frame.m.subgroup(lane)];
        const bool yes = column[lane].value != 0;
        if (!g.seen) g.first = lane;
        g.seen = true;
        g.all &= yes;
        g.any |= yes;
        g.equal &= column[lane].value == column[g.first].value;
        if (yes) g.ballot |= uint64_t{1} << frame.m.subgroup_invocation(lane);
    }
    return groups;
}

/// The subgroups, by their first invocations, of which it is known who takes part, and with which word.
std::vector<bool> known_of(const Frame& frame, const Value* column) {
    std::vector<bool> known(frame.m.lanes, frame.m.subgroups_are_known());
    for (uint32_t lane : frame.lanes())
        if (frame.m.exec[lane] != kAll || !is_exact(column[lane])) known[frame.m.subgroup(lane)] = false;
    return known;
}

void vote(Frame& frame) {
    const Value* x = frame.src(0, 0);
    const std::vector<Nominal> nominal = nominal_of(frame, x);
    const std::vector<bool> known = known_of(frame, x);
    const Domains domains{frame};
    // Whether a condition may be true, and may be false, in some lane of a domain; whether all lanes hold one known
    // word.
    struct Sum {
        bool may_be_true = false, may_be_false = false, equal = true;
        const Value* first = nullptr;
    };
    std::vector<Sum> sums(domains.count());
    for (uint32_t lane : frame.lanes()) {
        if (!(frame.m.exec[lane] & kMay)) continue;
        Sum& s = sums[domains.of(lane)];
        const Truth t = any_bit(x[lane]);
        s.may_be_true |= t.may_be_true;
        s.may_be_false |= t.may_be_false;
        if (!s.first) s.first = &x[lane];
        s.equal &= is_exact(x[lane]) && is_exact(*s.first) && x[lane].words[0] == s.first->words[0];
    }
    if (domains.has_strangers())
        for (Sum& s : sums) s = {true, true, false, nullptr};
    frame.replicate(frame.map_lanes([&](uint32_t lane) {
        const Nominal& p = nominal[frame.m.subgroup(lane)];
        const Sum& s = sums[domains.of(lane)];
        const Truth own = any_bit(x[lane]);
        Truth t;
        if (frame.op() == Opcode::VOTE_ALL)
            t = {p.all, own.may_be_true, s.may_be_false};
        else if (frame.op() == Opcode::VOTE_ANY)
            t = {p.any, s.may_be_true, own.may_be_false};
        else
            t = {p.equal, true, !s.equal};
        if (frame.c.nominal || known[frame.m.subgroup(lane)]) t = {t.nominal, t.nominal, !t.nominal};
        return select(t, exact(~0u), exact(0u));
    }));
}

/// 64 bits in xy: known only if no lane that may take part can be true.
void ballot(Frame& frame) {
    const Value* x = frame.src(0, 0);
    const std::vector<Nominal> nominal = nominal_of(frame, x);
    const std::vector<bool> known = known_of(frame, x);
    const Domains domains{frame};
    std::vector<bool> any(domains.count(), domains.has_strangers());
    for (uint32_t lane : frame.lanes())
        if ((frame.m.exec[lane] & kMay) && any_bit(x[lane]).may_be_true) any[domains.of(lane)] = true;
    for (int half = 0; half < 2; ++half)
        frame.result[static_cast<size_t>(half)] = frame.map_lanes([&](uint32_t lane) {
            const uint32_t word = static_cast<uint32_t>(nominal[frame.m.subgroup(lane)].ballot >> (32 * half));
            const bool sure = frame.c.nominal || known[frame.m.subgroup(lane)] || !any[domains.of(lane)];
            return sure ? exact(word) : unknown(word);
        });
    frame.mask &= 3;
}

/// The value of the first active lane: that of any lane that may be the first.
void read_first(Frame& frame) {
    const Domains domains{frame};
    for (int c = 0; c < 4; ++c) {
        if (!frame.writes(c)) continue;
        const Value* x = frame.src(0, c);
        const std::vector<Nominal> nominal = nominal_of(frame, x);
        const std::vector<bool> known = known_of(frame, x);
        std::vector<Hull> hulls(domains.count());
        std::vector<bool> seen(domains.count(), false);
        for (uint32_t lane : frame.lanes()) {
            if (!(frame.m.exec[lane] & kMay)) continue;
            hulls[domains.of(lane)].add(x[lane]);
            seen[domains.of(lane)] = true;
        }
        frame.result[static_cast<size_t>(c)] = frame.map_lanes([&](uint32_t lane) {
            const Nominal& p = nominal[frame.m.subgroup(lane)];
            const uint32_t value = p.seen ? x[p.first].value : 0;
            if (frame.c.nominal || known[frame.m.subgroup(lane)]) return exact(value);
            const uint32_t d = domains.of(lane);
            return seen[d] && !domains.has_strangers() ? hulls[d].finish(value) : unknown(value);
        });
    }
}

/// Lane src1.x of the subgroup: known only if the subgroups are known. All lanes must ask for the same one.
void read_lane(Frame& frame) {
    const Value* index = frame.src(1, 0);
    const std::vector<Nominal> asked = nominal_of(frame, index);
    const std::vector<bool> known = known_of(frame, index);
    for (int c = 0; c < 4; ++c) {
        if (!frame.writes(c)) continue;
        const Value* x = frame.src(0, c);
        frame.result[static_cast<size_t>(c)] = frame.map_lanes([&](uint32_t lane) {
            const uint64_t from = uint64_t{frame.m.subgroup(lane)} + index[lane].value;
            const bool there = index[lane].value < frame.m.subgroup_size() && from < frame.m.lanes &&
                               frame.m.subgroup(static_cast<uint32_t>(from)) == frame.m.subgroup(lane) &&
                               (frame.m.exec[from] & kNominal);
            const uint32_t value = there ? x[from].value : 0;
            if (frame.c.nominal) return exact(value);
            const uint32_t group = frame.m.subgroup(lane);
            return there && known[group] && asked[group].equal ? x[from] : unknown(value);
        });
    }
}

}  // namespace

void subgroup(Frame& frame) {
    switch (frame.op()) {
        case Opcode::VOTE_ALL:
        case Opcode::VOTE_ANY:
        case Opcode::VOTE_EQ:
            return vote(frame);
        case Opcode::BALLOT:
            return ballot(frame);
        case Opcode::READ_FIRST:
            return read_first(frame);
        case Opcode::READ_INVOC:
            return read_lane(frame);
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
