#include "cases/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "inputs/random.h"
#include "tgsi/print.h"
#include "tgsi/program/registers.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::File;
using tgsi::Opcode;

/// Whether the text can be changed line by line: no instruction refers to another by its number.
bool is_plain(const tgsi::Program& program) {
    return std::none_of(program.instructions.begin(), program.instructions.end(), [](const tgsi::Instruction& i) {
        return i.op == Opcode::CAL || i.op == Opcode::CALLNZ || i.op == Opcode::BRA || i.op == Opcode::BGNSUB;
    });
}

/// Whether some TEMP is addressed indirectly: the index may reach any TEMP.
bool addresses_temps(const tgsi::Program& program) {
    const auto is_indirect = [](const tgsi::Operand& o) { return o.file == File::Temp && o.index_is_relative; };
    return std::any_of(program.operands.begin(), program.operands.end(), is_indirect);
}

/// Whether an index may reach a TEMP beyond those that are declared, where it reads zero and writes nothing: with
/// another TEMP declared there, it would no longer do so. An index into an array stays in the array.
bool leaves_temps(const tgsi::Program& program) {
    return std::any_of(program.operands.begin(), program.operands.end(), [](const tgsi::Operand& o) {
        return o.file == File::Temp && o.index_is_relative && o.array_id == 0;
    });
}

/// Whether the instruction computes only from its sources, separately in each lane.
bool is_local(const tgsi::Instruction& instruction) {
    const auto& info = tgsi::info(instruction.op);
    switch (info.family) {
        case tgsi::Family::arithmetic:
        case tgsi::Family::compare:
        case tgsi::Family::integer:
        case tgsi::Family::convert:
            break;
        default:
            return false;
    }
    return instruction.op != Opcode::DDX && instruction.op != Opcode::DDY && instruction.op != Opcode::DDX_FINE &&
           instruction.op != Opcode::DDY_FINE && info.num_dst == 1;
}

struct Text {
    const tgsi::Program& program;
    std::vector<std::string> head{}, code{};

    explicit Text(const tgsi::Program& p) : program(p) {
        // Everything but the instructions, as printed.
        tgsi::Program rest = p;
        rest.instructions.clear();
        const std::string text = tgsi::print(rest);
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find('\n', at), text.size());
            head.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        for (const auto& i : p.instructions) code.push_back(tgsi::print(p, i));
    }
    std::string join() const {
        std::string text;
        for (const auto& line : head) text += line + '\n';
        for (const auto& line : code) text += line + '\n';
        return text;
    }
    void insert(size_t at, std::initializer_list<std::string> lines) {
        code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), lines);
    }
};

/// Returns the number of a random instruction for which `wanted` holds, or nothing.
template <class F>
std::optional<size_t> choose(const tgsi::Program& program, Random& random, const F& wanted) {
    std::vector<size_t> found;
    for (size_t k = 0; k < program.instructions.size(); k++)
        if (!program.instructions[k].has_predicate && wanted(program.instructions[k])) found.push_back(k);
    if (found.empty()) return std::nullopt;
    return found[random.below(found.size())];
}

/// Declares a TEMP with an index above all others.
int32_t new_temp(const tgsi::Registers& registers, Text& text) {
    const int32_t index = registers.count(File::Temp);
    text.head.push_back(fmt::format("DCL TEMP[{}]", index));
    return index;
}

bool split(const tgsi::Program& program, size_t at, Text& text) {
    const auto& i = program.instructions[at];
    std::vector<std::string> lines;
    for (int c = 0; c < 4; c++) {
        if ((program.dsts(i)[0].write_mask >> c & 1) == 0) continue;
        tgsi::Program one = program;
        one.operands[i.first_operand].write_mask = static_cast<uint8_t>(1 << c);
        lines.push_back(tgsi::print(one, i));
    }
    text.code.erase(text.code.begin() + static_cast<std::ptrdiff_t>(at));
    text.code.insert(text.code.begin() + static_cast<std::ptrdiff_t>(at), lines.begin(), lines.end());
    return lines.size() > 1;
}

/// Whether a source may be a register that the instruction writes, in any component, or the destination is addressed
/// indirectly.
bool reads_what_it_writes(const tgsi::Program& program, const tgsi::Instruction& instruction) {
    const auto& d = program.dsts(instruction)[0];
    for (const auto& s : program.srcs(instruction)) {
        if (s.file == d.file && (s.index == d.index || s.index_is_relative)) return true;
        if (s.index_is_relative || s.dim_is_relative) return true;  // its destination may be the index
    }
    return d.index_is_relative || d.dim_is_relative;
}

