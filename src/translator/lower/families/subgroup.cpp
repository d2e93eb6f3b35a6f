// Votes, ballots and reads of other lanes (semantics: Flow); READ_HELPER. BARRIER belongs to the memory family.
#include <bit>

#include "lower/context/values.h"
#include "lower/families/families.h"
#include "lower/flow/flow.h"
#include "lower/operands/family.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

/// ~0 or 0
Outcome flag(Operation& op, Value condition) {
    const Value yes = op.b.const_u32(0xffff'ffff);
    return done(op.b.select(condition, yes, op.b.const_u32(0)));
}

Outcome vote(Operation& op, Op o) {
    return flag(op, op.b.emit(o, ir::boolean(), {x_is_nonzero(op)}));
}

/// 64 bits in xy; other components are not written.
Outcome ballot(Operation& op) {
    const Value bits = op.b.emit(Op::GroupBallot, ir::u32(4), {x_is_nonzero(op)});
    op.mask &= 3;
    op.width = std::popcount(op.mask);
    if (op.mask == 0) return done(ir::kNone);
    return done(per_component(op, [&](int c) { return op.b.extract(bits, c); }));
}

/// All components from lane src1.x. Without shuffles it is a broadcast, whose lane must be the same everywhere. If it
/// differs, the result is undefined in TGSI, but the behaviour is undefined in Vulkan; so the first lane's src1.x is
/// used.
Outcome read_lane(Operation& op) {
    const Value value = source(op, 0, Scalar::U32);
    const Value lane = source_component(op, 1, Scalar::U32, 0);
    if (op.capabilities.subgroup_shuffle) return done(op.b.op(Op::GroupShuffle, value, lane));
    return done(op.b.op(Op::GroupBroadcast, value, op.b.op(Op::GroupFirst, lane)));
}

/// The current state, including demotions: if KILL is a flag, also lanes with that flag.
Outcome read_helper(Operation& op) {
    Context& w = op.context;
    Value helper = op.b.emit(Op::IsHelper, ir::boolean(), {});
    if (w.plan.kills) {
        const Value killed = killed_flag(w);
        helper = op.b.lor(helper, op.b.ine(killed, op.b.const_u32(0)));
    }
    return flag(op, helper);
}

}  // namespace

Outcome lower_subgroup(Operation& op) {
    const Capabilities& c = op.capabilities;
    const Opcode o = op.instruction.op;
    if (o == Opcode::READ_HELPER) return read_helper(op);
    if (!has_subgroups(c, op.program.stage))
        return refuse_lacking(op, "subgroupSupportedStages", "in " + std::string(tgsi::name(op.program.stage)));
    const bool votes = o == Opcode::VOTE_ALL || o == Opcode::VOTE_ANY || o == Opcode::VOTE_EQ;
    if (votes && !c.subgroup_vote) return refuse_lacking(op, "VK_SUBGROUP_FEATURE_VOTE_BIT");
    if (!votes && !c.subgroup_ballot && !(o == Opcode::READ_INVOC && c.subgroup_shuffle))
        return refuse_lacking(op, "VK_SUBGROUP_FEATURE_BALLOT_BIT");
    switch (o) {
        case Opcode::VOTE_ALL:
            return vote(op, Op::GroupAll);
        case Opcode::VOTE_ANY:
            return vote(op, Op::GroupAny);
        case Opcode::VOTE_EQ:
            return flag(op, op.b.emit(Op::GroupAllEqual, ir::boolean(), {source_component(op, 0, Scalar::U32, 0)}));
        case Opcode::BALLOT:
            return ballot(op);
        case Opcode::READ_FIRST:
            return done(op.b.op(Op::GroupFirst, source(op, 0, Scalar::U32)));
        case Opcode::READ_INVOC:
            if (!c.subgroup_shuffle && !c.subgroup_dynamic_broadcast)
                return refuse_lacking(op, "VK_SUBGROUP_FEATURE_SHUFFLE_BIT");
            return read_lane(op);
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower
