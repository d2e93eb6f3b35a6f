// One instruction in execution: its sources as columns, its results as columns.
#pragma once

#include <span>

#include "reference/machine/machine.h"
#include "reference/machine/operands.h"
#include "reference/numbers/float_math.h"

namespace tgsi2spv::reference {

/// Two components of a source that are one 64-bit value.
struct Pair {
    const Value* low;
    const Value* high;
    bool absolute, negate;
    tgsi::OperandType type;
    Wide at(const Context& context, uint32_t lane) const;
    /// True if one register is read twice: both are one value.
    bool same_as(const Pair& pair) const {
        return low == pair.low && high == pair.high && absolute == pair.absolute && negate == pair.negate;
    }
};

struct Frame {
    Machine& m;
    const tgsi::Instruction& instruction;
    const tgsi::OpcodeInfo& info;
    Context c;
    uint8_t mask = 0xf;  ///< components of dst 0 that are wanted
    std::array<const Value*, 4> result{};
    std::array<std::array<const Value*, 4>, 5> sources{};
    /// For the second destination, if the opcode has one.
    uint8_t second_mask = 0;
    std::array<const Value*, 4> second{};

    std::span<const uint32_t> lanes() const { return m.active; }
    tgsi::Opcode op() const { return instruction.op; }
    bool writes(int component) const { return mask >> component & 1; }
    /// Component `component` of source `s` after swizzle and modifiers.
    const Value* src(int s, int component);
    /// The same with modifiers of `type` instead of the opcode table's.
    const Value* src(int s, int component, tgsi::OperandType type);
    /// The column of component `component` of any operand's register after its modifiers (no swizzle).
    const Value* operand(const tgsi::Operand& o, int component, tgsi::OperandType type);
    Value* scratch() { return m.scratch(); }
    void replicate(const Value* column) { result = {column, column, column, column}; }
    /// 64-bit value `k` (0: xy, 1: zw) of a source after swizzle and modifiers.
    Pair pair(int source, int k);
    bool writes_pair(int k) const { return (mask >> (2 * k) & 3) != 0; }
    /// The same value in every lane.
    const Value* constant(uint32_t word);

    /// result[c] = f(src0[c] …), for each written component.
    template <class F>
    void each1(F f) {
        for (int i = 0; i < 4; ++i)
            if (writes(i)) result[i] = map(f, src(0, i));
    }
    template <class F>
    void each2(F f) {
        for (int i = 0; i < 4; ++i)
            if (writes(i)) result[i] = map(f, src(0, i), src(1, i));
    }
    template <class F>
    void each3(F f) {
        for (int i = 0; i < 4; ++i)
            if (writes(i)) result[i] = map(f, src(0, i), src(1, i), src(2, i));
    }
    /// f of the x components, replicated.
    template <class F>
    void scalar1(F f) {
        replicate(map(f, src(0, 0)));
    }
    template <class F>
    void scalar2(F f) {
        replicate(map(f, src(0, 0), src(1, 0)));
    }
    /// A scratch column of f(lane) over the active lanes.
    template <class F>
    Value* map_lanes(F f) {
        Value* out = scratch();
        for (uint32_t lane : lanes()) out[lane] = f(lane);
        return out;
    }
    /// A scratch column of f over the active lanes.
    template <class F, class... Columns>
    Value* map(F f, Columns... columns) {
        Value* out = scratch();
        for (uint32_t lane : lanes()) out[lane] = f(columns[lane]...);
        return out;
    }
};

}  // namespace tgsi2spv::reference
