// Vertices that are not where Vulkan lets a device fetch them: OpenGL permits any offset and stride, Vulkan those of
// whole components. The CPU makes aligned copies of them, and waits for the buffers: few programs need them.
#pragma once

#include <optional>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// Whether an attribute has to be copied. Call it again when elements or vertex buffers have changed.
bool has_misaligned_vertices(const Host& host, const Bindings& context);

/// Bindings of aligned copies. Empty: memory is short.
std::optional<Bindings> align_vertices(Host& host, const Bindings& context);

}  // namespace tgsi2spv::host
