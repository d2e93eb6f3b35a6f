// Render conditions: draws, clears, dispatches and blits that depend on the result of a query.
//
// A result that the host has already decides at once. If the guest wants to wait for one, the device decides about
// draws (VK_EXT_conditional_rendering) if it has the result in one slot; otherwise the host waits.
#pragma once

#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostState;

Problem bind(HostState& host, SubContext& context, const virgl::SetRenderCondition& command);

/// Whether clears and conditional blits do nothing. May wait.
bool is_skipped(HostState& host, const SubContext& context);

enum class Decision : uint8_t { Execute, Skip, AskDevice };
/// Whether draws and dispatches do nothing. May wait, and may leave the scope.
Decision check_condition(HostState& host, SubContext& context);
/// For work that the device decides about: the word that it reads; begin before the work, and end after it.
vk::Use use_of_condition(const RenderCondition& condition);
void begin_condition(HostState& host, const RenderCondition& condition);
void end_condition(HostState& host);

}  // namespace tgsi2spv::host
