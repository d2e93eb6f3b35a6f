// Structure: constructs are balanced and within the nesting limit, calls and branches name code that returns, nothing
// recurses. One walk with an explicit stack, then one walk over the calls alone.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

#include "tgsi/check/checker.h"
#include "tgsi/program/stage.h"

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
    std::pmr::vector<Call> calls{&memory};          ///< calls in the text's order
    std::pmr::vector<uint32_t> by_target{&memory};  ///< indices into calls, by target
    size_t next_call = 0, next_target = 0;
    uint32_t first_end = kNone;
    bool has_branch = false;  ///< BRA may jump over a RET: main is then one region

    explicit FlowCheck(Checker& checker) : c(checker) {}

    const Instruction& at(uint32_t i) const { return c.program.instructions[i]; }
    std::string mnemonic(uint32_t i) const { return std::string(info(at(i).op).mnemonic); }
};

void push(FlowCheck& check, Kind kind, uint32_t i) {
    if (check.stack.size() >= check.c.limits.nesting) {
        check.c.fail(check.at(i).position, "nesting-limit",
                     "control flow is nested deeper than the limit of " + std::to_string(check.c.limits.nesting));
        check.c.stop = true;
        return;
    }
    check.stack.push_back({kind, false, i});
    check.loops += kind == Kind::Loop;
    check.switches += kind == Kind::Switch;
    check.subs += kind == Kind::Sub;
}

void drop(FlowCheck& check) {
    const Kind kind = check.stack.back().kind;
    check.loops -= kind == Kind::Loop;
    check.switches -= kind == Kind::Switch;
    check.subs -= kind == Kind::Sub;
    check.stack.pop_back();
}

void not_closed(FlowCheck& check, const Construct& open) {
    check.c.fail(check.at(open.at).position, "unbalanced-flow",
                 check.mnemonic(open.at) + " is not closed by " + closer_of(open.kind));
}

/// Handles ENDIF and similar: closes the innermost construct of its kind, and reports constructs that are still open
/// inside it.
void close(FlowCheck& check, Kind kind, uint32_t i) {
    if (!check.stack.empty() && check.stack.back().kind == kind) return drop(check);
    const bool open = std::ranges::any_of(check.stack, [&](const Construct& s) { return s.kind == kind; });
    if (!open) {
        check.c.fail(check.at(i).position, "unbalanced-flow", "unmatched " + check.mnemonic(i));
        return;
    }
    while (check.stack.back().kind != kind) {
        not_closed(check, check.stack.back());
        check.c.note(check.at(i).position, "found " + check.mnemonic(i) + " instead");
        drop(check);
    }
    drop(check);
}

/// ELSE, CASE, DEFAULT: must be directly inside their construct.
void alternative(FlowCheck& check, Kind kind, uint32_t i, const char* of) {
    if (check.stack.empty() || check.stack.back().kind != kind) {
        check.c.fail(check.at(i).position, "unbalanced-flow", check.mnemonic(i) + " is not directly inside " + of);
        return;
    }
    if (check.at(i).op == Opcode::CASE) return;
    if (check.stack.back().has_alternative) {
        check.c.fail(check.at(i).position, "unbalanced-flow", "duplicate " + check.mnemonic(i));
        check.c.note(check.at(check.stack.back().at).position,
                     std::string("in this ") + check.mnemonic(check.stack.back().at));
    }
    check.stack.back().has_alternative = true;
}

void end(FlowCheck& check, uint32_t i) {
    if (i != check.first_end) {
        check.c.fail(check.at(i).position, "repeated-end", "duplicate END");
        check.c.note(check.at(check.first_end).position, "the first END is here");
    }
    while (!check.stack.empty()) {
        not_closed(check, check.stack.back());
        drop(check);
    }
}

