// One unit of work for a device as plain data: modules, bindings, the draw or dispatch, and the results to read back.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/device.h"
#include "vulkan/error.h"

namespace tgsi2spv::harness {

struct SpecValue {
    uint32_t id = 0;
    uint32_t value = 0;
};

/// A module with the entry point "main". If `words` is empty, the stage is absent.
struct Shader {
    std::span<const uint32_t> words;
    std::vector<SpecValue> constants;
};

/// A uniform, storage or texel buffer. Its range is exactly these words, or four zero words if there are none.
struct Buffer {
    std::vector<uint32_t> words;
    bool readback = false;
};

/// A sampled or storage image or an input attachment, with optimal tiling. `data` is a list of levels, each tightly
/// packed texels in the format's own bytes, row by row, slice or layer by slice or layer. Missing levels are zero. In
/// multisampled images the samples of a texel are adjacent.
struct Image {
    VkImageType type = VK_IMAGE_TYPE_2D;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t texel_bytes = 16;
    uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1, samples = 1;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    bool cube = false;
    bool storage = false;
    bool input_attachment = false;
    bool reinterpreted = false;  ///< some view has another format of the same texel size
    bool readback = false;
    std::vector<std::vector<uint8_t>> data;
};

/// A view of all layers and all levels of an image; of a storage image, only the first level.
struct ImageView {
    uint32_t image = 0;  ///< index in Job::images
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
    VkComponentMapping swizzle{};
    VkFormat format = VK_FORMAT_UNDEFINED;  ///< VK_FORMAT_UNDEFINED: the image's own format
};

struct TexelView {
    uint32_t buffer = 0;  ///< index in Job::buffers
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
    /// Used instead if the sampler is for views of integers or stencil. A VkSampler has one colour, and it is of one of
    /// the two types.
    std::optional<std::array<uint32_t, 4>> integer_border;
    bool unnormalized = false;
};

/// One binding. `items` are indices into Job::buffers, views, texel_views or, for VK_DESCRIPTOR_TYPE_SAMPLER, samplers,
/// one per array element. `samplers` is used by combined image samplers.
struct Descriptor {
    uint32_t set = 0, binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    std::vector<uint32_t> items;
    std::vector<uint32_t> samplers;
};

/// A vertex attribute with its own tightly packed data, one element per vertex.
struct Attribute {
    uint32_t location = 0;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t stride = 16;
    std::vector<uint8_t> data;
};

/// A colour attachment of the framebuffer's size. It is read back as tightly packed rows.
struct Attachment {
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t texel_bytes = 16;
    VkClearColorValue clear{};
    std::optional<VkPipelineColorBlendAttachmentState> blend{};  ///< its colorWriteMask is ignored
};

/// A depth attachment of 32-bit floats. It is read back after the colour attachments.
struct DepthAttachment {
    float clear = 1;
    VkCompareOp compare = VK_COMPARE_OP_ALWAYS;
    bool write = true;
    /// Adds a stencil of this value, which each fragment replaces by its reference: 0, unless the shader exports one.
    /// It is read back after depth, a byte per pixel.
    std::optional<uint8_t> stencil{};
};

inline constexpr uint32_t kNoView = ~0u;

struct Job {
    Shader vertex;                   ///< required for a draw; a job with `compute` is a dispatch
    Shader tess_control, tess_eval;  ///< both or neither; if present, the topology must be PATCH_LIST
    uint32_t patch_control_points = 1;
    Shader geometry;
    Shader fragment;  ///< if absent, rasterization is discarded
    Shader compute;
    std::array<uint32_t, 3> groups{1, 1, 1};

    std::vector<Buffer> buffers;
    std::vector<Image> images;
    std::vector<ImageView> views;
    std::vector<TexelView> texel_views;
    std::vector<Sampler> samplers;
    std::vector<Descriptor> descriptors;
    std::vector<uint32_t> push_constants;
    std::vector<uint32_t> captures;  ///< transform feedback buffers: indices into `buffers` by XfbBuffer, each captured
                                     ///< from its start

    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    uint32_t vertex_count = 3, first_vertex = 0;
    std::vector<uint32_t> indices;   ///< indices, to each of which first_vertex is added; empty: the draw has none
    bool primitive_restart = false;  ///< index ~0 restarts strips and fans
    uint32_t instance_count = 1, first_instance = 0;
    std::vector<Attribute> attributes;
    uint32_t viewport_width = 1, viewport_height = 1;  ///< may exceed the framebuffer
    std::vector<VkViewport> more_viewports;            ///< viewports 1, 2, …
    uint32_t width = 1, height = 1;                    ///< size of the framebuffer and the scissor rectangles
    uint32_t layers = 1;     ///< framebuffer layers; attachments are read back layer by layer. Only with one sample
    bool multiview = false;  ///< each layer is a view, and the draw repeats for each (Vulkan, "Multiview")
    std::vector<Attachment> attachments;
    std::optional<DepthAttachment> depth;
    /// Samples per pixel. If there are several, colours are read back resolved (the mean of the samples), and depth and
    /// input attachments are not supported.
    uint32_t samples = 1;
    /// The views that the fragment shader reads as input attachments, by InputAttachmentIndex, or kNoView.
    std::vector<uint32_t> input_attachments;

    uint64_t timeout_ns = 120'000'000'000;
};

/// The data read back. Vectors are indexed as in Job; they are empty where no readback was requested.
struct Outputs {
    std::vector<std::vector<uint32_t>> buffers;
    std::vector<std::vector<std::vector<uint8_t>>> images;  ///< then by level
    std::vector<std::vector<uint8_t>> attachments;          ///< followed by depth
};

/// Runs the job and waits for it. Every module is checked against the device's features before a pipeline is created; a
/// missing feature is Failure::Missing with its name.
Expected<Outputs> run(Device& device, const Job& job);

/// A vertex shader without inputs that covers the upper left quarter of the viewport (negative x and y in clip space)
/// with one unclipped triangle. If the viewport is twice as wide and high as the framebuffer, every quad of the
/// framebuffer is complete, with four ordinary fragments.
std::span<const uint32_t> quad_vertex_shader();

/// Companions of geometry and tessellation shaders that read only buffers: a vertex shader without inputs, a control
/// shader for patches of one vertex with all levels 1, and an evaluation shader that does nothing.
std::span<const uint32_t> primitive_vertex_shader();
std::span<const uint32_t> one_patch_control_shader();
std::span<const uint32_t> no_patch_evaluation_shader();

}  // namespace tgsi2spv::harness
