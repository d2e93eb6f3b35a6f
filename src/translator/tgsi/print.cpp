// Writes the canonical text: declarations, immediates and instructions in that order, with the spellings of the newest
// producers. Floats are printed so that they read back to the same bits: the shortest decimal, or the bit pattern if
// there is none.
#include "tgsi/print.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::tgsi {
namespace {

constexpr int kDeepestIndent = 40;
constexpr char kLetters[] = "xyzw";
constexpr std::string_view kMemoryKinds[] = {"", "SHARED", "GLOBAL", "PRIVATE", "INPUT"};  // by MemoryKind

template <class Integer>
void number(std::string& out, Integer value) {
    char buffer[24];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

template <class Bits>
void pattern(std::string& out, Bits bits) {
    out += "0x";
    for (int shift = 8 * int{sizeof(Bits)} - 4; shift >= 0; shift -= 4) out += "0123456789abcdef"[bits >> shift & 15];
}

template <class Float, class Bits>
void floating(std::string& out, Bits bits) {
    const auto value = std::bit_cast<Float>(bits);
    if (!std::isfinite(value)) return pattern(out, bits);
    char buffer[40];
    const std::string_view text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    out += text;
    if (text.find_first_of(".e") == text.npos) out += ".0";
}

void mask(std::string& out, uint8_t bits) {
    for (int c = 0; c < 4; ++c)
        if (bits >> c & 1) out += kLetters[c];
}

void relative(std::string& out, const Relative& r) {
    out += name(r.file);
    out += '[';
    if (r.has_dim) {
        number(out, r.dim);
        out += "][";
    }
    number(out, r.index);
    out += "].";
    out += kLetters[r.component & 3];
}

void brackets(std::string& out, const Relative* r, int32_t index, uint16_t array_id) {
    out += '[';
    if (r == nullptr) {
        number(out, index);
    } else {
        relative(out, *r);
        if (index > 0) out += '+';
        if (index != 0) number(out, index);
    }
    out += ']';
    if (array_id != 0) {
        out += '(';
        number(out, array_id);
        out += ')';
    }
}

/// RGLOBAL and similar are written without brackets.
bool is_bare(const Operand& operand) {
    return operand.file >= File::ResGlobal && !operand.has_dim && !operand.index_is_relative && operand.index == 0 &&
           operand.array_id == 0;
}

void register_of(std::string& out, const Program& program, const Operand& operand) {
    out += name(operand.file);
    if (is_bare(operand)) return;
    if (operand.has_dim) brackets(out, program.dim_relative(operand), operand.dim, operand.dim_array_id);
    brackets(out, program.index_relative(operand), operand.index, operand.array_id);
}

void destination(std::string& out, const Program& program, const Operand& operand) {
    register_of(out, program, operand);
    if (operand.write_mask == 0xf) return;
    out += '.';
    mask(out, operand.write_mask);
}

void source(std::string& out, const Program& program, const Operand& operand) {
    if (operand.negate) out += '-';
    if (operand.absolute) out += '|';
    register_of(out, program, operand);
    if (operand.swizzle_letters > 0) out += '.';
    for (int c = 0; c < operand.swizzle_letters; ++c) out += kLetters[operand.component(c)];
    if (operand.absolute) out += '|';
}

void qualifiers(std::string& out, uint8_t bits) {
    if (bits & qualifier::kCoherent) out += ", COHERENT";
    if (bits & qualifier::kRestrict) out += ", RESTRICT";
    if (bits & qualifier::kVolatile) out += ", VOLATILE";
    if (bits & qualifier::kStreamCachePolicy) out += ", STREAM_CACHE_POLICY";
}

void format(std::string& out, uint16_t id) {
    out += ", PIPE_FORMAT_";
    out += format_info(id).name;
}

void instruction(std::string& out, const Program& program, const Instruction& i) {
    if (const Operand* p = program.predicate(i)) {
        out += i.predicate_inverted ? "(!" : "(";
        source(out, program, *p);
        out += ") ";
    }
    out += info(i.op).mnemonic;
    if (i.saturate) out += i.saturate_signed ? "_SATNV" : "_SAT";
    if (i.precise) out += "_PRECISE";
    const char* separator = " ";
    for (const Operand& o : program.dsts(i)) {
        out += separator;
        destination(out, program, o);
        separator = ", ";
    }
    for (const Operand& o : program.srcs(i)) {
        out += separator;
        source(out, program, o);
        separator = ", ";
    }
    qualifiers(out, i.qualifiers);
    if (i.target != Target::None) {
        out += ", ";
        out += name(i.target);
    }
    if (i.format != 0) format(out, i.format);
    for (const Operand& o : program.offsets(i)) {
        out += ", ";
        source(out, program, o);
    }
    if (i.has_label) {
        out += " :";
        number(out, i.label);
    }
}

void values(std::string& out, const Immediate& immediate) {
    const auto wide = [&](int i) { return uint64_t{immediate.words[2 * i + 1]} << 32 | immediate.words[2 * i]; };
    out += '{';
    for (int i = 0; i < (immediate.type >= ImmediateType::Float64 ? 2 : 4); ++i) {
        if (i > 0) out += ", ";
        switch (immediate.type) {
            case ImmediateType::Float32:
                floating<float>(out, immediate.words[i]);
                break;
            case ImmediateType::Uint32:
                number(out, immediate.words[i]);
                break;
            case ImmediateType::Int32:
                number(out, static_cast<int32_t>(immediate.words[i]));
                break;
            case ImmediateType::Float64:
                floating<double>(out, wide(i));
                break;
            case ImmediateType::Uint64:
                number(out, wide(i));
                break;
            case ImmediateType::Int64:
                number(out, static_cast<int64_t>(wide(i)));
                break;
        }
    }
    out += '}';
}

void property(std::string& out, const PropertyValue& value) {
    out += "PROPERTY ";
    out += name(value.name);
    out += ' ';
    switch (value.name) {
        case Property::GsInputPrimitive:
        case Property::GsOutputPrimitive:
            out += name(static_cast<Primitive>(value.value));
            break;
        case Property::FsCoordOrigin:
            out += value.value ? "LOWER_LEFT" : "UPPER_LEFT";
            break;
        case Property::FsCoordPixelCenter:
            out += value.value ? "INTEGER" : "HALF_INTEGER";
            break;
        case Property::NextShader:
            out += name(static_cast<Stage>(value.value));
            break;
        default:
            number(out, value.value);
    }
    out += '\n';
}

/// Writes the types of a view: one word if all four are the same.
void return_types(std::string& out, const Declaration& declaration) {
    if (declaration.returns[0] == ReturnType::Unwritten) return;
    const bool same =
        std::ranges::all_of(declaration.returns, [&](ReturnType r) { return r == declaration.returns[0]; });
    for (int i = 0; i < (same ? 1 : 4); ++i) {
        out += ", ";
        out += name(declaration.returns[i]);
    }
}

void attributes(std::string& out, const Declaration& declaration) {
    if (declaration.array_id != 0) {
        out += ", ARRAY(";
        number(out, declaration.array_id);
        out += ')';
    }
    if (declaration.local) out += ", LOCAL";
    if (declaration.has_semantic) {
        out += ", ";
        out += name(declaration.semantic);
        if (declaration.semantic_index != 0 || declaration.semantic == Semantic::Generic ||
            declaration.semantic == Semantic::TexCoord) {
            out += '[';
            number(out, declaration.semantic_index);
            out += ']';
        }
    }
    if (declaration.has_stream) {
        out += ", STREAM(";
        for (int i = 0; i < 4; ++i) {
            if (i > 0) out += ", ";
            number(out, declaration.streams[i]);
        }
        out += ')';
    }
    if (declaration.target != Target::None) {
        out += ", ";
        out += name(declaration.target);
    }
    return_types(out, declaration);
    if (declaration.file == File::Image || declaration.format != 0) format(out, declaration.format);
    if (declaration.writable) out += ", WR";
    if (declaration.raw) out += ", RAW";
    if (declaration.atomic) out += ", ATOMIC";
    if (declaration.memory_kind != MemoryKind::Unwritten) {
        out += ", ";
        out += kMemoryKinds[static_cast<size_t>(declaration.memory_kind)];
    }
    if (declaration.interpolation != Interpolation::Unwritten) {
        out += ", ";
        out += name(declaration.interpolation);
    }
    if (declaration.location != Location::Center) {
        out += ", ";
        out += name(declaration.location);
    }
    if (declaration.cylwrap != 0) {
        out += ", CYLWRAP_";
        for (int c = 0; c < 4; ++c)
            if (declaration.cylwrap >> c & 1) out += "XYZW"[c];
    }
    if (declaration.invariant) out += ", INVARIANT";
}

void declaration(std::string& out, const Program& program, const Declaration& d) {
    out += "DCL ";
    out += name(d.file);
    if (d.has_dim) {
        out += '[';
        if (!d.dim_is_empty) number(out, d.dim);
        out += ']';
    }
    out += '[';
    number(out, d.first);
    if (d.last != d.first) {
        out += "..";
        number(out, d.last);
    }
    out += ']';
    if (d.usage_mask != 0xf) {
        out += '.';
        mask(out, d.usage_mask);
    }
    if (d.file == File::ImmediateArray) {
        out += " {";
        for (int32_t i = 0; i <= d.last - d.first; ++i) {
            if (i > 0) out += ", ";
            values(out, program.immediate_rows[d.immediates + static_cast<uint32_t>(i)]);
        }
        out += '}';
    }
    attributes(out, d);
    out += '\n';
}

bool closes(Opcode op) {
    return op == Opcode::ENDIF || op == Opcode::ELSE || op == Opcode::ENDLOOP || op == Opcode::ENDSWITCH ||
           op == Opcode::ENDSUB;
}

bool opens(Opcode op) {
    return op == Opcode::IF || op == Opcode::IFC || op == Opcode::UIF || op == Opcode::ELSE || op == Opcode::BGNLOOP ||
           op == Opcode::SWITCH || op == Opcode::BGNSUB;
}

}  // namespace

std::string print(const Program& program, const Instruction& i) {
    std::string out;
    instruction(out, program, i);
    return out;
}

std::string print(const Program& program) {
    std::string out(name(program.stage));
    if (program.version != 0) {
        number(out, program.version >> 8);
        out += '.';
        number(out, program.version & 0xff);
    }
    out += '\n';
    for (const PropertyValue& p : program.properties) property(out, p);
    for (const Declaration& d : program.declarations) declaration(out, program, d);
    for (size_t i = 0; i < program.immediates.size(); ++i) {
        out += "IMM[";
        number(out, i);
        out += "] ";
        out += name(program.immediates[i].type);
        out += ' ';
        values(out, program.immediates[i]);
        out += '\n';
    }
    int depth = 0;
    for (size_t i = 0; i < program.instructions.size(); ++i) {
        const Instruction& at = program.instructions[i];
        if (closes(at.op) && depth > 0) --depth;
        const size_t line = out.size();
        number(out, i);
        if (out.size() - line < 3) out.insert(line, 3 - (out.size() - line), ' ');
        out += ": ";
        out.append(2 * static_cast<size_t>(std::min(depth, kDeepestIndent)), ' ');
        instruction(out, program, at);
        out += '\n';
        if (opens(at.op)) ++depth;
    }
    return out;
}

}  // namespace tgsi2spv::tgsi
