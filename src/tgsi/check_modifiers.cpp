// What an instruction may have besides operands: _SAT needs a float result, a predicate an instruction that a lane can
// skip (semantics: Float, Registers).
#include <algorithm>

#include "tgsi/checker.h"
#include "tgsi/formats.h"

namespace tgsi2spv::tgsi {
namespace {

/// True if the memory is known to hold integers, or words without a type. What only the caller knows (the format of an
/// image, what a handle names) is left to the translator.
bool has_no_floats(const Checker& c, const Instruction& i, const Operand& memory) {
    constexpr FileSet kImages = file_set({File::Image, File::Resource});
    if (contains(kWordMemory, memory.file)) return true;
    if (i.format != 0) return is_integer(format_info(i.format).numeric);
    if (!contains(kImages, memory.file)) return false;
    const Declaration* d = declaration_of(c.program, c.registers.naming(memory, memory.file));
    return d != nullptr && (d->raw || is_integer(d->returns[0]) || is_integer(format_info(d->format).numeric));
}

/// The view of a texture opcode that returns texels; nullptr if there is none, or none that the text names.
const Declaration* view_of_texels(const Checker& c, const Instruction& i, const OpcodeInfo& o) {
    constexpr FileSet kViews = file_set({File::SamplerView, File::Resource, File::Sampler});
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
    // A view stands before its sampler.
    const auto named = std::ranges::find_if(sources, [](const Operand& s) { return contains(kViews, s.file); });
    return named == sources.end() ? nullptr : view_of(c.program, c.registers, *named);
}

/// Whether the result is known not to be a float.
bool is_no_float(const Checker& c, const Instruction& i, const OpcodeInfo& o) {
    if (!o.can_saturate) return true;
    if (o.form == Form::memory) return i.op != Opcode::ATOMFADD && has_no_floats(c, i, c.program.srcs(i)[0]);
    const Declaration* const view = view_of_texels(c, i, o);
    return view != nullptr && is_integer(view->returns[0]);
}

/// Structure is the same for all lanes, and a BARRIER is for all of them.
bool may_be_skipped(Opcode op) {
    if (opens_construct(op) || closes_construct(op)) return false;
    switch (op) {
        case Opcode::ELSE:
        case Opcode::CASE:
        case Opcode::DEFAULT:
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
