#include "reference/columns/block.h"

#include <algorithm>
#include <bit>

#include "reference/columns/kernels.h"

namespace tgsi2spv::reference::columns {
namespace {

/// The masks of flow.cpp, with a bit per lane: a lane executes if it is in all of them.
struct Masks {
    Bits base, condition = kEveryLane, loop = kEveryLane, proceed = kEveryLane, function = kEveryLane;
    Bits exec() const { return base & condition & loop & proceed & function; }
};
struct OpenIf {
    Bits saved, otherwise;
};
struct OpenLoop {
    Bits loop, proceed;
};

/// Counts the instructions that each lane executed. Those of lanes that escape later must not count, since they are
/// executed again.
class Counter {
  public:
    void add(Bits lanes, uint32_t instructions) {
        if (!all_.empty() && all_.back().lanes == lanes)
            all_.back().instructions += instructions;
        else
            all_.push_back({lanes, instructions});
    }
    uint64_t total(Bits lanes) const {
        uint64_t sum = 0;
        for (const Entry& e : all_) sum += e.instructions * static_cast<uint64_t>(std::popcount(e.lanes & lanes));
        return sum;
    }

  private:
    struct Entry {
        Bits lanes;
        uint64_t instructions;
    };
    std::vector<Entry> all_;
};

/// Returns the lanes for which a condition holds. If it may or may not hold, the lane's way decides.
Bits holding(const Code& code, const Block& b, uint32_t condition, Bits exec) {
    const uint32_t* plain = b.words + condition;
    Bits holds = lanes_of(plain);
    if (!code.bounds || held_by(plain) != Holds::Ends) return holds;
    for (Bits rest = exec; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
        const Entry e = entry_of(plain, lane);
        if (e.lo == e.hi) continue;
        const Bits bit = Bits{1} << lane;
        holds = b.ways.decide(lane, (holds & bit) != 0) ? holds | bit : holds & ~bit;
    }
    return holds;
}

}  // namespace

Outcome execute(const Code& code, Bits lanes, uint64_t max_steps, const Block& b) {
    Outcome result;
    uint32_t* block = b.words;
    // Without bounds, the lanes that fill up a block may be executed too: a full mask is free.
    Masks m{code.bounds ? lanes : kEveryLane};
    std::vector<OpenIf> ifs;
    std::vector<OpenLoop> loops;
    uint64_t steps = 0;
    Counter counter;
    bool ended = false;
    for (size_t pc = 0; pc < code.flow.size() && !ended; ++pc) {
        const Flow& f = code.flow[pc];
        const Bits exec = m.exec();
        if (exec != 0) {
            counter.add(exec, f.instructions);
            steps += f.instructions;
            if (steps > max_steps) {
                result.escaped = kEveryLane;
                result.endless = true;
                return result;
            }
        }
        // The lanes that execute and, if the entry is conditional, meet its condition.
        const auto meets = [&] { return f.conditional ? exec & holding(code, b, f.condition, exec) : exec; };
        switch (f.kind) {
            case Flow::Kind::Run:
                if (exec == 0) break;
                run_steps(code, code.steps.data() + f.first, f.count, exec, block, b.boxes);
                if (code.bounds) {
                    const Bits bad = exec & lanes_of(block + code.bad);
                    result.escaped |= bad;
                    m.base &= ~bad;
                }
                break;
            case Flow::Kind::If: {
                const Bits holds = exec == 0 ? 0 : holding(code, b, f.condition, exec);
                ifs.push_back({m.condition, m.condition & ~holds});
                m.condition &= holds;
                break;
            }
            case Flow::Kind::Else:
                m.condition = ifs.back().otherwise;
                break;
            case Flow::Kind::EndIf:
                m.condition = ifs.back().saved;
                ifs.pop_back();
                break;
            case Flow::Kind::Loop:
                loops.push_back({m.loop, m.proceed});
                break;
            case Flow::Kind::EndLoop:
                m.proceed = loops.back().proceed;
                if (m.exec() != 0) {
                    pc = f.partner;
                    break;
                }
                m.loop = loops.back().loop;
                loops.pop_back();
                break;
            case Flow::Kind::Break:
                m.loop &= ~meets();
                break;
            case Flow::Kind::Continue:
                m.proceed &= ~exec;
                break;
            case Flow::Kind::Return:
                ended = f.last;
                m.function &= ~exec;
                break;
            case Flow::Kind::Kill:
                result.killed |= meets();
                break;
            case Flow::Kind::End:
                ended = true;
                break;
        }
    }
    result.instructions = counter.total(lanes & ~result.escaped);
    return result;
}

}  // namespace tgsi2spv::reference::columns
