// Operands: their count, the files that the table allows, their brackets, and whether the registers that they name are
// declared.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "tgsi/check/checker.h"
#include "tgsi/program/survey.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::tgsi {
namespace {

/// Files in which a register may hold the handle of a sampler or an image (bindless).
constexpr FileSet kHandles = kReadable & ~file_set({File::Null, File::Address, File::Predicate});
/// They need no declaration: some producers leave it out (tgsi-text).
constexpr FileSet kResources = kWordMemory | file_set({File::Image, File::Resource});
constexpr FileSet kTwoDimensional = file_set({File::Const, File::HwAtomic, File::TempArray, File::Input, File::Output});

/// The replacement of an operand that names no declared register (semantics: Addressing).
enum class Absent : uint8_t {
    Error,     ///< nothing
    NoEffect,  ///< the instruction gives 0, or does nothing
    Null,      ///< the operand is NULL
};

/// The files that an operand of this type may name, and the name of its role in messages.
struct Role {
    FileSet files;
    const char* what;
    Absent absent = Absent::Error;
    bool is_value = false;  ///< '-' and '|' may modify it
};
constexpr Role kValue{kReadable, "a value", Absent::Null, true};

Role source_role(Opcode op, OperandType type, int n) {
    switch (op) {
        case Opcode::INTERP_CENTROID:
        case Opcode::INTERP_SAMPLE:
        case Opcode::INTERP_OFFSET:
            if (n == 0) return {file_set({File::Input}), "an input", Absent::NoEffect, true};
            break;
        case Opcode::FBFETCH:
            return {file_set({File::Output}), "an output", Absent::NoEffect};
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            // A TEMP names the render target (semantics: Textures).
            if (n == 0)
                return {file_set({File::SamplerView, File::Resource, File::Temp}), "a sampler view", Absent::NoEffect};
            break;
        case Opcode::SAMP2HND:
            return {file_set({File::Sampler}), "a sampler", Absent::NoEffect};
        case Opcode::IMG2HND:
            return {file_set({File::Image}), "an image", Absent::NoEffect};
        case Opcode::LFENCE:
        case Opcode::SFENCE:
        case Opcode::MFENCE:
            return {kResources | kReadable, "a register", Absent::Null, true};
        default:
            break;
    }
    switch (type) {
        case OperandType::Sampler:
            return {file_set({File::Sampler}) | kHandles, "a sampler", Absent::NoEffect};
        case OperandType::SamplerView:
            return {file_set({File::SamplerView, File::Resource}), "a sampler view", Absent::NoEffect};
        case OperandType::Resource:
            return {kResources | kHandles, "a resource", Absent::NoEffect};
        default:
            return kValue;
    }
}

Role destination_role(OperandType type) {
    if (type == OperandType::Resource)
        return {(kResources & ~file_set({File::ConstBuf, File::ResInput})) | kHandles, "a resource that can be written",
                Absent::NoEffect};
    return {kWritable, "a register that can be written", Absent::Null};
}

/// Files whose first bracket selects a separate register space (as in registers.cpp).
bool has_spaces(File file) {
    return file == File::Const || file == File::HwAtomic || file == File::TempArray;
}

bool covered(Checker& checker, File file, int32_t dim, int32_t index) {
    const Range*& last = checker.last_run[static_cast<size_t>(file)];
    if (last != nullptr && last->dim == dim && last->contains(index)) return true;
    const auto runs = checker.registers.runs_of(file);
    const auto after = std::ranges::upper_bound(runs, std::pair(dim, index), {},
                                                [](const Range& r) { return std::pair(r.dim, r.first); });
    if (after == runs.begin()) return false;
    const Range& run = *std::prev(after);
    if (run.dim != dim || !run.contains(index)) return false;
    last = &run;
    return true;
}

/// Writes `TEMP[0..3] and TEMP[8] are declared`; empty if no register of the space is.
std::string declared_hint(const Checker& checker, File file, int32_t dim, bool show_dim) {
    constexpr int kShown = 3;
    std::string hint;
    int runs = 0;
    bool plural = false;
    checker.registers.for_each_run(file, dim, [&](int32_t first, int32_t last) {
        if (++runs > kShown) return;
        if (runs > 1) hint += ", ";
        hint += range_name(file, dim, show_dim, first, last);
        plural |= last != first || runs > 1;
    });
    if (runs == 0) return hint;
    if (runs > kShown) hint += ", …";
    return hint + (plural ? " are declared" : " is declared");
}

/// Reports a register that is not declared and, unless that is an error, tells the consequence.
void report_absent(Checker& checker, uint32_t at, Absent absent, File file, Code code, std::string text,
                   std::string hint = {}) {
    if (absent == Absent::Error) return checker.fail(at, code, std::move(text), std::move(hint));
    const bool read_only = !contains(kWritable | kResources, file);
    checker.warn(at, code,
                 std::move(text) + (read_only ? ": it reads as 0" : ": it reads as 0, and writes are dropped"),
                 std::move(hint));
}

void undeclared(Checker& checker, uint32_t at, Absent absent, File file, int32_t dim, bool show_dim, int32_t index) {
    if (absent != Absent::Error && !checker.warns()) return;
    const std::string text = range_name(file, dim, show_dim, index, index);
    std::string hint = declared_hint(checker, file, dim, show_dim);
    if (!hint.empty() && !contains(kResources, file))
        return report_absent(checker, at, absent, file, "index-out-of-range", text + " is outside the declared range",
                             std::move(hint));
    report_absent(checker, at, absent, file, "undeclared-register", text + " is not declared", std::move(hint));
}

void replace(Checker& checker, const Operand& operand, Absent absent) {
    checker.lacks_register |= absent == Absent::NoEffect;
    if (absent != Absent::Null) return;
    Operand& own = checker.program.operands[static_cast<size_t>(&operand - checker.program.operands.data())];
    own.file = File::Null;
    own.index = own.dim = 0;
    own.has_dim = own.dim_is_relative = own.index_is_relative = false;
    own.array_id = own.dim_array_id = 0;
}

/// Most operands: one register by number, in the same run as the last operand of its file. Nothing can be wrong with
/// it.
bool is_plain(const Checker& checker, const Operand& operand) {
    if (operand.index_is_relative || operand.dim_is_relative || (operand.array_id | operand.dim_array_id) != 0)
        return false;
    if (operand.has_dim && operand.file != File::Const) return false;
    if ((operand.file == File::Input || operand.file == File::Output) && checker.has_vertices) return false;
    const Range* last = checker.last_run[static_cast<size_t>(operand.file)];
    return last != nullptr && last->dim == operand.dim && last->contains(operand.index);
}

/// A value of a plain register, or a destination in one: no role and no modifier can be wrong.
bool is_plain_value(const Checker& checker, const Operand& operand, FileSet files) {
    return contains(files, operand.file) && is_plain(checker, operand);
}

/// The declaration that decides whether a register is an array over vertices: that of the register, if it is known, for
/// any array of the operand.
const Declaration* declaration_of(const Checker& checker, const Operand& operand) {
    const uint16_t id = operand.array_id != 0 ? operand.array_id : operand.dim_array_id;
    const Range* r = !operand.index_is_relative ? checker.registers.find(operand.file, operand.index)
                     : id != 0                  ? checker.registers.array(operand.file, id)
                                                : nullptr;
    return declaration_of(checker.program, r);
}

/// One bracket where the declaration has two (`per_vertex`), or two where it has one.
void wrong_brackets(Checker& checker, uint32_t at, File file, bool per_vertex, std::string hint = {}) {
    checker.fail(
        at, "bad-dimension",
        std::string(name(file)) + (per_vertex ? " is an array over vertices: its first index must be the vertex"
                                              : " is declared with one index but used with two"),
        std::move(hint));
}

void check_brackets(Checker& checker, const Operand& operand) {
    const auto file = [&operand] { return std::string(name(operand.file)); };
    if (operand.has_dim && !contains(kTwoDimensional, operand.file))
        return checker.fail(operand.position, "bad-dimension", file() + " takes only one index");
    if (operand.file != File::Input && operand.file != File::Output) return;
    const auto needs_vertex = [&] {
        const std::string index = operand.index_is_relative ? "…" : std::to_string(operand.index);
        wrong_brackets(checker, operand.position, operand.file, true, "write " + file() + "[vertex][" + index + "]");
    };
    if (!operand.has_dim && operand.index_is_relative && operand.array_id == 0 &&
        contains(checker.only_vertices, operand.file))
        return needs_vertex();
    const Declaration* d = declaration_of(checker, operand);
    if (d == nullptr) return;
    if (operand.has_dim && !d->has_dim) return wrong_brackets(checker, operand.position, operand.file, false);
    // A per-primitive PRIM_ID may be declared with [] and read with one bracket (semantics: System values).
    if (!operand.has_dim && d->has_dim && d->semantic != Semantic::PrimId) needs_vertex();
}

void check_relative(Checker& checker, const Operand& operand, const Relative& relative) {
    if (relative.file == File::Null) return;
    const int32_t dim = has_spaces(relative.file) ? relative.dim : 0;
    if (!contains(kReadable, relative.file))
        return checker.fail(operand.position, "bad-index-register",
                            std::string(name(relative.file)) + " cannot be used in an index");
    if (!covered(checker, relative.file, dim, relative.index)) {
        undeclared(checker, operand.position, Absent::Null, relative.file, relative.dim, relative.has_dim,
                   relative.index);
        checker.program.relatives[static_cast<size_t>(&relative - checker.program.relatives.data())] = {.file =
                                                                                                            File::Null};
        return;
    }
    if (!checker.has_vertices || (relative.file != File::Input && relative.file != File::Output)) return;
    const Declaration* d = declaration_of(checker.program, checker.registers.find(relative.file, relative.index));
    if (d != nullptr && d->has_dim != relative.has_dim && d->semantic != Semantic::PrimId)
        wrong_brackets(checker, operand.position, relative.file, d->has_dim);
}

/// An index selects among registers with different declarations, but an instruction has one target, format and
/// type (semantics: Text). Reported once for each file.
void check_same_types(Checker& checker, const Operand& operand) {
    constexpr FileSet kTyped = file_set({File::SamplerView, File::Image, File::Resource});
    if (!contains(kTyped, operand.file) || contains(checker.indexed, operand.file) || operand.array_id != 0) return;
    checker.indexed |= FileSet{1} << static_cast<int>(operand.file);
    const auto type_of = [](const Declaration& d) {
        return std::tuple(d.target, d.format, d.raw, std::to_array(d.returns));
    };
    const Declaration* first = nullptr;
    for (const Declaration& d : checker.program.declarations) {
        if (d.file != operand.file) continue;
        if (first == nullptr) first = &d;
        if (type_of(d) == type_of(*first)) continue;
        const std::string all = std::string(name(operand.file));
        checker.warn(
            operand.position, "mixed-declarations",
            "the index may select any " + all + ", but their declarations differ; one declaration is used for all");
        return;
    }
}

/// Checks that the register is declared.
void check_register(Checker& checker, const Operand& operand, Absent absent) {
    if (is_plain(checker, operand)) return;
    if (operand.file == File::Null || contains(kNamedMemory, operand.file)) return;
    if (operand.dim_is_relative) check_relative(checker, operand, *checker.program.dim_relative(operand));
    if (operand.index_is_relative) {
        check_relative(checker, operand, *checker.program.index_relative(operand));
        check_same_types(checker, operand);
    }
    if (operand.has_dim || operand.file == File::Input || operand.file == File::Output)
        check_brackets(checker, operand);
    const uint16_t id = operand.array_id != 0 ? operand.array_id : operand.dim_array_id;
    if (id != 0 && checker.registers.array(operand.file, id) == nullptr)
        return checker.fail(operand.position, "unknown-array",
                            std::string(name(operand.file)) + " has no ARRAY(" + std::to_string(id) + ")");
    const int32_t dim = has_spaces(operand.file) ? operand.dim : 0;
    if ((!operand.index_is_relative && operand.index < 0) || (!operand.dim_is_relative && operand.dim < 0)) {
        // Producers print these for resources that are not there.
        if (absent == Absent::Error || checker.warns())
            report_absent(checker, operand.position, absent, operand.file, "negative-index",
                          std::string(name(operand.file)) + " has a negative index");
        return replace(checker, operand, absent);
    }
    if (std::max(operand.index_is_relative ? 0 : operand.index, operand.dim_is_relative ? 0 : operand.dim) >=
        static_cast<int64_t>(std::min(checker.limits.registers, kMaxRegisters)))
        return checker.fail(
            operand.position, "register-limit",
            "the register is beyond the limit of " + std::to_string(checker.limits.registers) + " registers");
    const bool show_dim = operand.has_dim && !operand.dim_is_relative && has_spaces(operand.file);
    if (!operand.index_is_relative && !(operand.dim_is_relative && has_spaces(operand.file))) {
        if (covered(checker, operand.file, dim, operand.index)) return;
        undeclared(checker, operand.position, absent, operand.file, dim, show_dim, operand.index);
        return replace(checker, operand, absent);
    }
    const bool by_space = operand.dim_is_relative && has_spaces(operand.file);
    if (by_space ? checker.registers.dims(operand.file) != 0
                 : checker.registers.count(operand.file, dim) != 0 || contains(kResources, operand.file))
        return;
    if (absent == Absent::Error || checker.warns())
        report_absent(
            checker, operand.position, absent, operand.file, "undeclared-register",
            std::string(name(operand.file)) + (show_dim ? '[' + std::to_string(dim) + ']' : "") + " is not declared");
    replace(checker, operand, absent);
}

void check_operand(Checker& checker, const OpcodeInfo& info_of, const Operand& operand, Role role,
                   bool is_destination) {
    if (!contains(role.files, operand.file)) {
        const std::string what = is_destination && contains(kReadable, operand.file) && role.files == kWritable
                                     ? std::string(name(operand.file)) + " cannot be written"
                                     : std::string(info_of.mnemonic) + " needs " + role.what + " here, not " +
                                           std::string(name(operand.file));
        const bool may_copy = role.files == file_set({File::Input}) && operand.file == File::Temp;
        return checker.fail(
            operand.position,
            is_destination && contains(kReadable, operand.file) ? Code("not-writable") : Code("bad-register-file"),
            what, may_copy ? "a TEMP counts as the input where it certainly holds an unchanged copy of one" : "");
    }
    if ((operand.negate || operand.absolute) && !(role.is_value && contains(kReadable, operand.file)))
        checker.fail(
            operand.position, "modifier-on-resource",
            "'-' and '|' modify values, but " + std::string(info_of.mnemonic) + " takes " + role.what + " here");
    check_register(checker, operand, role.absent);
}

void check_predicate(Checker& checker, const Instruction& instruction, const OpcodeInfo& info) {
    const Operand* const p = checker.program.predicate(instruction);
    if (p != nullptr) check_operand(checker, info, *p, {file_set({File::Predicate}), "PRED", Absent::Null}, false);
}

/// Whether every source is a value: no texture, no resource, no input or output by name.
bool takes_values(const OpcodeInfo& info) {
    return info.family != Family::texture && info.family != Family::memory && info.family != Family::io;
}

bool is_wide(ImmediateType type) {
    return type == ImmediateType::Float64 || type == ImmediateType::Uint64 || type == ImmediateType::Int64;
}

/// Memory is addressed by the 32 bits in x (semantics: Memory). A 64-bit address (an immediate of a 64-bit type or, in
/// GLOBAL memory, a pair of components as 64-bit opcodes use them) would lose its high word.
void check_address(Checker& checker, const Instruction& instruction) {
    const bool stores = instruction.op == Opcode::STORE;
    if (instruction.num_src < (stores ? 1 : 2)) return;
    const Operand& resource = stores ? checker.program.dsts(instruction)[0] : checker.program.srcs(instruction)[0];
    const Operand& address = checker.program.srcs(instruction)[stores ? 0 : 1];
    const auto index = static_cast<size_t>(address.index);
    bool wide = address.file == File::Immediate && !address.index_is_relative &&
                index < checker.program.immediates.size() && is_wide(checker.program.immediates[index].type);
    wide &= contains(kWordMemory, resource.file);
    bool global = resource.file == File::ResGlobal;
    if (resource.file == File::Memory) {
        const Declaration* d = declaration_of(checker, resource);
        global = d != nullptr && d->memory_kind == MemoryKind::Global;
    }
    constexpr uint8_t kLowPair = 0x44, kHighPair = 0xee;  // xyxy, zwzw
    if (wide || (global && (address.swizzle == kLowPair || address.swizzle == kHighPair)))
        checker.fail(address.position, "wide-address",
                     std::string(info(instruction.op).mnemonic) +
                         " takes no 64-bit address: memory is addressed by the 32 bits in x",
                     "use only the low word, as in .xxxx");
}

/// STORE and atomics need a RES that is declared with WR (newest, Declaration Resource).
void check_writable(Checker& checker, const Operand& operand) {
    if (operand.file != File::Resource) return;
    const Declaration* d = declaration_of(checker.program, checker.registers.naming(operand, operand.file));
    if (d != nullptr && !d->writable)
        checker.fail(operand.position, "not-writable", "RES is declared without WR, so it cannot be written");
}

}  // namespace

