#include "generate/generate.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "generate/rules.h"
#include "generate/shader.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace generate {

namespace {

using tgsi::Opcode;
using tgsi::Stage;

/// One statement in this many is a construct of flow.
constexpr uint32_t kConstruct = 6;
/// A program of constructs in constructs gets no more of them after this many lines, so that drivers compile it soon.
constexpr size_t kNestedText = 400;

Opcode random_opcode(Shader& shader) {
    return static_cast<Opcode>(shader.random.below(tgsi::kOpcodeCount));
}

bool allowed(const Shader& shader, Opcode op) {
    const auto& info = tgsi::info(op);
    return (info.stages >> static_cast<int>(shader.stage) & 1) != 0 && (shader.wide || !info.is_wide);
}

Stage choose_stage(Shader& shader) {
    if (shader.options.stage) return *shader.options.stage;
    constexpr Stage kStages[] = {Stage::Vertex,  Stage::Fragment, Stage::Fragment,    Stage::Compute,
                                 Stage::Compute, Stage::Geometry, Stage::TessControl, Stage::TessEval};
    std::vector<Stage> able;
    for (Stage stage : kStages)
        if ((tgsi::info(shader.featured).stages >> static_cast<int>(stage) & 1) != 0) able.push_back(stage);
    return able.empty() ? Stage::Fragment : shader.any_of(able);
}

std::string immediate_text(const Immediate& immediate, size_t index) {
    const auto wide = [&](int i) { return uint64_t{immediate.words[2 * i + 1]} << 32 | immediate.words[2 * i]; };
    switch (immediate.kind) {
        case Kind::Float: {
            const auto f = [&](int i) { return std::bit_cast<float>(immediate.words[i]); };
            return fmt::format("IMM[{}] FLT32 {{{:.9g}, {:.9g}, {:.9g}, {:.9g}}}", index, f(0), f(1), f(2), f(3));
        }
        case Kind::Double:
            return fmt::format("IMM[{}] FLT64 {{{:.17g}, {:.17g}}}", index, std::bit_cast<double>(wide(0)),
                               std::bit_cast<double>(wide(1)));
        case Kind::Long:
            return fmt::format("IMM[{}] UINT64 {{{}, {}}}", index, wide(0), wide(1));
        default:
            return fmt::format("IMM[{}] UINT32 {{{}, {}, {}, {}}}", index, immediate.words[0], immediate.words[1],
                               immediate.words[2], immediate.words[3]);
    }
}

}  // namespace

std::string text_of(const Shader& shader) {
    std::string text(tgsi::name(shader.stage));
    text += '\n';
    for (const auto& line : shader.properties) text += line + '\n';
    for (const auto& line : shader.declarations) text += line + '\n';
    if (shader.temps > 0) text += fmt::format("DCL TEMP[0..{}]\n", shader.temps - 1);
    for (size_t i = 0; i < shader.immediates.size(); i++) text += immediate_text(shader.immediates[i], i) + '\n';
    for (size_t i = 0; i < shader.code.size(); i++) text += fmt::format("{:3}: {}\n", i, shader.code[i]);
    return text;
}

namespace {

bool instruction(Shader& shader, Opcode op) {
    return plain_instruction(shader, op) || texture_instruction(shader, op) || memory_instruction(shader, op) ||
           primitive_instruction(shader, op) || special_instruction(shader, op);
}

void plain_statement(Shader& shader) {
    if (shader.chance(12) && store_to_array(shader)) return;
    if (shader.chance(24) && edge_instruction(shader)) return;
    const bool feature = !shader.featured_done && shader.chance(4);
    for (int attempt = 0; attempt < 40; attempt++) {
        const Opcode op = feature && attempt < 8 ? shader.featured : random_opcode(shader);
        if (!allowed(shader, op)) continue;
        if (!instruction(shader, op) && !(feature && attempt < 8 && flow_instruction(shader, op))) continue;
        shader.featured_done |= op == shader.featured;
        return;
    }
}

/// Draws whether a statement is a construct of flow.
bool is_construct(Shader& shader) {
    return shader.nests ? !shader.chance(4) : shader.chance(kConstruct);
}

uint32_t random_construct(Shader& shader) {
    constexpr uint32_t kNested[] = {0, 0, 3, 4, 4, 6, 6, 8, 8, 8, 5, 5};  // mostly SWITCH and exits; last calls
    return shader.nests ? kNested[shader.random.below(std::size(kNested) - (shader.nests_calls ? 0 : 2))]
                        : static_cast<uint32_t>(shader.random.below(kConstructs));
}

/// Writes a statement several times and keeps the attempt with the fewest idle components. A construct keeps its kind,
/// since constructs with more text are idle more often and would be replaced. `idle` is the number of components that
/// are already idle.
void telling_statement(Shader& shader, size_t& idle) {
    // With more attempts, few constructs would be left in constructs.
    constexpr int kAttempts = 6, kAttemptsOfConstructs = 12, kAttemptsOfNests = 2;
    const int attempts_of_constructs = shader.nests ? kAttemptsOfNests : kAttemptsOfConstructs;
    if (shader.ended) return;
    const auto construct = is_construct(shader) ? std::optional(random_construct(shader)) : std::nullopt;
    if (shader.options.draft) return construct ? flow(shader, *construct) : plain_statement(shader);
    const Shader before = shader;
    std::optional<Shader> best;
    size_t least = 0;  // of the best attempt
    for (int attempt = 0; attempt < (construct ? attempts_of_constructs : kAttempts); attempt++) {
        const Random draws = shader.random;
        shader = before;
        shader.random = draws;
        construct ? flow(shader, *construct) : plain_statement(shader);
        const size_t left = idle_components(shader);
        if (left <= idle) {
            idle = left;
            return;
        }
        if (!best || left < least) best = shader, least = left;
    }
    idle = least;
    const Random draws = shader.random;
    shader = std::move(*best);
    shader.random = draws;
}

}  // namespace

void statement(Shader& shader) {
    const bool may_nest =
        shader.nests ? shader.depth + 1 < max_depth(shader) && shader.code.size() < kNestedText : shader.depth < 3;
    if (may_nest && is_construct(shader)) return flow(shader, random_construct(shader));
    plain_statement(shader);
}

void statements(Shader& shader, int count) {
    for (int i = 0; i < count && !shader.ended; i++) statement(shader);
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
    s.nests = !s.shows_all && !s.chance(4);
    s.nests_calls = s.chance(3);
    if (s.nests && is_fragment(s) && s.chance(2)) s.may_kill = true;
    if (s.chance(12)) s.properties.emplace_back("PROPERTY LEGACY_MATH_RULES 1");
    const bool may_return = s.may_return;
    begin_stage(s);
    const auto count = options.statements + s.random.below(2 * uint64_t{options.statements} + 1);
    size_t idle = options.draft ? 0 : idle_components(s);
    for (uint32_t i = 0; i < count; i++) telling_statement(s, idle);
    for (int i = 0; i < 8 && !s.featured_done; i++)
        s.featured_done = allowed(s, s.featured) && (instruction(s, s.featured) || flow_instruction(s, s.featured));
    if (s.nests && s.subroutines.empty() && s.chance(2)) unneeded_loop(s);
    end_stage(s);
    if (may_return && s.chance(2)) return_at_end(s);
    emit(s, "END");
    write_subroutines(s);
    return text_of(s);
}

}  // namespace tgsi2spv::difftest
