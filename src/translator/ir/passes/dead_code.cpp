#include "ir/passes/dead_code.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

namespace tgsi2spv::ir {
namespace {

/// The properties of an operation, as bits.
enum Asks : uint8_t {
    kRoot = 1,   ///< always needed
    kStore = 2,  ///< needed if something reads the variable
    kReads = 4,  ///< needs the contents of a variable, or a function
    kLoad = 8,   ///< needed if it may wait for others
    kMore = 16,  ///< its arguments are not just values that it uses: a phi, a branch with a condition
    kSecond = 32,
};
constexpr auto kAsks = [] {
    std::array<uint8_t, kOpCount> table{};
    for (size_t n = 0; n < table.size(); n++) {
        const auto op = static_cast<Op>(n);
        if (trait_of(op) == Trait::effect || op == Op::Return || op == Op::Kill || op == Op::Param) table[n] |= kRoot;
        if (names_variable(op) || op == Op::Call) table[n] |= kReads;
    }
    table[static_cast<size_t>(Op::Store)] = kStore;
    for (const Op op : {Op::Load, Op::ImageRead}) table[static_cast<size_t>(op)] |= kLoad;
    for (const Op op : {Op::BranchIf, Op::Switch}) table[static_cast<size_t>(op)] = kMore;
    table[static_cast<size_t>(Op::Phi)] = kMore;
    table[static_cast<size_t>(Op::Second)] = kSecond;
    return table;
}();
constexpr uint8_t asks(Op op) {
    return kAsks[static_cast<size_t>(op)];
}

/// Goes from the last instruction to the first. All users of a value come before it in this order, so a value that
/// nothing has marked by then is dead. Nearly all values live. Some are marked too late, after they were taken for
/// dead: a phi's argument along a back-edge (loops have phis that only feed one another), the condition of a branch
/// that turns out to matter, and a store to a variable that turns out to be read. These are brought back.
struct DeadCode {
    Module& m;
    PassMemory& memory;
    bool has_locals = false;
    bool has_own_variables = false;  ///< some that only this shader sees, so stores to them may be dead
    bool has_shared = false;         ///< some variable that others also write, or that is volatile
    bool dropped_blocks = false;

    // ---- waiting
    bool is_written_by_others(const Variable& variable) const {
        switch (variable.kind) {
            case VariableKind::Shared:
            case VariableKind::StorageBuffer:
            case VariableKind::StorageImage:
                return true;
            case VariableKind::Output:
                return m.entry.stage == Stage::TessControl;
            default:
                return false;
        }
    }
    /// A loop that reads memory that others write may be there to wait for them: it must not end before they have
    /// written. Volatile accesses happen exactly as often as the text says (SPIR-V, Memory Operands: Volatile).
    bool may_wait(const Instruction& instruction, bool repeats) const {
        const Variable& v =
            m.variables[is_image_op(instruction.op) ? m.image_ops[instruction.aux].image : instruction.aux];
        return v.is_volatile || (repeats && is_written_by_others(v));
    }
    /// The blocks that may run again: blocks in loops, and all blocks of a function that loops may call.
    void find_repeating(const Function& function, bool called) {
        memory.repeats.assign(function.blocks.size(), called);
        BlockId end = 0;
        for (BlockId b = 0; b < function.blocks.size(); b++) {
            if (function.blocks[b].merge == Merge::Loop) end = std::max(end, function.blocks[b].merge_block);
            memory.repeats[b] |= static_cast<uint8_t>(b < end);
        }
    }