void check_operands(Checker& checker, const Instruction& instruction, const OpcodeInfo& info) {
    if (instruction.num_dst != info.num_dst || instruction.num_src < min_sources(instruction.op) ||
        instruction.num_src > max_sources(instruction.op))
        return checker.fail(instruction.position, "operand-count",
                            "wrong number of operands for " + std::string(info.mnemonic));
    int n = 0;
    for (const Operand& d : checker.program.dsts(instruction)) {
        const OperandType type = info.dst[n++];
        const bool plain = type != OperandType::Resource && is_plain_value(checker, d, kWritable);
        if (!plain) check_operand(checker, info, d, destination_role(type), true);
    }
    if (info.family == Family::io && instruction.num_src != 0 &&
        checker.program.srcs(instruction)[0].file == File::Temp)
        follow_copies(checker);
    if (takes_values(info)) {
        for (const Operand& s : checker.program.srcs(instruction))
            if (!is_plain_value(checker, s, kReadable)) check_operand(checker, info, s, kValue, false);
        check_predicate(checker, instruction, info);
        return;
    }
    n = 0;
    for (const Operand& s : checker.program.srcs(instruction)) {
        // TG4 without a component has its sampler in the component's place.
        const int in_table = instruction.op == Opcode::TG4 && n == instruction.num_src - 1 ? info.num_src - 1 : n;
        const OperandType type = in_table < info.num_src ? info.src[in_table] : OperandType::Untyped;
        check_operand(checker, info, s, source_role(instruction.op, type, n), false);
        ++n;
    }
    for (const Operand& s : checker.program.offsets(instruction)) check_operand(checker, info, s, kValue, false);
    check_predicate(checker, instruction, info);
    if (instruction.op == Opcode::INTERP_CENTROID || instruction.op == Opcode::INTERP_OFFSET ||
        instruction.op == Opcode::INTERP_SAMPLE)
        return;
    if (info.form == Form::memory) check_address(checker, instruction);
    const bool atomic = info.form == Form::memory && instruction.num_src > 2;
    // CONSTBUF and RINPUT are read-only. (As STORE's destination, they are in no role.)
    if (atomic && contains(file_set({File::ConstBuf, File::ResInput}), checker.program.srcs(instruction)[0].file))
        return checker.fail(checker.program.srcs(instruction)[0].position, "not-writable",
                            std::string(name(checker.program.srcs(instruction)[0].file)) + " cannot be written");
    if (atomic || instruction.op == Opcode::STORE)
        check_writable(checker, atomic ? checker.program.srcs(instruction)[0] : checker.program.dsts(instruction)[0]);
}

}  // namespace tgsi2spv::tgsi
