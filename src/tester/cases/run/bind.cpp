#include "cases/run/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "api/convert.h"
#include "cases/run/run_parts.h"
#include "cases/run/tex_samplers.h"
#include "inputs/case.h"
#include "inputs/texels.h"
#include "reference/textures/border.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using Kind = ir::VariableKind;

constexpr float kLastLevel = 14;  ///< the last level of 2^14 texels, the largest size that the devices used here have

struct ViewShape {
    VkImageType type;
    VkImageViewType view;
};

ViewShape shape_of(const ir::ImageType& image) {
    switch (image.dim) {
        case ir::ImageDim::D1:
            return {VK_IMAGE_TYPE_1D, image.array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D};
        case ir::ImageDim::D3:
            return {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D};
        case ir::ImageDim::Cube:
            return {VK_IMAGE_TYPE_2D, image.array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE};
        default:
            return {VK_IMAGE_TYPE_2D, image.array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D};
    }
}

/// Returns the image type of a target's shape; other members have their defaults.
ir::ImageType type_of(tgsi::Target target) {
    const auto s = tgsi::shape(target);
    ir::ImageType type;
    type.dim = s.buffer        ? ir::ImageDim::Buffer
               : s.cube        ? ir::ImageDim::Cube
               : s.coords == 1 ? ir::ImageDim::D1
               : s.coords == 2 ? ir::ImageDim::D2
                               : ir::ImageDim::D3;
    type.array = s.array;
    type.ms = s.ms;
    return type;
}

/// Whether a texture of the case has the shape that the module samples.
bool same_shape(const ir::ImageType& image, tgsi::Target target) {
    const auto s = tgsi::shape(target);
    // Fetches from a cube use a view of it as an array of faces.
    if (s.cube && image.dim == ir::ImageDim::D2) return image.array && !image.ms;
    const auto own = type_of(target);
    return own.dim == image.dim && own.array == image.array && own.ms == image.ms;
}

bool sampled_as_integer(uint16_t format) {
    return tgsi::is_integer(tgsi::format_info(format).numeric);
}

/// Returns the swizzle of a view's channel in a format whose components may be rearranged; `s` is as in
/// reference::View.
VkComponentSwizzle swizzle_of(uint8_t s, uint16_t format) {
    constexpr VkComponentSwizzle kAll[] = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G,    VK_COMPONENT_SWIZZLE_B,
                                           VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_ONE};
    const auto own = vulkan_format(format);
    if (s < 4 && own && own->rearranged) s = tgsi::channels_of(tgsi::format_info(format))[s];
    return s < 6 ? kAll[s] : VK_COMPONENT_SWIZZLE_ZERO;
}

std::optional<VkSamplerAddressMode> address_mode(reference::Wrap wrap) {
    switch (wrap) {
        case reference::Wrap::Repeat:
            return VK_SAMPLER_ADDRESS_MODE_REPEAT;
        case reference::Wrap::ClampToEdge:
            return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        case reference::Wrap::ClampToBorder:
            return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
        case reference::Wrap::MirrorRepeat:
            return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
        case reference::Wrap::MirrorClampToEdge:
            return VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
        default:
            return std::nullopt;
    }
}

/// Storage buffer kFirstCounter + n may be HWATOMIC[n] or a BUFFER of that number: only the names differ.
bool is_counters(const spirv::Resource& resource) {
    return resource.name.view().starts_with("HWATOMIC");
}

/// Arrays that handles index: the low word of a handle is the index.
bool by_handle(const spirv::Resource& resource) {
    return resource.index >= tgsi::kFirstHandle;
}

/// The format through which the module accesses an image of format `own`: atomics see floats as words.
VkFormat view_format(const ir::ImageType& image, VkFormat own) {
    const auto r32ui = static_cast<uint16_t>(spv::ImageFormat::R32ui);
    return image.format == r32ui && own == VK_FORMAT_R32_SFLOAT ? VK_FORMAT_R32_UINT : own;
}

/// Whether the module can access the texture as this image type.
bool fits(const ir::ImageType& image, const reference::Texture& texture) {
    const auto format = vulkan_format(texture.format);
    if (!format || !same_shape(image, texture.target)) return false;
    const bool words = view_format(image, format->format) != format->format;
    return (words || sampled_as_integer(texture.format)) == (image.sampled == ir::Scalar::U32) &&
           (!image.depth || format->aspect == VK_IMAGE_ASPECT_DEPTH_BIT);
}

