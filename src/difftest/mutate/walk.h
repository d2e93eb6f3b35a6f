// Walks a module from constants to effects: which node each value is, and what is done with it where. Internal to
// values.cpp.
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
/// Represents something that is not a value: a type, a literal, a number that only this module has.
inline constexpr uint64_t kType = uint64_t{1} << 40, kLiteral = uint64_t{2} << 40, kNobody = uint64_t{3} << 40;

/// What a module does at one place: its words that are no ids, and the nodes of its ids.
struct Effect {
    std::vector<uint32_t> words{};
    Components nodes{};
    bool quiet = false;  ///< only affects where this lane goes next, or what it keeps for itself
    /// The conditions that it happens under (node, and whether it holds), of selections that are left only at their
    /// merge block. The branches of these selections are no effects of their own.
    std::set<std::pair<uint32_t, bool>> guards{};
    bool operator==(const Effect&) const = default;
};

/// A component of a register in the invocation's own memory: variable, element, component.
using Cell = std::tuple<uint32_t, uint32_t, uint32_t>;
inline constexpr uint32_t kAnyElement = ~0u;

/// One of a few elements of a register, selected by an index.
struct Choice {
    uint32_t index = 0;  ///< node
    std::vector<Cell> cells{};
    uint32_t component = 0;  ///< the first of those that are loaded or stored
};

/// A store to a register.
struct OwnStore {
    std::vector<std::pair<Cell, uint32_t>> cells{};  ///< each cell, and what it becomes
    bool maybe = false;                              ///< only one of them changes, the others keep their values
};

struct Walker {
    const Module& m;
    Nodes& nodes;
    const Surroundings& around;
    uint32_t number = 0;                                  ///< which of the two modules
    Facts base{};                                         ///< facts that hold everywhere
    std::optional<std::array<uint32_t, 3>> invocation{};  ///< the invocation of the work group that is looked at
    const LoopFacts* loops = nullptr;
    bool suppose = false;  ///< what `loops` does not have is assumed to keep its value

    std::map<uint32_t, Components> values{};
    std::map<uint32_t, Effect> effects{};                              ///< by place
    std::map<PhiPlace, std::map<uint32_t, uint32_t>> phis{};           ///< by predecessor label: its node
    std::map<PhiPlace, uint32_t> phi_nodes{};                          ///< of loop headers
    std::map<uint32_t, Facts> facts{};                                 ///< by block
    std::map<uint32_t, std::vector<uint32_t>> before{};                ///< predecessors of a block
    std::map<uint32_t, std::vector<uint32_t>> after{};                 ///< successors of a block
    std::map<uint32_t, const Instruction*> ends{};                     ///< by block
    std::map<uint32_t, uint32_t> header_of{};                          ///< merge block: the selection's header
    std::set<uint32_t> loop_headers{};                                 ///< blocks
    std::set<uint32_t> unreached{};                                    ///< blocks
    std::set<uint32_t> crossing{};                                     ///< blocks that read other lanes
    std::set<uint32_t> joins{};                                        ///< blocks that have phis
    std::map<uint32_t, std::set<std::pair<uint32_t, bool>>> guards{};  ///< by block
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places{};        ///< variable: set, binding
    std::map<uint32_t, uint32_t> builtins{};
    std::set<uint32_t> helpers{};  ///< nodes that tell whether this is a helper invocation
    std::set<uint32_t> shared{};   ///< nodes that are the same in all invocations
    /// By block: nodes that are the same in all invocations of a subgroup that are in the block together: what they
    /// communicate there, and what is computed from it.
    std::map<uint32_t, uint32_t> shared_in{};
    std::set<uint32_t> unwritten{};  ///< buffers that nothing writes while the module runs

    // The known contents of registers in memory: now, and at the end of blocks.
    std::map<Cell, uint32_t> memory{};
    std::map<uint32_t, std::map<Cell, uint32_t>> memory_behind{};
    std::map<uint32_t, std::map<Cell, uint32_t>> memory_at_call{};  ///< by function
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> registers{};  ///< variable: elements, components
    std::set<Cell> asked{};                     ///< what loads read with unknown value; kAnyElement: any of them
    std::map<uint32_t, OwnStore> own_stores{};  ///< by place
    uint32_t invocations = 1;
    uint32_t group[3] = {1, 1, 1};

    // ---- types

    uint32_t bits(uint32_t type) const;
    uint32_t count(uint32_t type) const;

    // ---- values

    const Components& of(uint32_t id);
    /// The components of a constant, of a variable, or of something that only its id names.
    Components constant(uint32_t id);
    /// The components of a value that is known only as a whole.
    Components split(uint32_t whole, uint32_t type);
    Components operands(const Instruction& i, uint32_t from);

    /// Computes each component from the same component of the operands.
    Components elementwise(const Instruction& i, uint32_t from, uint64_t literal);

    /// Takes 64-bit values apart into words, or puts them together.
    Components bitcast(const Instruction& i);

    Components extract(const Instruction& i);

    Components shuffle(const Instruction& i);