void structure(FlowCheck& check, uint32_t i) {
    switch (check.at(i).op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
            return push(check, Kind::If, i);
        case Opcode::ELSE:
            return alternative(check, Kind::If, i, "an IF");
        case Opcode::ENDIF:
            return close(check, Kind::If, i);
        case Opcode::BGNLOOP:
            return push(check, Kind::Loop, i);
        case Opcode::ENDLOOP:
            return close(check, Kind::Loop, i);
        case Opcode::SWITCH:
            return push(check, Kind::Switch, i);
        case Opcode::CASE:
        case Opcode::DEFAULT:
            return alternative(check, Kind::Switch, i, "a SWITCH");
        case Opcode::ENDSWITCH:
            return close(check, Kind::Switch, i);
        case Opcode::BRK:
        case Opcode::BREAKC:
            if (check.loops == 0 && check.switches == 0)
                check.c.fail(check.at(i).position, "unbalanced-flow",
                             check.mnemonic(i) + " is outside a loop or switch");
            return;
        case Opcode::CONT:
            if (check.loops == 0) check.c.fail(check.at(i).position, "unbalanced-flow", "CONT is outside a loop");
            return;
        case Opcode::BGNSUB:
            if (check.first_end != kNone && i < check.first_end)
                check.c.fail(check.at(i).position, "misplaced-subroutine", "BGNSUB is before END",
                             "subroutines follow the END of the main program");
            else if (!check.stack.empty())
                check.c.fail(check.at(i).position, "misplaced-subroutine",
                             "BGNSUB is inside " + check.mnemonic(check.stack.back().at));
            return push(check, Kind::Sub, i);
        case Opcode::ENDSUB:
            return close(check, Kind::Sub, i);
        case Opcode::END:
            return end(check, i);
        default:
            return;
    }
}

/// Finds the region of each call and of each target.
void place(FlowCheck& check, uint32_t i) {
    const auto region = static_cast<uint32_t>(check.regions.size() - 1);
    for (; check.next_call < check.calls.size() && check.calls[check.next_call].at == i; ++check.next_call)
        check.calls[check.next_call].region = region;
    for (; check.next_target < check.by_target.size() && check.calls[check.by_target[check.next_target]].target == i;
         ++check.next_target) {
        Call& call = check.calls[check.by_target[check.next_target]];
        // Code inside a construct cannot be entered from outside; lowering decides about branches.
        const bool inside = check.stack.size() > static_cast<size_t>(check.subs);
        if (!inside || call.is_branch) call.target_region = region;
    }
}

/// Checks structure, and finds regions, which matter only if something is called.
void walk_with_calls(FlowCheck& check) {
    const auto count = static_cast<uint32_t>(check.c.program.instructions.size());
    bool begin = true;
    for (uint32_t i = 0; i < count && !check.c.stop; ++i) {
        const Opcode op = check.at(i).op;
        if (begin || (op == Opcode::BGNSUB && check.stack.empty())) {
            check.regions.push_back({i, check.first_end != kNone && i <= check.first_end, false});
            begin = false;
        }
        place(check, i);
        structure(check, i);
        if (!check.stack.empty()) continue;
        Region& region = check.regions.back();
        const bool leaves = op == Opcode::RET && !check.at(i).has_predicate && !(region.is_main && check.has_branch);
        const bool returns = op == Opcode::ENDSUB || leaves;
        region.returns |= returns;
        begin = returns || op == Opcode::END;
    }
}

void walk(FlowCheck& check, std::span<const uint32_t> flow) {
    if (!check.calls.empty()) {
        walk_with_calls(check);
    } else {
        for (const uint32_t i : flow) {
            if (check.c.stop) break;
            structure(check, i);
        }
    }
    while (!check.stack.empty() && !check.c.stop) {
        not_closed(check, check.stack.back());
        drop(check);
    }
}

