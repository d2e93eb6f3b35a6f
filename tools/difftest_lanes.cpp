// tgsi-difftest run --lanes-alone: whether the driver mixes lanes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "difftest_commands.h"
#include "difftest_options.h"
#include "inputs/case.h"
#include "tgsi/names.h"
#include "tgsi/parse.h"
#include "tgsi/print.h"

namespace tools {

namespace {

using namespace tgsi2spv;
using reference::Inputs;

/// The case with a guard before the shader: lanes that the inputs do not choose return at once.
struct Guarded {
    std::string shader{}, unclear{};  ///< why there is no guard
    uint32_t lanes = 0;
    std::function<void(Inputs&, uint32_t first, uint32_t count)> choose{};
};

uint32_t after_last(const tgsi::Program& program, tgsi::File file) {
    int32_t next = 0;
    for (const tgsi::Declaration& d : program.declarations)
        if (d.file == file) next = std::max(next, d.last + 1);
    return static_cast<uint32_t>(next);
}

/// Puts declarations and instructions before the first instruction. Labels count instructions.
std::string with_guard(tgsi::Program program, const std::string& declarations, const std::vector<std::string>& code) {
    using enum tgsi::Opcode;
    for (tgsi::Instruction& i : program.instructions)
        if (i.op == CAL || i.op == CALLNZ || i.op == BRA) i.label += static_cast<uint32_t>(code.size());
    const std::string text = tgsi::print(program);
    static const std::regex number(R"((^|\n) *\d+: )");
    std::smatch first;
    std::regex_search(text, first, number);
    const auto at = static_cast<size_t>(first.position()) + 1;
    return text.substr(0, at) + declarations + fmt::format("{}\n", fmt::join(code, "\n")) +
           std::regex_replace(text.substr(at), number, "$1");
}

/// VERT, FRAG: an input that is 1 or 0.
Guarded guard_lanes(const tgsi::Program& program, const Inputs& inputs) {
    const uint32_t reg = after_last(program, tgsi::File::Input);
    const std::string input = fmt::format("IN[{}]", reg);
    Guarded out{.lanes = inputs.lanes};
    const bool is_fragment = program.stage == tgsi::Stage::Fragment;
    out.shader = with_guard(program,
                            fmt::format("DCL {}{}\n", input,
                                        is_fragment ? fmt::format(", GENERIC[{}], CONSTANT", reg + 40) : std::string()),
                            {"UIF " + input + ".xxxx", "ELSE", "RET", "ENDIF"});
    out.choose = [reg](Inputs& in, uint32_t first, uint32_t count) {
        auto& values = in.inputs[{0, static_cast<int32_t>(reg)}];
        values.assign(in.lanes, {});
        for (uint32_t lane = first; lane < first + count; lane++) values[lane][0] = 1;
    };
    return out;
}

/// COMP: the invocation that a constant buffer names, or all.
Guarded guard_invocations(const tgsi::Program& program, const Inputs& inputs) {
    using enum tgsi::Property;
    std::array<uint32_t, 3> block{};
    for (const tgsi::PropertyValue& p : program.properties)
        for (const auto& [name, axis] :
             {std::pair(CsFixedBlockWidth, 0u), {CsFixedBlockHeight, 1u}, {CsFixedBlockDepth, 2u}})
            if (p.name == name) block[axis] = p.value;
    if (block[0] == 0) return {.unclear = "the work group has no fixed size"};
    for (uint32_t& size : block) size = std::max(size, 1u);
    uint32_t buffer = 1;
    for (const tgsi::Declaration& d : program.declarations)
        if (d.file == tgsi::File::Const) buffer = std::max(buffer, static_cast<uint32_t>(d.dim) + 1);
    if (buffer > 13) return {.unclear = "no constant buffer is free"};
    const uint32_t sv = after_last(program, tgsi::File::SystemValue), t = after_last(program, tgsi::File::Temp);
    const auto format = [&](const char* text) {
        return fmt::format(fmt::runtime(text), fmt::arg("t", t), fmt::arg("u", t + 1), fmt::arg("thread", sv),
                           fmt::arg("block", sv + 1), fmt::arg("c", fmt::format("CONST[{}]", buffer)));
    };
    std::vector<std::string> code;
    for (const char* line :
         {"USEQ TEMP[{t}].xyz, SV[{thread}].xyzz, {c}[0].xyzz", "USEQ TEMP[{u}].xyz, SV[{block}].xyzz, {c}[1].xyzz",
          "AND TEMP[{t}].xyz, TEMP[{t}].xyzz, TEMP[{u}].xyzz", "AND TEMP[{t}].x, TEMP[{t}].xxxx, TEMP[{t}].yyyy",
          "AND TEMP[{t}].x, TEMP[{t}].xxxx, TEMP[{t}].zzzz", "OR TEMP[{t}].x, TEMP[{t}].xxxx, {c}[0].wwww",
          "UIF TEMP[{t}].xxxx", "ELSE", "RET", "ENDIF"})
        code.push_back(format(line));
    Guarded out;
    out.shader = with_guard(program,
                            format("DCL SV[{thread}], THREAD_ID\nDCL SV[{block}], BLOCK_ID\nDCL TEMP[{t}..{u}]\n"
                                   "DCL {c}[0..1]\n"),
                            code);
    const uint32_t size = block[0] * block[1] * block[2];
    const auto grid = inputs.grid;
    out.lanes = size * grid[0] * grid[1] * grid[2];
    out.choose = [=](Inputs& in, uint32_t lane, uint32_t count) {
        const auto place = [](uint32_t n, const std::array<uint32_t, 3>& of) {
            return std::array{n % of[0], n / of[0] % of[1], n / of[0] / of[1]};
        };
        const auto thread = place(lane % size, block), group = place(lane / size, grid);
        in.constants[buffer] = {thread[0], thread[1], thread[2], count > 1 ? 1u : 0u, group[0], group[1], group[2], 0};
    };
    return out;
}

Guarded guarded(const tgsi::Program& program, const Inputs& inputs) {
    switch (program.stage) {
        case tgsi::Stage::Vertex:
        case tgsi::Stage::Fragment:
            return guard_lanes(program, inputs);
        case tgsi::Stage::Compute:
            return guard_invocations(program, inputs);
        default:
            return {.unclear = fmt::format("{} has no lanes of its own", tgsi::name(program.stage))};
    }
}

/// How lanes see each other: values that are unknown for a lane alone may hide its failure.
bool sees_others(const std::string& shader) {
    static const std::regex cross(
        R"(\b(DD[XY]\w*|VOTE_\w+|BALLOT|READ_FIRST|READ_INVOC|BARRIER|ATOM\w+|LODQ|LOD|TEX2?|TXP|TXB2?|SAMPLE|SAMPLE_[BC])\b)");
    return std::regex_search(shader, cross);
}

}  // namespace

std::string lanes_alone(const difftest::CaseFile& file, difftest::Pool& pool) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    const auto inputs = difftest::read_inputs(file.inputs);
    if (!inputs || !parse(file.shader, {}, program, diagnostics)) return "unclear: the case has no shader";
    const Guarded guard = guarded(program, *inputs);
    if (!guard.unclear.empty()) return "unclear: " + guard.unclear;
    const auto submit = [&](uint64_t key, uint32_t first, uint32_t count) {
        Inputs chosen = *inputs;
        guard.choose(chosen, first, count);
        difftest::WorkerJob job;
        job.key = key;
        job.spec.kind = difftest::CaseKind::Given;
        job.spec.name = file.id;
        job.spec.text = guard.shader;
        job.spec.inputs = difftest::write_inputs(chosen);
        pool.submit(std::move(job));
    };
    submit(guard.lanes, 0, guard.lanes);
    for (uint32_t lane = 0; lane < guard.lanes; lane++) submit(lane, lane, 1);
    uint64_t wrong = guard.lanes;
    std::string unclear;
    while (!pool.is_idle() && pool.broken().empty())
        for (const auto& [key, device, result] : pool.next(1000)) {
            const bool passes = result.status == difftest::Status::Pass;
            if (!passes && result.status != difftest::Status::Fail)
                unclear = fmt::format("{} {}", name(result.status), result.message);
            else if (key == guard.lanes && passes)
                unclear = "with the guard, all lanes together are right";
            else if (passes && result.unknown > 0 && sees_others(file.shader))
                unclear = "lanes see each other";
            else if (!passes)
                wrong = std::min(wrong, key);
        }
    if (!pool.broken().empty()) unclear = pool.broken();
    if (!unclear.empty()) return "unclear: " + unclear;
    if (wrong < guard.lanes) return fmt::format("alone: lane {} is wrong by itself", wrong);
    return fmt::format("mixed: each of {} lanes is right by itself", guard.lanes);
}

}  // namespace tools
