// The scan of each function that the plan is made from: constructs, calls and jumps, and the registers that operands
// touch.
#include <algorithm>
#include <string>

#include "lower/plan/notes.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::File;
using tgsi::Opcode;

struct Scan {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const bool demote;  ///< Capabilities::demote
    Plan& p;
    std::vector<tgsi::Diagnostic>& diagnostics;
    bool ok = true;
    uint32_t function = 0;
    uint64_t scanned = 0;  ///< instructions, in all functions
    uint32_t written = 0;  ///< destinations so far
    uint32_t open_loops = 0;
    OperandNotes notes{program, registers, p};

    [[gnu::cold]] void fail(tgsi::Code code, uint32_t position, std::string_view message) {
        if (ok) diagnostics.push_back({.code = code, .offset = position, .message = std::string(message), .hint = {}});
        ok = false;
    }

    // ---- vertices

    /// EMIT reads every output and increments the counters; in a subroutine all of these live in memory.
    void note_emit(bool vertex) {
        ++written;
        if (vertex) ++p.scratch.emits;
        if (function == 0 && open_loops == 0) return;
        p.scratch.emits_are_bounded = false;
        if (function != 0) outputs_to_memory(p);
    }

    // ---- functions

    uint32_t function_at(uint32_t label) {
        if (p.function_of_label.empty()) p.function_of_label.assign(program.instructions.size() + 1, kNoIndex);
        uint32_t& f = p.function_of_label[label];
        if (f == kNoIndex) {
            f = static_cast<uint32_t>(p.functions.size());
            p.functions.push_back({.begin = label, .label = label});
        }
        return f;
    }

    void note_operands(const tgsi::Instruction& i, const tgsi::Operand* o) {
        const tgsi::Operand* const sources = o + i.num_dst;
        for (; o != sources; ++o) {
            if (is_stored_handle(i, *o))
                notes.source(*o);
            else
                notes.destination(*o);
        }
        const tgsi::Operand* const end = sources + i.num_src + i.num_offsets + i.has_predicate;
        for (; o != end; ++o) notes.source(*o);
        written += i.num_dst;
    }

    /// A body runs to ENDSUB, END, or the end of the text. Plain code that is called runs to its first RET that is
    /// outside constructs and that no BRA jumps beyond. A BGNSUB that flow runs into does nothing. CAL to the end of
    /// the text calls nothing.
    bool scan_function() {
        const auto count = static_cast<uint32_t>(program.instructions.size());
        const uint32_t label = p.functions[function].label;
        if (label != 0) begin_where_branches_go(program, p, p.functions[function]);
        const uint32_t begin = p.functions[function].begin;
        p.functions[function].first_construct = static_cast<uint32_t>(p.constructs.size());
        p.functions[function].uses = static_cast<uint32_t>(p.uses.size());
        p.scratch.open.clear();
        open_loops = 0;
        notes.begin_function(function);
        bool plain = label != 0 || function != 0;
        uint32_t pc = begin, furthest = label;
        const tgsi::Instruction* const instructions = program.instructions.data();
        const tgsi::Operand* const operands = program.operands.data();
        for (; pc < count && ok; ++pc) {
            if (p.is_dropped(pc)) continue;
            const tgsi::Instruction& i = instructions[pc];
            const tgsi::Family family = tgsi::info(i.op).family;
            if (family == tgsi::Family::flow) {
                if (p.scratch.open.empty()) {
                    if (i.op == Opcode::BGNSUB) plain = false;
                    if (i.op == Opcode::ENDSUB || (i.op == Opcode::END && function == 0)) break;
                    if (i.op == Opcode::RET && plain && !i.has_predicate && pc >= furthest) break;
                }
                if (i.op == Opcode::BRA) furthest = std::max(furthest, i.label);
            }
            note_operands(i, operands + i.first_operand);
            switch (family) {
                case tgsi::Family::flow:
                    scan_flow(i, pc);
                    break;
                case tgsi::Family::memory:
                    notes.memory(i);
                    break;
                case tgsi::Family::io:
                    if (i.op != Opcode::EMIT && i.op != Opcode::ENDPRIM) break;
                    note_emit(i.op == Opcode::EMIT);
                    // Code under a predicate changes only registers in memory (begin_conditional).
                    if (i.has_predicate) p.in_memory[p.slots.emitted] = p.in_memory[p.slots.primitives] = 1;
                    break;
                case tgsi::Family::legacy:
                    if (i.op == Opcode::PUSHA || i.op == Opcode::POPA) p.stack = true;
                    break;
                default:
                    break;
            }
        }
        return ok && end_function(begin, pc);
    }

