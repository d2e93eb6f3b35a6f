// Structure: constructs are balanced and within the nesting limit, calls and branches name code that returns, nothing
// recurses. One walk with an explicit stack, then one walk over the calls alone.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

#include "tgsi/checker.h"
#include "tgsi/stage.h"

namespace tgsi2spv::tgsi {
namespace {

constexpr uint32_t kNone = ~0u;

enum class Kind : uint8_t { If, Loop, Switch, Sub };

struct Construct {
    Kind kind{};
    bool has_alternative = false;  ///< ELSE, DEFAULT
    uint32_t at = 0;               ///< instruction
};

const char* closer_of(Kind kind) {
    switch (kind) {
        case Kind::If:
            return "ENDIF";
        case Kind::Loop:
            return "ENDLOOP";
        case Kind::Switch:
            return "ENDSWITCH";
        case Kind::Sub:
            return "ENDSUB";
    }
    return "";
}

/// A piece of code without a return inside: a subroutine, or plain code up to a RET outside of constructs. Main
/// consists of such pieces up to END; only its beginning distinguishes it from called code.
struct Region {
    uint32_t first = 0;
    bool is_main = false;
    bool returns = false;
};

/// CAL, CALLNZ, BRA.
struct Call {
    uint32_t at = 0;
    uint32_t target = 0;
    uint32_t region = kNone;         ///< the region that contains it
    uint32_t target_region = kNone;  ///< the region that it enters
    bool is_branch = false;          ///< BRA
};

struct FlowCheck {
    Checker& c;
    /// The lists start in this buffer: the flow of most programs fits, and needs no other memory.
    std::array<std::byte, 16384> space;  // NOLINT: not initialised on purpose
    std::pmr::monotonic_buffer_resource memory{space.data(), space.size(), c.memory};
    std::pmr::vector<Construct> stack{&memory};
    int loops = 0, switches = 0, subs = 0;
    std::pmr::vector<Region> regions{&memory};
    std::pmr::vector<Call> calls{&memory};          ///< in text order
    std::pmr::vector<uint32_t> by_target{&memory};  ///< indices into calls, by target
    size_t next_call = 0, next_target = 0;
    uint32_t first_end = kNone;
    bool has_branch = false;  ///< BRA may jump over a RET: main is then one region

    explicit FlowCheck(Checker& checker) : c(checker) {}

