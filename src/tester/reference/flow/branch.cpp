// Programs with BRA: each lane has its own place (instruction and call stack), since a branch may enter and leave
// constructs anywhere. Constructs are then edges between instructions: from IF to its ELSE or ENDIF, from ENDLOOP to
// its BGNLOOP, from BRK to the instruction after the construct that it leaves, independently of how a lane entered it.
//
// Lanes at the same place execute together: first those in the deepest call, then those at the smallest instruction, so
// that lanes meet again where their paths do. A lane whose path is not known is lost: it follows its nominal path.
#include <algorithm>
#include <map>

#include "reference/flow/interpreter.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

struct BranchRun {
    Interpreter& it;
    Machine& m = it.m;
    const FlowTable& t = it.table;
    uint32_t end = static_cast<uint32_t>(m.program.instructions.size());

    /// Call stacks, shared by the lanes that made the same calls. Stack 0 is that of main.
    struct Call {
        uint32_t caller = 0, back = 0, depth = 0;
    };
    std::vector<Call> calls{{}};
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> call_ids{};

    std::vector<uint32_t> pc = std::vector<uint32_t>(m.lanes, m.program.entry);
    std::vector<uint32_t> stack = std::vector<uint32_t>(m.lanes, 0);

    bool gather();
    /// The decision of the nominal execution; a lane that may go either way is lost.
    bool decides(uint32_t lane, const Truth& may) {
        const Truth truth = m.decide(lane, may);
        if (truth.may_be_true && truth.may_be_false) m.lose(lane);
        return truth.nominal;
    }
    /// A lane whose budget may be spent is lost: with BRA, the place where it ends is unspecified (semantics, Flow).
    void spend(uint32_t lane, uint32_t turns = 1) {
        if (m.options.max_iterations == 0) return;
        if ((m.spent[lane].most += turns) <= m.options.max_iterations) return;
        m.lose(lane);
        pc[lane] = end;
    }
    void call(uint32_t lane, uint32_t to);
    void leave(uint32_t lane) {
        const Call c = calls[stack[lane]];
        pc[lane] = stack[lane] == 0 ? end : c.back;
        stack[lane] = c.caller;
    }
    /// The label where the lane enters a SWITCH, or the end of the switch.
    uint32_t entry(uint32_t at, uint32_t lane, const Value& selector, const std::vector<const Value*>& labels);
    void step(uint32_t at);
    void part(uint32_t depth);
    void run();
};

/// Puts the lanes that execute next into `active`.
bool BranchRun::gather() {
    uint32_t first = m.lanes;
    auto before = [&](uint32_t a, uint32_t b) {
        const uint32_t da = calls[stack[a]].depth, db = calls[stack[b]].depth;
        if (da != db) return da > db;
        return pc[a] != pc[b] ? pc[a] < pc[b] : stack[a] < stack[b];
    };
    for (uint32_t lane = 0; lane < m.lanes; ++lane)
        if (pc[lane] < end && m.base[lane] != 0 && (first == m.lanes || before(lane, first))) first = lane;
    if (first == m.lanes) return false;
    m.active.clear();
    for (uint32_t lane = 0; lane < m.lanes; ++lane) {
        const bool here = pc[lane] == pc[first] && stack[lane] == stack[first];
        m.exec[lane] = here ? m.base[lane] : Presence{0};
        if (m.exec[lane] & (kNominal | kMay)) m.active.push_back(lane);
    }
    return true;
}

void BranchRun::call(uint32_t lane, uint32_t to) {
    if (to >= end) return;  // it names the end of the shader: calls nothing
    const auto [at, is_new] = call_ids.try_emplace({stack[lane], pc[lane]}, static_cast<uint32_t>(calls.size()));
    if (is_new) calls.push_back({stack[lane], pc[lane], calls[stack[lane]].depth + 1});
    stack[lane] = at->second;
    pc[lane] = to;
    spend(lane, 2);  // the call, and the first turn if the subroutine has BRA
}

uint32_t BranchRun::entry(uint32_t at, uint32_t lane, const Value& selector, const std::vector<const Value*>& labels) {
    uint32_t otherwise = t.partner[at];
    size_t k = 0;
    for (uint32_t label = t.next_label[at]; label < t.partner[at]; label = t.next_label[label]) {
        if (it.at(label).op == Opcode::DEFAULT) {
            otherwise = label;
            continue;
        }
        if (decides(lane, same_bits(selector, labels[k++][lane]))) return label;
    }
    return otherwise;
}

