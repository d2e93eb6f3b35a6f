// The state of structured control flow (structured.cpp), and the step that both kinds of execution share.
#pragma once

#include "reference/flow/flow_table.h"
#include "reference/flow/observer.h"
#include "reference/machine/frame.h"

namespace tgsi2spv::reference {

struct IfFrame {
    Mask saved, otherwise;
    std::unique_ptr<Split> split = nullptr;  ///< the lanes that may go either way, if there are any
};
struct LoopFrame {
    uint32_t begin;  ///< its BGNLOOP
    Mask loop, proceed;
    Mask entry;                  ///< presence when the loop was entered
    std::vector<bool> given_up;  ///< lanes in which everything that the loop writes is unknown
};
struct SwitchFrame {
    static constexpr uint32_t kNone = ~0u;
    Mask saved;
    std::vector<uint32_t> entry;  ///< the label where each lane enters for sure; kNone: at none
    /// Lanes whose label is not known: (lane, label, presence).
    struct Maybe {
        uint32_t label, lane;
        Presence here;
    };
    std::vector<Maybe> maybe;
};
struct CallFrame {
    uint32_t back;
    FlowMasks flow;
    size_t ifs, loops, switches;
};

struct Interpreter {
    Machine& m;
    const FlowTable& table;
    std::vector<IfFrame> ifs;
    std::vector<LoopFrame> loops;
    std::vector<SwitchFrame> switches;
    std::vector<CallFrame> calls;
    uint32_t pc = 0;
    uint32_t end = 0;
    const Observer* observer = nullptr;  ///< may be null

    const tgsi::Instruction& at(uint32_t i) const { return m.program.instructions[i]; }

    /// Presence of the active lanes under the instruction's predicate (for flow instructions the first letter decides).
    Mask present(const tgsi::Instruction& in) {
        Mask here = m.exec;
        if (const Value* holds = predicate_column(m, in, 0)) narrow(here, holds, any_bit);
        return here;
    }
    void narrow(Mask& here, const Value* column, Truth (*truth)(const Value&)) {
        for (uint32_t lane : m.active) {
            const Truth t = m.decide(lane, truth(column[lane]));
            if (t.may_be_true && t.may_be_false) m.sides.may_leave(lane);
            here[lane] = restrict(here[lane], t);
        }
    }
    Frame frame(const tgsi::Instruction& in) {
        Frame f{m, in, tgsi::info(in.op), m.context, 0xf, {}, {}};
        if (in.precise) f.c.contract = false;
        return f;
    }
    const Value* condition(const tgsi::Instruction& in) { return frame(in).src(0, 0); }

    void take_out(Mask& mask, const Mask& leaving) {
        for (uint32_t lane : m.active) {
            if (leaving[lane]) m.sides.may_leave(lane);
            mask[lane] = without(mask[lane], leaving[lane]);
        }
        update_exec(m);
    }
    /// A turn of a loop or a call: takes lanes whose budget is spent out of the mask (Options::max_iterations).
    void spend(Mask& mask);
    void begin_if(const tgsi::Instruction& in);
    void pop_if();
    void end_loop();
    void begin_switch(const tgsi::Instruction& in);
    void enter_label();
    void call(const tgsi::Instruction& in, const Mask& here);
    void leave_function();
    void kill(const Mask& here);
    void kill_below_zero(const tgsi::Instruction& in);
    bool step_flow(const tgsi::Instruction& in);
    bool step_effect(const tgsi::Instruction& in);
    void compute(Frame& frame, const tgsi::Instruction& in);
    void write_results(Frame& frame, const tgsi::Instruction& in);
    void step(const tgsi::Instruction& in);
    void run();
};

/// Executes from the program's entry, under an observer if there is one. Lanes that reach the step limit are lost, and
/// they stop.
void interpret(Machine& machine, const FlowTable& table, const Observer* observer);

/// Whether an opcode may make the invocation a helper.
bool kills(tgsi::Opcode op);
/// Makes everything unknown in the lane that instructions first..last may write.
void forget(Machine& machine, uint32_t lane, uint32_t first, uint32_t last);

/// Walks a program that has BRA (branch.cpp): each lane has its own program counter.
void run_branches(Interpreter& interpreter);

}  // namespace tgsi2spv::reference