void check_calls(FlowCheck& check) {
    for (const Call& call : check.calls) {
        if (check.c.stop) return;
        const uint32_t at = check.at(call.at).position;
        const std::string label = ':' + std::to_string(call.target);
        if (!check.at(call.at).has_label) {
            check.c.fail(at, "missing-label", check.mnemonic(call.at) + " needs a label");
        } else if (!call.is_branch && call.target == check.c.program.instructions.size()) {
            // Producers that inlined the subroutine leave such calls behind.
            check.c.warn(at, "empty-call",
                         check.mnemonic(call.at) + ' ' + label + " names the end of the shader and calls nothing");
        } else if (call.target >= check.c.program.instructions.size()) {
            check.c.fail(
                at, "bad-label", check.mnemonic(call.at) + ' ' + label + " does not name an instruction",
                "labels are instruction numbers from 0 to " + std::to_string(check.c.program.instructions.size() - 1));
        } else if (call.is_branch) {
            if (call.target_region != call.region)
                check.c.fail(at, "bad-label", "BRA " + label + " jumps out of its subroutine or the main program");
        } else if (call.target_region == kNone) {
            check.c.fail(at, "bad-label",
                         check.mnemonic(call.at) + ' ' + label + " names an instruction inside a construct");
        } else if (!check.regions[call.target_region].returns) {
            check.c.fail(at, "bad-label", check.mnemonic(call.at) + ' ' + label + " names code that never returns");
        }
    }
}

/// A cycle among calls is recursion. From a call, control reaches the first call at or after its target, and the next
/// call of its own region. That is two edges per call, so the search is linear however the regions overlap.
void check_recursion(FlowCheck& check) {
    std::pmr::vector<Call> calls(&check.memory);
    for (const Call& call : check.calls)
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
    std::pmr::vector<uint8_t> state(count, kNew, &check.memory);
    struct Visit {
        uint32_t call;
        int edge;
    };
    std::pmr::vector<Visit> path(&check.memory);
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
                check.c.fail(check.at(calls[next].at).position, "recursion",
                             check.mnemonic(calls[next].at) + " :" + std::to_string(calls[next].target) +
                                 " makes a subroutine call itself");
                return;
            }
            state[next] = kOpen;
            path.push_back({next, 0});
        }
    }
}

/// Checks where main begins, if that is not the first instruction.
void check_entry(Checker& checker, std::span<const uint32_t> flow) {
    const Program& program = checker.program;
    if (program.stage != Stage::Compute)
        return checker.fail(0, "bad-entry", "only COMP can start at an instruction other than 0");
    if (program.entry >= program.instructions.size())
        return checker.fail(0, "bad-entry",
                            "the entry " + std::to_string(program.entry) + " does not name an instruction",
                            "instructions are numbered from 0 to " + std::to_string(program.instructions.size() - 1));
    int open = 0;
    for (const uint32_t i : flow) {
        if (i >= program.entry) break;
        open += opens_construct(program.instructions[i].op) ? 1 : 0;
        open -= closes_construct(program.instructions[i].op) ? 1 : 0;
    }
    if (open > 0)
        checker.fail(program.instructions[program.entry].position, "bad-entry", "the entry is inside a construct");
}

}  // namespace

void check_flow(Checker& checker, std::span<const uint32_t> flow) {
    const Program& program = checker.program;
    if (checker.stop) return;
    if (program.instructions.empty())
        return checker.fail(0, "missing-end", "the shader has no instructions", "a shader ends with END");
    if (program.entry != 0) check_entry(checker, flow);
    FlowCheck f(checker);
    for (const uint32_t i : flow) {
        const Instruction& at = program.instructions[i];
        if (at.op == Opcode::END && f.first_end == kNone) f.first_end = i;
        f.has_branch |= at.op == Opcode::BRA;
        if (at.op == Opcode::CAL || at.op == Opcode::CALLNZ || at.op == Opcode::BRA)
            f.calls.push_back({i, at.label, kNone, kNone, at.op == Opcode::BRA});
    }
    if (f.first_end == kNone && !may_lack_end(program))
        checker.fail(program.instructions.back().position, "missing-end", "the shader does not end with END");
    f.by_target.resize(f.calls.size());
    for (uint32_t i = 0; i < f.by_target.size(); ++i) f.by_target[i] = i;
    std::ranges::sort(f.by_target, {}, [&](uint32_t i) { return std::pair(f.calls[i].target, i); });
    const uint32_t before = checker.errors;
    walk(f, flow);
    if (checker.errors != before || f.calls.empty()) return;
    check_calls(f);
    if (checker.errors == before) check_recursion(f);
}

}  // namespace tgsi2spv::tgsi