struct Binder {
    const reference::Inputs& in;
    harness::Job& job;
    const VulkanOptions& options;
    const reference::Borders borders;
    const bool implied_views;  ///< samplers_imply_views(): a separate sampler is used like a combined one
    const Comparing comparing;

    /// Returns a texture of one zero texel, used if the case has none.
    static reference::Texture dummy(const ir::ImageType& image) {
        reference::Texture t;
        const char* format = image.depth                        ? "Z32_FLOAT"
                             : image.sampled != ir::Scalar::U32 ? "R32G32B32A32_FLOAT"
                             : image.sampled_is_signed          ? "R32G32B32A32_SINT"
                                                                : "R32G32B32A32_UINT";
        t.format = tgsi::format_from_name(format).value_or(0);
        if (image.dim == ir::ImageDim::Cube) t.layers = 6;
        if (image.ms) t.samples = 4;
        return t;
    }

    /// Adds a buffer with the texels and returns its index in Job::buffers.
    uint32_t add_texels(const reference::Texture& texture, const VulkanFormat& format, bool readback) {
        std::vector<uint32_t> words((size_t{texture.width} * format.texel_bytes + 3) / 4);
        if (!texture.data.empty()) {
            const auto bytes = encode_texels(texture.format, texture.data[0]);
            for (size_t i = 0; i < bytes.size() && i / 4 < words.size(); i++)
                words[i / 4] |= uint32_t{bytes[i]} << (8 * (i % 4));
        }
        return add_buffer(job, std::move(words), readback);
    }

    static harness::Image image_of(const reference::Texture& texture, const VulkanFormat& format,
                                   const ir::ImageType& image) {
        harness::Image out;
        out.type = shape_of(image).type;
        out.format = format.format;
        out.texel_bytes = format.texel_bytes;
        out.aspect = format.aspect;
        out.width = texture.width;
        out.height = texture.height;
        out.depth = texture.depth;
        out.layers = texture.layers;
        out.levels = texture.levels;
        out.samples = texture.samples;
        out.cube = image.dim == ir::ImageDim::Cube;
        for (const auto& level : texture.data) out.data.push_back(encode_texels(texture.format, level));
        if (out.data.empty()) out.data.emplace_back();  // zeros
        return out;
    }

    static tl::unexpected<VulkanTrouble> no_swizzle(const std::string& where, uint16_t format) {
        return trouble(
            Trouble::Missing,
            fmt::format("{}: PIPE_FORMAT_{} needs a swizzle, which Vulkan supports only for views of sampled images",
                        where, tgsi::format_info(format).name));
    }

    /// Adds an image (or buffer) with a view. Returns the index in Job::views or, for buffers, Job::texel_views.
    tl::expected<uint32_t, VulkanTrouble> add_view(const ir::ImageType& image, uint32_t texture,
                                                   const std::array<uint8_t, 4>& swizzle, bool handles) {
        const auto found = in.textures.find(texture);
        const bool there = found != in.textures.end() && (!handles || fits(image, found->second));
        reference::Texture t = there ? found->second : dummy(image);
        // Neither copies nor stores can write samples of depth. Multisampled textures can only be fetched from, and
        // fetches give the same result from a float format that can hold all values of the depth format.
        if (t.samples > 1 && tgsi::format_info(t.format).numeric == tgsi::Numeric::Depth) {
            for (auto& level : t.data) level = decode_texels(t.format, encode_texels(t.format, level));
            t.format = *tgsi::format_from_name("R32_FLOAT");
        }
        const auto where = fmt::format("textures.{}", texture);
        if (there && !same_shape(image, t.target))
            return trouble(Trouble::Case, fmt::format("{}: the shader samples a different shape than {}", where,
                                                      tgsi::name(t.target)));
        const auto format = vulkan_format(t.format);
        if (!format)
            return trouble(Trouble::Missing, fmt::format("{}: no Vulkan format for PIPE_FORMAT_{}", where,
                                                         tgsi::format_info(t.format).name));
        if (sampled_as_integer(t.format) != (image.sampled == ir::Scalar::U32))
            return trouble(Trouble::Case,
                           fmt::format("{}: the component type that the shader reads does not match PIPE_FORMAT_{}",
                                       where, tgsi::format_info(t.format).name));
        if (image.depth && format->aspect != VK_IMAGE_ASPECT_DEPTH_BIT)
            return trouble(Trouble::Case, fmt::format("{}: comparison needs a depth format", where));
        const bool swizzled = format->rearranged || (there && swizzle != reference::View{}.swizzle);
        if (swizzled && image.dim == ir::ImageDim::Buffer) return no_swizzle(where, t.format);
        if (image.dim == ir::ImageDim::Buffer) {
            job.texel_views.push_back({add_texels(t, *format, false), format->format, false,
                                       t.width * format->texel_bytes, format->texel_bytes});
            return static_cast<uint32_t>(job.texel_views.size() - 1);
        }
        job.images.push_back(image_of(t, *format, image));
        harness::ImageView view;
        view.image = static_cast<uint32_t>(job.images.size() - 1);
        view.type = shape_of(image).view;
        const auto channel = [&](size_t c) { return swizzle_of(swizzle[c], t.format); };
        view.swizzle = {channel(0), channel(1), channel(2), channel(3)};
        job.views.push_back(view);
        return static_cast<uint32_t>(job.views.size() - 1);
    }

