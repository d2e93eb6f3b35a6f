#include "tgsi/check/check.h"

#include <algorithm>
#include <utility>

#include "tgsi/check/checker.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::tgsi {
namespace {

/// `VERT or FRAG`.
std::string stage_list(uint8_t stages) {
    std::string list;
    for (int i = 0; i < kStageCount; ++i) {
        if (!(stages >> i & 1)) continue;
        if (!list.empty()) list += " or ";
        list += name(static_cast<Stage>(i));
    }
    return list;
}

bool has_semantic(File file) {
    return file == File::Input || file == File::Output || file == File::SystemValue;
}

void check_declaration(Checker& checker, const Declaration& declaration) {
    const Stage stage = checker.program.stage;
    const auto file = [&declaration] { return std::string(name(declaration.file)); };
    if (declaration.has_semantic && !has_semantic(declaration.file))
        return checker.fail(declaration.position, "unexpected-attribute", file() + " takes no semantic");
    if (stage == Stage::Compute && (declaration.file == File::Input || declaration.file == File::Output))
        return checker.fail(declaration.position, "wrong-stage", "COMP has no " + file(),
                            "COMP reads system values and memory, and writes memory");
    // semantics: Machine. Inputs of VERT need none.
    const bool needs_semantic = declaration.file == File::SystemValue || declaration.file == File::Output ||
                                (declaration.file == File::Input && stage != Stage::Vertex);
    if (needs_semantic && !declaration.has_semantic)
        return checker.fail(declaration.position, "missing-semantic",
                            file() + " of " + std::string(name(stage)) + " needs a semantic after its registers");
    if (declaration.dim_is_empty && !has_vertices(stage, declaration.file))
        return checker.fail(
            declaration.position, "bad-dimension",
            file() + "[] declares an array over vertices, which " + std::string(name(stage)) + " does not have");
    if ((declaration.file == File::SamplerView || declaration.file == File::Image ||
         declaration.file == File::Resource) &&
        declaration.target == Target::None)
        return checker.fail(declaration.position, "missing-target", file() + " needs a target such as 2D");
    if (declaration.has_dim && !declaration.dim_is_empty && declaration.file != File::Const &&
        declaration.file != File::HwAtomic && declaration.file != File::TempArray &&
        !has_vertices(stage, declaration.file))
        return checker.fail(declaration.position, "bad-dimension", file() + " takes only one index");
    if (stage == Stage::Fragment && declaration.file == File::Output && declaration.semantic != Semantic::Color &&
        declaration.semantic != Semantic::Position && declaration.semantic != Semantic::Stencil &&
        declaration.semantic != Semantic::SampleMask)
        checker.fail(declaration.position, "bad-semantic",
                     "FRAG has no " + std::string(name(declaration.semantic)) + " output",
                     "the outputs of FRAG are COLOR, POSITION, STENCIL and SAMPLEMASK");
}

/// Ranges may overlap, but lists of registers are as long as all of them together.
void check_total(Checker& checker) {
    constexpr uint64_t kMostTimes = 64;  // twice the constant buffers that gallium has
    const uint64_t most = kMostTimes * std::min(checker.limits.registers, kMaxRegisters);
    uint64_t total = 0;
    for (const Declaration& d : checker.program.declarations) {
        total += static_cast<uint64_t>(d.last - d.first) + 1;
        if (total > most)
            return checker.fail(d.position, "register-limit",
                                "all declarations together have more than " + std::to_string(most) + " registers");
    }
}

/// Mesa declares some registers twice, with other masks and array ids.
bool are_alike(Stage stage, const Declaration& a, const Declaration& b) {
    const bool is_interpolated = stage == Stage::Fragment && a.semantic != Semantic::Position;
    return (!is_interpolated || (a.interpolation == b.interpolation && a.location == b.location)) &&
           a.target == b.target && std::ranges::equal(a.returns, b.returns) && a.format == b.format &&
           a.writable == b.writable && a.raw == b.raw && a.atomic == b.atomic && a.memory_kind == b.memory_kind;
}

/// Registers may be declared twice, but not as two things: with two semantics, or a component in two ways. Those that
/// overlap are all alike up to the first error, so comparing with the last one to end is enough.
void check_overlaps(Checker& checker) {
    const Declaration* last_to_end[2][5] = {};  // by has_dim: of all, and of those with each component
    for (const uint32_t r : checker.registers.order_) {
        const uint32_t index = checker.registers.ranges[r].declaration;
        if (index == kNoDeclaration) continue;
        const Declaration& d = checker.program.declarations[index];
        bool failed = false;
        for (int slot = 0; slot < 5; ++slot) {
            if (!((d.usage_mask << 1 | 1) >> slot & 1)) continue;
            const Declaration*& before = last_to_end[d.has_dim][slot];
            if (before == nullptr || before->file != d.file || before->last < d.first) {
                before = &d;
                continue;
            }
            const uint32_t there = before->semantic_index + static_cast<uint32_t>(d.first - before->first);
            const bool two_semantics =
                has_semantic(d.file) && (before->semantic != d.semantic || there != d.semantic_index);
            if (!failed && (two_semantics || (slot > 0 && !are_alike(checker.program.stage, *before, d)))) {
                const auto [first, second] = std::minmax(before->position, d.position);
                checker.fail(second, two_semantics ? Code("two-semantics") : Code("two-declarations"),
                             range_name(d.file, 0, false, d.first, d.first) + " is declared " +
                                 (two_semantics ? "with two semantics" : "in two ways"));
                checker.note(first, "the other declaration is here");
                failed = true;
            }
            if (d.last > before->last) before = &d;
        }
    }
}

/// Warns if two outputs have one semantic: the last declared wins (semantics: Machine). A text with more outputs than
/// any stage has locations is not searched.
void check_semantics(Checker& checker) {
    constexpr size_t kMost = 128;
    const Declaration* outputs[kMost];
    size_t count = 0;
    for (const Declaration& d : checker.program.declarations) {
        if (d.file != File::Output || !d.has_semantic) continue;
        const auto last = [](const Declaration& of) {
            return of.semantic_index + static_cast<uint32_t>(of.last - of.first);
        };
        const auto same = [&](const Declaration* o) {
            return o->semantic == d.semantic && (o->usage_mask & d.usage_mask) != 0 && o->first != d.first &&
                   o->semantic_index <= last(d) && d.semantic_index <= last(*o) &&
                   std::ranges::equal(o->streams, d.streams);
        };
        if (std::any_of(outputs, outputs + count, same) && checker.warns())
            checker.warn(d.position, "repeated-semantic",
                         std::string(name(d.semantic)) + '[' + std::to_string(d.semantic_index) +
                             "] is also another output, and this one wins");
        if (count == kMost) return;
        outputs[count++] = &d;
    }
}

/// The files of which every declared register is an array over vertices.
FileSet only_vertices(const Program& program) {
    FileSet with = 0, without = 0;
    for (const Declaration& d : program.declarations) {
        const bool per_vertex = d.has_dim && d.semantic != Semantic::PrimId;
        (per_vertex ? with : without) |= FileSet{1} << static_cast<int>(d.file);
    }
    return with & ~without;
}

/// Whether every register of a simple instruction is declared, with the number of brackets that its uses have.
bool simple_are_declared(const Checker& checker, const Survey& survey) {
    const auto misses = [&](int space, File file, int32_t dim) {
        return !survey.used[static_cast<size_t>(space)].empty() &&
               uses_undeclared(survey, space, checker.registers, file, dim);
    };
    for (int file = 0; file < kFileCount; ++file)
        if (misses(file, static_cast<File>(file), 0)) return false;
    for (int32_t dim = 1; survey.beyond_files && dim < Survey::kConstBuffers; ++dim)
        if (misses(kFileCount + dim, File::Const, dim)) return false;
    if (misses(Survey::kVertexInput, File::Input, 0) || misses(Survey::kVertexOutput, File::Output, 0)) return false;
    for (const Declaration& d : checker.program.declarations) {
        const int vertex = Survey::vertex_space_of(d.file);
        if (vertex < 0) continue;
        // A per-primitive PRIM_ID may be declared with [] and read with one bracket (semantics: System values).
        const bool one_bracket = !d.has_dim || d.semantic == Semantic::PrimId;
        if (!one_bracket && survey.used[static_cast<size_t>(d.file)].meets(d.first, d.last)) return false;
        if (!d.has_dim && survey.used[static_cast<size_t>(vertex)].meets(d.first, d.last)) return false;
    }
    return true;
}

/// semantics: Addressing. An instruction on a register that does not exist gives 0, or does nothing.
void without_register(Program& program, Instruction& instruction) {
    const Operand* const predicate = program.predicate(instruction);
    Operand* operand = program.operands.data() + instruction.first_operand;
    const bool stores = instruction.op == Opcode::STORE;
    instruction.num_dst = instruction.num_src = stores ? 0 : 1;
    if (!stores) {
        ++operand;
        *operand = {.file = File::Null, .swizzle_letters = 0, .position = operand->position};
        ++operand;
    }
    if (predicate != nullptr) *operand = *predicate;
    instruction.op = stores ? Opcode::NOP : Opcode::MOV;
    instruction.num_offsets = instruction.qualifiers = 0;
    instruction.saturate = instruction.saturate_signed = false;
    instruction.target = Target::None;
    instruction.format = 0;
}

/// semantics: Addressing. A predicate that does not exist is 0: the instruction always happens, or never.
void without_predicate(Instruction& instruction) {
    instruction.has_predicate = false;
    if (instruction.predicate_inverted) return;
    const uint32_t first = instruction.first_operand, position = instruction.position;
    instruction = {};
    instruction.op = Opcode::NOP;
    instruction.first_operand = first;
    instruction.position = position;
}

void check_instruction(Checker& checker, Instruction& instruction) {
    const OpcodeInfo& o = info(instruction.op);
    if (!(o.stages >> static_cast<int>(checker.program.stage) & 1))
        checker.fail(instruction.position, "wrong-stage",
                     std::string(o.mnemonic) + " is not allowed in " + std::string(name(checker.program.stage)),
                     "allowed only in " + stage_list(o.stages));
    const uint32_t errors = checker.errors;
    check_operands(checker, instruction, o);
    if (checker.errors == errors) check_modifiers(checker, instruction, o);
    if (std::exchange(checker.lacks_register, false))
        without_register(checker.program, instruction);
    else if (o.form == Form::tex || o.form == Form::sample || o.form == Form::memory)
        check_texture(checker, instruction, o);
    const Operand* const predicate = checker.program.predicate(instruction);
    if (predicate != nullptr && predicate->file == File::Null) without_predicate(instruction);
}

}  // namespace

