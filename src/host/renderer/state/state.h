// A guest's objects and bindings: resources of the connection, objects and bindings of each sub-context.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "renderer/state/formats.h"
#include "renderer/state/problem.h"
#include "tgsi2spv/tgsi2spv.hpp"
#include "virgl/commands.h"
#include "virgl/renderer.h"
#include "virgl/shader_text.h"
#include "vk/budget.h"
#include "vk/object.h"
#include "vk/query.h"

namespace tgsi2spv::host {

/// A buffer, a texture, or (neither) bytes that only the guest and the host see: staging and query results.
struct Resource {
    virgl::ResourceRequest info{};
    virgl::Target target{};
    const FormatInfo* format = nullptr;
    std::shared_ptr<virgl::SharedMemory> memory;
    std::shared_ptr<vk::Buffer> buffer;
    std::shared_ptr<vk::Image> image;
    /// Its memory, for pictures that the device writes there. Null: the device cannot. Empty: not tried.
    std::optional<std::shared_ptr<vk::Buffer>> shared;
    std::shared_ptr<Resource> copy;  ///< copy of the image, for draws to it that read it (sampled_targets.h)
    vk::Charge charge;               ///< the charge for its memory on the CPU
    /// The batch after which its memory has the contents that the guest expects: after those before its creation, that
    /// of a query's result, and that of a read.
    uint64_t busy_until = 0;

    /// Array layers as Vulkan counts them: six for each cube.
    uint32_t layers() const { return image == nullptr ? 1 : image->info().layers; }
    /// Slices that a box's z may name.
    uint32_t slices(uint32_t level) const;
    VkExtent3D extent(uint32_t level) const;
    /// Whether Vulkan permits views of the image with this format (Vulkan, "Compatible Formats").
    bool has_views_of(const FormatInfo& other) const;
};

/// SPEC_VIEW_SWIZZLE: three bits per letter, x lowest.
inline constexpr uint32_t kIdentitySwizzle = 03210;

struct SamplerView {
    std::shared_ptr<Resource> resource;
    virgl::Target target{};
    const FormatInfo* format = nullptr;
    uint32_t first_level = 0, levels = 1, first_layer = 0, layers = 1;
    VkDeviceSize offset = 0, bytes = 0;  ///< range of a buffer
    VkComponentMapping swizzle{};
    /// SPEC_VIEW_SWIZZLE, since views swizzle neither the results of comparisons nor buffers. Empty: the view swizzles.
    std::optional<uint32_t> packed_swizzle;
    bool unorm16 = false, snorm16 = false;  ///< the device has the buffer's texels as integers only
};
struct Surface {
    std::shared_ptr<Resource> resource;
    const FormatInfo* format = nullptr;
    uint32_t level = 0, first_layer = 0, layers = 1;
    VkImageView view = VK_NULL_HANDLE;  ///< null: its format cannot be drawn to, or find_view() makes it
    std::shared_ptr<const void> views;  ///< keeps it alive
};
struct Shader {
    uint64_t id = 0;  ///< number of the members below: equal shaders share programs and pipelines
    virgl::Stage stage{};
    Program program;  ///< empty: the library refused the text, and draws with it are skipped
    /// The same with unsigned integers in place of signed ones in `signed_views`, by number; empty without such.
    Program unsigned_program;
    uint32_t signed_views = 0;
    std::vector<tgsi2spv_stream_output> outputs;
    std::array<uint32_t, 4> strides{};
    uint32_t shared_bytes = 0;
    bool queries_lod = false, fetches_texels = false;
    bool has_images = false, has_untyped_images = false;  ///< the latter without a format in the text
    bool has_multisampled = false;                        ///< textures or images
    /// Formats that the text names for IMAGE[n], by SPIR-V's numbers; 0: none.
    std::array<uint8_t, virgl::kMaxShaderImages> image_formats{};
    uint32_t first_buffer = 0;  ///< the BUFFER of slot 0 in SET_SHADER_BUFFERS
    bool reads_draw_id = false, reads_instance = false;
    bool fetches_color = false;                      ///< it fetches from its targets
    bool reads_primitive = false;                    ///< FRAG: PRIMID
    bool reads_flat = false;                         ///< FRAG: varyings that are flat whatever the state
    bool reads_color = false;                        ///< FRAG: varyings that are flat with flat shading
    bool makes_points = false, makes_lines = false;  ///< TESS_EVAL and GEOM: not triangles
    bool writes_sample_mask = false;
    bool writes_second_color = false;
    vk::Charge charge;  ///< the memory of the outputs
};
/// A number that Vulkan counts, of a stream of vertices where there are several.
struct Counted {
    VkQueryType type{};
    uint32_t stream = 0;
    bool operator==(const Counted&) const = default;
};
/// From a beginning of a query to its end. The device's numbers are added as batches are done.
struct QueryRun {
    virgl::CreateQuery query{};
    std::vector<Counted> counted{};
    uint64_t sum = 0;
    bool ended = false;
    uint64_t last_batch = 0;  ///< has the end of its work, once it has ended
    uint32_t segments = 0;    ///< slots that count for it
    // The newest of them, until its batch is done.
    std::weak_ptr<const vk::QueryPool> pool;
    uint32_t slot = 0;
};
struct Query {
    virgl::CreateQuery info{};
    std::shared_ptr<Resource> result;
    std::shared_ptr<QueryRun> run;  ///< the newest; null before the first
};
struct RenderCondition {
    std::shared_ptr<Query> query;  ///< null: off
    bool skip_where = false, waits = false;
    // The device decides: the result of `resolved` as a word.
    std::shared_ptr<const QueryRun> resolved;
    std::shared_ptr<vk::Buffer> word;
};
struct StreamoutTarget {
    std::shared_ptr<Resource> resource;
    uint32_t offset = 0, size = 0;
    bool destroyed = false;
};
/// The captures to a list of targets, over pauses.
struct Feedback {
    std::vector<std::shared_ptr<StreamoutTarget>> targets;  ///< null: a gap
    std::shared_ptr<vk::Buffer> counters;                   ///< bytes that each target has, a word each
    std::array<uint32_t, 4> strides{};                      ///< words of a vertex, of the last draw
    bool started = false;
};

template <class T>
using Shared = std::shared_ptr<const T>;
using Object = std::variant<Shared<virgl::CreateBlend>, Shared<virgl::CreateRasterizer>,
                            Shared<virgl::CreateDepthStencilAlpha>, Shared<virgl::CreateVertexElements>, Shared<Shader>,
                            Shared<SamplerView>, Shared<virgl::CreateSamplerState>, Shared<Surface>,
                            std::shared_ptr<Query>, std::shared_ptr<StreamoutTarget>>;

/// Objects by handle, counted in the budget.
class Objects {
  public:
    explicit Objects(vk::Budget& budget) : budget_(budget) {}
    ~Objects() { budget_.remove(by_handle_.size() * kBytes); }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;