    /// `integer`: all views are of integers. They are not filtered, and have a border colour of integers.
    tl::expected<uint32_t, VulkanTrouble> add_sampler(uint32_t index, bool compares, bool rect, bool integer) {
        const auto found = in.samplers.find(index);
        const auto s = found != in.samplers.end() ? found->second : reference::SamplerState{};
        const auto where = fmt::format("samplers.{}", index);
        harness::Sampler out;
        for (int axis = 0; axis < 3; axis++) {
            const auto mode = address_mode(s.wrap[axis]);
            if (!mode)
                return trouble(Trouble::Case, fmt::format("{}: Vulkan has no wrap mode {}", where, name(s.wrap[axis])));
            out.wrap[axis] = *mode;
        }
        // RECT coordinates are in texels: the module divides by the size, and the sampler stays an ordinary one.
        if (s.unnormalized && !rect)
            return trouble(Trouble::Case, fmt::format("{}: unnormalized coordinates need a RECT texture", where));
        const auto filter = [&](reference::Filter f) {
            return f == reference::Filter::Linear && !integer ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
        };
        out.min_filter = filter(s.min_filter);
        out.mag_filter = filter(s.mag_filter);
        out.mip_filter = s.mip_filter == reference::MipFilter::Linear && !integer ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                                                  : VK_SAMPLER_MIPMAP_MODE_NEAREST;
        out.lod_bias = s.lod_bias;
        out.min_lod = std::max(0.0f, s.min_lod);
        // No image has more levels, so the answers are the same; without this limit lavapipe overflows
        // (driver-bugs.md).
        out.max_lod = std::max(out.min_lod, std::min(s.max_lod, kLastLevel));
        if (s.mip_filter == reference::MipFilter::None) {
            // As Vulkan's note on VkSamplerCreateInfo suggests: a maximum of 0.25 keeps to level 0, and still
            // distinguishes minification from magnification.
            out.min_lod = std::min(out.min_lod, 0.25f);
            out.max_lod = std::min(out.max_lod, 0.25f);
        }
        out.max_anisotropy = s.max_anisotropy;
        out.border_color = s.border_color;
        // A colour that is not an integer is undefined: any one does.
        if (integer)
            std::transform(s.border_color.begin(), s.border_color.end(), out.integer_border.emplace().begin(),
                           [](float c) { return reference::integer_border(c).value_or(0); });
        if (compares) {
            if (s.compare == reference::Compare::None)
                return trouble(Trouble::Case,
                               fmt::format("{}: the shader compares, but the sampler has no 'compare'", where));
            out.compare = true;
            out.compare_op = static_cast<VkCompareOp>(s.compare);
        }
        job.samplers.push_back(out);
        return static_cast<uint32_t>(job.samplers.size() - 1);
    }

    /// SVIEW[index]: the case's view, otherwise the texture of that index.
    reference::View view_of(uint32_t index) const {
        const auto found = in.views.find(index);
        return found != in.views.end() ? found->second : reference::View{.texture = index};
    }

