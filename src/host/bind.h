// Objects and bindings of a sub-context.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

Problem create(Host& host, SubContext& c, const virgl::CreateBlend& command);
Problem create(Host& host, SubContext& c, const virgl::CreateRasterizer& command);
Problem create(Host& host, SubContext& c, const virgl::CreateDepthStencilAlpha& command);
Problem create(Host& host, SubContext& c, const virgl::CreateVertexElements& command);
Problem create(Host& host, SubContext& c, const virgl::CreateShader& command);
Problem create(Host& host, SubContext& c, const virgl::CreateSamplerView& command);
Problem create(Host& host, SubContext& c, const virgl::CreateSamplerState& command);
Problem create(Host& host, SubContext& c, const virgl::CreateSurface& command);
Problem create(Host& host, SubContext& c, const virgl::CreateQuery& command);
Problem create(Host& host, SubContext& c, const virgl::CreateStreamoutTarget& command);
Problem bind(SubContext& c, const virgl::BindObject& command);
Problem bind(SubContext& c, const virgl::BindShader& command);
Problem bind(SubContext& c, const virgl::SetSamplerViews& command);
Problem bind(SubContext& c, const virgl::BindSamplerStates& command);
Problem bind(Host& host, SubContext& c, const virgl::SetVertexBuffers& command);
Problem bind(Host& host, SubContext& c, const virgl::SetIndexBuffer& command);
Problem bind(Host& host, SubContext& c, const virgl::SetUniformBuffer& command);
Problem bind(Host& host, SubContext& c, const virgl::SetShaderBuffers& command);
Problem bind(Host& host, SubContext& c, const virgl::SetShaderImages& command);

}  // namespace tgsi2spv::host
