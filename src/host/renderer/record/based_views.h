// A workaround for SwiftShader, whose texel fetches read no level above the view's first one, counted from the image's
// (docs/driver-bugs.md): draws and dispatches fetch from copies that begin with the view's first level.
#pragma once

#include <optional>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

/// Whether the device would fetch from other levels than the program asks for.
bool misreads_levels(const HostRecorder& host, const Bindings& context, const LinkedProgram& program);
/// The bindings with such copies. Ends the rendering scope. Empty: memory is short.
std::optional<Bindings> copy_based_views(HostRecorder& host, const Bindings& context, const LinkedProgram& program);

}  // namespace tgsi2spv::host
