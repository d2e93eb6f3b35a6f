// Texture and image targets: which opcode accepts which, and where offsets may be (semantics: Textures).
#include "tgsi/checker.h"
#include "tgsi/names.h"

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

/// Another opcode that does what the author probably meant.
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
int view_source(const OpcodeInfo& o) {
    for (int i = 0; i < o.num_src; ++i)
        if (o.src[i] == OperandType::SamplerView) return i;
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

void check_offsets(Checker& c, const Instruction& i, const OpcodeInfo& o, Target target) {
    if (i.num_offsets == 0) return;
    const uint32_t at = c.program.offsets(i)[0].position;
    const int most = most_offsets(i.op);
    if (most == 0) return c.fail(at, "unexpected-offset", std::string(o.mnemonic) + " takes no texture offset");
    if (i.num_offsets > most || (i.op == Opcode::TG4 && i.num_offsets != 1 && i.num_offsets != 4))
        return c.fail(at, "offset-count",
                      std::string(o.mnemonic) + (most == 4 ? " takes one or four" : " takes one") + " texture offset" +
                          (most == 4 ? "s" : "") + ", found " + std::to_string(i.num_offsets));
    if (in(kCubes, target) || target == Target::Buffer)
        c.fail(at, "unexpected-offset", "a " + std::string(name(target)) + " texture takes no offset");
}

/// The target that the view of a TEX opcode declares; UNKNOWN if none is declared.
Target target_of_view(const Checker& c, const Instruction& i) {
    for (const Operand& o : c.program.srcs(i)) {
        if (o.file != File::Sampler) continue;
        const Declaration* const view = view_of(c.program, c.registers, o);
        return view == nullptr ? Target::Unknown : view->target;
    }
    return Target::Unknown;
}

void check_view(Checker& c, const Instruction& i, const OpcodeInfo& o) {
    const int n = view_source(o);
    if (n < 0 || n >= i.num_src) return;
    const Operand& view = c.program.srcs(i)[static_cast<size_t>(n)];
    if (view.file != File::SamplerView && view.file != File::Resource) return;
    if (view.index_is_relative) return;
    const Declaration* declared = declaration_of(c.program, c.registers.find(view.file, view.index));
    if (declared == nullptr) return;
    const Target target = declared->target;
    if (target != Target::Unknown && !in(views_of(i.op), target))
        return c.fail(view.position, "bad-target",
                      std::string(o.mnemonic) + " does not take a view of target " + std::string(name(target)));
    check_offsets(c, i, o, target);
}

}  // namespace

void check_texture(Checker& c, Instruction& i, const OpcodeInfo& o) {
    const std::string op(o.mnemonic);
    if (o.form == Form::sample) return check_view(c, i, o);
    if (o.form == Form::memory) {
        if (i.target != Target::None && !in(kImages, i.target))
            c.fail(i.position, "bad-target", op + " does not take the target " + std::string(name(i.target)));
        return;
    }
    if (i.op == Opcode::SAMP2HND || i.op == Opcode::IMG2HND) return check_offsets(c, i, o, i.target);
    if (i.target == Target::None)
        return c.fail(i.position, "missing-target", op + " needs a target such as 2D after its sources");
    if (i.target == Target::Unknown) i.target = target_of_view(c, i);
    if (!in(targets_of(i.op), i.target))
        return c.fail(i.position, "bad-target", op + " does not take the target " + std::string(name(i.target)),
                      instead(i.op, i.target));
    check_offsets(c, i, o, i.target);
}

}  // namespace tgsi2spv::tgsi