    bool is_rect(uint32_t texture) const {
        const auto found = in.textures.find(texture);
        return found != in.textures.end() && tgsi::shape(found->second.target).rect;
    }

    tl::expected<void, VulkanTrouble> image(const spirv::Resource& resource, harness::Descriptor& descriptor) {
        const bool combined = resource.kind == Kind::CombinedImage;
        const uint32_t first = by_handle(resource) ? 0 : resource.index;
        for (uint32_t i = first; i < first + resource.count; i++) {
            // For TEX and its like, the index of SAMP implies that of SVIEW; a handle names a texture.
            const bool is_handle = combined && by_handle(resource);
            const reference::View view = is_handle ? reference::View{.texture = i} : view_of(i);
            const auto item = add_view(resource.image, view.texture, view.swizzle, by_handle(resource));
            if (!item) return tl::unexpected<VulkanTrouble>(item.error());
            descriptor.items.push_back(*item);
            if (descriptor.type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) continue;
            const auto state = in.samplers.find(i);
            const bool compares = resource.image.depth &&
                                  (!by_handle(resource) ||
                                   (state != in.samplers.end() && state->second.compare != reference::Compare::None));
            const bool integer = resource.image.sampled == ir::Scalar::U32;
            const auto sampler = add_sampler(i, compares, is_rect(view.texture), integer);
            if (!sampler) return tl::unexpected<VulkanTrouble>(sampler.error());
            descriptor.samplers.push_back(*sampler);
        }
        return {};
    }

    tl::expected<void, VulkanTrouble> sampler(const spirv::Resource& resource, harness::Descriptor& descriptor) {
        // A sampler of the SAMPLE family does not know which views it is combined with: it compares if the case gives
        // it a comparison, and takes texels if every texture does.
        const bool rects = std::ranges::all_of(in.textures, [&](const auto& t) { return is_rect(t.first); });
        for (uint32_t i = resource.index; i < resource.index + resource.count; i++) {
            const auto s = in.samplers.find(i);
            bool compares = s != in.samplers.end() && s->second.compare != reference::Compare::None;
            bool rect = rects, integer = borders.of_integers(i);
            if (implied_views) {
                const uint32_t texture = view_of(i).texture;
                const auto t = in.textures.find(texture);
                compares = comparing.has(i);
                rect = is_rect(texture);
                integer = t != in.textures.end() && sampled_as_integer(t->second.format);
            }
            const auto item = add_sampler(i, compares, rect, integer);
            if (!item) return tl::unexpected<VulkanTrouble>(item.error());
            descriptor.items.push_back(*item);
        }
        return {};
    }

