// The lane of an invocation in the buffers of io=buffers (io_buffers.h, records.h).
#pragma once

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// At the start of each function: sets IoBuffers::lane and the members that depend on it.
void enter_io_buffers(Context& context);

}  // namespace tgsi2spv::lower
