// The registers that each construct of main writes, bottom-up, and the phi operand budget computed from them.
#include <algorithm>

#include "lower/plan/plan.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::Opcode;

/// The cost of one register that this construct writes, in phi operands or their equivalent.
uint64_t operands_of(const Construct& construct) {
    switch (construct.kind) {
        case ConstructKind::If:
            return 2;
        case ConstructKind::Loop:
            return 4ull + construct.continues + construct.breaks;
        case ConstructKind::Switch:
            // A label that nothing falls into has no phi, but restores the register's value.
            return 2ull + construct.breaks + (construct.falls_through ? 2ull : 1ull) * construct.num_labels;
    }
    return 0;
}

struct Writes {
    const tgsi::Program& program;
    Plan& p;

    template <class F>
    void write_destinations(const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row, F&& on_write) {
        for (uint32_t d = 0; d < instruction.num_dst; ++d) {
            const tgsi::Operand& o = program.operands[instruction.first_operand + d];
            if (o.index_is_relative || o.write_mask == 0) continue;
            if (o.file == tgsi::File::Output && has_vertices(program.stage, o.file)) continue;
            const uint32_t slot = slot_of(p.slots, o.file, o.index);
            if (slot == kNoIndex || p.in_memory[slot]) continue;
            on_write(slot, o.write_mask, d < 2 && row.dst[d] != tgsi::OperandType::Float);
        }
    }

    /// Calls on_write(slot, mask, integer) for each destination that is not in memory inside main's constructs, and
    /// calls open and close around each construct. (A write outside all constructs needs no phi; subroutines write only
    /// memory.)
    template <class Open, class Close, class F>
    void for_each_write(Open&& open, Close&& close, F&& on_write) {
        const FunctionPlan& f = p.functions[0];
        const uint32_t end = f.first_construct + f.num_constructs;
        uint32_t construct = f.first_construct, depth = 0;
        for (uint32_t pc = f.begin; construct != end || depth != 0; ++pc) {
            if (depth == 0) pc = p.constructs[construct].first;
            if (p.is_dropped(pc)) continue;
            const tgsi::Instruction& i = program.instructions[pc];
            const tgsi::OpcodeInfo& row = tgsi::info(i.op);
            if (row.family != tgsi::Family::flow && row.family != tgsi::Family::io) {
                if (i.op != Opcode::STORE) write_destinations(i, row, on_write);  // STORE: memory, or a handle
                continue;
            }
            if (opens_construct(i.op)) {
                open(construct++);
                ++depth;
                continue;
            }
            if (closes_construct(i.op)) {
                close();
                --depth;
                continue;
            }
            switch (i.op) {
                case Opcode::KILL:
                case Opcode::DEMOTE:
                case Opcode::KILL_IF:
                case Opcode::KIL:
                case Opcode::KILP:
                    if (p.kills && !p.in_memory[p.slots.killed]) on_write(p.slots.killed, uint8_t{1}, true);
                    continue;
                case Opcode::EMIT:
                    if (p.counts_vertices && !p.in_memory[p.slots.emitted]) on_write(p.slots.emitted, uint8_t{1}, true);
                    [[fallthrough]];
                case Opcode::ENDPRIM:
                    if (p.counts_primitives && !p.in_memory[p.slots.primitives])
                        on_write(p.slots.primitives, static_cast<uint8_t>(1u << stream_of(program, i).value_or(0)),
                                 true);
                    continue;
                default:
                    break;
            }
            write_destinations(i, row, on_write);
        }
    }

