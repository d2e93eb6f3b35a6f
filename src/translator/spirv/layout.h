// The place of each resource: (set, binding) by a documented default and by the caller's own map.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::spirv {

struct Binding {
    uint32_t set = 0;
    uint32_t binding = 0;
    bool operator==(const Binding&) const = default;
};

/// The default: set 0 VERT and COMP, 1 FRAG, 2 GEOM, 3 TESS_CTRL and TESS_EVAL; inside a set, by kind and index:
///   CONST[n] n · SAMP[n] (TEX family) 32+n · SVIEW[n] 160+n · SAMP[n] (SAMPLE family) 288+n · IMAGE[n] 416+n ·
///   BUFFER[n] 480+n · HWATOMIC[n] 544+n (StorageBuffer with index 64+n) · input attachments 576+n · io=buffers 608+n ·
///   arrays of handles 1024 more than their kind, plus their number (CombinedImage 1056, SampledImage 1184,
///   StorageImage 1440) · MEMORY GLOBAL 612, INPUT 613 (StorageBuffer with index 132, 133) · TESS_EVAL 2048 more
/// The images in place of input attachments are SampledImage with index 416+n: 576+n, too.
/// Indices beyond a kind's range overlap the next kind's bindings: callers that use them must pass their own map.
Binding default_binding(ir::Stage stage, ir::VariableKind kind, uint32_t index);

struct LayoutEntry {
    ir::VariableKind kind{};
    uint32_t index = 0;
    Binding binding;
};

/// The place of a whole kind: the index is added to the binding.
struct KindPlace {
    ir::VariableKind kind{};
    Binding first;
};

struct Layout {
    std::vector<LayoutEntry> entries;  ///< the caller's choices
    std::vector<KindPlace> kinds;      ///< first places of other resources of these kinds; the rest uses the default
    Binding binding(ir::Stage stage, ir::VariableKind kind, uint32_t index) const;
};

}  // namespace tgsi2spv::spirv
