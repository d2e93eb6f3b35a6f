// Zeros for shaders to read where the guest has not bound a matching resource, on devices without null descriptors.
#pragma once

#include "renderer/state/problem.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct Descriptor;

/// False if memory is short. Nothing is made if the device has null descriptors.
bool make_dummy_buffers(HostRecorder& host);
/// Before shaders of the host's client run: they must not read what another one's have stored.
void clear_stores(HostRecorder& host);
/// Fills `descriptor.dummy` with a dummy image. Ends the rendering scope. Unsupported: the device has no such image.
Problem make_dummy(HostRecorder& host, Descriptor& descriptor);

}  // namespace tgsi2spv::host
