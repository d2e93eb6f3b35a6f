// Vertex and index buffers.
#pragma once

#include <optional>
#include <span>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostState;
struct HostRecorder;

inline constexpr uint32_t kMaxAttributes = 32;

/// The buffer of an element. Null: nothing is bound there.
const BoundVertexBuffer* bound_buffer(const Bindings& context, const virgl::VertexElement& element);

/// Whether Vulkan does not let the device fetch an attribute from where it is.
bool is_misaligned(const HostRecorder& host, const Bindings& context, const virgl::VertexElement& element);
/// Whether some attribute is so. Call it again when elements or vertex buffers have changed.
bool has_misaligned_vertices(const HostRecorder& host, const Bindings& context);

/// How VERT's inputs are fetched, and which of them lack w.
void add_attributes(const vk::Device& device, const Bindings& context, ModuleState& state);

void add_vertices(const HostRecorder& host, const Bindings& context, std::vector<vk::Use>& uses);

/// The attributes that VERT fetches. Each has its own binding, whose offset contains the element's: Vulkan bounds an
/// attribute's offset.
struct VertexInput {
    uint32_t count = 0;
    std::array<VkVertexInputAttributeDescription2EXT, kMaxAttributes> attributes;
    std::array<VkVertexInputBindingDescription2EXT, kMaxAttributes> bindings;
    std::array<VkBuffer, kMaxAttributes> buffers;
    std::array<VkDeviceSize, kMaxAttributes> offsets;
};
VertexInput describe_vertices(const HostRecorder& host, const Bindings& context, const LinkedProgram& program);
void record_vertices(HostRecorder& host, const Bindings& context, const LinkedProgram& program);

/// For devices where it is part of pipelines: words for the key, and the structures. Not to be moved.
void append_fixed(const VertexInput& input, std::vector<uint32_t>& key);
struct FixedVertices {
    explicit FixedVertices(const VertexInput& input);
    std::vector<VkVertexInputAttributeDescription> attributes;
    std::vector<VkVertexInputBindingDescription> bindings;
    std::vector<VkVertexInputBindingDivisorDescriptionEXT> divisors;
    VkPipelineVertexInputDivisorStateCreateInfoEXT divisor_info{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT};
    VkPipelineVertexInputStateCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
};

/// Words for the device to read as a storage buffer, or as indices, in this batch. No data: no memory.
vk::Staging stage_words(HostState& host, std::span<const uint32_t> words);

/// An index buffer as Vulkan takes it, made anew where the guest's differs.
struct Indices {
    std::shared_ptr<vk::Buffer> buffer;
    VkDeviceSize offset = 0;
    VkIndexType type = VK_INDEX_TYPE_UINT16;
    uint32_t count = 0;  ///< at most those in the buffer
};
/// Empty: no index buffer, or the device is lost.
Problem prepare_indices(HostState& host, const Bindings& context, const virgl::Draw& command,
                        std::optional<Indices>& indices);

}  // namespace tgsi2spv::host
