#include <algorithm>
#include <span>
#include <vector>

#include "campaign/simplify.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::File;
using tgsi::Instruction;
using tgsi::Opcode;
using tgsi::Operand;
using tgsi::Program;

/// Removes the marked instructions; labels still name the same instruction, or the next one that is left.
std::optional<Candidate> without(const Candidate& candidate, const std::vector<bool>& gone) {
    if (std::find(gone.begin(), gone.end(), true) == gone.end()) return std::nullopt;
    Candidate smaller = candidate;
    auto& kept = smaller.program.instructions;
    kept.clear();
    std::vector<uint32_t> place;
    for (size_t i = 0; i < gone.size(); i++) {
        place.push_back(static_cast<uint32_t>(kept.size()));
        if (!gone[i]) kept.push_back(candidate.program.instructions[i]);
    }
    place.push_back(static_cast<uint32_t>(kept.size()));
    for (Instruction& i : kept)
        if (i.has_label) i.label = place[std::min<size_t>(i.label, gone.size())];
    return smaller;
}

size_t instructions(const Candidate& candidate) {
    return candidate.program.instructions.size();
}
size_t pieces_of(size_t things, size_t granularity) {
    return (things + granularity - 1) / granularity;
}

std::optional<Candidate> remove_instructions(const Candidate& candidate, size_t granularity, size_t number) {
    const size_t n = instructions(candidate);
    // From the end: nothing reads the last results.
    const size_t end = n - std::min(n, number * granularity), begin = end - std::min(end, granularity);
    std::vector<bool> gone(n);
    for (size_t i = begin; i < end; i++) gone[i] = candidate.program.instructions[i].op != Opcode::END;
    return without(candidate, gone);
}

bool opens(Opcode op) {
    switch (op) {
        case Opcode::IF:
        case Opcode::UIF:
        case Opcode::IFC:
        case Opcode::BGNLOOP:
        case Opcode::SWITCH:
            return true;
        default:
            return false;
    }
}
bool closes(Opcode op) {
    return op == Opcode::ENDIF || op == Opcode::ENDLOOP || op == Opcode::ENDSWITCH;
}

/// A construct as a whole, its second half, its first half, or only its frame.
std::optional<Candidate> remove_construct(const Candidate& candidate, size_t, size_t number) {
    const size_t begin = number / 4, n = instructions(candidate);
    const auto& all = candidate.program.instructions;
    if (!opens(all[begin].op)) return std::nullopt;
    size_t end = begin + 1, middle = 0;
    for (int depth = 0; end < n; end++) {
        if (depth == 0 && all[end].op == Opcode::ELSE) middle = end;
        if (depth == 0 && closes(all[end].op)) break;
        depth += opens(all[end].op) ? 1 : closes(all[end].op) ? -1 : 0;
    }
    if (end == n) return std::nullopt;
    std::vector<bool> gone(n);
    const auto take = [&](size_t from, size_t to) { std::fill(gone.begin() + from, gone.begin() + to, true); };
    switch (number % 4) {
        case 0:
            take(begin, end + 1);
            break;
        case 1:
            if (middle == 0) return std::nullopt;
            take(middle, end + 1);
            take(begin, begin + 1);
            break;
        case 2:
            if (middle == 0) return std::nullopt;
            take(begin, middle + 1);
            take(end, end + 1);
            break;
        default:
            take(begin, begin + 1);
            take(end, end + 1);
            if (middle != 0) take(middle, middle + 1);
            // A BRK, CONT, CASE or DEFAULT has no loop or switch any more.
            for (size_t i = begin; i < end; i++)
                gone[i] = gone[i] || ((all[i].op == Opcode::BRK || all[i].op == Opcode::CONT ||
                                       all[i].op == Opcode::CASE || all[i].op == Opcode::DEFAULT) &&
                                      all[begin].op != Opcode::IF && all[begin].op != Opcode::UIF);
            break;
    }
    return without(candidate, gone);
}

std::optional<Candidate> become_move(const Candidate& candidate, size_t, size_t number) {
    const Instruction& i = candidate.program.instructions[number];
    if (i.op == Opcode::MOV || i.num_dst != 1 || i.num_src == 0) return std::nullopt;
    Candidate smaller = candidate;
    Instruction& move = smaller.program.instructions[number];
    move.op = Opcode::MOV;
    move.num_src = 1;
    move.num_offsets = 0;
    move.target = tgsi::Target::None;
    move.has_label = move.has_predicate = false;
    move.qualifiers = 0;
    move.format = 0;
    return smaller;
}

/// The instruction, and the operand of it, that an edit changes.
struct EditedOperand {
    size_t instruction, operand;
};
constexpr size_t kOperands = 8, kWays = 9;
EditedOperand place_of(size_t number) {
    return {number / kWays / kOperands, number / kWays % kOperands};
}

