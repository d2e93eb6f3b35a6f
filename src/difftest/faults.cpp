#include "difftest/faults.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <spirv/unified1/spirv.hpp>
#include <string_view>

namespace tgsi2spv::difftest {

namespace {

struct FaultName {
    std::string_view name;
    Fault fault;
};
constexpr FaultName kNames[] = {
    {"wrong", Fault::Wrong}, {"flaky", Fault::Flaky}, {"endless", Fault::Endless},
    {"hang", Fault::Hang},   {"abort", Fault::Abort}, {"exit", Fault::Exit},
    {"lose", Fault::Lose},   {"kill", Fault::Kill},   {"kill-all", Fault::KillAll},
};

[[noreturn]] void refuse(std::string_view what) {
    fmt::print(stderr, "tgsi-difftest: TGSI_DIFFTEST_FAULTS: {}\n", what);
    _exit(2);
}

/// The operation that looks most like it, with operands and result of the same types; 0: none.
spv::Op neighbour(spv::Op op, bool of_floats) {
    switch (op) {
        case spv::OpFAdd:
            return of_floats ? spv::OpFMul : spv::OpNop;
        case spv::OpFMul:
        case spv::OpFSub:
            return of_floats ? spv::OpFAdd : spv::OpNop;
        case spv::OpFDiv:
            return of_floats ? spv::OpFMul : spv::OpNop;
        case spv::OpIAdd:
            return of_floats ? spv::OpNop : spv::OpISub;
        case spv::OpISub:
        case spv::OpIMul:
            return of_floats ? spv::OpNop : spv::OpIAdd;
        default:
            return spv::OpNop;
    }
}

/// Changes the last operation of the kind.
bool spoil(std::vector<uint32_t>& words, bool of_floats) {
    constexpr size_t kHeader = 5;
    size_t last = 0;
    for (size_t at = kHeader; at < words.size();) {
        const uint32_t length = words[at] >> 16;
        if (length == 0) return false;
        if (neighbour(static_cast<spv::Op>(words[at] & 0xffff), of_floats) != spv::OpNop) last = at;
        at += length;
    }
    if (last == 0) return false;
    words[last] = (words[last] & 0xffff0000) | neighbour(static_cast<spv::Op>(words[last] & 0xffff), of_floats);
    return true;
}

/// The program in a loop that nothing leaves. What it writes, it writes again and again, so that no compiler may take
/// the loop away.
void make_endless(api::Context& context, const api::Options& conversion) {
    api::Context endless;
    endless.program = context.program;
    endless.registers = context.registers;
    auto& instructions = endless.program.instructions;
    tgsi::Instruction begin, end;
    begin.op = tgsi::Opcode::BGNLOOP;
    end.op = tgsi::Opcode::ENDLOOP;
    for (auto& i : instructions) i.label += i.has_label ? 1 : 0;
    instructions.insert(instructions.begin(), begin);
    for (size_t i = 0; i < instructions.size(); i++)
        if (instructions[i].op == tgsi::Opcode::END) {
            instructions.insert(instructions.begin() + static_cast<std::ptrdiff_t>(i), end);
            break;
        }
    if (api::lower(endless, conversion) && api::optimise(endless, conversion) && api::emit(endless, conversion))
        context.words = endless.words;
}

}  // namespace

std::optional<Fault> Faults::of(const std::string& id, uint32_t attempt) const {
    for (const auto& [fault, pattern] : all) {
        if (!std::regex_search(id, pattern)) continue;
        if ((fault == Fault::Flaky || fault == Fault::Kill) && attempt > 0) continue;
        return fault;
    }
    return std::nullopt;
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
        try {
            faults.all.emplace_back(found->fault, std::regex(std::string(one.substr(equals + 1))));
        } catch (const std::regex_error& e) {
            refuse(e.what());
        }
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
            break;  // the worker says so itself
    }
    return {};
}

bool spoil(std::vector<uint32_t>& words) {
    // Floats are the shader's own; among the integers are addresses.
    return spoil(words, true) || spoil(words, false);
}

}  // namespace tgsi2spv::difftest
