// Objects and bindings of a sub-context.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// Creates an object that is stored as it comes.
template <class State>
requires std::is_constructible_v<Object, Shared<State>> Problem create(HostState&, SubContext& context,
                                                                       const State& command) {
    return context.objects.add(command.handle, std::make_shared<const State>(command));
}
Problem create(HostState& host, SubContext& context, const virgl::CreateVertexElements& command);
Problem create(HostState& host, SubContext& context, const virgl::CreateShader& command);
Problem create(HostState& host, SubContext& context, const virgl::CreateSamplerView& command);
Problem create(HostState& host, SubContext& context, const virgl::CreateSurface& command);
Problem create(HostState& host, SubContext& context, const virgl::CreateQuery& command);
Problem create(HostState& host, SubContext& context, const virgl::CreateStreamoutTarget& command);
Problem bind(HostState& host, SubContext& context, const virgl::BindObject& command);
Problem bind(HostState& host, SubContext& context, const virgl::BindShader& command);
Problem bind(HostState& host, SubContext& context, const virgl::SetSamplerViews& command);
Problem bind(HostState& host, SubContext& context, const virgl::BindSamplerStates& command);
Problem bind(HostState& host, SubContext& context, const virgl::SetVertexBuffers& command);
Problem bind(HostState& host, SubContext& context, const virgl::SetIndexBuffer& command);
Problem bind(HostState& host, SubContext& context, const virgl::SetUniformBuffer& command);
Problem bind(HostState& host, SubContext& context, const virgl::SetShaderBuffers& command);
Problem bind(HostState& host, SubContext& context, const virgl::SetShaderImages& command);

}  // namespace tgsi2spv::host