std::optional<Candidate> simplify_operand(const Candidate& candidate, size_t, size_t number) {
    const EditedOperand at = place_of(number);
    const Instruction& i = candidate.program.instructions[at.instruction];
    if (at.operand >= size_t{i.num_dst} + i.num_src) return std::nullopt;
    Candidate smaller = candidate;
    Operand& o = smaller.program.operands[i.first_operand + at.operand];
    Instruction& changed = smaller.program.instructions[at.instruction];
    const bool written = at.operand < i.num_dst;
    switch (number % kWays) {
        case 0:
            o.negate = o.absolute = false;
            if (written) changed.saturate = changed.saturate_signed = changed.precise = false;
            break;
        case 1:
            o.index_is_relative = o.dim_is_relative = false;
            break;
        case 2:  // turns one source into an immediate
            if (written || o.file == File::Immediate || candidate.program.immediates.empty() ||
                (o.file != File::Temp && o.file != File::Const && o.file != File::Input))
                return std::nullopt;
            o = Operand{};
            o.file = File::Immediate;
            o.swizzle = 0;
            break;
        case 3:  // from .xyzw towards .xxxx, never back
            if (!written && o.swizzle != 0) o.swizzle = 0xe4;
            break;
        case 4:
            if (!written) o.swizzle = 0;
            break;
        default:
            if (!written || (o.write_mask >> (number % kWays - 5) & 1) == 0) return std::nullopt;
            o.write_mask = static_cast<uint8_t>(o.write_mask & ~(1u << (number % kWays - 5)));
            if (o.write_mask == 0) return std::nullopt;
            break;
    }
    const Operand& before = candidate.program.operands[i.first_operand + at.operand];
    const bool same = o == before && changed.saturate == i.saturate && changed.precise == i.precise;
    return same ? std::nullopt : std::optional(std::move(smaller));
}

std::optional<Candidate> simplify_declaration(const Candidate& candidate, size_t, size_t number) {
    const size_t index = candidate.program.declarations.size() - 1 - number / 3;
    Candidate smaller = candidate;
    auto& all = smaller.program.declarations;
    tgsi::Declaration& d = all[index];
    switch (number % 3) {
        case 0:
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
            return smaller;
        case 1:
            if (d.last == d.first) return std::nullopt;
            d.last = d.first;
            return smaller;
        default:
            if (d.last == d.first) return std::nullopt;
            d.last--;
            return smaller;
    }
}

std::optional<Candidate> remove_property(const Candidate& candidate, size_t, size_t number) {
    Candidate smaller = candidate;
    auto& all = smaller.program.properties;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(number));
    return smaller;
}

bool is_read(const Program& program, size_t immediate) {
    for (const Instruction& i : program.instructions)
        for (uint32_t k = 0; k < uint32_t{i.num_dst} + i.num_src + i.num_offsets; k++) {
            const Operand& o = program.operands[i.first_operand + k];
            if (o.file == File::Immediate && (o.index_is_relative || o.index == static_cast<int32_t>(immediate)))
                return true;
        }
    return false;
}

/// Removes an immediate that nothing reads, or makes one of its words zero.
std::optional<Candidate> simplify_immediate(const Candidate& candidate, size_t, size_t number) {
    const size_t index = number / 5, word = number % 5;
    Candidate smaller = candidate;
    auto& all = smaller.program.immediates;
    if (word < 4) {
        if (all[index].words[word] == 0) return std::nullopt;
        all[index].words[word] = 0;
        return smaller;
    }
    if (is_read(candidate.program, index)) return std::nullopt;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
    for (Operand& o : smaller.program.operands)
        if (o.file == File::Immediate && o.index > static_cast<int32_t>(index)) o.index--;
    return smaller;
}

template <size_t kEach>
size_t each_instruction(const Candidate& candidate, size_t) {
    return kEach * candidate.program.instructions.size();
}

constexpr Simplification kSimplifications[] = {
    {"instructions", [](const Candidate& c, size_t g) { return pieces_of(instructions(c), g); }, remove_instructions,
     instructions},
    {"constructs", each_instruction<4>, remove_construct, nullptr},
    {"moves", each_instruction<1>, become_move, nullptr},
    {"operands", each_instruction<kWays * kOperands>, simplify_operand, nullptr},
    {"declarations", [](const Candidate& c, size_t) { return 3 * c.program.declarations.size(); }, simplify_declaration,
     nullptr},
    {"properties", [](const Candidate& c, size_t) { return c.program.properties.size(); }, remove_property, nullptr},
    {"immediates", [](const Candidate& c, size_t) { return 5 * c.program.immediates.size(); }, simplify_immediate,
     nullptr},
};

}  // namespace

std::span<const Simplification> program_simplifications() {
    return kSimplifications;
}

}  // namespace tgsi2spv::difftest