/// Executes the instruction in the active lanes and advances them.
void BranchRun::step(uint32_t at) {
    const tgsi::Instruction& in = it.at(at);
    const Value* predicate = predicate_column(m, in, 0);
    auto happens = [&](uint32_t lane) { return !predicate || decides(lane, any_bit(predicate[lane])); };
    for (uint32_t lane : m.active) pc[lane] = at + 1;
    auto go = [&](uint32_t to) {
        for (uint32_t lane : m.active)
            if (happens(lane)) pc[lane] = to;
    };
    auto go_if = [&](Truth (*truth)(const Value&), uint32_t to) {
        const Value* condition = it.condition(in);
        for (uint32_t lane : m.active)
            if (happens(lane) && decides(lane, truth(condition[lane]))) pc[lane] = to;
    };
    switch (in.op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF: {
            const Value* condition = it.condition(in);
            for (uint32_t lane : m.active) {
                const Truth truth =
                    in.op == Opcode::UIF ? any_bit(condition[lane]) : any_magnitude_bit(condition[lane]);
                if (!decides(lane, truth)) pc[lane] = t.partner[at] + 1;
            }
            return;
        }
        case Opcode::ELSE:
        case Opcode::ENDLOOP:
            for (uint32_t lane : m.active) pc[lane] = t.partner[at] + 1;
            return;
        case Opcode::SWITCH: {
            const Value* selector = it.condition(in);
            std::vector<const Value*> labels;
            for (uint32_t label = t.next_label[at]; label < t.partner[at]; label = t.next_label[label])
                if (it.at(label).op == Opcode::CASE) labels.push_back(it.condition(it.at(label)));
            for (uint32_t lane : m.active) pc[lane] = entry(at, lane, selector[lane], labels);
            return;
        }
        case Opcode::ENDIF:
        case Opcode::BGNLOOP:
        case Opcode::CASE:
        case Opcode::DEFAULT:
        case Opcode::ENDSWITCH:
            return;
        case Opcode::BRK:
            return go(t.closer[at] + 1);
        case Opcode::BREAKC:
            return go_if(any_bit, t.closer[at] + 1);
        case Opcode::CONT:
            return go(t.partner[t.closer[at]] + 1);
        case Opcode::BRA:
            return go(in.label);
        case Opcode::CAL:
            for (uint32_t lane : m.active)
                if (happens(lane)) call(lane, in.label);
            return;
        case Opcode::CALLNZ: {
            const Value* condition = it.condition(in);
            for (uint32_t lane : m.active)
                if (happens(lane) && decides(lane, any_bit(condition[lane]))) call(lane, in.label);
            return;
        }
        case Opcode::RET:
            for (uint32_t lane : m.active)
                if (happens(lane)) leave(lane);
            return;
        case Opcode::ENDSUB:
        case Opcode::END:
            for (uint32_t lane : m.active) leave(lane);
            return;
        default:
            it.step(in);
            return;
    }
}

/// Quads whose lanes took different paths are no longer together until the function returns.
void BranchRun::part(uint32_t depth) {
    for (uint32_t lane : m.active) {
        uint32_t& parted = m.parted.of_quad[lane / 4];
        const uint32_t quad = lane & ~3u;
        bool together = true;
        for (uint32_t k = quad; k < quad + 4; ++k) together &= pc[k] == pc[lane] && stack[k] == stack[lane];
        if (!together && (parted == 0 || parted > depth + 1)) parted = depth + 1;
    }
}

void BranchRun::run() {
    const bool quads = m.program.stage == tgsi::Stage::Fragment;
    if (quads) m.parted.of_quad.assign(m.lanes / 4, 0);
    for (uint32_t lane = 0; lane < m.lanes; ++lane) spend(lane);
    while (gather()) {
        ++m.progress.steps;
        if (m.progress.is_over(m.options)) {
            m.progress.given_up = pc[m.active.front()];
            for (uint32_t lane = 0; lane < m.lanes; ++lane) {
                if (pc[lane] >= end || m.base[lane] == 0) continue;
                m.lose(lane);
                m.base[lane] = 0;
            }
            break;
        }
        const uint32_t lane = m.active.front();
        const uint32_t depth = calls[stack[lane]].depth;
        if (quads)
            for (uint32_t k : m.active)
                if (m.parted.of_quad[k / 4] > depth + 1) m.parted.of_quad[k / 4] = 0;
        const uint32_t at = pc[lane];
        m.progress.count(it.at(at), m.active.size());
        step(at);
        const bool enters_loop = it.at(at).op == Opcode::BGNLOOP;
        for (uint32_t k : m.active)
            if (enters_loop || (pc[k] <= at && calls[stack[k]].depth == depth)) spend(k);
        m.release_scratch();
        if (quads) part(depth);
        for (uint32_t k : m.active) m.parted.any |= pc[k] != pc[lane] || stack[k] != stack[lane];
    }
}

}  // namespace

void run_branches(Interpreter& interpreter) {
    interpreter.end = static_cast<uint32_t>(interpreter.m.program.instructions.size());
    BranchRun{interpreter}.run();
}

}  // namespace tgsi2spv::reference
