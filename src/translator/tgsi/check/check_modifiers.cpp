// Modifiers of an instruction: _SAT needs a float result, a predicate an instruction that a lane can skip (semantics:
// Float, Registers).
#include <algorithm>

#include "tgsi/check/checker.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::tgsi {
namespace {

/// True if the memory is known to hold integers, or words without a type. Cases that only the caller can decide (the
/// format of an image, the resource of a handle) are left to the translator.
bool has_no_floats(const Checker& checker, const Instruction& instruction, const Operand& memory) {
    constexpr FileSet kImages = file_set({File::Image, File::Resource});
    if (contains(kWordMemory, memory.file)) return true;
    if (instruction.format != 0) return is_integer(format_info(instruction.format).numeric);
    if (!contains(kImages, memory.file)) return false;
    const Declaration* d = declaration_of(checker.program, checker.registers.naming(memory, memory.file));
    return d != nullptr && (d->raw || is_integer(d->returns[0]) || is_integer(format_info(d->format).numeric));
}

/// The view of a texture opcode that returns texels; nullptr if there is none, or the text does not name it.
const Declaration* view_of_texels(const Checker& checker, const Instruction& instruction, const OpcodeInfo& info) {
    constexpr FileSet kViews = file_set({File::SamplerView, File::Resource, File::Sampler});
    if (info.form != Form::tex && info.form != Form::sample) return nullptr;
    switch (instruction.op) {
        case Opcode::LOD:
        case Opcode::LODQ:
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            return nullptr;
        default:
            break;
    }
    const auto sources = checker.program.srcs(instruction);
    // A view comes before its sampler.
    const auto named = std::ranges::find_if(sources, [](const Operand& s) { return contains(kViews, s.file); });
    return named == sources.end() ? nullptr : view_of(checker.program, checker.registers, *named);
}

/// Whether the result is known not to be a float.
bool is_no_float(const Checker& checker, const Instruction& instruction, const OpcodeInfo& info) {
    if (!info.can_saturate) return true;
    if (info.form == Form::memory)
        return instruction.op != Opcode::ATOMFADD &&
               has_no_floats(checker, instruction, checker.program.srcs(instruction)[0]);
    const Declaration* const view = view_of_texels(checker, instruction, info);
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

void check_modifiers(Checker& checker, const Instruction& instruction, const OpcodeInfo& info) {
    if (instruction.saturate) {
        if (info.num_dst == 0 || info.dst[0] == OperandType::Resource)
            checker.fail(instruction.position, "saturate-without-result",
                         std::string(info.mnemonic) + " has no result to saturate");
        else if (is_no_float(checker, instruction, info))
            checker.fail(
                instruction.position, "saturate-on-integer",
                "_SAT needs a float result, but the result of " + std::string(info.mnemonic) + " is an integer");
    }
    if (instruction.has_predicate && !may_be_skipped(instruction.op))
        checker.fail(instruction.position, "unexpected-predicate",
                     std::string(info.mnemonic) + " cannot have a predicate");
}

}  // namespace tgsi2spv::tgsi