    auto find(uint32_t handle) const { return by_handle_.find(handle); }
    /// An object of a type; null for handle 0.
    template <class Pointer>
    Problem find(uint32_t handle, Pointer& result) const {
        result = nullptr;
        if (handle == 0) return Problem::None;
        const auto at = by_handle_.find(handle);
        if (at == by_handle_.end()) return {Problem::NoObject, handle};
        const auto* found = std::get_if<Pointer>(&at->second);
        if (found == nullptr) return {Problem::WrongObject, handle};
        result = *found;
        return Problem::None;
    }
    auto end() const { return by_handle_.end(); }
    /// Replaces an object that had the handle.
    Problem add(uint32_t handle, Object object) {
        const bool is_new = !by_handle_.contains(handle);
        if (is_new && !budget_.has_room(kBytes)) return {Problem::Budget, budget_.used(), budget_.limit()};
        if (is_new) budget_.add(kBytes);
        by_handle_.insert_or_assign(handle, std::move(object));
        return Problem::None;
    }
    void erase(std::unordered_map<uint32_t, Object>::const_iterator at) {
        by_handle_.erase(at);
        budget_.remove(kBytes);
    }

  private:
    static constexpr uint64_t kBytes = 768;  ///< size of the largest (vertex elements), with heap and map
    vk::Budget& budget_;
    std::unordered_map<uint32_t, Object> by_handle_;
};

/// A range of a buffer, for constants or for shaders to write.
struct BoundRange {
    std::shared_ptr<Resource> resource;
    VkDeviceSize offset = 0, bytes = 0;
};
/// An image that shaders may write.
struct StorageImage {
    std::shared_ptr<Resource> resource;
    const FormatInfo* format = nullptr;
    uint32_t level = 0, first_layer = 0, layers = 1;
    VkDeviceSize offset = 0, bytes = 0;  ///< range of a buffer
};

/// Parts of the bindings by which draws differ.
enum class Dirty : uint8_t {
    Framebuffer,
    Viewports,
    Scissors,
    Blend,
    BlendColor,
    Rasterizer,
    DepthStencil,
    StencilRef,
    SampleMask,  ///< and the number of samples that FRAG runs for
    Tessellation,
    Elements,
    VertexBuffers,
    Shaders,
    StateBuffer,  ///< planes, stipple rows and values that the library reads from its buffer
    Assembly,     ///< the draw's own state: topology, vertices of a patch, restarts
    Count,
};
/// Bit n: part n.
using Parts = uint32_t;
template <class... Dirts>
constexpr Parts parts_of(Dirts... parts) {
    return ((Parts{1} << static_cast<unsigned>(parts)) | ...);
}

/// View and sampler features that the shader must emulate, and the numeric types of images (tgsi2spv_state).
struct ResourcesInShader {
    uint32_t swizzled_views = 0;                            ///< bit n: views[n] has a packed swizzle
    uint32_t unorm16_buffers = 0, snorm16_buffers = 0;      ///< bit n: views[n] is one of integers
    uint32_t unsigned_views = 0;                            ///< bit n: views[n] has unsigned integers
    std::array<uint32_t, 3> clamped_coordinates{};          ///< bit n: samplers[n] clamps x, y, z to 0..1
    std::array<uint32_t, 3> mirrored_coordinates{};         ///< bit n: and mirrors them at 0
    uint32_t mirrored_levels = 0;                           ///< bit n: reads several levels
    std::array<uint8_t, virgl::kMaxShaderImages> images{};  ///< tgsi2spv_numeric_type of images[n]
    /// Its format by SPIR-V's number, where the text names none, or another one.
    std::array<uint8_t, virgl::kMaxShaderImages> image_formats{};
    std::array<uint8_t, virgl::kMaxShaderImages> image_samples{};  ///< sample counts, if misfits are null descriptors
    bool operator==(const ResourcesInShader&) const = default;
};

/// Kinds of a stage's bindings.
enum class Bound : uint8_t { Constants, Uniforms, Views, Samplers, Buffers, Images, Count };
using BoundBits = std::bitset<static_cast<size_t>(Bound::Count)>;
template <class... Kinds>
constexpr BoundBits bits_of(Kinds... kinds) {
    return {((1ULL << static_cast<unsigned>(kinds)) | ...)};
}

/// The changes since the last draw.
class Changes {
  public:
    void mark_all() { bits_.set(); }
    void mark(Dirty what) { bits_.set(static_cast<size_t>(what)); }
    void mark(virgl::Stage stage, Bound kind) { bits_.set(first_of(stage) + static_cast<size_t>(kind)); }
    void add(const Changes& more) { bits_ |= more.bits_; }
    template <class... Dirts>
    bool has(Dirts... parts) const {
        return has_some(parts_of(parts...));
    }
    bool has_some(Parts parts) const { return (bits_.to_ullong() & parts) != 0; }
    BoundBits of(virgl::Stage stage) const { return BoundBits((bits_ >> first_of(stage)).to_ullong() & kBound); }
    /// Whether some stage has others of these kinds.
    bool has_new(BoundBits kinds) const {
        uint64_t all = 0;
        for (size_t stage = 0; stage < kStages; stage++) all |= kinds.to_ullong() << (kParts + kKinds * stage);
        return (bits_ & Bits(all)).any();
    }