    /// The function's text runs from `begin` to `pc`.
    bool end_function(uint32_t begin, uint32_t pc) {
        const auto count = static_cast<uint32_t>(program.instructions.size());
        FunctionPlan& f = p.functions[function];
        if (!p.scratch.open.empty() || (pc == count && function != 0 && begin != count)) {
            fail("unsupported-flow", position_of(f.label), "a subroutine or construct does not end");
            return false;
        }
        f.end = pc;
        f.num_constructs = static_cast<uint32_t>(p.constructs.size()) - f.first_construct;
        f.num_uses = static_cast<uint32_t>(p.uses.size()) - f.uses;
        scanned += pc - begin;
        // If CAL targets each instruction of a piece of plain code, each of them starts a function that runs to its
        // end.
        if (function != 0 && scanned > kOverlapLimit * count + 1024)
            fail("inlined-size", position_of(f.label), "the subroutines overlap too much to be translated");
        return ok;
    }

    uint32_t position_of(uint32_t pc) const {
        return program.instructions.empty()
                   ? 0
                   : program.instructions[std::min<size_t>(pc, program.instructions.size() - 1)].position;
    }

    void open_construct(ConstructKind kind, uint32_t pc) {
        p.scratch.open.push_back(static_cast<uint32_t>(p.constructs.size()));
        p.constructs.push_back({.kind = kind, .first = pc, .writes_before = written});
    }

    Construct* innermost_open(bool loop_only) {
        const uint32_t c = innermost(p.constructs, p.scratch.open, loop_only);
        return c == kNoIndex ? nullptr : &p.constructs[c];
    }

    void unbalanced(const tgsi::Instruction& instruction) {
        fail("unsupported-flow", instruction.position, "control flow is not balanced here");
    }

    /// The innermost open construct, or nullptr if it is of another kind.
    Construct* open_of_kind(ConstructKind kind) {
        Construct* const c = p.scratch.open.empty() ? nullptr : &p.constructs[p.scratch.open.back()];
        return c != nullptr && c->kind == kind ? c : nullptr;
    }

    /// CASE or DEFAULT.
    void scan_label(const tgsi::Instruction& instruction, uint32_t pc) {
        Construct* const c = open_of_kind(ConstructKind::Switch);
        if (c == nullptr || (instruction.op == Opcode::DEFAULT && c->has_default)) return unbalanced(instruction);
        const auto label = static_cast<uint32_t>(p.labels.size());
        p.labels.push_back({pc});
        if (c->first_label == kNoIndex)
            c->first_label = label;
        else
            p.labels[c->last_label].next = label;
        c->last_label = label;
        ++c->num_labels;
        c->has_default |= instruction.op == Opcode::DEFAULT;
        const tgsi::Instruction& above = program.instructions[pc - 1];
        switch (above.has_predicate ? Opcode::NOP : above.op) {
            case Opcode::SWITCH:
            case Opcode::CASE:
            case Opcode::DEFAULT:
            case Opcode::BRK:
            case Opcode::CONT:
            case Opcode::RET:
                break;
            default:
                c->falls_through = true;
        }
    }

    /// ENDIF, ENDLOOP or ENDSWITCH.
    void close_construct(const tgsi::Instruction& instruction, uint32_t pc) {
        const ConstructKind kind = instruction.op == Opcode::ENDIF     ? ConstructKind::If
                                   : instruction.op == Opcode::ENDLOOP ? ConstructKind::Loop
                                                                       : ConstructKind::Switch;
        Construct* const c = open_of_kind(kind);
        if (c == nullptr) return unbalanced(instruction);
        c->last = pc;
        c->next = static_cast<uint32_t>(p.constructs.size());
        c->writes_after = written;
        if (kind == ConstructKind::Loop) --open_loops;
        p.scratch.closed.push_back(p.scratch.open.back());
        p.scratch.open.pop_back();
    }

    void count_jump(const tgsi::Instruction& instruction, Construct* target, uint32_t Construct::*jumps) {
        if (target == nullptr) return unbalanced(instruction);
        ++(target->*jumps);
    }

