#include "ir/passes/dead_code.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tgsi2spv::ir {
namespace {

/// Bits of what is known of a value.
enum Life : uint8_t { kDead = 0, kLive = 1, kHasSecond = 2 };

/// Bits of what an operation asks for.
enum Asks : uint8_t {
    kRoot = 1,   ///< always needed
    kStore = 2,  ///< needed where something reads the variable
    kNames = 4,  ///< `aux` is a variable, an image operation or a function
    kOtherValues =
        8,  ///< not every argument is a value, or one may stand behind it, or it uses more than its arguments
};
constexpr auto kAsks = [] {
    std::array<uint8_t, kOpCount> table{};
    for (size_t n = 0; n < table.size(); n++) {
        const auto op = static_cast<Op>(n);
        if (trait_of(op) == Trait::effect || op == Op::Return || op == Op::Kill || op == Op::Param) table[n] |= kRoot;
        if (names_variable(op) || is_image_op(op) || op == Op::Call) table[n] |= kNames;
    }
    table[static_cast<size_t>(Op::Store)] = kStore | kNames;
    for (const Op op : {Op::Phi, Op::Switch, Op::Second}) table[static_cast<size_t>(op)] |= kOtherValues;
    return table;
}();
constexpr uint8_t asks(Op op) {
    return kAsks[static_cast<size_t>(op)];
}

struct DeadCode {
    Module& m;
    PassMemory& memory;
    bool has_locals = false;
    bool dropped_blocks = false;

