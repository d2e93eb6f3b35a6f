// Registers in the invocation's own memory: follows stores to their loads.
#include <algorithm>
#include <span>

#include "difftest/mutate/walk.h"

namespace tgsi2spv::difftest::mutation {

namespace {

/// Anything larger is not a register but a table.
constexpr uint32_t kMaxCells = 1024;

}  // namespace

void Walker::find_registers() {
    for (const auto& i : m.all) {
        if (i.op != Op::OpVariable) continue;
        const auto storage = static_cast<spv::StorageClass>(m.word(i, 3));
        if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) continue;
        uint32_t type = m.word(*m.definition(i.type), 3), elements = 1;
        if (const auto* array = m.definition(type); array->op == Op::OpTypeArray) {
            elements = m.constant(m.word(*array, 3)).value_or(0);
            type = m.word(*array, 2);
        }
        if (bits(type) != 0 && elements > 0 && elements <= kMaxCells / count(type))
            registers[i.result] = {elements, count(type)};
    }
    // Does not follow registers with uses other than loads and stores.
    for (const auto& i : m.all) {
        if (i.block == 0) continue;
        for (uint32_t k = i.operands; k < i.size; k++) {
            const uint32_t id = m.word(i, k);
            const auto* pointer = m.definition(id);
            if (pointer == nullptr || (pointer->op != Op::OpVariable && pointer->op != Op::OpAccessChain)) continue;
            const bool chained = i.op == Op::OpAccessChain && pointer->op == Op::OpVariable && k == i.operands;
            const bool stored_to = i.op == Op::OpStore && k == 1 && i.size == 3;
            const bool loaded = i.op == Op::OpLoad && k == i.operands && i.size == i.operands + 1;
            // An index or a literal with the number of a register counts as that register.
            if (!chained && !stored_to && !loaded) registers.erase(root(id) == nullptr ? 0 : root(id)->result);
        }
    }
}

uint32_t Walker::register_of(uint32_t pointer) const {
    const auto* variable = root(pointer);
    return variable != nullptr && registers.contains(variable->result) ? variable->result : 0;
}

std::optional<std::vector<Cell>> Walker::cells(uint32_t pointer, bool known) {
    const uint32_t variable = register_of(pointer);
    if (variable == 0) return std::nullopt;
    const auto [elements, components] = registers.at(variable);
    const Instruction& d = *m.definition(pointer);
    std::vector<uint32_t> indices;
    for (uint32_t k = d.operands + 1; d.op == Op::OpAccessChain && k < d.size; k++) {
        auto index = m.constant(m.word(d, k));
        if (!index && known)
            if (const Node& n = nodes[of(m.word(d, k)).front()]; n.is_constant())
                index = static_cast<uint32_t>(n.literal);
        if (!index) return std::nullopt;
        indices.push_back(*index);
    }
    const bool is_array = m.definition(m.word(*m.definition(m.definition(variable)->type), 3))->op == Op::OpTypeArray;
    uint32_t element = 0;
    if (is_array) {
        if (indices.empty()) return std::nullopt;
        element = indices.front();
        indices.erase(indices.begin());
    }
    if (element >= elements || indices.size() > 1 || (!indices.empty() && indices.front() >= components))
        return std::nullopt;
    if (!indices.empty()) return std::vector{Cell{variable, element, indices.front()}};
    std::vector<Cell> all;
    for (uint32_t c = 0; c < components; c++) all.emplace_back(variable, element, c);
    return all;
}

void Walker::forget(uint32_t variable) {
    memory.erase(memory.lower_bound(Cell{variable, 0, 0}), memory.lower_bound(Cell{variable + 1, 0, 0}));
}

void Walker::forget_stores(uint32_t label) {
    // The blocks of a function, or of a loop.
    const auto* start = m.definition(label);
    std::set<uint32_t> functions, blocks;
    std::vector<uint32_t> work;
    if (start->op == Op::OpFunction) {
        work.push_back(label);
    } else {
        uint32_t merge = 0;
        for (const auto& i : m.all)
            if (i.block == label && i.op == Op::OpLoopMerge) merge = m.word(i, 1);
        blocks = region(label, merge, 0);
    }
    const auto forget_in = [&](const auto& inside) {
        uint32_t function = 0;
        for (const auto& i : m.all) {
            if (i.op == Op::OpFunction) function = i.result;
            if (i.block == 0 || !inside(i, function)) continue;
            if (i.op == Op::OpFunctionCall) work.push_back(m.word(i, i.operands));
            if (i.op != Op::OpStore) continue;
            if (const auto to = cells(m.word(i, 1), false))
                for (const Cell& c : *to) memory.erase(c);
            else if (const uint32_t variable = register_of(m.word(i, 1)); variable != 0)
                forget(variable);
        }
    };
    forget_in([&](const Instruction& i, uint32_t) { return blocks.contains(i.block); });
    while (!work.empty()) {
        const uint32_t called = work.back();
        work.pop_back();
        if (functions.insert(called).second)
            forget_in([&](const Instruction&, uint32_t function) { return function == called; });
    }
}