  private:
    static constexpr size_t kParts = static_cast<size_t>(Dirty::Count), kKinds = static_cast<size_t>(Bound::Count),
                            kStages = 6;
    static constexpr uint64_t kBound = (1U << kKinds) - 1;
    using Bits = std::bitset<kParts + kKinds * kStages>;
    static_assert(Bits().size() <= 64);
    static size_t first_of(virgl::Stage stage) { return kParts + kKinds * static_cast<size_t>(stage); }
    Bits bits_;
};

struct StageBindings {
    Shared<Shader> shader;
    std::vector<uint32_t> constants;  ///< CONST[0], unless uniforms[0] is bound
    std::array<BoundRange, virgl::kMaxConstantBuffers> uniforms;
    std::array<Shared<SamplerView>, virgl::kMaxSamplerViews> views;
    ResourcesInShader in_shader;
    std::array<Shared<virgl::CreateSamplerState>, virgl::kMaxSamplerStates> samplers;
    std::array<BoundRange, virgl::kMaxShaderBuffers> buffers;
    std::array<StorageImage, virgl::kMaxShaderImages> images;
};

/// The part of a stage's bindings that changes its module; the stage has a shader.
inline ResourcesInShader resources_in_shader(const StageBindings& stage) {
    ResourcesInShader resources = stage.in_shader;
    const Shader& shader = *stage.shader;
    resources.unsigned_views &= shader.signed_views;
    if (!shader.has_untyped_images) resources.images = {};
    if (!shader.has_multisampled) resources.image_samples = {};
    if (!shader.has_images) {
        resources.image_formats = {};
        return resources;
    }
    for (size_t n = 0; n < resources.image_formats.size(); n++) {
        const uint8_t named = shader.image_formats[n];
        if (named != 0 ? named == resources.image_formats[n] : !shader.has_untyped_images)
            resources.image_formats[n] = 0;
    }
    return resources;
}

struct Framebuffer {
    std::vector<Shared<Surface>> colors;  ///< null: a gap
    Shared<Surface> depth;
    virgl::SetFramebufferNoAttach none{};  ///< used if there is no surface
    uint32_t width = 0, height = 0, layers = 1;
    uint32_t samples = 1;
    uint32_t seen_samples = 1;  ///< the guest's number, a power of two: sample n is n % seen_samples
};

struct BoundVertexBuffer {
    std::shared_ptr<Resource> resource;
    uint32_t stride = 0, offset = 0;
};

/// The layer and viewport that a pass of an emulated draw shows; all ones: any.
struct ChosenLayer {
    uint32_t layer = UINT32_MAX, viewport = UINT32_MAX;
};

/// All that draws and dispatches read of a guest's state. Copies share the objects: to draw something else, change a
/// copy.
struct Bindings {
    std::array<StageBindings, 6> stages;
    Shared<virgl::CreateBlend> blend;
    Shared<virgl::CreateRasterizer> rasterizer;
    Shared<virgl::CreateDepthStencilAlpha> depth_stencil;
    Shared<virgl::CreateVertexElements> elements;
    Framebuffer framebuffer;
    std::array<virgl::Viewport, virgl::kMaxViewports> viewports{};
    std::array<virgl::Scissor, virgl::kMaxViewports> scissors{};
    std::optional<ChosenLayer> chosen;                ///< the choice of a pass of layers.cpp
    std::array<VkDescriptorBufferInfo, 4> records{};  ///< the buffers of a module with records
    std::vector<BoundVertexBuffer> vertex_buffers;
    std::shared_ptr<Resource> index_buffer;
    uint32_t index_size = 0, index_offset = 0;
    std::array<float, 4> blend_color{};
    virgl::SetStencilRef stencil_ref{};
    std::array<std::array<float, 4>, virgl::kMaxClipPlanes> clip_planes{};
    std::array<uint32_t, 32> stipple{};
    uint32_t sample_mask = ~0u, min_samples = 1;
    virgl::SetTessState tess{};
    std::shared_ptr<Feedback> feedback;  ///< buffers that draws capture to