    // ---- marking, from effects backwards
    // Terminators other than Return and Kill are needed if their construct is.
    bool is_needed_store(const Instruction& instruction) const {
        const VariableKind kind = m.variables[instruction.aux].kind;
        if (kind == VariableKind::Local) return false;  // see load()
        return kind != VariableKind::Private || memory.loaded[instruction.aux] != 0;
    }
    /// Marks the arguments of a live instruction, all of which are values; constants use an entry after the last
    /// instruction.
    static void need_arguments(std::span<const uint32_t> args, uint8_t* needed, uint32_t end) {
        for (const uint32_t a : args) needed[std::min(a, end)] = 1;
    }
    /// Something needs the contents of a variable: its stores are needed, if it belongs to this function alone.
    void load(uint32_t variable, uint32_t at) {
        if (memory.loaded[variable] != 0 || m.variables[variable].kind != VariableKind::Local) return;
        memory.loaded[variable] = 1;
        for (uint32_t s = memory.first_store[variable]; s != kNone; s = memory.stores[s].next)
            mark(memory.stores[s].instruction, at);
    }
    void list_stores(const Function& function) {
        memory.stores.clear();
        if (!has_locals) return;
        for (Value v = 0; v < function.instructions.size(); v++) {
            const Instruction& i = function.instructions[v];
            if (i.op != Op::Store || m.variables[i.aux].kind != VariableKind::Local) continue;
            memory.stores.push_back({v, memory.first_store[i.aux]});
            memory.first_store[i.aux] = static_cast<uint32_t>(memory.stores.size() - 1);
        }
    }
    /// Values after `at`, the sweep's current position, were taken for dead: they go to the stack.
    void mark(Value v, uint32_t at) {
        if (is_constant(v) || memory.needed[v] != 0) return;
        memory.needed[v] = 1;
        if (v > at) memory.stack.push_back(v);
    }
    /// Marks the branches that decide whether and how often `construct` runs: its own, those of all constructs around
    /// it, and those that leave it from inside others.
    void need(const Function& function, BlockId construct, uint32_t at) {
        if (construct == kNone || memory.live_constructs[construct] != 0) return;
        auto& waiting = memory.waiting_constructs;
        auto want = [&](BlockId c) {
            if (c == kNone || memory.live_constructs[c] != 0) return;
            memory.live_constructs[c] = 1;
            waiting.push_back(c);
        };
        want(construct);
        while (!waiting.empty()) {
            const BlockId c = waiting.back();
            waiting.pop_back();
            mark(function.blocks[c].first + function.blocks[c].count - 1, at);
            want(memory.constructs.parent(c));
            memory.constructs.each_exit(c, want);
        }
    }
    /// Something in the block is needed.
    void run(const Function& function, BlockId block, uint32_t at) {
        if (memory.live_blocks[block] != 0) return;
        memory.live_blocks[block] = 1;
        need(function, memory.constructs.around(block), at);
    }
    /// Marks the operands of a live instruction that are not plain value arguments.
    void need_more(Function& function, uint32_t index, BlockId block, uint32_t at) {
        const Instruction& i = function.instructions[index];
        switch (i.op) {
            case Op::Phi:
                need(function, memory.constructs.merged(block), at);
                visit_values(std::as_const(function), i, [&](Value v) { mark(v, at); });
                break;
            case Op::BranchIf:
            case Op::Switch:
                mark(function.args[i.first_arg], at);
                break;
            case Op::Second:
                function.instructions[function.args[i.first_arg]].second = true;
                break;
            case Op::Call:
                if (memory.functions[i.aux] != 0) break;
                memory.functions[i.aux] = 1;
                memory.list.push_back(i.aux);
                break;
            default:
                if (names_variable(i.op) && i.op != Op::Store) load(i.aux, at);
        }
    }
    /// An instruction that was taken for dead is live.
    void revive(Function& function, uint32_t index, uint32_t at) {
        Instruction& i = function.instructions[index];
        const BlockId block = block_of(function, index);
        i.dead = false;
        if ((asks(i.op) & kMore) == 0)
            for (const Value v : function.args_of(i)) mark(v, at);
        need_more(function, index, block, at);
        run(function, block, at);
    }
    /// A `Second` is dead: its instruction has a second result only if another one lives.
    static void recount_seconds(Function& function) {
        for (const bool live : {false, true})
            for (const Instruction& i : function.instructions)
                if (i.op == Op::Second && i.dead != live)
                    function.instructions[function.args[i.first_arg]].second = live;
    }
    static BlockId block_of(const Function& function, uint32_t index) {
        // Bisection without a branch: which half it is, is unpredictable.
        const Block* block = function.blocks.data();
        for (size_t left = function.blocks.size(); left > 1;) {
            const size_t half = left / 2;
            block += half * static_cast<size_t>(block[half].first <= index);
            left -= half;
        }
        return static_cast<BlockId>(block - function.blocks.data());
    }
    void mark_function(uint32_t index) {
        Function& f = m.functions[index];
        list_stores(f);
        const auto end = static_cast<uint32_t>(f.instructions.size());
        memory.needed.assign(end + 1, 0);
        // A single block has no construct around it.
        memory.live_blocks.assign(f.blocks.size(), f.blocks.size() == 1);
        if (f.blocks.size() > 1) {
            memory.constructs.compute(f);
            memory.live_constructs.assign(f.blocks.size(), 0);
            // A loop without an exit runs forever: code after it must not run instead.
            for (BlockId b = 0; b < f.blocks.size(); b++)
                if (f.blocks[b].merge == Merge::Loop && !memory.constructs.ends(b)) need(f, b, end);
        }
        if (has_shared) find_repeating(f, index != m.entry.function);
        bool dead_second = false;
        for (auto b = static_cast<BlockId>(f.blocks.size()); b-- > 0;) mark_block(f, b, dead_second);
        if (dead_second) recount_seconds(f);
        if (f.blocks.size() > 1) drop_constructs(index);
    }
    void mark_block(Function& function, BlockId b, bool& dead_second) {
        const auto end = static_cast<uint32_t>(function.instructions.size());
        const auto root = static_cast<uint8_t>(has_own_variables ? kRoot : kRoot | kStore);
        const auto special = static_cast<uint8_t>(kMore | kSecond | (has_locals || calls() ? kReads : 0));
        const auto load = static_cast<uint8_t>(has_shared ? kLoad : 0);
        // In registers: the compiler cannot know that a store to `needed` leaves them as they are.
        uint8_t* const needed = memory.needed.data();
        Instruction* const instructions = function.instructions.data();
        const uint32_t* const args = function.args.data();
        bool runs = memory.live_blocks[b] != 0;
        const uint32_t first = function.blocks[b].first, last = first + function.blocks[b].count - 1;
        // A branch with a condition that is not a header matters for the constructs around it.
        if (function.blocks[b].merge == Merge::None && instructions[last].num_args != 0) needed[last] = 1;
        for (uint32_t at = last + 1; at-- > first;) {
            Instruction& i = instructions[at];
            const uint8_t asked = asks(i.op);
            bool live = (needed[at] | (asked & root)) != 0;
            if (!live && (asked & kStore) != 0) live = is_needed_store(i);
            if (!live && (asked & load) != 0) live = may_wait(i, memory.repeats[b] != 0);
            i.dead = !live;
            if (!live) {
                dead_second |= (asked & kSecond) != 0;
                continue;
            }
            if ((asked & kMore) == 0) need_arguments({args + i.first_arg, i.num_args}, needed, end);
            if ((asked & special) == 0 && runs) continue;
            need_rest(function, at, b);
            runs = true;
        }
    }
    /// Out of line: few instructions come here, and the sweep keeps its registers.
    [[gnu::noinline]] void need_rest(Function& function, uint32_t at, BlockId b) {
        run(function, b, at);
        need_more(function, at, b, at);
        while (!memory.stack.empty()) {
            const uint32_t late = memory.stack.back();
            memory.stack.pop_back();
            revive(function, late, at);
        }
    }
    bool calls() const { return m.functions.size() > 1; }
    /// Turns unneeded constructs into branches to their merge blocks; their contents are now empty. Sweeping removes
    /// blocks without instructions.
    void drop_constructs(uint32_t index) {
        Function& f = m.functions[index];
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            Block& header = f.blocks[b];
            const uint32_t last = header.first + header.count - 1;
            f.instructions[last].dead = false;
            if (header.merge == Merge::None || memory.live_constructs[b] != 0) continue;
            Instruction& branch = f.instructions[last];
            branch.op = Op::Branch;
            branch.num_args = 0;
            branch.aux = header.merge_block;
            branch.aux2 = 0;
            for (BlockId inside = b + 1; inside < header.merge_block; inside++) f.blocks[inside].count = 0;
            dropped_blocks = true;
            header.merge = Merge::None;
            b = header.merge_block - 1;
        }
    }
    /// Finds private variables that some instruction of some function reads, needed or not.
    void find_loaded() {
        bool has_privates = false;
        memory.loaded.assign(m.variables.size(), 0);
        for (const Variable& v : m.variables) {
            has_privates |= v.kind == VariableKind::Private;
            has_locals |= v.kind == VariableKind::Local;
            has_shared |= v.is_volatile || is_written_by_others(v);
        }
        has_own_variables = has_privates || has_locals;
        if (has_locals) memory.first_store.assign(m.variables.size(), kNone);
        if (!has_privates) return;
        for (const Function& f : m.functions)
            for (const Instruction& i : f.instructions)
                if (names_variable(i.op) && i.op != Op::Store && !i.dead &&
                    m.variables[i.aux].kind == VariableKind::Private)
                    memory.loaded[i.aux] = 1;
    }
    void mark_module() {
        memory.functions.assign(m.functions.size(), 0);
        find_loaded();

        memory.functions[m.entry.function] = 1;
        memory.list.assign(1, m.entry.function);
        for (size_t next = 0; next < memory.list.size(); next++) mark_function(memory.list[next]);
    }
    /// Marks the variables, image operations and constants that live instructions name.
    void mark_names() {
        memory.variables.assign(m.variables.size(), 0);
        memory.image_ops.assign(m.image_ops.size(), 0);
        memory.module_constants.assign(m.constants.size(), 0);
        for (const uint32_t n : memory.list) {
            const Function& f = m.functions[n];
            for (const Block& b : f.blocks)
                for (uint32_t at = b.first; at < b.first + b.count; at++) {
                    const Instruction& i = f.instructions[at];
                    if (i.dead) continue;
                    if (names_variable(i.op)) memory.variables[i.aux] = 1;
                    if (is_image_op(i.op)) memory.image_ops[i.aux] = 1;
                    visit_values(f, i, [&](Value v) {
                        if (is_constant(v)) memory.module_constants[v & ~kConstantBit] = 1;
                    });
                }
        }
    }