    // ---- marking, from effects backwards
    // Of the terminators the others than Return and Kill are needed where their construct is.
    bool is_root(const Instruction& i) const {
        const uint8_t asked = asks(i.op);
        if ((asked & kStore) == 0) return (asked & kRoot) != 0;
        const VariableKind kind = m.variables[i.aux].kind;
        if (kind == VariableKind::Local) return false;  // see load()
        return kind != VariableKind::Private || memory.loaded[i.aux] != 0;
    }
    /// Something needs what a variable holds: its stores are needed, where it is of this function alone.
    void load(uint32_t variable, uint32_t at, uint8_t* live) {
        if (memory.loaded[variable] != 0 || m.variables[variable].kind != VariableKind::Local) return;
        memory.loaded[variable] = 1;
        for (uint32_t s = memory.first_store[variable]; s != kNone; s = memory.stores[s].next)
            mark(memory.stores[s].instruction, at, live);
    }
    void list_stores(const Function& f) {
        memory.stores.clear();
        if (!has_locals) return;
        for (Value v = 0; v < f.instructions.size(); v++) {
            const Instruction& i = f.instructions[v];
            if (i.op != Op::Store || m.variables[i.aux].kind != VariableKind::Local) continue;
            memory.stores.push_back({v, memory.first_store[i.aux]});
            memory.first_store[i.aux] = static_cast<uint32_t>(memory.stores.size() - 1);
        }
    }
    /// Instructions are met from the last to the first, so that whoever uses a value was met before it. Only what comes
    /// to a phi along a back-edge, and the branches that decide what runs, stand behind their use: `at`, the place
    /// where the sweep is, tells it, and they wait on the stack.
    void mark(Value v, uint32_t at, uint8_t* live) {
        // One way for constants and others: nothing predicts which arguments are constants.
        const bool constant = is_constant(v);
        uint8_t& life = (constant ? memory.live_constants.data() : live)[v & ~kConstantBit];
        const bool late = life == kDead && !constant && v > at;
        life |= kLive;
        if (late) memory.stack.push_back(v);
    }
    /// What decides whether and how often `construct` runs: the branches of it and of all around it, and those that
    /// leave it from inside others.
    void need(const Function& f, BlockId construct, uint32_t at, uint8_t* live) {
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
            mark(f.blocks[c].first + f.blocks[c].count - 1, at, live);
            want(memory.constructs.parent(c));
            memory.constructs.each_exit(c, want);
        }
    }
    /// Something in the block is needed.
    void run(const Function& f, BlockId block, uint32_t at, uint8_t* live) {
        if (memory.live_blocks[block] != 0) return;
        memory.live_blocks[block] = 1;
        need(f, memory.constructs.around(block), at, live);
    }
    void visit(Function& f, uint32_t index, BlockId block, uint32_t at, uint8_t* live) {
        const Instruction& i = f.instructions[index];
        visit_values(f, i, [&](Value v) { mark(v, at, live); });
        if (names_variable(i.op)) {
            memory.variables[i.aux] = 1;
            if (i.op != Op::Store) load(i.aux, at, live);
        }
        if (is_image_op(i.op)) memory.image_ops[i.aux] = 1;
        if (i.op == Op::Second) {
            const Value first = f.args[i.first_arg];
            live[first] |= kHasSecond;
            f.instructions[first].second = true;  // which may have been met already
        }
        if (i.op == Op::Call && memory.functions[i.aux] == 0) {
            memory.functions[i.aux] = 1;
            memory.list.push_back(i.aux);
        }
        run(f, block, at, live);
        if (i.op == Op::Phi) need(f, memory.constructs.merged(block), at, live);
    }
    static BlockId block_of(const Function& f, uint32_t index) {
        const auto after = std::upper_bound(f.blocks.begin(), f.blocks.end(), index,
                                            [](uint32_t v, const Block& b) { return v < b.first; });
        return static_cast<BlockId>(after - f.blocks.begin()) - 1;
    }
    /// Marks arguments, but those that stand behind `at`: false where there are any.
    static bool mark_before(uint32_t at, const Value* args, uint32_t count, uint8_t* const (&lives)[2]) {
        bool all = true;
        for (uint32_t a = 0; a < count; a++) {
            const Value v = args[a];
            if (static_cast<int32_t>(v) <= static_cast<int32_t>(at))  // constants are negative
                lives[v >> 31][v & ~kConstantBit] |= kLive;
            else
                all = false;
        }
        return all;
    }
    /// What emission wants to know stands in the instruction itself too.
    static void tell(Instruction& i, uint8_t life) {
        i.dead = life == kDead;
        i.second = (life & kHasSecond) != 0;
    }
    void mark_function(uint32_t index) {
        Function& f = m.functions[index];
        uint8_t* live = memory.live.data() + memory.first_of_function[index];
        const auto end = static_cast<uint32_t>(f.instructions.size());
        list_stores(f);
        // A block on its own has nothing around it.
        memory.live_blocks.assign(f.blocks.size(), f.blocks.size() == 1);
        if (f.blocks.size() > 1) {
            memory.constructs.compute(f);
            memory.live_constructs.assign(f.blocks.size(), 0);
            // A loop that nothing leaves goes on for ever: what stands after it must not run instead.
            for (BlockId b = 0; b < f.blocks.size(); b++)
                if (f.blocks[b].merge == Merge::Loop && !memory.constructs.ends(b)) need(f, b, end, live);
        }
        // Pointers of our own: what is written to a byte might otherwise change any of those in `f` and `memory`.
        Instruction* const instructions = f.instructions.data();
        const Value* const args = f.args.data();
        uint8_t* const lives[] = {live, memory.live_constants.data()};
        for (auto b = static_cast<BlockId>(f.blocks.size()); b-- > 0;) {
            const uint32_t first = f.blocks[b].first, last = first + f.blocks[b].count - 1;
            // A choice that heads no construct decides something of those around it.
            if (f.blocks[b].merge == Merge::None && instructions[last].num_args != 0) live[last] |= kLive;
            for (uint32_t at = last + 1; at-- > first;) {
                Instruction& i = instructions[at];
                uint8_t life = live[at];
                if (life == kDead && is_root(i)) live[at] = life = kLive;
                tell(i, life);
                if (life == kDead) continue;
                if ((asks(i.op) & (kNames | kOtherValues)) != 0) {
                    visit(f, at, b, at, live);
                } else {  // nearly all have nothing but arguments, which were made before them
                    if (!mark_before(at, args + i.first_arg, i.num_args, lives)) [[unlikely]]
                        visit(f, at, b, at, live);
                    run(f, b, at, live);
                }
                while (!memory.stack.empty()) {
                    const uint32_t late = memory.stack.back();
                    memory.stack.pop_back();
                    visit(f, late, block_of(f, late), at, live);
                    tell(instructions[late], live[late]);
                }
            }
        }
        if (f.blocks.size() > 1) drop_constructs(index);
    }
    /// Constructs that nothing needs become branches to their merge blocks; what stood inside is empty. Sweeping leaves
    /// out blocks without instructions.
    void drop_constructs(uint32_t index) {
        Function& f = m.functions[index];
        uint8_t* live = memory.live.data() + memory.first_of_function[index];
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            Block& header = f.blocks[b];
            const uint32_t last = header.first + header.count - 1;
            live[last] |= kLive;
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
    /// Private variables that some instruction of some function reads, needed or not.
    void find_loaded() {
        bool has_privates = false;
        memory.loaded.assign(m.variables.size(), 0);
        for (const Variable& v : m.variables) {
            has_privates |= v.kind == VariableKind::Private;
            has_locals |= v.kind == VariableKind::Local;
        }
        if (has_locals) memory.first_store.assign(m.variables.size(), kNone);
        if (!has_privates) return;
        for (const Function& f : m.functions)
            for (const Instruction& i : f.instructions)
                if (names_variable(i.op) && i.op != Op::Store && !i.dead &&
                    m.variables[i.aux].kind == VariableKind::Private)
                    memory.loaded[i.aux] = 1;
    }
    void mark_module() {
        uint32_t total = 0;
        memory.first_of_function.clear();
        for (const Function& f : m.functions) {
            memory.first_of_function.push_back(total);
            total += static_cast<uint32_t>(f.instructions.size());
        }
        memory.live.assign(total, 0);
        memory.functions.assign(m.functions.size(), 0);
        memory.variables.assign(m.variables.size(), 0);
        memory.image_ops.assign(m.image_ops.size(), 0);
        memory.live_constants.assign(m.constants.size(), kDead);
        find_loaded();

        memory.functions[m.entry.function] = 1;
        memory.list.assign(1, m.entry.function);
        for (size_t next = 0; next < memory.list.size(); next++) mark_function(memory.list[next]);
    }

    // ---- or leaving all where it stands
    /// Nothing went that anyone would meet who passes over the dead.
    bool stays_in_place() const {
        if (dropped_blocks || memory.list.size() != m.functions.size()) return false;
        for (size_t v = 0; has_locals && v < m.variables.size(); v++)
            if (m.variables[v].kind == VariableKind::Local && memory.variables[v] == 0) return false;
        for (size_t c = 0; c < m.constants.size(); c++)
            if (m.constants[c].spec_id >= 0 && memory.live_constants[c] == kDead) return false;
        return true;
    }

    // ---- sweeping
    /// Keeps the elements that `map` marks, and makes it say where each one went.
    template <class T>
    static void compact(std::vector<T>& all, std::vector<uint32_t>& map) {
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
            if (m.variables[v].kind == VariableKind::Output && m.variables[v].builtin == BuiltIn::None)
                memory.variables[v] = 1;
        compact(m.variables, memory.variables);
        for (ImageOp& op : m.image_ops) {
            op.image = memory.variables[op.image];
            if (op.sampler != kNone) op.sampler = memory.variables[op.sampler];
        }
        memory.module_constants.assign(memory.live_constants.begin(), memory.live_constants.end());
        compact(m.constants, memory.module_constants);
    }
    void sweep_function(uint32_t index) {
        Function& f = m.functions[index];
        const uint8_t* live = memory.live.data() + memory.first_of_function[index];
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
                if (live[v] == kDead) continue;
                renamed[v] = to;
                Instruction& i = f.instructions[to++] = f.instructions[v];
                const uint32_t count = i.num_args;
                const uint32_t* const from = f.args.data() + i.first_arg;
                uint32_t* const args = memory.args.data() + next_arg;
                i.first_arg = next_arg;
                next_arg += count;
                i.second = (live[v] & kHasSecond) != 0;
                const uint8_t asked = asks(i.op);
                if ((asked & kNames) != 0) {
                    if (names_variable(i.op)) i.aux = memory.variables[i.aux];
                    if (is_image_op(i.op)) i.aux = memory.image_ops[i.aux];
                }
                uint32_t a = 0;
                if ((asked & kOtherValues) != 0) {
                    // A phi's values may stand further on, without their new numbers yet.
                    const uint32_t values = i.op == Op::Phi ? 0 : i.op == Op::Switch ? 1 : count;
                    for (; a < values; a++) args[a] = moved(from[a]);
                    for (; a < count; a++) args[a] = from[a];
                }
                for (; a < count; a++) args[a] = moved(from[a]);
            }
            b.count = to - b.first;
        }
        for (const Block& b : f.blocks)
            for (uint32_t v = b.first; v < b.first + b.count && f.instructions[v].op == Op::Phi; v++) {
                uint32_t* const args = memory.args.data() + f.instructions[v].first_arg;
                for (uint32_t a = 0; a < f.instructions[v].num_args; a += 2) args[a] = moved(args[a]);
            }
        f.instructions.resize(to);
        memory.args.resize(next_arg);
        f.args.swap(memory.args);
        if (f.blocks.size() > 1) sweep_blocks(f);
    }
    /// Takes out the blocks without instructions, and gives the others their new numbers.
    void sweep_blocks(Function& f) {
        auto& place = memory.block_place;
        place.resize(f.blocks.size());
        BlockId next = 0;
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            place[b] = next;
            next += f.blocks[b].count != 0;
        }
        if (next == f.blocks.size()) return;
        std::erase_if(f.blocks, [](const Block& b) { return b.count == 0; });
        for (Block& b : f.blocks) {
            if (b.merge != Merge::None) b.merge_block = place[b.merge_block];
            if (b.merge == Merge::Loop) b.continue_block = place[b.continue_block];
            for (uint32_t v = b.first; f.instructions[v].op == Op::Phi; v++) {
                const auto args = f.args_of(f.instructions[v]);
                for (size_t a = 1; a < args.size(); a += 2) args[a] = place[args[a]];
            }
            visit_targets(f, f.instructions[b.first + b.count - 1], [&](BlockId& target) { target = place[target]; });
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
    if (!compact && pass.stays_in_place()) return;
    pass.compact_module();
    pass.compact_functions();
}

}  // namespace tgsi2spv::ir