    void scan_call(const tgsi::Instruction& instruction) {
        if (!instruction.has_label || instruction.label > program.instructions.size()) return unbalanced(instruction);
        const uint32_t callee = function_at(instruction.label);
        FunctionPlan& f = p.functions[function];
        p.calls.push_back({callee, instruction.position, f.first_call});
        f.first_call = static_cast<uint32_t>(p.calls.size() - 1);
    }

    void scan_flow(const tgsi::Instruction& instruction, uint32_t pc) {
        switch (instruction.op) {
            case Opcode::IF:
            case Opcode::IFC:
            case Opcode::UIF:
                return open_construct(ConstructKind::If, pc);
            case Opcode::BGNLOOP:
                ++open_loops;
                return open_construct(ConstructKind::Loop, pc);
            case Opcode::SWITCH:
                return open_construct(ConstructKind::Switch, pc);
            case Opcode::ELSE:
                if (Construct* c = open_of_kind(ConstructKind::If))
                    c->otherwise = pc;
                else
                    unbalanced(instruction);
                break;
            case Opcode::CASE:
            case Opcode::DEFAULT:
                return scan_label(instruction, pc);
            case Opcode::ENDIF:
            case Opcode::ENDLOOP:
            case Opcode::ENDSWITCH:
                return close_construct(instruction, pc);
            case Opcode::BRK:
            case Opcode::BREAKC:
                return count_jump(instruction, innermost_open(false), &Construct::breaks);
            case Opcode::CONT:
                return count_jump(instruction, innermost_open(true), &Construct::continues);
            case Opcode::CAL:
            case Opcode::CALLNZ:
                return scan_call(instruction);
            case Opcode::BRA:
                p.functions[function].branches = true;
                break;
            case Opcode::RET:
                ++p.functions[function].returns;
                break;
            case Opcode::KILL:
            case Opcode::DEMOTE:
            case Opcode::KILL_IF:
            case Opcode::KIL:
            case Opcode::KILP:
                if (!demote) {
                    p.kills = true;
                    ++written;
                    notes.touch(p.slots.killed);
                }
                break;
            case Opcode::NOP:
            case Opcode::BGNSUB:
                break;
            default:  // END, ENDSUB inside a construct
                unbalanced(instruction);
        }
    }

    void start_bytes() {
        const auto inputs = static_cast<size_t>(registers.count(File::Input));
        const auto systems = static_cast<size_t>(registers.count(File::SystemValue));
        const size_t outputs = p.slots.predicate - p.slots.output, ranges = registers.ranges.size();
        p.bytes.assign(p.slots.count + outputs + inputs + systems + 2 * ranges + 2, 0);
        uint8_t* next = p.bytes.data();
        const auto take = [&next](size_t count) {
            const std::span<uint8_t> bytes(next, count);
            next += count;
            return bytes;
        };
        p.in_memory = take(p.slots.count);
        p.output_masks = take(outputs);
        p.input_masks = take(inputs);
        p.system_masks = take(systems);
        p.indirect_ranges = take(ranges);
        p.scratch.interface_ranges = take(ranges + 2);
    }

    bool run() {
        p.scratch.emits = 0;
        p.scratch.emits_are_bounded = true;
        p.functions.assign(1, {.begin = program.entry, .label = program.entry});
        p.constructs.clear();
        p.scratch.closed.clear();
        p.labels.clear();
        p.uses.clear();
        p.calls.clear();
        start_bytes();
        p.const_counts.assign(static_cast<size_t>(registers.dims(File::Const)), -1);
        for (IndirectFile& f : p.indirect) f = {};
        p.forget_memory();
        p.handle_uses = 0;
        p.kills = p.stack = p.wrap = p.counts_vertices = p.counts_primitives = p.emit_functions = false;
        p.function_of_label.clear();
        p.scratch.region_of.clear();
        p.scratch.last_write.assign(p.input_masks.size(), 0);
        p.scratch.order.assign(p.system_masks.size(), 0);

        for (function = 0; function < p.functions.size(); ++function)
            if (!scan_function()) return false;
        return true;
    }
};

}  // namespace

bool scan_text(const tgsi::Program& program, const tgsi::Registers& registers, const Capabilities& capabilities,
               Plan& plan, std::vector<tgsi::Diagnostic>& diagnostics) {
    return Scan{program, registers, capabilities.demote, plan, diagnostics}.run();
}

}  // namespace tgsi2spv::lower