void Walker::join_memory(uint32_t label, const std::vector<uint32_t>& ways) {
    if (ways.empty()) return;
    memory = memory_behind[ways.front()];
    if (ways.size() == 1) return;
    const auto sides = ways.size() == 2 ? sides_of(label) : std::nullopt;
    const uint32_t first = sides ? sides->arm(ways[0]) : Sides::kBoth;
    const uint32_t second = sides ? sides->arm(ways[1]) : Sides::kBoth;
    const bool chooses = first != second && first != Sides::kBoth && second != Sides::kBoth;
    Facts here, there;
    if (chooses) {
        here = on_side(*sides, first, ways[0], label);
        there = on_side(*sides, second, ways[1], label);
    }
    for (const uint32_t way : std::span(ways).subspan(1)) {
        const auto& behind = memory_behind[way];
        for (auto held = memory.begin(); held != memory.end();) {
            const auto other = behind.find(held->first);
            const bool alike = other != behind.end() && other->second == held->second;
            if (other == behind.end() || (!alike && !chooses)) {
                held = memory.erase(held);
                continue;
            }
            if (!alike) {
                uint32_t a = nodes.under(held->second, here), b = nodes.under(other->second, there);
                if (first != 0) std::swap(a, b);
                held->second = nodes.make(Op::OpSelect, nodes[a].bits, 0, {sides->condition, a, b});
            }
            ++held;
        }
    }
}

void Walker::enter_memory(uint32_t label, const std::vector<uint32_t>& ways) {
    memory.clear();
    if (!before.contains(label)) {
        // At the start of the module, registers hold their initializers.
        uint32_t entry = 0, function = 0, own = 0, calls = 0;
        for (const auto& i : m.all) {
            if (i.op == Op::OpEntryPoint) entry = m.word(i, 2);
            if (i.op == Op::OpFunction) function = i.result;
            if (i.result == label) own = function;
        }
        for (const auto& i : m.all) calls += i.op == Op::OpFunctionCall && m.word(i, i.operands) == own ? 1 : 0;
        // A function that is called from one place starts with what is known there.
        if (own != entry && calls == 1) memory = memory_at_call[own];
        if (own != entry) return;
        for (const auto& [variable, shape] : registers) {
            const Instruction& v = *m.definition(variable);
            const auto* initial = v.size > 4 ? m.definition(m.word(v, 4)) : nullptr;
            // A function's own variables are also initialized when it begins: main does so once.
            if (initial == nullptr || initial->op != Op::OpConstantNull) continue;
            if (v.block != 0 && v.block != label) continue;
            const auto* type = m.definition(m.word(*m.definition(v.type), 3));
            const uint32_t width =
                bits(type->op == Op::OpTypeArray ? m.word(*type, 2) : m.word(*m.definition(v.type), 3));
            for (uint32_t e = 0; e < shape.first; e++)
                for (uint32_t c = 0; c < shape.second; c++) memory[{variable, e, c}] = nodes.constant(width, 0);
        }
        return;
    }
    join_memory(label, ways);
    if (loop_headers.contains(label) && (loops == nullptr || loops->turning.contains(label))) forget_stores(label);
}

std::optional<Choice> Walker::choice(uint32_t pointer, const std::vector<Cell>& possible) {
    constexpr size_t kMaxChosen = 32;
    const auto& [variable, element, component] = possible.front();
    if (possible.size() > kMaxChosen || element == kAnyElement) return std::nullopt;
    const Instruction& chain = *m.definition(pointer);
    return Choice{of(m.word(chain, chain.operands + 1)).front(), possible, component};
}

uint32_t Walker::selects(uint32_t index, const Cell& cell) {
    return nodes.make(Op::OpIEqual, 1, 0, {index, nodes.constant(nodes[index].bits, std::get<1>(cell))});
}