    /// Sets `again` if the binding exists already, because another instruction accesses the same image as another type.
    tl::expected<void, VulkanTrouble> storage_image(const spirv::Resource& resource, harness::Descriptor& descriptor,
                                                    bool& again) {
        const bool buffer = resource.image.dim == ir::ImageDim::Buffer;
        for (const auto& other : job.descriptors) {
            if (other.set != descriptor.set || other.binding != descriptor.binding) continue;
            if (other.type != descriptor.type)
                return trouble(Trouble::Missing,
                               fmt::format("IMAGE[{}] is used both as an image and as a buffer", resource.index));
            again = true;
            return {};
        }
        const uint32_t first = by_handle(resource) ? 0 : resource.index;
        for (uint32_t i = first; i < first + resource.count; i++) {
            const auto found = in.images.find(i);
            bool there = found != in.images.end() && (!by_handle(resource) || fits(resource.image, found->second));
            // An indexed array may contain images that instructions without an index access as other types.
            const bool other = there && resource.count > 1 && !fits(resource.image, found->second);
            if (other && tgsi::shape(found->second.target).buffer != buffer) there = false;
            reference::Texture t = there ? found->second : dummy(resource.image);
            const ir::ImageType type =
                other && !same_shape(resource.image, t.target) ? type_of(t.target) : resource.image;
            const auto where = fmt::format("images.IMAGE[{}]", i);
            if (found == in.images.end() && resource.count == 1 && !by_handle(resource))
                return trouble(Trouble::Missing, fmt::format("{}: the case has none", where));
            if (there && !same_shape(type, t.target))
                return trouble(Trouble::Case, fmt::format("{}: the shader uses a different shape than {}", where,
                                                          tgsi::name(t.target)));
            const auto format = vulkan_format(t.format);
            if (!format)
                return trouble(Trouble::Missing, fmt::format("{}: no Vulkan format for PIPE_FORMAT_{}", where,
                                                             tgsi::format_info(t.format).name));
            if (format->rearranged) return no_swizzle(where, t.format);
            const VkFormat seen = view_format(type, format->format);
            const bool words = seen != format->format;
            const uint16_t own = api::storage_format(t.format);
            if (there && !words && !other && type.format != 0 && own != type.format)
                return trouble(Trouble::Case,
                               fmt::format("{}: the shader accesses it in another format than PIPE_FORMAT_{}", where,
                                           tgsi::format_info(t.format).name));
            if (!words && !other && sampled_as_integer(t.format) != (resource.image.sampled == ir::Scalar::U32))
                return trouble(Trouble::Case,
                               fmt::format("{}: the component type that the shader uses does not match PIPE_FORMAT_{}",
                                           where, tgsi::format_info(t.format).name));
            if (buffer) {
                job.texel_views.push_back(
                    {add_texels(t, *format, true), seen, true, t.width * format->texel_bytes, format->texel_bytes});
                descriptor.items.push_back(static_cast<uint32_t>(job.texel_views.size() - 1));
                continue;
            }
            auto image = image_of(t, *format, type);
            image.storage = image.readback = true;
            image.reinterpreted = words;
            job.images.push_back(std::move(image));
            harness::ImageView view;
            view.image = static_cast<uint32_t>(job.images.size() - 1);
            view.type = shape_of(type).view;
            view.format = seen;
            job.views.push_back(view);
            descriptor.items.push_back(static_cast<uint32_t>(job.views.size() - 1));
        }
        return {};
    }

    /// Adds an input attachment for FBFETCH, with the contents of the framebuffer.
    void attachment(const spirv::Resource& resource, harness::Descriptor& descriptor) {
        harness::Image image;
        image.input_attachment = true;
        image.width = std::max(in.framebuffer_width, job.width);
        image.height = std::max(in.framebuffer_height, job.height);
        std::vector<uint8_t> bytes(size_t{16} * image.width * image.height);
        if (const auto found = in.framebuffer_colors.find(resource.index); found != in.framebuffer_colors.end())
            for (size_t i = 0; i < found->second.size(); i++) {
                const size_t row = i / (size_t{4} * in.framebuffer_width),
                             column = i % (size_t{4} * in.framebuffer_width);
                const size_t at = 4 * (row * 4 * image.width + column);
                for (size_t b = 0; b < 4 && at + b < bytes.size(); b++)
                    bytes[at + b] = static_cast<uint8_t>(found->second[i] >> (8 * b));
            }
        image.data.push_back(std::move(bytes));
        job.images.push_back(std::move(image));
        harness::ImageView view;
        view.image = static_cast<uint32_t>(job.images.size() - 1);
        job.views.push_back(view);
        const auto item = static_cast<uint32_t>(job.views.size() - 1);
        descriptor.items.push_back(item);
        if (job.input_attachments.size() <= resource.index)
            job.input_attachments.resize(resource.index + 1, harness::kNoView);
        job.input_attachments[resource.index] = item;
    }

    void constants(const spirv::Resource& resource, harness::Descriptor& descriptor) {
        for (uint32_t i = resource.index; i < resource.index + resource.count; i++) {
            std::vector<uint32_t> words;
            if (const auto c = in.constants.find(i); c != in.constants.end()) words = c->second;
            if (options.robust_access) {
                // The most that robustUniformBufferAccessSizeAlignment may add to the range is in it: zeros.
                words.resize((std::max<size_t>(words.size(), 1) + 63) / 64 * 64);
            } else {
                // The whole declared range is bound; words that the case does not give are zero. Uniform ranges are
                // whole vectors.
                words.resize(std::max<size_t>(resource.storage ? words.size() : 0, (resource.bytes + 3) / 4));
                words.resize((std::max<size_t>(words.size(), 4) + 3) / 4 * 4);
            }
            descriptor.items.push_back(add_buffer(job, std::move(words), false));
        }
    }

