// One piece of work for a device as plain data: modules, what is bound, what is drawn, what comes back.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vulkan/device.h"
#include "vulkan/error.h"

namespace tgsi2spv::vulkan {

struct SpecValue {
    uint32_t id = 0;
    uint32_t value = 0;
};

/// A module with the entry point "main"; no words: the stage is absent.
struct Shader {
    std::span<const uint32_t> words;
    std::vector<SpecValue> constants;
};

/// Uniform, storage or texel buffer. Its range is exactly these words (four zero words if there are none).
struct Buffer {
    std::vector<uint32_t> words;
    bool readback = false;
};

/// A texture or storage image, optimal tiling. Data is a list of levels, tightly packed texels row by row, slice or
/// layer by slice, in the format's own bytes; missing levels are zero. Of multisampled
/// images the samples of a texel stand next to each other.
struct Image {
    VkImageType type = VK_IMAGE_TYPE_2D;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t texel_bytes = 16;
    uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1, samples = 1;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    bool cube = false;
    bool storage = false;
    bool input_attachment = false;
    bool reinterpreted = false;  ///< some view has another format of the same size
    bool readback = false;
    std::vector<std::vector<uint8_t>> data;
};

/// All layers of an image, and all levels (of storage images the first).
struct ImageView {
    uint32_t image = 0;  ///< in Job::images
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
    VkComponentMapping swizzle{};
    VkFormat format = VK_FORMAT_UNDEFINED;  ///< undefined: the image's
};

struct TexelView {
    uint32_t buffer = 0;  ///< in Job::buffers
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    bool storage = false;
    uint32_t bytes = 0;  ///< 0: the whole buffer
    uint32_t texel_bytes = 16;
};

struct Sampler {
    VkFilter min_filter = VK_FILTER_NEAREST, mag_filter = VK_FILTER_NEAREST;
    VkSamplerMipmapMode mip_filter = VK_SAMPLER_MIPMAP_MODE_NEAREST;
    VkSamplerAddressMode wrap[3] = {};
    float lod_bias = 0, min_lod = 0, max_lod = 0;
    float max_anisotropy = 1;
    bool compare = false;
    VkCompareOp compare_op = VK_COMPARE_OP_NEVER;
    std::array<float, 4> border_color{};  ///< used where a wrap mode is CLAMP_TO_BORDER
    bool unnormalized = false;
};

/// One binding. `items` index Job::buffers, views, texel_views or (for samplers alone) samplers, one an array element;
/// `samplers` belong to combined image samplers.
struct Descriptor {
    uint32_t set = 0, binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    std::vector<uint32_t> items;
    std::vector<uint32_t> samplers;
};

/// A vertex attribute with its own tightly packed data, an element a vertex.
struct Attribute {
    uint32_t location = 0;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t stride = 16;
    std::vector<uint8_t> data;
};

/// A colour attachment of the framebuffer's size; it comes back as tightly packed rows.
struct Attachment {
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t texel_bytes = 16;
    VkClearColorValue clear{};
    std::optional<VkPipelineColorBlendAttachmentState> blend{};  ///< its colorWriteMask does not count
};

/// Depth of 32-bit floats; it comes back behind the colours.
struct DepthAttachment {
    float clear = 1;
    VkCompareOp compare = VK_COMPARE_OP_ALWAYS;
    bool write = true;
};

inline constexpr uint32_t kNoView = ~0u;

struct Job {
    Shader vertex;                   ///< a draw, unless `compute` is there
    Shader tess_control, tess_eval;  ///< both or none; then the topology is PATCH_LIST
    uint32_t patch_control_points = 1;
    Shader geometry;
    Shader fragment;  ///< absent: rasterization is discarded
    Shader compute;
    std::array<uint32_t, 3> groups{1, 1, 1};

    std::vector<Buffer> buffers;
    std::vector<Image> images;
    std::vector<ImageView> views;
    std::vector<TexelView> texel_views;
    std::vector<Sampler> samplers;
    std::vector<Descriptor> descriptors;
    std::vector<uint32_t> push_constants;
    std::vector<uint32_t> captures;  ///< transform feedback: in `buffers`, by XfbBuffer; each begins at its start

    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    uint32_t vertex_count = 3, first_vertex = 0;
    std::vector<uint32_t> indices;   ///< drawn instead of the vertices in their order
    bool primitive_restart = false;  ///< at index ~0, of strips and fans
    uint32_t instance_count = 1, first_instance = 0;
    std::vector<Attribute> attributes;
    uint32_t viewport_width = 1, viewport_height = 1;  ///< may exceed the framebuffer
    uint32_t width = 1, height = 1;                    ///< of the framebuffer and the scissor
    std::vector<Attachment> attachments;
    std::optional<DepthAttachment> depth;
    /// A pixel. Of several the colours come back as the mean of their samples (a resolve); there is no depth then.
    uint32_t samples = 1;
    /// Views of images that the fragment shader reads as input attachments, by InputAttachmentIndex; or
    /// kNoView.
    std::vector<uint32_t> input_attachments;

    uint64_t timeout_ns = 120'000'000'000;
};

/// What came back; the vectors stand as in the Job, empty where nothing was asked for.
struct Outputs {
    std::vector<std::vector<uint32_t>> buffers;
    std::vector<std::vector<std::vector<uint8_t>>> images;  ///< by level
    std::vector<std::vector<uint8_t>> attachments;          ///< then depth
};

/// Runs the job and waits for it. Every module is checked against the device's features before a pipeline is made:
/// a missing one is Failure::Missing, named.
Expected<Outputs> run(Device& device, const Job& job);

/// A vertex shader without inputs that covers the lower left quarter of the viewport with one unclipped triangle of
/// three vertices: fragments of a framebuffer of half the viewport's width and height are real, whole quads.
std::span<const uint32_t> quad_vertex_shader();

/// For geometry and tessellation shaders that read buffers alone: a vertex shader without inputs, a control shader of
/// patches of one vertex with all levels 1, and an evaluation shader that does nothing.
std::span<const uint32_t> primitive_vertex_shader();
std::span<const uint32_t> one_patch_control_shader();
std::span<const uint32_t> no_patch_evaluation_shader();

}  // namespace tgsi2spv::vulkan