void Walker::store(const Instruction& i) {
    const uint32_t variable = register_of(m.word(i, 1));
    if (variable == 0) return;
    auto& own = own_stores[i.at];
    own = {};
    Components stored = of(m.word(i, 2));
    for (uint32_t& node : stored) node = nodes.under(node, facts[i.block]);
    if (const auto to = cells(m.word(i, 1), true)) {
        for (size_t c = 0; c < to->size() && c < stored.size(); c++) {
            memory[(*to)[c]] = stored[c];
            own.cells.emplace_back((*to)[c], stored[c]);
        }
        return;
    }
    own.maybe = true;
    const auto one_of = choice(m.word(i, 1), possible_cells(m.word(i, 1)));
    if (!one_of) {
        forget(variable);
        own.cells.emplace_back(Cell{variable, kAnyElement, 0}, 0);
        return;
    }
    for (const Cell& cell : one_of->cells) {
        const uint32_t node = stored[std::get<2>(cell) - one_of->component];
        own.cells.emplace_back(cell, node);
        const auto held = memory.find(cell);
        if (held != memory.end())
            held->second =
                nodes.make(Op::OpSelect, nodes[node].bits, 0, {selects(one_of->index, cell), node, held->second});
    }
}

std::vector<Cell> Walker::possible_cells(uint32_t pointer) {
    constexpr int kDeep = 8;
    const uint32_t variable = register_of(pointer);
    std::vector<Cell> any{{variable, kAnyElement, 0}};
    const Instruction& chain = *m.definition(pointer);
    if (chain.op != Op::OpAccessChain || chain.size == chain.operands + 1 || m.word(chain, chain.operands) != variable)
        return any;
    const auto [elements, components] = registers.at(variable);
    const uint32_t index = of(m.word(chain, chain.operands + 1)).front();
    const LowBits low = nodes.low_bits(index, kDeep);
    const uint64_t least = nodes[index].lo, most = nodes[index].hi;
    if (elements == 1 || most >= elements) return any;
    std::optional<uint32_t> component;
    if (chain.size > chain.operands + 2) {
        component = m.constant(m.word(chain, chain.operands + 2));
        if (!component) return any;
    }
    std::vector<Cell> all;
    for (auto e = static_cast<uint32_t>(least); e <= most; e++)
        for (uint32_t c = 0; c < components; c++)
            if (((e ^ low.word) & limit(low.count)) == 0 && component.value_or(c) == c)
                all.emplace_back(variable, e, c);
    return all.empty() ? any : all;
}

void Walker::load_register(const Instruction& i, Components& all) {
    const uint32_t id = m.word(i, i.operands);
    const auto from = cells(id, true);
    const bool reached = !unreached.contains(i.block);
    if (!from) {
        const auto possible = possible_cells(id);
        const auto one_of = choice(id, possible);
        const auto holds = [&](const Cell& cell) { return memory.contains(cell); };
        if (!one_of || !std::all_of(one_of->cells.begin(), one_of->cells.end(), holds)) {
            if (reached) asked.insert(possible.begin(), possible.end());
            return;
        }
        // The last cell, if it is none of the others.
        for (size_t c = 0; c < all.size(); c++) {
            bool last = true;
            for (auto cell = one_of->cells.rbegin(); cell != one_of->cells.rend(); ++cell) {
                if (std::get<2>(*cell) != one_of->component + c) continue;
                const uint32_t held = memory.at(*cell);
                all[c] =
                    last ? held
                         : nodes.make(Op::OpSelect, nodes[held].bits, 0, {selects(one_of->index, *cell), held, all[c]});
                last = false;
            }
        }
        return;
    }
    for (size_t c = 0; c < from->size() && c < all.size(); c++) {
        const auto held = memory.find((*from)[c]);
        if (held != memory.end()) {
            all[c] = held->second;
        } else if (reached) {
            asked.insert((*from)[c]);
            memory[(*from)[c]] = all[c];  // until it is stored to
        }
    }
}

void Walker::settle_stores(const std::set<Cell>& of_both) {
    for (const auto& [at, own] : own_stores) {
        const auto found = effects.find(at);
        if (found == effects.end()) continue;
        const uint32_t variable = std::get<0>(own.cells.front().first);
        if (of_both.contains({variable, kAnyElement, 0})) continue;
        if (std::get<1>(own.cells.front().first) == kAnyElement) {
            const auto first = of_both.lower_bound({variable, 0, 0});
            if (first == of_both.end() || std::get<0>(*first) != variable) found->second = {};
            continue;
        }
        Effect& e = found->second;
        const auto is_asked = [&](const auto& to) { return of_both.contains(to.first); };
        if (own.maybe && std::any_of(own.cells.begin(), own.cells.end(), is_asked)) continue;
        e.words.clear();
        e.nodes.clear();
        for (const auto& [cell, node] : own.cells) {
            if (!of_both.contains(cell)) continue;
            const auto& [v, element, component] = cell;
            e.words.insert(e.words.end(), {v, element, component});
            e.nodes.push_back(node);
        }
        if (e.words.empty()) e = {};
    }
}

}  // namespace tgsi2spv::difftest::mutation
