#include "reference/columns/block.h"

#include <algorithm>
#include <bit>

#include "reference/columns/kernels.h"

namespace tgsi2spv::reference::columns {
namespace {

/// The masks of flow.cpp, a bit a lane: a lane executes where all agree.
struct Masks {
    Bits condition = kEveryLane, loop = kEveryLane, proceed = kEveryLane, function = kEveryLane;
    Bits exec() const { return condition & loop & proceed & function; }
};
struct OpenIf {
    Bits saved, otherwise;
};
struct OpenLoop {
    Bits loop, proceed;
};

}  // namespace

Outcome execute(const Code& code, Bits counted, uint64_t max_steps, uint32_t* block) {
    Outcome result;
    Masks m;
    std::vector<OpenIf> ifs;
    std::vector<OpenLoop> loops;
    uint64_t steps = 0;
    bool ended = false;
    for (size_t pc = 0; pc < code.flow.size() && !ended; ++pc) {
        const Flow& f = code.flow[pc];
        const Bits exec = m.exec();
        if (exec != 0) {
            result.instructions += uint64_t{f.instructions} * static_cast<uint64_t>(std::popcount(exec & counted));
            steps += f.instructions;
            if (steps > max_steps) {
                result.ended = false;
                return result;
            }
        }
        // Who is here and, where the entry asks, meets its condition.
        const auto meets = [&] { return f.conditional ? exec & lanes_of(block + f.condition) : exec; };
        switch (f.kind) {
            case Flow::Kind::Run:
                if (exec != 0) run_steps(code, code.steps.data() + f.first, f.count, exec, block);
                break;
            case Flow::Kind::If: {
                const Bits holds = exec == 0 ? 0 : lanes_of(block + f.condition);
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
    return result;
}

}  // namespace tgsi2spv::reference::columns
