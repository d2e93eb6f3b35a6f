// The colours that FRAG fetches from its targets (FBFETCH): of copies that are made before each draw. Guests blend so
// by OpenGL's advanced equations, which define no more within a draw. Vulkan's input attachments would need
// VK_KHR_dynamic_rendering_local_read, and reading the target itself VK_EXT_attachment_feedback_loop_layout.
#pragma once

#include <optional>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostState;
struct HostRecorder;

/// The library's number for the image of colour n is SAMPLED_IMAGE kFirstFetched + n.
inline constexpr uint32_t kFirstFetched = 416;
inline bool is_fetched(tgsi2spv_resource_kind kind, uint32_t index) {
    return kind == TGSI2SPV_RESOURCE_SAMPLED_IMAGE && index >= kFirstFetched &&
           index - kFirstFetched < virgl::kMaxColorBuffers;
}

/// Copies the targets that the program fetches, where the scissors leave something to be drawn. Ends the rendering
/// scope. False: memory is short.
bool copy_fetched(HostRecorder& host, const Bindings& context, const LinkedProgram& program);
/// Adds the draw's reads of the copies.
void add_fetched(const HostState& host, const LinkedProgram& program, std::vector<vk::Use>& uses);
/// The copy for a descriptor of the program. Null: there is no such target. Empty: memory is short.
std::optional<VkImageView> fetched_view(HostState& host, const Bindings& context, const Descriptor& descriptor);

}  // namespace tgsi2spv::host