    // ---- alternative: everything stays in place
    /// Whether code that skips dead instructions would not notice the removals.
    bool stays_in_place(bool spec_constants) const {
        if (dropped_blocks || memory.list.size() != m.functions.size()) return false;
        for (size_t v = 0; has_locals && v < m.variables.size(); v++)
            if (m.variables[v].kind == VariableKind::Local && memory.loaded[v] == 0) return false;  // see load()
        for (size_t c = 0; spec_constants && c < m.constants.size(); c++)
            if (m.constants[c].spec_id >= 0 && memory.module_constants[c] == 0) return false;
        return true;
    }
    bool has_spec_constants() const {
        return std::any_of(m.constants.begin(), m.constants.end(), [](const Constant& c) { return c.spec_id >= 0; });
    }

    // ---- sweeping
    /// Keeps the elements that `map` marks, and writes their new indices to `map`.
    template <class T>
    static void compact(std::pmr::vector<T>& all, std::pmr::vector<uint32_t>& map) {
        uint32_t next = 0;
        for (uint32_t n = 0; n < all.size(); n++) {
            if (map[n] == 0) continue;
            if (next != n) all[next] = std::move(all[n]);
            map[n] = next++;
        }
        all.resize(next);
    }
    void compact_module() {
        compact(m.image_ops, memory.image_ops);
        for (const ImageOp& op : m.image_ops) {
            memory.variables[op.image] = 1;
            if (op.sampler != kNone) memory.variables[op.sampler] = 1;
        }
        for (size_t v = 0; v < m.variables.size(); v++)
            if (is_always_declared(m.variables[v])) memory.variables[v] = 1;
        compact(m.variables, memory.variables);
        for (ImageOp& op : m.image_ops) {
            op.image = memory.variables[op.image];
            if (op.sampler != kNone) op.sampler = memory.variables[op.sampler];
        }
        compact(m.constants, memory.module_constants);
    }
    void sweep_function(uint32_t index) {
        Function& f = m.functions[index];
        memory.renamed.resize(f.instructions.size());
        memory.args.resize(f.args.size());
        uint32_t* const renamed = memory.renamed.data();
        const uint32_t* const maps[] = {memory.renamed.data(), memory.module_constants.data()};
        const auto moved = [&maps](Value v) { return maps[v >> 31][v & ~kConstantBit] | (v & kConstantBit); };
        uint32_t to = 0, next_arg = 0;
        for (Block& b : f.blocks) {
            const uint32_t first = b.first, end = b.first + b.count;
            b.first = to;
            for (uint32_t v = first; v < end; v++) {
                if (f.instructions[v].dead) continue;
                renamed[v] = to;
                Instruction& i = f.instructions[to++] = f.instructions[v];
                const uint32_t count = i.num_args;
                const uint32_t* const from = f.args.data() + i.first_arg;
                uint32_t* const args = memory.args.data() + next_arg;
                i.first_arg = next_arg;
                next_arg += count;
                if (names_variable(i.op)) i.aux = memory.variables[i.aux];
                if (is_image_op(i.op)) i.aux = memory.image_ops[i.aux];
                // A phi's values may come later, without their new numbers yet.
                const uint32_t values = i.op == Op::Phi ? 0 : i.op == Op::Switch ? 1 : count;
                for (uint32_t a = 0; a < count; a++) args[a] = a < values ? moved(from[a]) : from[a];
            }
            b.count = to - b.first;
        }
        for (const Block& b : f.blocks)
            for (uint32_t v = b.first; v < b.first + b.count && f.instructions[v].op == Op::Phi; v++) {
                uint32_t* const args = memory.args.data() + f.instructions[v].first_arg;
                for (uint32_t a = 0; a < f.instructions[v].num_args; a += 2) args[a] = moved(args[a]);
            }
        f.instructions.resize(to);
        f.args.assign(memory.args.begin(), memory.args.begin() + next_arg);
        if (f.blocks.size() > 1) sweep_blocks(f);
    }
    /// Removes the blocks without instructions, and renumbers the others.
    void sweep_blocks(Function& function) {
        auto& place = memory.block_place;
        place.resize(function.blocks.size());
        BlockId next = 0;
        for (BlockId b = 0; b < function.blocks.size(); b++) {
            place[b] = next;
            next += function.blocks[b].count != 0;
        }
        if (next == function.blocks.size()) return;
        const auto end =
            std::remove_if(function.blocks.begin(), function.blocks.end(), [](const Block& b) { return b.count == 0; });
        function.blocks.erase(end, function.blocks.end());
        for (Block& b : function.blocks) {
            if (b.merge != Merge::None) b.merge_block = place[b.merge_block];
            if (b.merge == Merge::Loop) b.continue_block = place[b.continue_block];
            for (uint32_t v = b.first; function.instructions[v].op == Op::Phi; v++) {
                const auto args = function.args_of(function.instructions[v]);
                for (size_t a = 1; a < args.size(); a += 2) args[a] = place[args[a]];
            }
            visit_targets(function, function.instructions[b.first + b.count - 1],
                          [&](BlockId& target) { target = place[target]; });
        }
    }
    void compact_functions() {
        for (const uint32_t n : memory.list) sweep_function(n);
        if (memory.list.size() == m.functions.size()) return;
        compact(m.functions, memory.functions);
        m.entry.function = memory.functions[m.entry.function];
        for (Variable& v : m.variables)
            if (v.kind == VariableKind::Local) v.function = memory.functions[v.function];
        for (Function& f : m.functions)
            for (Instruction& i : f.instructions)
                if (i.op == Op::Call) i.aux = memory.functions[i.aux];
    }
};

}  // namespace

void remove_dead_code(Module& module, PassMemory& memory, bool compact) {
    DeadCode pass{.m = module, .memory = memory};
    pass.mark_module();
    const bool spec_constants = pass.has_spec_constants();
    const bool named = compact || pass.dropped_blocks || spec_constants;
    if (named) pass.mark_names();
    if (!compact && pass.stays_in_place(spec_constants)) return;
    if (!named) pass.mark_names();
    pass.compact_module();
    pass.compact_functions();
}

void close_gaps(Module& module, PassMemory& memory) {
    const auto keep_all = [](std::pmr::vector<uint32_t>& map, size_t count) {
        map.resize(count);
        std::iota(map.begin(), map.end(), 0u);
    };
    keep_all(memory.variables, module.variables.size());
    keep_all(memory.image_ops, module.image_ops.size());
    keep_all(memory.module_constants, module.constants.size());
    DeadCode pass{.m = module, .memory = memory};
    for (uint32_t f = 0; f < module.functions.size(); f++) pass.sweep_function(f);
}

}  // namespace tgsi2spv::ir
