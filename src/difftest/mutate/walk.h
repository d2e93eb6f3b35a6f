// A module walked from constants to effects: what each value is as a node, and what is done with it where. Internal to
// mutate_values.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "difftest/mutate/equal.h"
#include "difftest/mutate/loops.h"
#include "difftest/mutate/module.h"
#include "difftest/mutate/nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

using Components = std::vector<uint32_t>;
/// The low or the high word of 64 bits.
inline constexpr Op kHalf = Op::OpVectorExtractDynamic;
/// What stands for something that is no value: a type, a literal, a number of this module alone.
inline constexpr uint64_t kType = uint64_t{1} << 40, kLiteral = uint64_t{2} << 40, kNobody = uint64_t{3} << 40;

/// What a module does at one place: the words that are no ids, and the nodes of those that are.
struct Effect {
    std::vector<uint32_t> words{};
    Components nodes{};
    bool quiet = false;  ///< only where this lane goes on, or what it keeps for itself
    /// What it happens under, of selections that nothing leaves but to where their ways meet: node, and whether it
    /// holds. Their branches are no effects of their own.
    std::set<std::pair<uint32_t, bool>> guards{};
    bool operator==(const Effect&) const = default;
};

/// A component of a register in the invocation's own memory: variable, element, component.
using Cell = std::tuple<uint32_t, uint32_t, uint32_t>;
inline constexpr uint32_t kAnyElement = ~0u;

/// One of a few elements of a register, as an index has it.
struct Choice {
    uint32_t index = 0;  ///< node
    std::vector<Cell> cells{};
    uint32_t component = 0;  ///< the first of as many as are loaded or stored
};

/// A store to a register.
struct OwnStore {
    std::vector<std::pair<Cell, uint32_t>> cells{};  ///< what becomes what
    bool maybe = false;                              ///< one of them does, all others stay as they are
};

struct Walker {
    const Module& m;
    Nodes& nodes;
    const Surroundings& around;
    uint32_t number = 0;                                  ///< of the module
    Facts base{};                                         ///< what holds everywhere
    std::optional<std::array<uint32_t, 3>> invocation{};  ///< of the work group: this one
    const LoopFacts* loops = nullptr;
    bool suppose = false;  ///< what `loops` does not have stays as it was

    std::map<uint32_t, Components> values{};
    std::map<uint32_t, Effect> effects{};                              ///< by place
    std::map<PhiPlace, std::map<uint32_t, uint32_t>> phis{};           ///< by label, what comes from there
    std::map<PhiPlace, uint32_t> phi_nodes{};                          ///< of headers of loops
    std::map<uint32_t, Facts> facts{};                                 ///< by block
    std::map<uint32_t, std::vector<uint32_t>> before{};                ///< blocks that lead to a block
    std::map<uint32_t, std::vector<uint32_t>> after{};                 ///< blocks that a block leads to
    std::map<uint32_t, const Instruction*> ends{};                     ///< by block
    std::map<uint32_t, uint32_t> header_of{};                          ///< merge block: the selection's header
    std::set<uint32_t> loop_headers{};                                 ///< blocks
    std::set<uint32_t> unreached{};                                    ///< blocks
    std::set<uint32_t> crossing{};                                     ///< blocks that read other lanes
    std::set<uint32_t> joins{};                                        ///< blocks with a phi of their own
    std::map<uint32_t, std::set<std::pair<uint32_t, bool>>> guards{};  ///< by block
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places{};        ///< variable: set, binding
    std::map<uint32_t, uint32_t> builtins{};
    std::set<uint32_t> helpers{};  ///< nodes: whether this is a helper invocation
    std::set<uint32_t> shared{};   ///< nodes that are the same in all invocations
    /// Nodes that are the same in all invocations of a subgroup that are in a block together, by block: what they tell
    /// each other there, and what is computed of it.
    std::map<uint32_t, uint32_t> shared_in{};
    std::set<uint32_t> unwritten{};  ///< buffers that nothing writes while the module runs

    // What registers in memory are known to hold: now, and behind blocks.
    std::map<Cell, uint32_t> memory{};
    std::map<uint32_t, std::map<Cell, uint32_t>> memory_behind{};
    std::map<uint32_t, std::map<Cell, uint32_t>> memory_at_call{};  ///< by function
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> registers{};  ///< variable: elements, components
    std::set<Cell> asked{};                     ///< what loads read of which that is not known; kAnyElement: of any
    std::map<uint32_t, OwnStore> own_stores{};  ///< by place
    uint32_t invocations = 1;
    uint32_t group[3] = {1, 1, 1};

    // ---- types

    uint32_t bits(uint32_t type) const;
    uint32_t count(uint32_t type) const;

    // ---- values

    const Components& of(uint32_t id);
    /// Of a constant, a variable, or what only its number names.
    Components constant(uint32_t id);
    /// The components of one value that is known as a whole.
    Components split(uint32_t whole, uint32_t type);
    Components operands(const Instruction& i, uint32_t from);

    /// Each component by itself, of those of the operands.
    Components elementwise(const Instruction& i, uint32_t from, uint64_t literal);

