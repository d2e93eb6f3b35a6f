// Stream output by transform feedback.
//
// A guest resumes by setting the same list of targets again, so captures are kept by list (Feedback). Each draw
// captures in its own scope: the next one reads its counters.
#pragma once

#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostState;

Problem bind(HostState& host, SubContext& context, const virgl::SetStreamoutTargets& command);
/// Captures to lists of which all targets are destroyed are forgotten.
void destroy_streamout_target(SubContext& context, StreamoutTarget& target);

/// The buffers that draws whose last stage is `shader` capture to: bit n for buffer n.
uint32_t captured_buffers(const Bindings& context, const Shader& shader);
/// Adds the uses of the buffers to which the next draw captures.
void add_captures(const Bindings& context, std::vector<vk::Use>& uses);
/// Around the draw, inside the scope. `strides`: of the last stage's outputs, in words.
void begin_captures(HostState& host, const Bindings& context);
void end_captures(HostState& host, const Bindings& context, const std::array<uint32_t, 4>& strides);

/// Where the number of captured vertices is.
struct CapturedCount {
    std::shared_ptr<vk::Buffer> counters;
    VkDeviceSize offset = 0;
    uint32_t stride = 0;  ///< bytes of a vertex
};
/// The guest names a target by its size alone: the list that was stopped last, preferring one that is bound as
/// vertices.
std::optional<CapturedCount> find_captured_count(const SubContext& context, uint32_t size);

}  // namespace tgsi2spv::host
