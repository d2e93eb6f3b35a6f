// Executes the current text with the reference to find components that test nothing.
#include <algorithm>
#include <array>

#include "generate/shader.h"
#include "inputs/inputs.h"
#include "reference/observe.h"
#include "tgsi/prepare.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest::generate {

namespace {

using reference::Seen;
using tgsi::Opcode;

constexpr uint32_t kInvocations = 32;
/// Numbers of the input sets: a plain one, and one with arbitrary words.
constexpr uint32_t kSets[] = {0, 2};
constexpr uint64_t kMaxSteps = 20'000;

struct Component {
    bool written = false, differs = false;
    uint32_t word = 0;
    uint64_t all = 0;  ///< hash of all words, in order
};

/// Whether the result is the same by design: the sources are literals, or all lanes share the answer.
bool may_be_the_same(const tgsi::Program& program, const tgsi::Instruction& instruction) {
    if (tgsi::info(instruction.op).family == tgsi::Family::subgroup) return true;
    for (const auto& o : program.srcs(instruction))
        if (o.file != tgsi::File::Immediate) return false;
    return true;
}

/// The components that no lane has written, that have one word throughout, or that repeat another of their instruction.
size_t count_idle(const tgsi::Program& program, const std::vector<std::array<Component, 4>>& components) {
    size_t idle = 0;
    for (size_t i = 0; i < components.size(); i++) {
        const auto& instruction = program.instructions[i];
        if (may_be_the_same(program, instruction)) continue;
        const auto to = program.dsts(instruction);
        if (to.empty() || instruction.op == Opcode::STORE) continue;
        const bool each = tgsi::info(instruction.op).shape == tgsi::Shape::component;
        for (size_t c = 0; c < 4; c++) {
            if ((to.front().write_mask >> c & 1) == 0) continue;
            bool same = !components[i][c].differs;
            for (size_t k = 0; k < c; k++)
                same |= each && (to.front().write_mask >> k & 1) != 0 && components[i][k].all == components[i][c].all;
            idle += same ? 1 : 0;
        }
    }
    return idle;
}

}  // namespace

size_t idle_components(const Shader& shader) {
    Shader s = shader;
    emit(s, "END");
    write_subroutines(s);
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    tgsi::Survey survey;
    if (!tgsi::parse(text_of(s), {}, program, survey, diagnostics)) return 0;
    tgsi::Registers registers;
    tgsi::prepare(program, survey, registers);
    std::vector<std::array<Component, 4>> components(program.instructions.size());
    reference::Options options;
    options.fast_values = true;
    options.max_steps = kMaxSteps;
    const Uses uses = find_uses(program);
    size_t idle = 0;
    for (const uint32_t set : kSets) {
        InputOptions generation = options_for_set(set);
        generation.seed = set;
        // A patch has an invocation for each vertex, and each of them its own view of their shared outputs.
        generation.lanes = std::max(kInvocations / static_cast<uint32_t>(std::max(s.patch_vertices, 1)), 2u);
        const auto in = generate_inputs(program, registers, uses, generation);
        reference::observe(program, registers, in, options, [&](const Seen& seen) {
            auto& c = components[seen.instruction][seen.component];
            for (const uint32_t lane : seen.lanes) {
                const uint32_t word = seen.column[lane].value;
                c.differs |= c.written && word != c.word;
                c.written = true;
                c.word = word;
                c.all = (c.all ^ word) * 0x100000001b3;
            }
        });
        idle = count_idle(program, components);
        if (idle == 0) break;  // more inputs only find more that differs
    }
    return idle;
}

}  // namespace tgsi2spv::difftest::generate
