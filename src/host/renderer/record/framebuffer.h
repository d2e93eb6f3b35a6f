// The framebuffer, the rendering scopes that draw into it, and clears.
#pragma once

#include <optional>
#include <span>

#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostState;
struct HostRecorder;

Problem bind(HostRecorder& host, SubContext& context, const virgl::SetFramebuffer& command);
Problem bind(HostRecorder& host, SubContext& context, const virgl::SetFramebufferNoAttach& command);

/// One layer of its surfaces. Empty: no memory.
std::optional<Framebuffer> layer_of(HostState& host, const Framebuffer& framebuffer, uint32_t layer);

/// The attachments as written.
void add_attachments(const Bindings& context, std::vector<vk::Use>& uses);
/// Whether other uses are of attachments: what a clear as a load operation writes, these could not wait for.
bool uses_attachments(const Bindings& context, std::span<const vk::Use> uses);
/// Begins the scope of the bound framebuffer unless it is open; pending clears are its load operations. After order().
/// False: memory is short.
bool enter_scope(HostRecorder& host, const Bindings& context, vk::ColorReads color_reads = vk::ColorReads::None);
Problem clear(HostRecorder& host, SubContext& context, const virgl::Clear& command);
Problem clear_surface(HostRecorder& host, SubContext& context, const virgl::ClearSurface& command);
/// Executes clears that no draw has followed. Call it before anything else touches the attachments. False: memory is
/// short, and the clears are still pending.
[[nodiscard]] bool flush_clears(HostRecorder& host);
/// The same if the image is an attachment. Transfers of other images need not wait for a clear that found no memory.
[[nodiscard]] bool flush_clears_of(HostRecorder& host, const Resource& image);

}  // namespace tgsi2spv::host
