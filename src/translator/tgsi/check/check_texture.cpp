// Texture and image targets: which opcode accepts which, and where offsets may be (semantics: Textures).
#include "tgsi/check/checker.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::tgsi {
namespace {

using TargetSet = uint32_t;

constexpr TargetSet set(std::initializer_list<Target> targets) {
    TargetSet bits = 0;
    for (Target t : targets) bits |= TargetSet{1} << static_cast<int>(t);
    return bits;
}
constexpr bool in(TargetSet targets, Target t) {
    return targets >> static_cast<int>(t) & 1;
}

constexpr TargetSet kMultisampled = set({Target::T2DMS, Target::T2DArrayMS});
constexpr TargetSet kShadow = set({Target::Shadow1D, Target::Shadow2D, Target::ShadowRect, Target::Shadow1DArray,
                                   Target::Shadow2DArray, Target::ShadowCube, Target::ShadowCubeArray});
constexpr TargetSet kCubes = set({Target::Cube, Target::CubeArray, Target::ShadowCube, Target::ShadowCubeArray});
constexpr TargetSet kPlain = set({Target::T1D, Target::T2D, Target::T3D, Target::Cube, Target::Rect, Target::T1DArray,
                                  Target::T2DArray, Target::CubeArray});
constexpr TargetSet kSampled = kPlain | kShadow;
constexpr TargetSet kImages = kPlain | kMultisampled | set({Target::Buffer});
constexpr TargetSet kAll = kSampled | kImages;
/// The layer or the reference uses the fourth coordinate.
constexpr TargetSet kFullCoordinate =
    set({Target::Shadow2DArray, Target::CubeArray, Target::ShadowCube, Target::ShadowCubeArray});

TargetSet targets_of(Opcode op) {
    switch (op) {
        case Opcode::TEX:
        case Opcode::TEX_LZ:
        case Opcode::TXD:
            return kSampled & ~set({Target::ShadowCubeArray});
        case Opcode::TXP:
        case Opcode::TXB:
        case Opcode::TXL:
            return kSampled & ~kFullCoordinate;
        case Opcode::TXB2:
        case Opcode::TXL2:
        case Opcode::LODQ:
            return kSampled;
        case Opcode::TEX2:
            return kShadow;
        case Opcode::TXF:
        case Opcode::TXF_LZ:
            return kImages;
        case Opcode::TG4:
            return kSampled &
                   ~set({Target::T1D, Target::T1DArray, Target::Shadow1D, Target::Shadow1DArray, Target::T3D});
        default:
            return kAll;
    }
}

/// Another opcode, which the author probably meant.
const char* instead(Opcode op, Target target) {
    switch (op) {
        case Opcode::TEX:
            return target == Target::ShadowCubeArray                       ? "use TEX2"
                   : target == Target::Buffer || in(kMultisampled, target) ? "use TXF"
                                                                           : "";
        case Opcode::TXB:
            return in(kFullCoordinate, target) ? "use TXB2" : "";
        case Opcode::TXL:
            return in(kFullCoordinate, target) ? "use TXL2" : "";
        default:
            return "";
    }
}

/// The maximum number of texture offsets of the opcode.
int most_offsets(Opcode op) {
    switch (op) {
        case Opcode::TG4:
            return 4;
        case Opcode::TXQ:
        case Opcode::TXQS:
        case Opcode::LODQ:
        case Opcode::SAMP2HND:
        case Opcode::IMG2HND:
        case Opcode::LOD:
        case Opcode::SVIEWINFO:
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            return 0;
        default:
            return 1;
    }
}

/// The index of the operand that names the view of a SAMPLE opcode; -1 for none.
int view_source(const OpcodeInfo& info) {
    for (int i = 0; i < info.num_src; ++i)
        if (info.src[i] == OperandType::SamplerView) return i;
    return -1;
}

TargetSet views_of(Opcode op) {
    switch (op) {
        case Opcode::SAMPLE_I:
            return kAll & ~kCubes & ~kMultisampled;
        case Opcode::SAMPLE_I_MS:
            return kMultisampled;
        case Opcode::GATHER4:
            return kSampled &
                   ~set({Target::T1D, Target::T1DArray, Target::Shadow1D, Target::Shadow1DArray, Target::T3D});
        case Opcode::SVIEWINFO:
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            return kAll;
        default:
            return kSampled;
    }
}

void check_offsets(Checker& checker, const Instruction& instruction, const OpcodeInfo& info, Target target) {
    if (instruction.num_offsets == 0) return;
    const uint32_t at = checker.program.offsets(instruction)[0].position;
    const int most = most_offsets(instruction.op);
    if (most == 0)
        return checker.fail(at, "unexpected-offset", std::string(info.mnemonic) + " takes no texture offset");
    if (instruction.num_offsets > most ||
        (instruction.op == Opcode::TG4 && instruction.num_offsets != 1 && instruction.num_offsets != 4))
        return checker.fail(at, "offset-count",
                            std::string(info.mnemonic) + (most == 4 ? " takes one or four" : " takes one") +
                                " texture offset" + (most == 4 ? "s" : "") + ", found " +
                                std::to_string(instruction.num_offsets));
    if (in(kCubes, target) || target == Target::Buffer)
        checker.fail(at, "unexpected-offset", "a " + std::string(name(target)) + " texture takes no offset");
}

/// The target that the view of a TEX opcode declares; UNKNOWN if none is declared.
Target target_of_view(const Checker& checker, const Instruction& instruction) {
    for (const Operand& o : checker.program.srcs(instruction)) {
        if (o.file != File::Sampler) continue;
        const Declaration* const view = view_of(checker.program, checker.registers, o);
        return view == nullptr ? Target::Unknown : view->target;
    }
    return Target::Unknown;
}

void check_view(Checker& checker, const Instruction& instruction, const OpcodeInfo& info) {
    const int n = view_source(info);
    if (n < 0 || n >= instruction.num_src) return;
    const Operand& view = checker.program.srcs(instruction)[static_cast<size_t>(n)];
    if (view.file != File::SamplerView && view.file != File::Resource) return;
    if (view.index_is_relative) return;
    const Declaration* declared = declaration_of(checker.program, checker.registers.find(view.file, view.index));
    if (declared == nullptr) return;
    const Target target = declared->target;
    if (target != Target::Unknown && !in(views_of(instruction.op), target))
        return checker.fail(
            view.position, "bad-target",
            std::string(info.mnemonic) + " does not take a view of target " + std::string(name(target)));
    check_offsets(checker, instruction, info, target);
}

}  // namespace

void check_texture(Checker& checker, Instruction& instruction, const OpcodeInfo& info) {
    const std::string op(info.mnemonic);
    if (info.form == Form::sample) return check_view(checker, instruction, info);
    if (info.form == Form::memory) {
        if (instruction.target != Target::None && !in(kImages, instruction.target))
            checker.fail(instruction.position, "bad-target",
                         op + " does not take the target " + std::string(name(instruction.target)));
        return;
    }
    if (instruction.op == Opcode::SAMP2HND || instruction.op == Opcode::IMG2HND)
        return check_offsets(checker, instruction, info, instruction.target);
    if (instruction.target == Target::None)
        return checker.fail(instruction.position, "missing-target",
                            op + " needs a target such as 2D after its sources");
    if (instruction.target == Target::Unknown) instruction.target = target_of_view(checker, instruction);
    if (!in(targets_of(instruction.op), instruction.target))
        return checker.fail(instruction.position, "bad-target",
                            op + " does not take the target " + std::string(name(instruction.target)),
                            instead(instruction.op, instruction.target));
    check_offsets(checker, instruction, info, instruction.target);
}

}  // namespace tgsi2spv::tgsi