void Checker::fail(uint32_t at, Code code, std::string message, std::string hint) {
    if (stop) return;
    ++errors;
    if (errors > limits.errors) {
        stop = true;
        diagnostics.push_back(
            {Severity::Error, "too-many-errors", at, 0, "more than " + std::to_string(limits.errors) + " errors", {}});
        return;
    }
    diagnostics.push_back({Severity::Error, code, at, 0, std::move(message), std::move(hint)});
}

void Checker::warn(uint32_t at, Code code, std::string message, std::string hint) {
    if (!warns()) return;
    ++warnings;
    diagnostics.push_back({Severity::Warning, code, at, 0, std::move(message), std::move(hint)});
}

void Checker::note(uint32_t at, std::string message) {
    if (!stop) diagnostics.push_back({Severity::Note, "note", at, 0, std::move(message), {}});
}

std::string range_name(File file, int32_t dim, bool show_dim, int32_t first, int32_t last) {
    std::string text(name(file));
    if (show_dim) text += '[' + std::to_string(dim) + ']';
    text += '[' + std::to_string(first);
    if (last != first) text += ".." + std::to_string(last);
    return text + ']';
}

bool check(Program& program, const Limits& limits, std::vector<Diagnostic>& diagnostics) {
    return check(program, gather(program), limits, diagnostics);
}

bool check(Program& program, const Registers& registers, const Limits& limits, std::vector<Diagnostic>& diagnostics) {
    Survey nothing_simple;
    survey(program, nothing_simple);
    return check(program, registers, nothing_simple, limits, diagnostics);
}

bool check(Program& program, const Registers& registers, const Survey& survey, const Limits& limits,
           std::vector<Diagnostic>& diagnostics, std::pmr::memory_resource* memory) {
    Checker c{program, limits, diagnostics, registers, memory};
    c.has_vertices = has_vertices(program.stage, File::Input);
    if (c.has_vertices) c.only_vertices = only_vertices(program);
    for (const Declaration& d : program.declarations) {
        if (c.stop) break;
        check_declaration(c, d);
    }
    check_total(c);
    if (registers.overlap_) check_overlaps(c);
    check_semantics(c);
    if (c.errors == 0 && simple_are_declared(c, survey)) {
        for (const uint32_t i : survey.others) {
            if (c.stop) break;
            check_instruction(c, program.instructions[i]);
        }
    } else {
        for (Instruction& i : program.instructions) {
            if (c.stop) break;
            check_instruction(c, i);
        }
    }
    check_flow(c, survey.flow);
    return c.errors == 0;
}

}  // namespace tgsi2spv::tgsi