    StageBindings& stage(virgl::Stage s) { return stages[static_cast<size_t>(s)]; }
    const StageBindings& stage(virgl::Stage s) const { return stages[static_cast<size_t>(s)]; }
};

/// A guest's objects and bindings. Only its commands change them.
struct SubContext : Bindings {
    explicit SubContext(vk::Budget& budget) : charge(budget, kBytes), objects(budget) {}
    /// Its size with the constants of all stages, and bound objects whose handle is gone.
    static constexpr uint64_t kBytes = 640U << 10;

    vk::Charge charge;
    Objects objects;
    virgl::ShaderText text;
    vk::Charge text_charge;

    Changes changes;  ///< changes of the bindings
    std::vector<std::shared_ptr<QueryRun>> active_queries;
    RenderCondition condition;
    std::vector<std::shared_ptr<Feedback>> feedbacks;  ///< the newest is the last

    void mark_dirty(Dirty what) { changes.mark(what); }
};

/// A program that draws: the only one, or one of a virtual machine's.
struct Client {
    std::unordered_map<uint32_t, std::unique_ptr<SubContext>> contexts;
    SubContext* current = nullptr;
    std::unordered_map<uint32_t, vk::Charge> attached;               ///< resources that it reaches
    std::unordered_map<uint32_t, virgl::ResourceRequest> described;  ///< buffers to come in memory of the guest
    bool reaches_all = false;
    bool failed = false;  ///< a command was refused: later ones are ignored
};
inline bool reaches(const Client& client, uint32_t handle) {
    return client.reaches_all || client.attached.contains(handle);
}

}  // namespace tgsi2spv::host
