#include "cases/faults.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace tgsi2spv::difftest {

namespace {

struct FaultName {
    std::string_view name;
    Fault fault;
};
constexpr FaultName kNames[] = {
    {"wrong", Fault::Wrong},      {"flaky", Fault::Flaky},
    {"endless", Fault::Endless},  {"hang", Fault::Hang},
    {"abort", Fault::Abort},      {"exit", Fault::Exit},
    {"lose", Fault::Lose},        {"kill", Fault::Kill},
    {"kill-all", Fault::KillAll}, {"hang-start", Fault::HangStart},
};

[[noreturn]] void refuse(std::string_view what) {
    fmt::print(stderr, "tgsi-difftest: TGSI_DIFFTEST_FAULTS: {}\n", what);
    _exit(2);
}

/// Returns a similar operation with the same operand and result types; OpNop if there is none.
spv::Op neighbour(spv::Op op, bool of_floats) {
    switch (op) {
        case spv::Op::OpFAdd:
            return of_floats ? spv::Op::OpFMul : spv::Op::OpNop;
        case spv::Op::OpFMul:
        case spv::Op::OpFSub:
            return of_floats ? spv::Op::OpFAdd : spv::Op::OpNop;
        case spv::Op::OpFDiv:
            return of_floats ? spv::Op::OpFMul : spv::Op::OpNop;
        case spv::Op::OpIAdd:
            return of_floats ? spv::Op::OpNop : spv::Op::OpISub;
        case spv::Op::OpISub:
        case spv::Op::OpIMul:
            return of_floats ? spv::Op::OpNop : spv::Op::OpIAdd;
        default:
            return spv::Op::OpNop;
    }
}

/// Changes the last float or integer operation.
bool change_last(std::span<uint32_t> words, bool of_floats) {
    constexpr size_t kHeader = 5;
    size_t last = 0;
    for (size_t at = kHeader; at < words.size();) {
        const uint32_t length = words[at] >> 16;
        if (length == 0) return false;
        if (neighbour(static_cast<spv::Op>(words[at] & 0xffff), of_floats) != spv::Op::OpNop) last = at;
        at += length;
    }
    if (last == 0) return false;
    words[last] = (words[last] & 0xffff0000) |
                  static_cast<uint32_t>(neighbour(static_cast<spv::Op>(words[last] & 0xffff), of_floats));
    return true;
}

/// Replaces the module by one whose program first runs a loop that adds IN[0].x until the sum is IN[0].y, which almost
/// never happens. OUT[0] receives the sum, so that the loop cannot be removed. Shaders without IN[0] and OUT[0] stay
/// unchanged.
void make_endless(api::Context& context, const api::Options& conversion) {
    constexpr int32_t kOwnTemp = 1000;
    api::Context endless;
    tgsi::Program& p = endless.program;
    p = context.program;
    tgsi::Declaration own;
    own.file = tgsi::File::Temp;
    own.first = own.last = kOwnTemp;
    p.declarations.push_back(own);
    const auto operand = [&](tgsi::File file, int32_t index, uint8_t swizzle = 0) {
        tgsi::Operand o;
        o.file = file;
        o.index = index;
        o.swizzle = swizzle;
        p.operands.push_back(o);
    };
    std::pmr::vector<tgsi::Instruction> loop;
    const auto instruction = [&](tgsi::Opcode op, uint8_t destinations, uint8_t sources) {
        tgsi::Instruction i;
        i.op = op;
        i.num_dst = destinations;
        i.num_src = sources;
        i.first_operand = static_cast<uint32_t>(p.operands.size());
        loop.push_back(i);
    };
    instruction(tgsi::Opcode::BGNLOOP, 0, 0);
    constexpr uint8_t kY = 0x55;  // .yyyy
    instruction(tgsi::Opcode::ADD, 1, 2);
    operand(tgsi::File::Temp, kOwnTemp);
    p.operands.back().write_mask = 2;
    operand(tgsi::File::Temp, kOwnTemp, kY);
    operand(tgsi::File::Input, 0);
    instruction(tgsi::Opcode::SEQ, 1, 2);
    operand(tgsi::File::Temp, kOwnTemp);
    p.operands.back().write_mask = 1;
    operand(tgsi::File::Temp, kOwnTemp, kY);
    operand(tgsi::File::Input, 0, kY);
    instruction(tgsi::Opcode::IF, 0, 1);
    operand(tgsi::File::Temp, kOwnTemp);
    for (const auto op : {tgsi::Opcode::BRK, tgsi::Opcode::ENDIF, tgsi::Opcode::ENDLOOP}) instruction(op, 0, 0);
    for (auto& i : p.instructions) i.label += i.has_label ? static_cast<uint32_t>(loop.size()) : 0;
    p.instructions.insert(p.instructions.begin(), loop.begin(), loop.end());
    loop.clear();
    instruction(tgsi::Opcode::MOV, 1, 1);
    operand(tgsi::File::Output, 0);
    operand(tgsi::File::Temp, kOwnTemp, kY);
    for (size_t i = 0; i < p.instructions.size(); i++)
        if (p.instructions[i].op == tgsi::Opcode::END) {
            p.instructions.insert(p.instructions.begin() + static_cast<std::ptrdiff_t>(i), loop.front());
            break;
        }
    endless.registers = tgsi::gather(p);
    if (endless.registers.declared(tgsi::File::Input, 0) && endless.registers.declared(tgsi::File::Output, 0) &&
        api::lower(endless, conversion) && api::optimise(endless, conversion) && api::emit(endless, conversion))
        context.words = endless.words;
}

}  // namespace

