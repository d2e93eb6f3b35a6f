#include "generate/generate.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

#include "generate/rules.h"
#include "generate/shader.h"
#include "tgsi/names.h"

namespace tgsi2spv::difftest {

namespace generate {

namespace {

using tgsi::Opcode;
using tgsi::Stage;

/// One statement in this many is a construct of flow.
constexpr uint32_t kConstruct = 6;

Opcode random_opcode(Shader& s) {
    return static_cast<Opcode>(s.random.below(tgsi::kOpcodeCount));
}

bool allowed(const Shader& s, Opcode op) {
    const auto& info = tgsi::info(op);
    return (info.stages >> static_cast<int>(s.stage) & 1) != 0 && (s.wide || !info.is_wide);
}

Stage choose_stage(Shader& s) {
    if (s.options.stage) return *s.options.stage;
    constexpr Stage kStages[] = {Stage::Vertex,  Stage::Fragment, Stage::Fragment,    Stage::Compute,
                                 Stage::Compute, Stage::Geometry, Stage::TessControl, Stage::TessEval};
    std::vector<Stage> able;
    for (Stage stage : kStages)
        if ((tgsi::info(s.featured).stages >> static_cast<int>(stage) & 1) != 0) able.push_back(stage);
    return able.empty() ? Stage::Fragment : s.any_of(able);
}

std::string immediate_text(const Immediate& m, size_t index) {
    const auto wide = [&](int i) { return uint64_t{m.words[2 * i + 1]} << 32 | m.words[2 * i]; };
    switch (m.kind) {
        case Kind::Float: {
            const auto f = [&](int i) { return std::bit_cast<float>(m.words[i]); };
            return fmt::format("IMM[{}] FLT32 {{{:.9g}, {:.9g}, {:.9g}, {:.9g}}}", index, f(0), f(1), f(2), f(3));
        }
        case Kind::Double:
            return fmt::format("IMM[{}] FLT64 {{{:.17g}, {:.17g}}}", index, std::bit_cast<double>(wide(0)),
                               std::bit_cast<double>(wide(1)));
        case Kind::Long:
            return fmt::format("IMM[{}] UINT64 {{{}, {}}}", index, wide(0), wide(1));
        default:
            return fmt::format("IMM[{}] UINT32 {{{}, {}, {}, {}}}", index, m.words[0], m.words[1], m.words[2],
                               m.words[3]);
    }
}

}  // namespace

std::string text_of(const Shader& s) {
    std::string text(tgsi::name(s.stage));
    text += '\n';
    for (const auto& line : s.properties) text += line + '\n';
    for (const auto& line : s.declarations) text += line + '\n';
    if (s.temps > 0) text += fmt::format("DCL TEMP[0..{}]\n", s.temps - 1);
    for (size_t i = 0; i < s.immediates.size(); i++) text += immediate_text(s.immediates[i], i) + '\n';
    for (size_t i = 0; i < s.code.size(); i++) text += fmt::format("{:3}: {}\n", i, s.code[i]);
    return text;
}

namespace {

bool instruction(Shader& s, Opcode op) {
    return plain_instruction(s, op) || texture_instruction(s, op) || memory_instruction(s, op) ||
           primitive_instruction(s, op) || special_instruction(s, op);
}

void plain_statement(Shader& s) {
    if (s.chance(12) && store_to_array(s)) return;
    if (s.chance(24) && edge_instruction(s)) return;
    const bool feature = !s.featured_done && s.chance(4);
    for (int attempt = 0; attempt < 40; attempt++) {
        const Opcode op = feature && attempt < 8 ? s.featured : random_opcode(s);
        if (!allowed(s, op)) continue;
        if (!instruction(s, op) && !(feature && attempt < 8 && flow_instruction(s, op))) continue;
        s.featured_done |= op == s.featured;
        return;
    }
}

/// Writes a statement several times and keeps the attempt with the fewest idle components. A construct keeps its kind,
/// since constructs with more text are idle more often and would be replaced. `idle` is the number of components that
/// are already idle.
void telling_statement(Shader& s, size_t& idle) {
    constexpr int kAttempts = 6, kAttemptsOfConstructs = 12;
    if (s.ended) return;
    const auto construct = s.chance(kConstruct) ? std::optional(s.random.below(kConstructs)) : std::nullopt;
    const Shader before = s;
    std::optional<Shader> best;
    size_t least = 0;  // of the best attempt
    for (int attempt = 0; attempt < (construct ? kAttemptsOfConstructs : kAttempts); attempt++) {
        const Random draws = s.random;
        s = before;
        s.random = draws;
        construct ? flow(s, *construct) : plain_statement(s);
        const size_t left = idle_components(s);
        if (left <= idle) {
            idle = left;
            return;
        }
        if (!best || left < least) best = s, least = left;
    }
    idle = least;
    const Random draws = s.random;
    s = std::move(*best);
    s.random = draws;
}

}  // namespace

void statement(Shader& s) {
    if (s.depth < 3 && s.chance(kConstruct)) return flow(s, s.random.below(kConstructs));
    plain_statement(s);
}

void statements(Shader& s, int count) {
    for (int i = 0; i < count && !s.ended; i++) statement(s);
}

}  // namespace generate

tgsi::Opcode featured_opcode(uint64_t seed) {
    return static_cast<tgsi::Opcode>(seed * 163 % tgsi::kOpcodeCount);
}

std::string generate_program(uint64_t seed, const GenerateOptions& options) {
    using namespace generate;
    Shader s(Random(seed).next(), options);
    s.featured = options.opcode.value_or(featured_opcode(seed));
    s.stage = choose_stage(s);
    s.wide = tgsi::info(s.featured).is_wide || s.chance(4);
    if (is_fragment(s)) s.may_kill = s.chance(3);
    if (tgsi::info(s.featured).family == tgsi::Family::flow &&
        tgsi::info(s.featured).stages != tgsi::info(tgsi::Opcode::MOV).stages)
        s.may_kill = true;
    s.image_format = s.random.below(kImageFormats + kFirstImageFormats) % kImageFormats;  // the first twice
    s.written_image = s.random.below(6);  // without 1D, which does not have a texel for each lane
    s.read_image = s.random.below(8);
    s.may_return =
        s.stage != Stage::TessControl && s.chance(4) && tgsi::info(s.featured).family != tgsi::Family::subgroup;
    if (s.may_return) s.uniform = false;
    s.by_name = s.chance(2);
    s.shows_all = !s.chance(8);
    if (s.chance(12)) s.properties.emplace_back("PROPERTY LEGACY_MATH_RULES 1");
    begin_stage(s);
    const auto count = options.statements + s.random.below(2 * uint64_t{options.statements} + 1);
    size_t idle = idle_components(s);
    for (uint32_t i = 0; i < count; i++) telling_statement(s, idle);
    for (int i = 0; i < 8 && !s.featured_done; i++)
        s.featured_done = allowed(s, s.featured) && (instruction(s, s.featured) || flow_instruction(s, s.featured));
    end_stage(s);
    emit(s, "END");
    write_subroutines(s);
    return text_of(s);
}

}  // namespace tgsi2spv::difftest
