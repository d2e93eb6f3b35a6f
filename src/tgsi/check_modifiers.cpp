// What an instruction may have besides operands: _SAT needs a float result, a predicate an instruction that a lane can
// skip (semantics: Float, Registers).
#include <algorithm>

#include "tgsi/checker.h"
#include "tgsi/formats.h"

namespace tgsi2spv::tgsi {
namespace {

bool is_integer(ReturnType type) {
    return type == ReturnType::Uint || type == ReturnType::Sint;
}

/// True if the memory is known to hold integers, or words without a type. What only the caller knows (the format of an
/// image, what a handle names) is left to the translator.
bool has_no_floats(const Checker& c, const Instruction& i, const Operand& memory) {
    constexpr FileSet kImages = file_set({File::Image, File::Resource});
    constexpr FileSet kWords = file_set({File::Buffer, File::Memory, File::ConstBuf, File::HwAtomic, File::ResGlobal,
                                         File::ResLocal, File::ResPrivate, File::ResInput});
    if (contains(kWords, memory.file)) return true;
    if (i.format != 0) return is_integer(format_info(i.format).numeric);
    if (!contains(kImages, memory.file)) return false;
    const Declaration* d = declaration_of(c.program, c.registers.naming(memory, memory.file));
    return d != nullptr && (d->raw || is_integer(d->returns[0]) || is_integer(format_info(d->format).numeric));
}

/// The operand that names the view of a texture opcode which returns texels: a view, or the sampler of the same number.
const Operand* view_of_texels(const Checker& c, const Instruction& i, const OpcodeInfo& o) {
    if (o.form != Form::tex && o.form != Form::sample) return nullptr;
    switch (i.op) {
        case Opcode::LOD:
        case Opcode::LODQ:
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            return nullptr;
        default:
            break;
    }
    const auto sources = c.program.srcs(i);
    const auto view = std::ranges::find_if(
        sources, [](const Operand& s) { return s.file == File::SamplerView || s.file == File::Resource; });
    if (view != sources.end()) return &*view;
    const auto sampler = std::ranges::find(sources, File::Sampler, &Operand::file);
    return sampler != sources.end() ? &*sampler : nullptr;
}

/// Whether the result is known not to be a float.
bool is_no_float(const Checker& c, const Instruction& i, const OpcodeInfo& o) {
    if (!o.can_saturate) return true;
    if (o.form == Form::memory) return i.op != Opcode::ATOMFADD && has_no_floats(c, i, c.program.srcs(i)[0]);
    const Operand* const view = view_of_texels(c, i, o);
    if (view == nullptr) return false;
    const File file = view->file == File::Sampler ? File::SamplerView : view->file;
    const Declaration* d = declaration_of(c.program, c.registers.naming(*view, file));
    return d != nullptr && is_integer(d->returns[0]);
}

/// Structure is the same for all lanes, and a BARRIER is for all of them.
bool may_be_skipped(Opcode op) {
    switch (op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
        case Opcode::ELSE:
        case Opcode::ENDIF:
        case Opcode::BGNLOOP:
        case Opcode::ENDLOOP:
        case Opcode::SWITCH:
        case Opcode::CASE:
        case Opcode::DEFAULT:
        case Opcode::ENDSWITCH:
        case Opcode::BGNSUB:
        case Opcode::ENDSUB:
        case Opcode::END:
        case Opcode::BARRIER:
            return false;
        default:
            return true;
    }
}

}  // namespace

void check_modifiers(Checker& c, const Instruction& i, const OpcodeInfo& o) {
    if (i.saturate) {
        if (o.num_dst == 0 || o.dst[0] == OperandType::Resource)
            c.fail(i.position, "saturate-without-result", std::string(o.mnemonic) + " has no result to saturate");
        else if (is_no_float(c, i, o))
            c.fail(i.position, "saturate-on-integer",
                   "_SAT needs a float result, but the result of " + std::string(o.mnemonic) + " is an integer");
    }
    if (i.has_predicate && !may_be_skipped(i.op))
        c.fail(i.position, "unexpected-predicate", std::string(o.mnemonic) + " cannot have a predicate");
}

}  // namespace tgsi2spv::tgsi