    const Instruction& at(uint32_t i) const { return c.program.instructions[i]; }
    std::string mnemonic(uint32_t i) const { return std::string(info(at(i).op).mnemonic); }
};

void push(FlowCheck& f, Kind kind, uint32_t i) {
    if (f.stack.size() >= f.c.limits.nesting) {
        f.c.fail(f.at(i).position, "nesting-limit",
                 "control flow is nested deeper than the limit of " + std::to_string(f.c.limits.nesting));
        f.c.stop = true;
        return;
    }
    f.stack.push_back({kind, false, i});
    f.loops += kind == Kind::Loop;
    f.switches += kind == Kind::Switch;
    f.subs += kind == Kind::Sub;
}

void drop(FlowCheck& f) {
    const Kind kind = f.stack.back().kind;
    f.loops -= kind == Kind::Loop;
    f.switches -= kind == Kind::Switch;
    f.subs -= kind == Kind::Sub;
    f.stack.pop_back();
}

void not_closed(FlowCheck& f, const Construct& open) {
    f.c.fail(f.at(open.at).position, "unbalanced-flow",
             f.mnemonic(open.at) + " is not closed by " + closer_of(open.kind));
}

/// Handles ENDIF and similar: closes the innermost construct of its kind, and reports constructs that are still open
/// inside it.
void close(FlowCheck& f, Kind kind, uint32_t i) {
    if (!f.stack.empty() && f.stack.back().kind == kind) return drop(f);
    const bool open = std::ranges::any_of(f.stack, [&](const Construct& s) { return s.kind == kind; });
    if (!open) {
        f.c.fail(f.at(i).position, "unbalanced-flow", "unmatched " + f.mnemonic(i));
        return;
    }
    while (f.stack.back().kind != kind) {
        not_closed(f, f.stack.back());
        f.c.note(f.at(i).position, "found " + f.mnemonic(i) + " instead");
        drop(f);
    }
    drop(f);
}

/// ELSE, CASE, DEFAULT: must be directly inside their construct.
void alternative(FlowCheck& f, Kind kind, uint32_t i, const char* of) {
    if (f.stack.empty() || f.stack.back().kind != kind) {
        f.c.fail(f.at(i).position, "unbalanced-flow", f.mnemonic(i) + " is not directly inside " + of);
        return;
    }
    if (f.at(i).op == Opcode::CASE) return;
    if (f.stack.back().has_alternative) {
        f.c.fail(f.at(i).position, "unbalanced-flow", "duplicate " + f.mnemonic(i));
        f.c.note(f.at(f.stack.back().at).position, std::string("in this ") + f.mnemonic(f.stack.back().at));
    }
    f.stack.back().has_alternative = true;
}

void end(FlowCheck& f, uint32_t i) {
    if (i != f.first_end) {
        f.c.fail(f.at(i).position, "repeated-end", "duplicate END");
        f.c.note(f.at(f.first_end).position, "the first END is here");
    }
    while (!f.stack.empty()) {
        not_closed(f, f.stack.back());
        drop(f);
    }
}

void structure(FlowCheck& f, uint32_t i) {
    switch (f.at(i).op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
            return push(f, Kind::If, i);
        case Opcode::ELSE:
            return alternative(f, Kind::If, i, "an IF");
        case Opcode::ENDIF:
            return close(f, Kind::If, i);
        case Opcode::BGNLOOP:
            return push(f, Kind::Loop, i);
        case Opcode::ENDLOOP:
            return close(f, Kind::Loop, i);
        case Opcode::SWITCH:
            return push(f, Kind::Switch, i);
        case Opcode::CASE:
        case Opcode::DEFAULT:
            return alternative(f, Kind::Switch, i, "a SWITCH");
        case Opcode::ENDSWITCH:
            return close(f, Kind::Switch, i);
        case Opcode::BRK:
        case Opcode::BREAKC:
            if (f.loops == 0 && f.switches == 0)
                f.c.fail(f.at(i).position, "unbalanced-flow", f.mnemonic(i) + " is outside a loop or switch");
            return;
        case Opcode::CONT:
            if (f.loops == 0) f.c.fail(f.at(i).position, "unbalanced-flow", "CONT is outside a loop");
            return;
        case Opcode::BGNSUB:
            if (f.first_end != kNone && i < f.first_end)
                f.c.fail(f.at(i).position, "misplaced-subroutine", "BGNSUB is before END",
                         "subroutines follow the END of the main program");
            else if (!f.stack.empty())
                f.c.fail(f.at(i).position, "misplaced-subroutine", "BGNSUB is inside " + f.mnemonic(f.stack.back().at));
            return push(f, Kind::Sub, i);
        case Opcode::ENDSUB:
            return close(f, Kind::Sub, i);
        case Opcode::END:
            return end(f, i);
        default:
            return;
    }
}

/// Finds the region of each call and of each target.
void place(FlowCheck& f, uint32_t i) {
    const auto region = static_cast<uint32_t>(f.regions.size() - 1);
    for (; f.next_call < f.calls.size() && f.calls[f.next_call].at == i; ++f.next_call)
        f.calls[f.next_call].region = region;
    for (; f.next_target < f.by_target.size() && f.calls[f.by_target[f.next_target]].target == i; ++f.next_target) {
        Call& call = f.calls[f.by_target[f.next_target]];
        // Code inside a construct cannot be entered from outside; lowering decides about branches.
        const bool inside = f.stack.size() > static_cast<size_t>(f.subs);
        if (!inside || call.is_branch) call.target_region = region;
    }
}

/// Checks structure, and finds regions, which matter only if something is called.
void walk_with_calls(FlowCheck& f) {
    const auto count = static_cast<uint32_t>(f.c.program.instructions.size());
    bool begin = true;
    for (uint32_t i = 0; i < count && !f.c.stop; ++i) {
        const Opcode op = f.at(i).op;
        if (begin || (op == Opcode::BGNSUB && f.stack.empty())) {
            f.regions.push_back({i, f.first_end != kNone && i <= f.first_end, false});
            begin = false;
        }
        place(f, i);
        structure(f, i);
        if (!f.stack.empty()) continue;
        Region& region = f.regions.back();
        const bool leaves = op == Opcode::RET && !f.at(i).has_predicate && !(region.is_main && f.has_branch);
        const bool returns = op == Opcode::ENDSUB || leaves;
        region.returns |= returns;
        begin = returns || op == Opcode::END;
    }
}

void walk(FlowCheck& f, std::span<const uint32_t> flow) {
    if (!f.calls.empty()) {
        walk_with_calls(f);
    } else {
        for (const uint32_t i : flow) {
            if (f.c.stop) break;
            structure(f, i);
        }
    }
    while (!f.stack.empty() && !f.c.stop) {
        not_closed(f, f.stack.back());
        drop(f);
    }
}

void check_calls(FlowCheck& f) {
    for (const Call& call : f.calls) {
        if (f.c.stop) return;
        const uint32_t at = f.at(call.at).position;
        const std::string label = ':' + std::to_string(call.target);
        if (!f.at(call.at).has_label) {
            f.c.fail(at, "missing-label", f.mnemonic(call.at) + " needs a label");
        } else if (!call.is_branch && call.target == f.c.program.instructions.size()) {
            // Producers that inlined the subroutine leave such calls after.
            f.c.warn(at, "empty-call",
                     f.mnemonic(call.at) + ' ' + label + " names the end of the shader and calls nothing");
        } else if (call.target >= f.c.program.instructions.size()) {
            f.c.fail(at, "bad-label", f.mnemonic(call.at) + ' ' + label + " does not name an instruction",
                     "labels are instruction numbers from 0 to " + std::to_string(f.c.program.instructions.size() - 1));
        } else if (call.is_branch) {
            if (call.target_region != call.region)
                f.c.fail(at, "bad-label", "BRA " + label + " jumps out of its subroutine or the main program");
        } else if (call.target_region == kNone) {
            f.c.fail(at, "bad-label", f.mnemonic(call.at) + ' ' + label + " names an instruction inside a construct");
        } else if (!f.regions[call.target_region].returns) {
            f.c.fail(at, "bad-label", f.mnemonic(call.at) + ' ' + label + " names code that never returns");
        }
    }
}

/// A cycle among calls is recursion. From a call, control reaches the first call at or after its target, and the next
/// call of its own region. That is two edges per call, so the search is linear however the regions overlap.
void check_recursion(FlowCheck& f) {
    std::pmr::vector<Call> calls(&f.memory);
    for (const Call& call : f.calls)
        if (!call.is_branch) calls.push_back(call);
    const auto count = static_cast<uint32_t>(calls.size());
    const auto successor = [&](uint32_t i, int edge) {
        if (edge == 0) return i + 1 < count && calls[i + 1].region == calls[i].region ? i + 1 : kNone;
        const auto first = std::ranges::lower_bound(calls, calls[i].target, {}, &Call::at);
        return first != calls.end() && first->region == calls[i].target_region
                   ? static_cast<uint32_t>(first - calls.begin())
                   : kNone;
    };
    enum : uint8_t { kNew, kOpen, kDone };
    std::pmr::vector<uint8_t> state(count, kNew, &f.memory);
    struct Visit {
        uint32_t call;
        int edge;
    };
    std::pmr::vector<Visit> path(&f.memory);
    for (uint32_t root = 0; root < count; ++root) {
        if (state[root] != kNew) continue;
        state[root] = kOpen;
        path.push_back({root, 0});
        while (!path.empty()) {
            Visit& visit = path.back();
            if (visit.edge == 2) {
                state[visit.call] = kDone;
                path.pop_back();
                continue;
            }
            const uint32_t next = successor(visit.call, visit.edge++);
            if (next == kNone || state[next] == kDone) continue;
            if (state[next] == kOpen) {
                f.c.fail(f.at(calls[next].at).position, "recursion",
                         f.mnemonic(calls[next].at) + " :" + std::to_string(calls[next].target) +
                             " makes a subroutine call itself");
                return;
            }
            state[next] = kOpen;
            path.push_back({next, 0});
        }
    }
}

/// Checks where main begins, if that is not the first instruction.
void check_entry(Checker& c, std::span<const uint32_t> flow) {
    const Program& program = c.program;
    if (program.stage != Stage::Compute)
        return c.fail(0, "bad-entry", "only COMP can start at an instruction other than 0");
    if (program.entry >= program.instructions.size())
        return c.fail(0, "bad-entry", "the entry " + std::to_string(program.entry) + " does not name an instruction",
                      "instructions are numbered from 0 to " + std::to_string(program.instructions.size() - 1));
    int open = 0;
    for (const uint32_t i : flow) {
        if (i >= program.entry) break;
        open += opens_construct(program.instructions[i].op) ? 1 : 0;
        open -= closes_construct(program.instructions[i].op) ? 1 : 0;
    }
    if (open > 0) c.fail(program.instructions[program.entry].position, "bad-entry", "the entry is inside a construct");
}

}  // namespace

void check_flow(Checker& c, std::span<const uint32_t> flow) {
    const Program& program = c.program;
    if (c.stop) return;
    if (program.instructions.empty())
        return c.fail(0, "missing-end", "the shader has no instructions", "a shader ends with END");
    if (program.entry != 0) check_entry(c, flow);
    FlowCheck f(c);
    for (const uint32_t i : flow) {
        const Instruction& at = program.instructions[i];
        if (at.op == Opcode::END && f.first_end == kNone) f.first_end = i;
        f.has_branch |= at.op == Opcode::BRA;
        if (at.op == Opcode::CAL || at.op == Opcode::CALLNZ || at.op == Opcode::BRA)
            f.calls.push_back({i, at.label, kNone, kNone, at.op == Opcode::BRA});
    }
    if (f.first_end == kNone && !may_lack_end(program))
        c.fail(program.instructions.back().position, "missing-end", "the shader does not end with END");
    f.by_target.resize(f.calls.size());
    for (uint32_t i = 0; i < f.by_target.size(); ++i) f.by_target[i] = i;
    std::ranges::sort(f.by_target, {}, [&](uint32_t i) { return std::pair(f.calls[i].target, i); });
    const uint32_t before = c.errors;
    walk(f, flow);
    if (c.errors != before || f.calls.empty()) return;
    check_calls(f);
    if (c.errors == before) check_recursion(f);
}

}  // namespace tgsi2spv::tgsi