    /// Words of 64 bits taken apart or put together.
    Components bitcast(const Instruction& i);

    Components extract(const Instruction& i);

    Components shuffle(const Instruction& i);

    /// The variable that an access chain starts from; 0: a pointer of another kind.
    const Instruction* root(uint32_t pointer) const;

    Components load(const Instruction& i);

    /// Blocks that lie between a branch's target and where both its ways meet; `header` 0: whatever stands before.
    std::set<uint32_t> region(uint32_t target, uint32_t merge, uint32_t header) const;

    /// A selection of two ways.
    struct Sides {
        uint32_t header = 0, condition = 0;  ///< block; node
        std::set<uint32_t> inside[2] = {};   ///< blocks where it holds, and where it does not
        bool direct[2] = {};                 ///< from the header to where the ways meet
        static constexpr uint32_t kBoth = 2;
        /// From which side a block leads to where they meet: 0 where the condition holds, 1 or kBoth.
        uint32_t arm(uint32_t from) const;
    };
    std::optional<Sides> sides_of(uint32_t merge);
    /// What holds on the edge from there.
    Facts on_side(const Sides& sides, uint32_t arm, uint32_t from, uint32_t merge);
    /// Behind a selection from each side of which one edge leads here: chosen by its condition.
    std::optional<Components> chosen(const Instruction& i);
    bool is_known_before(uint32_t id, const Instruction& i) const;

    Components phi(const Instruction& i);
    /// Named by its place and its range: what has another range in another module is another node.
    uint32_t unknown_phi(const Instruction& i, uint32_t c, uint32_t width, const Range& range);
    /// Where ways meet: what all of them bring, or something in the range of all.
    uint32_t joined(const Instruction& i, uint32_t c, uint32_t width);
    /// In the header of a loop: as the facts of loops have it.
    uint32_t carried(const Instruction& i, uint32_t c, uint32_t width);
    bool is_back_edge(const Instruction& phi, uint32_t from) const;
    /// When all is known: what comes from where.
    void close_phi(const Instruction& i);

    // ---- instructions

    /// What depends on its operands alone, or on memory that nobody writes; false: an effect.
    bool pure(const Instruction& i);
    static uint32_t components_of(spv::ImageFormat format);
    void count_samples(const Instruction& i, Components& all);
    static bool is_literal(const Instruction& i, uint32_t k);
    /// Operands of effects that are values and nothing else.
    /// Which of its words are gradients whose signs no level sees; from and to.
    std::pair<uint32_t, uint32_t> signless_words(const Instruction& i) const;
    static std::pair<uint32_t, uint32_t> value_words(const Instruction& i);

    /// No loop: it might not end.
    static bool is_quiet(const Instruction& i);

    void effect(const Instruction& i);
    /// The same in all invocations, whatever they are; with a block, in those of a subgroup that are in it.
    bool is_shared(uint32_t node, uint32_t block = 0);
    /// What is known of what lanes tell each other.
    void of_subgroup(const Instruction& i);

    // ---- blocks

    void survey();
    /// The condition of a branch that goes two ways; 0: it does not.
    uint32_t condition_of(uint32_t block);
    /// No way leads over the edge.
    bool is_dead(uint32_t from, uint32_t to);
    /// What holds there.
    Facts on_edge(uint32_t from, uint32_t to);
    /// What holds in a block because of how it is reached.
    void enter(uint32_t label);

    /// Of a selection that nothing leaves but to where its ways meet, and that always gets there: its branch becomes
    /// what its effects happen under.
    void drop(uint32_t merge, uint32_t header);
    /// What follows of a condition's being so, taken apart.
    void add_guards(std::set<std::pair<uint32_t, bool>>& all, uint32_t node, bool holds);

    // ---- registers in memory

    void find_registers();
    /// The cells that a pointer to a register, or into one, points to; nothing: one that is not followed, or which one
    /// is not known. `known` also takes indices that are known as nodes.
    std::optional<std::vector<Cell>> cells(uint32_t pointer, bool known);
    /// The register that a pointer points into; 0: none that is followed.
    uint32_t register_of(uint32_t pointer) const;
    void enter_memory(uint32_t label, const std::vector<uint32_t>& ways);
    /// What is known behind both of two ways: where they differ, chosen as a phi is.
    void join_memory(uint32_t label, const std::vector<uint32_t>& ways);
    /// What a block, or a function, may store is no longer known.
    void forget_stores(uint32_t label);
    void forget(uint32_t variable);
    /// The cells that a pointer to an element of a register may point to, by what is known of its index.
    std::vector<Cell> possible_cells(uint32_t pointer);
    /// Among the possible cells of the pointer. Nothing: nobody knows which, or of too many.
    std::optional<Choice> choice(uint32_t pointer, const std::vector<Cell>& possible);
    /// Whether an index selects a cell's element.
    uint32_t selects(uint32_t index, const Cell& cell);
    void store(const Instruction& i);
    void load_register(const Instruction& i, Components& all);
    /// Stores that only loads of known cells see are no effects: of the others what is asked for counts.
    void settle_stores(const std::set<Cell>& of_both);

    void walk();
};

}  // namespace tgsi2spv::difftest::mutation
