// The structure of control flow: where the parts of constructs are, and which instructions can be reached.
#include <algorithm>

#include "reference/flow/flow_table.h"

namespace tgsi2spv::reference {

using tgsi::Opcode;

namespace {

/// Follows every edge from the start of main. `every_loop_ends`: also those without BRK.
void reach(std::span<const tgsi::Instruction> code, uint32_t entry, bool every_loop_ends, FlowTable& table) {
    const uint32_t n = static_cast<uint32_t>(code.size());
    if (entry >= n) return;
    std::vector<uint32_t> open{entry};
    auto visit = [&](uint32_t to) {
        if (to >= n || table.reachable[to]) return;
        table.reachable[to] = true;
        open.push_back(to);
    };
    table.reachable[entry] = true;
    while (!open.empty()) {
        const uint32_t i = open.back();
        open.pop_back();
        bool falls = true;
        switch (code[i].op) {
            case Opcode::IF:
            case Opcode::IFC:
            case Opcode::UIF:
                visit(table.partner[i] + 1);
                break;
            case Opcode::BGNLOOP:
                if (every_loop_ends) visit(table.partner[i] + 1);
                break;
            case Opcode::ELSE:
            case Opcode::ENDLOOP:
                visit(table.partner[i] + 1);
                falls = false;
                break;
            case Opcode::SWITCH: {
                bool has_default = false;
                for (uint32_t l = table.next_label[i]; l < table.partner[i]; l = table.next_label[l]) {
                    visit(l);
                    has_default |= code[l].op == Opcode::DEFAULT;
                }
                if (!has_default) visit(table.partner[i]);
                falls = false;
                break;
            }
            case Opcode::BRK:
            case Opcode::BREAKC:
                visit(table.closer[i] + 1);
                falls = code[i].op == Opcode::BREAKC || code[i].has_predicate;
                break;
            case Opcode::CONT:
                visit(table.partner[table.closer[i]] + 1);
                falls = code[i].has_predicate;
                break;
            case Opcode::BRA:
                visit(code[i].label);
                falls = code[i].has_predicate;
                break;
            case Opcode::CAL:
            case Opcode::CALLNZ:
                visit(code[i].label);
                break;
            case Opcode::RET:
                falls = code[i].has_predicate;
                break;
            case Opcode::ENDSUB:
            case Opcode::END:
                falls = false;
                break;
            default:
                break;
        }
        if (falls) visit(i + 1);
    }
}

/// Finds the openers and closers of constructs, labels of switches, and the constructs that BRK and CONT leave.
void pair_constructs(std::span<const tgsi::Instruction> code, FlowTable& table) {
    const auto n = static_cast<uint32_t>(code.size());
    struct Open {
        uint32_t at;
        uint32_t last_label;  // SWITCH
    };
    std::vector<Open> open;
    std::vector<uint32_t> labels;  // of switches; those of the innermost one are last
    for (uint32_t i = 0; i < n; ++i) {
        table.nested[i] = !open.empty();
        auto close = [&](std::initializer_list<Opcode> openers) {
            if (open.empty() || std::find(openers.begin(), openers.end(), code[open.back().at].op) == openers.end())
                return n;
            uint32_t at = open.back().at;
            open.pop_back();
            return at;
        };
        switch (code[i].op) {
            case Opcode::IF:
            case Opcode::IFC:
            case Opcode::UIF:
            case Opcode::BGNLOOP:
            case Opcode::SWITCH:
                open.push_back({i, i});
                break;
            case Opcode::ELSE:
                if (uint32_t at = close({Opcode::IF, Opcode::IFC, Opcode::UIF}); at < n) table.partner[at] = i;
                open.push_back({i, i});
                break;
            case Opcode::ENDIF:
                if (uint32_t at = close({Opcode::IF, Opcode::IFC, Opcode::UIF, Opcode::ELSE}); at < n)
                    table.partner[at] = i;
                break;
            case Opcode::ENDLOOP:
                if (uint32_t at = close({Opcode::BGNLOOP}); at < n) {
                    table.partner[at] = i;
                    table.partner[i] = at;
                }
                break;
            case Opcode::CASE:
            case Opcode::DEFAULT:
                if (!open.empty() && code[open.back().at].op == Opcode::SWITCH) {
                    table.next_label[open.back().last_label] = i;
                    open.back().last_label = i;
                    labels.push_back(i);
                }
                break;
            case Opcode::ENDSWITCH:
                if (open.empty() || code[open.back().at].op != Opcode::SWITCH) break;
                table.next_label[open.back().last_label] = i;
                table.partner[open.back().at] = i;
                while (!labels.empty() && labels.back() > open.back().at) {
                    table.partner[labels.back()] = i;
                    labels.pop_back();
                }
                open.pop_back();
                break;
            case Opcode::BRK:
            case Opcode::BREAKC:
                for (size_t k = open.size(); k-- > 0;) {
                    const Opcode op = code[open[k].at].op;
                    if (op != Opcode::SWITCH && op != Opcode::BGNLOOP) continue;
                    table.leaves_switch[i] = op == Opcode::SWITCH;
                    table.closer[i] = open[k].at;
                    break;
                }
                break;
            case Opcode::CONT:
                for (size_t k = open.size(); k-- > 0;) {
                    if (code[open[k].at].op != Opcode::BGNLOOP) continue;
                    table.closer[i] = open[k].at;
                    break;
                }
                break;
            case Opcode::BRA:
                table.branches = true;
                break;
            case Opcode::ENDSUB:
                open.clear();
                break;
            default:
                break;
        }
    }

    // These were found as openers; their closers came later.
    for (uint32_t& at : table.closer)
        if (at < n) at = table.partner[at];
}

}  // namespace

FlowTable analyse_flow(const tgsi::Program& program, bool every_loop_ends) {
    const auto& code = program.instructions;
    const auto n = static_cast<uint32_t>(code.size());
    FlowTable t;
    t.partner.assign(n, n);
    t.next_label.assign(n, n);
    t.closer.assign(n, n);
    t.leaves_switch.assign(n, false);
    t.nested.assign(n, false);
    t.reachable.assign(n, false);
    pair_constructs(code, t);
    reach(code, program.entry, every_loop_ends, t);
    return t;
}

std::vector<uint8_t> written_outputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                     const FlowTable& flow) {
    const int32_t count = registers.count(tgsi::File::Output);
    std::vector<uint8_t> written(static_cast<size_t>(count), 0);
    for (size_t i = 0; i < program.instructions.size(); ++i) {
        if (!flow.reachable[i]) continue;
        for (const tgsi::Operand& o : program.dsts(program.instructions[i])) {
            if (o.file != tgsi::File::Output) continue;
            if (!o.index_is_relative) {
                if (o.index >= 0 && static_cast<size_t>(o.index) < written.size())
                    written[static_cast<size_t>(o.index)] |= o.write_mask;
                continue;
            }
            const tgsi::Range* array = o.array_id ? registers.array(tgsi::File::Output, o.array_id) : nullptr;
            for (int32_t k = 0; k < count; ++k)
                if (array ? array->contains(k) : registers.declared(tgsi::File::Output, k))
                    written[static_cast<size_t>(k)] |= o.write_mask;
        }
    }
    return written;
}

}  // namespace tgsi2spv::reference
