// The clients that draw, and the resources that each reaches.
#pragma once

#include <cstdint>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

Client& add_client(HostState& host, uint32_t context);
/// Null: no such context, or context 0, which reaches all resources.
Client* find_client(HostState& host, uint32_t context);

Problem create_context(HostState& host, uint32_t context);
Problem attach(HostState& host, uint32_t context, uint32_t handle);
Problem detach(HostState& host, uint32_t context, uint32_t handle);

}  // namespace tgsi2spv::host