    tl::expected<void, VulkanTrouble> bind(const spirv::Resource& resource) {
        harness::Descriptor d;
        d.set = resource.binding.set;
        d.binding = resource.binding.binding;
        d.type = descriptor_type(resource);
        switch (resource.kind) {
            case Kind::ConstantBuffer:
                constants(resource, d);
                break;
            case Kind::StorageBuffer:
                for (uint32_t i = resource.index; i < resource.index + resource.count; i++) {
                    const bool counters = is_counters(resource);
                    const uint32_t number = counters ? i - tgsi::kFirstCounter : i;
                    const auto& all = counters ? in.hwatomics : in.buffers;
                    const auto b = all.find(number);
                    auto words = b != all.end() ? b->second : std::vector<uint32_t>();
                    // Semantics, Addressing: an unbound buffer reads as 0, but no descriptor has no words.
                    if (words.empty() && resource.count == 1)
                        return trouble(Trouble::Missing, fmt::format("{}[{}]: the case has no words for it",
                                                                     counters ? "HWATOMIC" : "BUFFER", number));
                    d.items.push_back(add_buffer(job, std::move(words), true));
                }
                break;
            case Kind::CombinedImage:
            case Kind::SampledImage:
                if (auto s = image(resource, d); !s) return s;
                break;
            case Kind::Sampler:
                if (auto s = sampler(resource, d); !s) return s;
                break;
            case Kind::StorageImage: {
                bool again = false;
                if (auto s = storage_image(resource, d, again); !s) return s;
                if (again) return {};
                break;
            }
            case Kind::InputAttachment:
                attachment(resource, d);
                break;
            default:
                return {};
        }
        job.descriptors.push_back(std::move(d));
        return {};
    }
};

}  // namespace

VkDescriptorType descriptor_type(const spirv::Resource& resource) {
    const bool buffer = resource.image.dim == ir::ImageDim::Buffer;
    switch (resource.kind) {
        case Kind::ConstantBuffer:
            return resource.storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        case Kind::CombinedImage:
            return buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        case Kind::SampledImage:
            return buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        case Kind::Sampler:
            return VK_DESCRIPTOR_TYPE_SAMPLER;
        case Kind::StorageImage:
            return buffer ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case Kind::InputAttachment:
            return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
        default:
            return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

tl::expected<void, VulkanTrouble> bind_resources(const tgsi::Program& program, const spirv::Reflection& reflection,
                                                 const reference::Inputs& inputs, harness::Job& job,
                                                 const VulkanOptions& options) {
    Binder binder{.in = inputs,
                  .job = job,
                  .options = options,
                  .borders = reference::Borders(program, inputs),
                  .implied_views = samplers_imply_views(program),
                  .comparing = Comparing(program)};
    for (const auto& r : reflection.resources)
        if (auto s = binder.bind(r); !s) return s;
    return {};
}

std::vector<ImageBack> images_back(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                   const harness::Job& job) {
    std::vector<ImageBack> back;
    for (const auto& r : reflection.resources) {
        if (r.kind != Kind::StorageImage) continue;
        for (const auto& d : job.descriptors) {
            if (d.set != r.binding.set || d.binding != r.binding.binding) continue;
            const bool buffer = d.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
            for (uint32_t i = 0; i < r.count; i++) {
                const uint32_t item = buffer ? job.texel_views[d.items[i]].buffer : job.views[d.items[i]].image;
                const auto given = inputs.images.find(by_handle(r) ? i : r.index + i);
                if (given == inputs.images.end() || (by_handle(r) && !fits(r.image, given->second))) continue;
                if (tgsi::shape(given->second.target).buffer != buffer) continue;
                back.push_back({given->first, item, buffer});
            }
        }
    }
    return back;
}

std::vector<BufferBack> buffers_back(const spirv::Reflection& reflection, const harness::Job& job) {
    std::vector<BufferBack> back;
    for (const auto& r : reflection.resources) {
        if (r.kind != Kind::StorageBuffer) continue;
        for (const auto& d : job.descriptors)
            if (d.set == r.binding.set && d.binding == r.binding.binding)
                for (uint32_t i = 0; i < r.count; i++) {
                    const uint32_t index = r.index + i;
                    const bool counters = is_counters(r);
                    back.push_back({counters ? index - tgsi::kFirstCounter : index, d.items[i], counters});
                }
    }
    return back;
}

}  // namespace tgsi2spv::difftest
