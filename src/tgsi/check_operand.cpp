// Operands: their count, the files that the table allows, their brackets, and whether the registers that they name are
// declared.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "tgsi/checker.h"
#include "tgsi/names.h"
#include "tgsi/survey.h"

namespace tgsi2spv::tgsi {
namespace {

/// Files in which a register may hold the handle of a sampler or an image (bindless).
constexpr FileSet kHandles = kReadable & ~file_set({File::Null, File::Address, File::Predicate});
/// They need no declaration: some producers leave it out (tgsi-text).
constexpr FileSet kResources = kWordMemory | file_set({File::Image, File::Resource});
constexpr FileSet kTwoDimensional = file_set({File::Const, File::HwAtomic, File::TempArray, File::Input, File::Output});

/// What an operand becomes that names no declared register (semantics: Addressing).
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

bool covered(Checker& c, File file, int32_t dim, int32_t index) {
    const Range*& last = c.last_run[static_cast<size_t>(file)];
    if (last != nullptr && last->dim == dim && last->contains(index)) return true;
    const auto runs = c.registers.runs_of(file);
    const auto after = std::ranges::upper_bound(runs, std::pair(dim, index), {},
                                                [](const Range& r) { return std::pair(r.dim, r.first); });
    if (after == runs.begin()) return false;
    const Range& run = *std::prev(after);
    if (run.dim != dim || !run.contains(index)) return false;
    last = &run;
    return true;
}

/// Writes `TEMP[0..3] and TEMP[8] are declared`; empty if no register of the space is.
std::string declared_hint(const Checker& c, File file, int32_t dim, bool show_dim) {
    constexpr int kShown = 3;
    std::string hint;
    int runs = 0;
    bool plural = false;
    c.registers.for_each_run(file, dim, [&](int32_t first, int32_t last) {
        if (++runs > kShown) return;
        if (runs > 1) hint += ", ";
        hint += range_name(file, dim, show_dim, first, last);
        plural |= last != first || runs > 1;
    });
    if (runs == 0) return hint;
    if (runs > kShown) hint += ", …";
    return hint + (plural ? " are declared" : " is declared");
}

/// Reports a register that is not declared and, unless that is an error, says what happens instead.
void report_absent(Checker& c, uint32_t at, Absent absent, File file, Code code, std::string text,
                   std::string hint = {}) {
    if (absent == Absent::Error) return c.fail(at, code, std::move(text), std::move(hint));
    const bool read_only = !contains(kWritable | kResources, file);
    c.warn(at, code, std::move(text) + (read_only ? ": it reads as 0" : ": it reads as 0, and writes are dropped"),
           std::move(hint));
}

void undeclared(Checker& c, uint32_t at, Absent absent, File file, int32_t dim, bool show_dim, int32_t index) {
    if (absent != Absent::Error && !c.warns()) return;
    const std::string text = range_name(file, dim, show_dim, index, index);
    std::string hint = declared_hint(c, file, dim, show_dim);
    if (!hint.empty() && !contains(kResources, file))
        return report_absent(c, at, absent, file, "index-out-of-range", text + " is outside the declared range",
                             std::move(hint));
    report_absent(c, at, absent, file, "undeclared-register", text + " is not declared", std::move(hint));
}

void replace(Checker& c, const Operand& o, Absent absent) {
    c.lacks_register |= absent == Absent::NoEffect;
    if (absent != Absent::Null) return;
    Operand& own = c.program.operands[static_cast<size_t>(&o - c.program.operands.data())];
    own.file = File::Null;
    own.index = own.dim = 0;
    own.has_dim = own.dim_is_relative = own.index_is_relative = false;
    own.array_id = own.dim_array_id = 0;
}

/// Most operands: one register by number, in the same run as the last operand of its file. Nothing can be wrong with
/// it.
bool is_plain(const Checker& c, const Operand& o) {
    if (o.index_is_relative || o.dim_is_relative || (o.array_id | o.dim_array_id) != 0) return false;
    if (o.has_dim && o.file != File::Const) return false;
    if ((o.file == File::Input || o.file == File::Output) && c.has_vertices) return false;
    const Range* last = c.last_run[static_cast<size_t>(o.file)];
    return last != nullptr && last->dim == o.dim && last->contains(o.index);
}

/// A value of a plain register, or a destination in one: no role and no modifier can be wrong.
bool is_plain_value(const Checker& c, const Operand& o, FileSet files) {
    return contains(files, o.file) && is_plain(c, o);
}

/// The declaration that decides whether a register is an array over vertices: that of the register, if it is known,
/// whatever array the operand names.
const Declaration* declaration_of(const Checker& c, const Operand& o) {
    const uint16_t id = o.array_id != 0 ? o.array_id : o.dim_array_id;
    const Range* r = !o.index_is_relative ? c.registers.find(o.file, o.index)
                     : id != 0            ? c.registers.array(o.file, id)
                                          : nullptr;
    return declaration_of(c.program, r);
}

/// One bracket where the declaration has two (`per_vertex`), or two where it has one.
void wrong_brackets(Checker& c, uint32_t at, File file, bool per_vertex, std::string hint = {}) {
    c.fail(at, "bad-dimension",
           std::string(name(file)) + (per_vertex ? " is an array over vertices: its first index must be the vertex"
                                                 : " is declared with one index but used with two"),
           std::move(hint));
}

void check_brackets(Checker& c, const Operand& o) {
    const auto file = [&o] { return std::string(name(o.file)); };
    if (o.has_dim && !contains(kTwoDimensional, o.file))
        return c.fail(o.position, "bad-dimension", file() + " takes only one index");
    if (o.file != File::Input && o.file != File::Output) return;
    const auto needs_vertex = [&] {
        const std::string index = o.index_is_relative ? "…" : std::to_string(o.index);
        wrong_brackets(c, o.position, o.file, true, "write " + file() + "[vertex][" + index + "]");
    };
    if (!o.has_dim && o.index_is_relative && o.array_id == 0 && contains(c.only_vertices, o.file))
        return needs_vertex();
    const Declaration* d = declaration_of(c, o);
    if (d == nullptr) return;
    if (o.has_dim && !d->has_dim) return wrong_brackets(c, o.position, o.file, false);
    // A per-primitive PRIM_ID may be declared with [] and read with one bracket (semantics: System values).
    if (!o.has_dim && d->has_dim && d->semantic != Semantic::PrimId) needs_vertex();
}

void check_relative(Checker& c, const Operand& o, const Relative& r) {
    if (r.file == File::Null) return;
    const int32_t dim = has_spaces(r.file) ? r.dim : 0;
    if (!contains(kReadable, r.file))
        return c.fail(o.position, "bad-index-register", std::string(name(r.file)) + " cannot be used in an index");
    if (!covered(c, r.file, dim, r.index)) {
        undeclared(c, o.position, Absent::Null, r.file, r.dim, r.has_dim, r.index);
        c.program.relatives[static_cast<size_t>(&r - c.program.relatives.data())] = {.file = File::Null};
        return;
    }
    if (!c.has_vertices || (r.file != File::Input && r.file != File::Output)) return;
    const Declaration* d = declaration_of(c.program, c.registers.find(r.file, r.index));
    if (d != nullptr && d->has_dim != r.has_dim && d->semantic != Semantic::PrimId)
        wrong_brackets(c, o.position, r.file, d->has_dim);
}

/// An index selects among registers with different declarations, but an instruction has one target, format and
/// type (semantics: Text). Reported once for each file.
void check_same_types(Checker& c, const Operand& o) {
    constexpr FileSet kTyped = file_set({File::SamplerView, File::Image, File::Resource});
    if (!contains(kTyped, o.file) || contains(c.indexed, o.file) || o.array_id != 0) return;
    c.indexed |= FileSet{1} << static_cast<int>(o.file);
    const auto type_of = [](const Declaration& d) {
        return std::tuple(d.target, d.format, d.raw, std::to_array(d.returns));
    };
    const Declaration* first = nullptr;
    for (const Declaration& d : c.program.declarations) {
        if (d.file != o.file) continue;
        if (first == nullptr) first = &d;
        if (type_of(d) == type_of(*first)) continue;
        const std::string all = std::string(name(o.file));
        c.warn(o.position, "mixed-declarations",
               "the index may select any " + all + ", but their declarations differ; one declaration is used for all");
        return;
    }
}

/// Checks that the register is declared.
void check_register(Checker& c, const Operand& o, Absent absent) {
    if (is_plain(c, o)) return;
    if (o.file == File::Null || contains(kNamedMemory, o.file)) return;
    if (o.dim_is_relative) check_relative(c, o, *c.program.dim_relative(o));
    if (o.index_is_relative) {
        check_relative(c, o, *c.program.index_relative(o));
        check_same_types(c, o);
    }
    if (o.has_dim || o.file == File::Input || o.file == File::Output) check_brackets(c, o);
    const uint16_t id = o.array_id != 0 ? o.array_id : o.dim_array_id;
    if (id != 0 && c.registers.array(o.file, id) == nullptr)
        return c.fail(o.position, "unknown-array",
                      std::string(name(o.file)) + " has no ARRAY(" + std::to_string(id) + ")");
    const int32_t dim = has_spaces(o.file) ? o.dim : 0;
    if ((!o.index_is_relative && o.index < 0) || (!o.dim_is_relative && o.dim < 0)) {
        // Producers print these for resources that are not there.
        if (absent == Absent::Error || c.warns())
            report_absent(c, o.position, absent, o.file, "negative-index",
                          std::string(name(o.file)) + " has a negative index");
        return replace(c, o, absent);
    }
    if (std::max(o.index_is_relative ? 0 : o.index, o.dim_is_relative ? 0 : o.dim) >=
        static_cast<int64_t>(std::min(c.limits.registers, kMaxRegisters)))
        return c.fail(o.position, "register-limit",
                      "the register is beyond the limit of " + std::to_string(c.limits.registers) + " registers");
    const bool show_dim = o.has_dim && !o.dim_is_relative && has_spaces(o.file);
    if (!o.index_is_relative && !(o.dim_is_relative && has_spaces(o.file))) {
        if (covered(c, o.file, dim, o.index)) return;
        undeclared(c, o.position, absent, o.file, dim, show_dim, o.index);
        return replace(c, o, absent);
    }
    const bool by_space = o.dim_is_relative && has_spaces(o.file);
    if (by_space ? c.registers.dims(o.file) != 0 : c.registers.count(o.file, dim) != 0 || contains(kResources, o.file))
        return;
    if (absent == Absent::Error || c.warns())
        report_absent(
            c, o.position, absent, o.file, "undeclared-register",
            std::string(name(o.file)) + (show_dim ? '[' + std::to_string(dim) + ']' : "") + " is not declared");
    replace(c, o, absent);
}

void check_operand(Checker& c, const OpcodeInfo& info_of, const Operand& o, Role role, bool is_destination) {
    if (!contains(role.files, o.file)) {
        const std::string what =
            is_destination && contains(kReadable, o.file) && role.files == kWritable
                ? std::string(name(o.file)) + " cannot be written"
                : std::string(info_of.mnemonic) + " needs " + role.what + " here, not " + std::string(name(o.file));
        const bool may_copy = role.files == file_set({File::Input}) && o.file == File::Temp;
        return c.fail(o.position,
                      is_destination && contains(kReadable, o.file) ? Code("not-writable") : Code("bad-register-file"),
                      what,
                      may_copy ? "a TEMP counts as the input where it certainly holds an unchanged copy of one" : "");
    }
    if ((o.negate || o.absolute) && !(role.is_value && contains(kReadable, o.file)))
        c.fail(o.position, "modifier-on-resource",
               "'-' and '|' modify values, but " + std::string(info_of.mnemonic) + " takes " + role.what + " here");
    check_register(c, o, role.absent);
}

void check_predicate(Checker& c, const Instruction& i, const OpcodeInfo& o) {
    const Operand* const p = c.program.predicate(i);
    if (p != nullptr) check_operand(c, o, *p, {file_set({File::Predicate}), "PRED", Absent::Null}, false);
}

/// Whether every source is a value: no texture, no resource, no input or output by name.
bool takes_values(const OpcodeInfo& o) {
    return o.family != Family::texture && o.family != Family::memory && o.family != Family::io;
}

bool is_wide(ImmediateType type) {
    return type == ImmediateType::Float64 || type == ImmediateType::Uint64 || type == ImmediateType::Int64;
}

/// Memory is addressed by the 32 bits in x (semantics: Memory). A 64-bit address (an immediate of a 64-bit type or, in
/// GLOBAL memory, a pair of components as 64-bit opcodes use them) would lose its high word.
void check_address(Checker& c, const Instruction& i) {
    const bool stores = i.op == Opcode::STORE;
    if (i.num_src < (stores ? 1 : 2)) return;
    const Operand& resource = stores ? c.program.dsts(i)[0] : c.program.srcs(i)[0];
    const Operand& address = c.program.srcs(i)[stores ? 0 : 1];
    const auto index = static_cast<size_t>(address.index);
    bool wide = address.file == File::Immediate && !address.index_is_relative && index < c.program.immediates.size() &&
                is_wide(c.program.immediates[index].type);
    wide &= contains(kWordMemory, resource.file);
    bool global = resource.file == File::ResGlobal;
    if (resource.file == File::Memory) {
        const Declaration* d = declaration_of(c, resource);
        global = d != nullptr && d->memory_kind == MemoryKind::Global;
    }
    constexpr uint8_t kLowPair = 0x44, kHighPair = 0xee;  // xyxy, zwzw
    if (wide || (global && (address.swizzle == kLowPair || address.swizzle == kHighPair)))
        c.fail(address.position, "wide-address",
               std::string(info(i.op).mnemonic) + " takes no 64-bit address: memory is addressed by the 32 bits in x",
               "use only the low word, as in .xxxx");
}

/// STORE and atomics need a RES that is declared with WR (newest, Declaration Resource).
void check_writable(Checker& c, const Operand& o) {
    if (o.file != File::Resource) return;
    const Declaration* d = declaration_of(c.program, c.registers.naming(o, o.file));
    if (d != nullptr && !d->writable)
        c.fail(o.position, "not-writable", "RES is declared without WR, so it cannot be written");
}

}  // namespace

void check_operands(Checker& c, const Instruction& i, const OpcodeInfo& o) {
    if (i.num_dst != o.num_dst || i.num_src < min_sources(i.op) || i.num_src > max_sources(i.op))
        return c.fail(i.position, "operand-count", "wrong number of operands for " + std::string(o.mnemonic));
    int n = 0;
    for (const Operand& d : c.program.dsts(i)) {
        const OperandType type = o.dst[n++];
        const bool plain = type != OperandType::Resource && is_plain_value(c, d, kWritable);
        if (!plain) check_operand(c, o, d, destination_role(type), true);
    }
    if (o.family == Family::io && i.num_src != 0 && c.program.srcs(i)[0].file == File::Temp) follow_copies(c);
    if (takes_values(o)) {
        for (const Operand& s : c.program.srcs(i))
            if (!is_plain_value(c, s, kReadable)) check_operand(c, o, s, kValue, false);
        check_predicate(c, i, o);
        return;
    }
    n = 0;
    for (const Operand& s : c.program.srcs(i)) {
        // TG4 without a component has its sampler in the component's place.
        const int in_table = i.op == Opcode::TG4 && n == i.num_src - 1 ? o.num_src - 1 : n;
        const OperandType type = in_table < o.num_src ? o.src[in_table] : OperandType::Untyped;
        check_operand(c, o, s, source_role(i.op, type, n), false);
        ++n;
    }
    for (const Operand& s : c.program.offsets(i)) check_operand(c, o, s, kValue, false);
    check_predicate(c, i, o);
    if (i.op == Opcode::INTERP_CENTROID || i.op == Opcode::INTERP_OFFSET || i.op == Opcode::INTERP_SAMPLE) return;
    if (o.form == Form::memory) check_address(c, i);
    const bool atomic = o.form == Form::memory && i.num_src > 2;
    // CONSTBUF and RINPUT are read-only. (As STORE's destination, they are in no role.)
    if (atomic && contains(file_set({File::ConstBuf, File::ResInput}), c.program.srcs(i)[0].file))
        return c.fail(c.program.srcs(i)[0].position, "not-writable",
                      std::string(name(c.program.srcs(i)[0].file)) + " cannot be written");
    if (atomic || i.op == Opcode::STORE) check_writable(c, atomic ? c.program.srcs(i)[0] : c.program.dsts(i)[0]);
}

}  // namespace tgsi2spv::tgsi