void rename(std::vector<std::string>& lines, int32_t from, int32_t to) {
    const std::string was = fmt::format("TEMP[{}]", from), is = fmt::format("TEMP[{}]", to);
    for (auto& line : lines)
        for (size_t at = 0; (at = line.find(was, at)) != std::string::npos; at += is.size()) {
            line.replace(at, was.size(), is);
        }
}

std::optional<std::string> extra_move(const tgsi::Program& program, const tgsi::Registers& registers, Random& random) {
    if (leaves_temps(program)) return std::nullopt;
    const auto reads_temp = [&](const tgsi::Instruction& i) {
        if (!is_local(i) && tgsi::info(i.op).family != tgsi::Family::texture) return false;
        return std::any_of(program.srcs(i).begin(), program.srcs(i).end(), [](const tgsi::Operand& o) {
            return o.file == File::Temp && !o.index_is_relative && !o.has_dim;
        });
    };
    const auto at = choose(program, random, reads_temp);
    if (!at) return std::nullopt;
    Text text(program);
    const int32_t temp = new_temp(registers, text);
    const auto& i = program.instructions[*at];
    tgsi::Program moved = program;
    for (size_t k = 0; k < program.srcs(i).size(); k++) {
        auto& o = moved.operands[i.first_operand + program.dsts(i).size() + k];
        if (o.file != File::Temp || o.index_is_relative || o.has_dim) continue;
        const int32_t from = o.index;
        o.index = temp;
        text.code[*at] = tgsi::print(moved, i);
        text.insert(*at, {fmt::format("MOV TEMP[{}], TEMP[{}]", temp, from)});
        return text.join();
    }
    return std::nullopt;
}

}  // namespace

std::string_view name(VariantKind kind) {
    static constexpr std::string_view kNames[kVariantKinds] = {"dead-branch", "loop-of-one-turn", "split-vector",
                                                               "renamed-register", "extra-move"};
    return kNames[static_cast<size_t>(kind)];
}

std::optional<std::string> vary(const tgsi::Program& program, const tgsi::Registers& registers, VariantKind kind,
                                uint64_t seed) {
    Random random(seed);
    if (!is_plain(program)) return std::nullopt;
    Text text(program);
    const auto is_any_local = [](const tgsi::Instruction& i) { return is_local(i); };
    switch (kind) {
        case VariantKind::DeadBranch: {
            if (leaves_temps(program)) return std::nullopt;
            const auto at = choose(program, random, is_any_local);
            if (!at) return std::nullopt;
            const int32_t temp = new_temp(registers, text);
            // TEMP registers start at zero, and nothing else writes this one.
            text.insert(*at, {fmt::format("UIF TEMP[{}].xxxx", temp), text.code[*at],
                              fmt::format("NOT TEMP[{0}].y, TEMP[{0}].yyyy", temp), "ENDIF"});
            return text.join();
        }
        case VariantKind::LoopOfOneTurn: {
            const auto at = choose(program, random, is_any_local);
            if (!at) return std::nullopt;
            text.insert(*at + 1, {"BRK", "ENDLOOP"});
            text.insert(*at, {"BGNLOOP"});
            return text.join();
        }
        case VariantKind::SplitVector: {
            const auto at = choose(program, random, [&](const tgsi::Instruction& i) {
                return is_local(i) && tgsi::info(i.op).shape == tgsi::Shape::component &&
                       !reads_what_it_writes(program, i) && std::popcount(program.dsts(i)[0].write_mask) > 1;
            });
            if (!at || !split(program, *at, text)) return std::nullopt;
            return text.join();
        }
        case VariantKind::RenamedRegister: {
            if (addresses_temps(program)) return std::nullopt;
            const auto at = choose(program, random, [&](const tgsi::Instruction& i) {
                return is_local(i) && program.dsts(i)[0].file == File::Temp;
            });
            if (!at) return std::nullopt;
            const int32_t from = program.dsts(program.instructions[*at])[0].index;
            rename(text.code, from, new_temp(registers, text));
            return text.join();
        }
        case VariantKind::ExtraMove:
            return extra_move(program, registers, random);
    }
    return std::nullopt;
}

}  // namespace tgsi2spv::difftest
