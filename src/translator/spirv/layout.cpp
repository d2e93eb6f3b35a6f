#include "spirv/layout.h"

namespace tgsi2spv::spirv {
namespace {

/// Vulkan guarantees four descriptor sets, so both tessellation stages share one.
uint32_t default_set(ir::Stage stage) {
    switch (stage) {
        case ir::Stage::Vertex:
        case ir::Stage::Compute:
            return 0;
        case ir::Stage::Fragment:
            return 1;
        case ir::Stage::Geometry:
            return 2;
        case ir::Stage::TessControl:
        case ir::Stage::TessEval:
            return 3;
    }
    return 0;
}

/// The first binding of a kind in its set; the register index is added.
uint32_t default_base(ir::VariableKind kind) {
    switch (kind) {
        case ir::VariableKind::ConstantBuffer:
            return 0;
        case ir::VariableKind::CombinedImage:
            return 32;
        case ir::VariableKind::SampledImage:
            return 160;
        case ir::VariableKind::Sampler:
            return 288;
        case ir::VariableKind::StorageImage:
            return 416;
        case ir::VariableKind::StorageBuffer:
            return 480;  // HWATOMIC[n] is index 64 + n: 544 + n
        case ir::VariableKind::InputAttachment:
            return 576;
        case ir::VariableKind::IoBuffer:
            return 608;
        case ir::VariableKind::Input:
        case ir::VariableKind::Output:
        case ir::VariableKind::Private:
        case ir::VariableKind::Local:
        case ir::VariableKind::Shared:
        case ir::VariableKind::PushConstant:
            break;
    }
    return 0;
}

/// After all that TESS_CTRL may have in their set.
constexpr uint32_t kTessEvalBase = 2048;

}  // namespace

Binding default_binding(ir::Stage stage, ir::VariableKind kind, uint32_t index) {
    const uint32_t base = stage == ir::Stage::TessEval ? kTessEvalBase : 0;
    return {default_set(stage), base + default_base(kind) + index};
}

Binding Layout::binding(ir::Stage stage, ir::VariableKind kind, uint32_t index) const {
    for (const LayoutEntry& e : entries)
        if (e.kind == kind && e.index == index) return e.binding;
    for (const KindPlace& p : kinds)
        if (p.kind == kind) return {p.first.set, p.first.binding + index};
    return default_binding(stage, kind, index);
}

}  // namespace tgsi2spv::spirv