    /// Phi operands have a budget (phi_budget); beyond it, the registers that need most go to
    /// memory. A register costs operands_of() for each construct that writes it. To count each construct once, a write
    /// adds only the constructs that were not open at the previous write of the register.
    void keep_budget() {
        const uint64_t budget = phi_budget(program);
        if (phi_operands_at_most(p) <= budget) return;

        p.scratch.costs.assign(p.slots.count, 0);
        auto& opened = p.scratch.order;  // where in the text the open constructs began, by write counter
        uint64_t total = 0;
        p.scratch.last_write.assign(p.slots.count, 0);
        p.scratch.path_costs.assign(1, 0);
        opened.clear();
        uint32_t clock = 0;
        for_each_write(
            [&](uint32_t c) {
                opened.push_back(++clock);
                p.scratch.path_costs.push_back(p.scratch.path_costs.back() + operands_of(p.constructs[c]));
            },
            [&] {
                opened.pop_back();
                p.scratch.path_costs.pop_back();
            },
            [&](uint32_t slot, uint8_t, bool) {
                // Constructs opened before the last write of this register have already counted it.
                const auto counted = std::upper_bound(opened.begin(), opened.end(), p.scratch.last_write[slot]);
                const uint64_t more =
                    p.scratch.path_costs.back() - p.scratch.path_costs[static_cast<size_t>(counted - opened.begin())];
                p.scratch.costs[slot] += more;
                total += more;
                p.scratch.last_write[slot] = clock;
            });
        if (total <= budget) return;
        auto& order = p.scratch.order;
        order.resize(p.slots.count);
        for (uint32_t s = 0; s < order.size(); ++s) order[s] = s;
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return p.scratch.costs[a] != p.scratch.costs[b] ? p.scratch.costs[a] > p.scratch.costs[b] : a < b;
        });
        for (const uint32_t slot : order) {
            if (total <= budget) break;
            total -= p.scratch.costs[slot];
            p.in_memory[slot] = 1;
        }
    }

    void keep_loops() {
        uint32_t loops = 0;
        p.scratch.open.clear();
        for_each_write(
            [&](uint32_t c) {
                p.scratch.open.push_back(c);
                loops += p.constructs[c].kind == ConstructKind::Loop;
            },
            [&] {
                loops -= p.constructs[p.scratch.open.back()].kind == ConstructKind::Loop;
                p.scratch.open.pop_back();
            },
            [&](uint32_t slot, uint8_t, bool) { p.in_memory[slot] |= loops != 0; });
    }

    // ---- the writes of each construct

    void add_write(uint32_t construct, uint32_t slot, uint8_t mask, uint8_t integer) {
        const uint32_t e = p.scratch.current_entry[slot];
        if (e != kNoIndex && p.scratch.entry_construct[e] == construct) {
            Write& w = p.scratch.pending[e];
            w.mask |= mask;
            w.integer = static_cast<uint8_t>((w.integer & ~mask) | integer);
            return;
        }
        p.scratch.current_entry[slot] = static_cast<uint32_t>(p.scratch.pending.size());
        p.scratch.pending.push_back({slot, mask, integer});
        p.scratch.pending_previous.push_back(e);
        p.scratch.entry_construct.push_back(construct);
    }

    void close_construct() {
        Construct& c = p.constructs[p.scratch.open.back()];
        p.scratch.open.pop_back();
        const uint32_t base = c.writes;
        c.writes = static_cast<uint32_t>(p.writes.size());
        c.num_writes = static_cast<uint32_t>(p.scratch.pending.size()) - base;
        for (uint32_t e = base; e < p.scratch.pending.size(); ++e) {
            p.writes.push_back(p.scratch.pending[e]);
            p.scratch.current_entry[p.scratch.pending[e].slot] = p.scratch.pending_previous[e];
        }
        p.scratch.pending.resize(base);
        p.scratch.pending_previous.resize(base);
        p.scratch.entry_construct.resize(base);
        if (p.scratch.open.empty()) return;
        for (uint32_t k = 0; k < c.num_writes; ++k) {
            const Write w = p.writes[c.writes + k];
            add_write(p.scratch.open.back(), w.slot, w.mask, w.integer);
        }
    }

    void gather() {
        p.writes.clear();
        if (p.constructs.empty()) return;
        p.scratch.current_entry.assign(p.slots.count, kNoIndex);
        p.scratch.open.clear();
        p.scratch.pending.clear();
        p.scratch.pending_previous.clear();
        p.scratch.entry_construct.clear();
        for_each_write(
            [&](uint32_t c) {
                p.constructs[c].writes = static_cast<uint32_t>(p.scratch.pending.size());
                p.scratch.open.push_back(c);
            },
            [&] { close_construct(); },
            [&](uint32_t slot, uint8_t mask, bool integer) {
                add_write(p.scratch.open.back(), slot, mask, integer ? mask : uint8_t{0});
            });
    }
};

}  // namespace

uint64_t phi_operands_at_most(const Plan& plan) {
    uint64_t bound = 0;
    for (const Construct& c : plan.constructs)
        bound += operands_of(c) * std::min<uint64_t>(c.writes_after - c.writes_before, plan.slots.count);
    return bound;
}

void keep_phi_budget(const tgsi::Program& program, Plan& plan) {
    Writes{program, plan}.keep_budget();
}

void keep_loops_in_memory(const tgsi::Program& program, Plan& plan) {
    Writes{program, plan}.keep_loops();
}

void gather_writes(const tgsi::Program& program, Plan& plan) {
    Writes{program, plan}.gather();
}

}  // namespace tgsi2spv::lower