std::optional<Fault> Faults::of(const std::string& id, uint32_t attempt) const {
    for (const auto& [fault, pattern] : all) {
        if (!occurs(pattern, id)) continue;
        if ((fault == Fault::Flaky || fault == Fault::Kill) && attempt > 0) continue;
        return fault;
    }
    return std::nullopt;
}

bool Faults::at_start(Fault wanted) const {
    return std::any_of(all.begin(), all.end(), [&](const auto& f) { return f.first == wanted; });
}

Faults faults_from_environment() {
    Faults faults;
    const char* variable = std::getenv("TGSI_DIFFTEST_FAULTS");
    std::string_view text = variable == nullptr ? "" : variable;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const size_t equals = one.find('=');
        const FaultName* found = nullptr;
        for (const FaultName& n : kNames)
            if (n.name == one.substr(0, equals)) found = &n;
        if (equals == std::string_view::npos || found == nullptr) refuse(one);
        auto pattern = compile_pattern(std::string(one.substr(equals + 1)));
        if (!pattern) refuse(pattern.error());
        faults.all.emplace_back(found->fault, *std::move(pattern));
    }
    return faults;
}

ModuleHook hook_of(Fault fault) {
    switch (fault) {
        case Fault::Wrong:
        case Fault::Flaky:
            return [](api::Context& context, const api::Options&) { spoil(context.words); };
        case Fault::Endless:
            return make_endless;
        case Fault::Hang:
            return [](api::Context&, const api::Options&) {
                fmt::print(stderr, "hangs\n");
                for (;;) pause();
            };
        case Fault::Abort:
            return [](api::Context&, const api::Options&) { std::abort(); };
        case Fault::Exit:
            return [](api::Context&, const api::Options&) { _exit(3); };
        case Fault::Kill:
        case Fault::KillAll:
            return [](api::Context&, const api::Options&) { raise(SIGKILL); };
        case Fault::Lose:
        case Fault::HangStart:
            break;  // the worker reports this itself
    }
    return {};
}

bool spoil(std::span<uint32_t> words) {
    // Float operations belong to the shader; integer operations may compute addresses.
    return change_last(words, true) || change_last(words, false);
}

}  // namespace tgsi2spv::difftest