    /// The variable that an access chain starts from; 0: the pointer is of another kind.
    const Instruction* root(uint32_t pointer) const;

    Components load(const Instruction& i);

    /// Blocks between a branch's target and its merge block; `header` 0: whatever comes before.
    std::set<uint32_t> region(uint32_t target, uint32_t merge, uint32_t header) const;

    /// A selection of two ways.
    struct Sides {
        uint32_t header = 0, condition = 0;  ///< block; node
        std::set<uint32_t> inside[2] = {};   ///< blocks where the condition holds, and where it does not
        bool direct[2] = {};                 ///< an edge leads from the header to the merge block
        static constexpr uint32_t kBoth = 2;
        /// The side from which a block leads to the merge block: 0 where the condition holds, 1 or kBoth.
        uint32_t arm(uint32_t from) const;
    };
    std::optional<Sides> sides_of(uint32_t merge);
    /// The facts on the edge from there.
    Facts on_side(const Sides& sides, uint32_t arm, uint32_t from, uint32_t merge);
    /// A phi after a selection with one edge from each side: selected by its condition.
    std::optional<Components> chosen(const Instruction& i);
    bool is_known_before(uint32_t id, const Instruction& i) const;

    Components phi(const Instruction& i);
    /// Named by its place and its range: in another module with another range it is another node.
    uint32_t unknown_phi(const Instruction& i, uint32_t c, uint32_t width, const Range& range);
    /// At a merge: the value that all edges bring, or an unknown one in the range of all.
    uint32_t joined(const Instruction& i, uint32_t c, uint32_t width);
    /// In a loop header: as the loop facts say.
    uint32_t carried(const Instruction& i, uint32_t c, uint32_t width);
    bool is_back_edge(const Instruction& phi, uint32_t from) const;
    /// Once everything is known: records what comes from where.
    void close_phi(const Instruction& i);

    // ---- instructions

    /// Handles what depends only on its operands, or on memory that nothing writes; false: it is an effect.
    bool pure(const Instruction& i);
    static uint32_t components_of(spv::ImageFormat format);
    void count_samples(const Instruction& i, Components& all);
    static bool is_literal(const Instruction& i, uint32_t k);
    /// value_words: operands of effects that are values and nothing else. signless_words: words that are gradients
    /// whose signs no level sees. Both: from and to.
    std::pair<uint32_t, uint32_t> signless_words(const Instruction& i) const;
    static std::pair<uint32_t, uint32_t> value_words(const Instruction& i);

    /// Whether an instruction's effect is quiet. A loop's is not: it might not end.
    static bool is_quiet(const Instruction& i);

    void effect(const Instruction& i);
    /// Whether it is the same in all invocations; with a block, in those of a subgroup that are in it.
    bool is_shared(uint32_t node, uint32_t block = 0);
    /// What is known about values that lanes communicate.
    void of_subgroup(const Instruction& i);

    // ---- blocks

    void survey();
    /// The condition of a two-way branch; 0: it is not one.
    uint32_t condition_of(uint32_t block);
    /// Whether the edge is never taken.
    bool is_dead(uint32_t from, uint32_t to);
    /// The facts there.
    Facts on_edge(uint32_t from, uint32_t to);
    /// Collects the facts of a block from how it is reached.
    void enter(uint32_t label);

    /// For a selection that is left only at its merge block, and that always gets there: its branch becomes the
    /// condition of its effects.
    void drop(uint32_t merge, uint32_t header);
    /// Adds what follows if the condition is true (`holds`) or false, taken apart.
    void add_guards(std::set<std::pair<uint32_t, bool>>& all, uint32_t node, bool holds);

    // ---- registers in memory

    void find_registers();
    /// The cells that a pointer to a register, or into one, points to. Nothing: that register is not followed, or it is
    /// not known which one. `known` also takes indices that are known as nodes.
    std::optional<std::vector<Cell>> cells(uint32_t pointer, bool known);
    /// The register that a pointer points into; 0: none that is followed.
    uint32_t register_of(uint32_t pointer) const;
    void enter_memory(uint32_t label, const std::vector<uint32_t>& ways);
    /// What is known after both of two paths: where they differ, selected as a phi is.
    void join_memory(uint32_t label, const std::vector<uint32_t>& ways);
    /// Forgets what a block, or a function, may store to.
    void forget_stores(uint32_t label);
    void forget(uint32_t variable);
    /// The cells that a pointer to an element of a register may point to, by what is known about its index.
    std::vector<Cell> possible_cells(uint32_t pointer);
    /// The choice among the possible cells of the pointer. Nothing: it is unknown which, or there are too many.
    std::optional<Choice> choice(uint32_t pointer, const std::vector<Cell>& possible);
    /// The condition that an index selects a cell's element.
    uint32_t selects(uint32_t index, const Cell& cell);
    void store(const Instruction& i);
    void load_register(const Instruction& i, Components& all);
    /// Stores that only loads of known cells see are no effects. Of the others, those to cells in `of_both` count.
    void settle_stores(const std::set<Cell>& of_both);

    void walk();
};

}  // namespace tgsi2spv::difftest::mutation
