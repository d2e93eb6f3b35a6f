#include "renderer/record/sampled_targets.h"

#include <algorithm>
#include <utility>

#include "renderer/record/fetched.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "renderer/state/resource.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

/// Levels and layers of a texture that a stage reads.
struct Part {
    const Resource* resource = nullptr;
    uint32_t first_level = 0, levels = 1, first_layer = 0, layers = 1;
};

Part part_of(const StageBindings& stage, bool stored, uint32_t slot) {
    if (stored) {
        if (slot >= stage.images.size()) return {};
        const StorageImage& i = stage.images[slot];
        return {i.resource.get(), i.level, 1, i.first_layer, i.layers};
    }
    const SamplerView* const v = slot < stage.views.size() ? stage.views[slot].get() : nullptr;
    return v == nullptr ? Part{} : Part{v->resource.get(), v->first_level, v->levels, v->first_layer, v->layers};
}

bool is_target(const Framebuffer& framebuffer, const Part& part) {
    const auto has = [&](const Shared<Surface>& s) {
        if (s == nullptr || s->resource.get() != part.resource) return false;
        const bool level = s->level >= part.first_level && s->level - part.first_level < part.levels;
        const bool layer =
            s->first_layer < part.first_layer + part.layers && part.first_layer < s->first_layer + s->layers;
        return level && (layer || s->resource->image->info().type == VK_IMAGE_TYPE_3D);
    };
    return has(framebuffer.depth) || std::ranges::any_of(framebuffer.colors, has);
}

/// Calls `use` for what the program reads of targets: stage, whether it is an image, slot, part.
template <class Use>
void for_each_read_target(const Bindings& context, const LinkedProgram& program, const Use& use) {
    for (const auto& set : program.descriptors)
        for (const Descriptor& d : set) {
            const bool stored = d.kind == TGSI2SPV_RESOURCE_STORAGE_IMAGE;
            const bool sampled =
                d.kind == TGSI2SPV_RESOURCE_SAMPLED_IMAGE || d.kind == TGSI2SPV_RESOURCE_COMBINED_IMAGE;
            if ((!stored && !sampled) || is_fetched(d.kind, d.index)) continue;
            for (uint32_t slot = d.index; slot < d.index + d.count; slot++) {
                const Part part = part_of(context.stage(d.stage), stored, slot);
                if (part.resource != nullptr && is_target(context.framebuffer, part)) use(d.stage, stored, slot, part);
            }
        }
}

/// Null: memory is short.
std::shared_ptr<Resource> make_copy(HostRecorder& host, const Resource& from) {
    vk::ImageInfo info = from.image->info();
    info.usage &= VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
    info.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    auto copy = make_texture_for_copy(host, from, info);
    if (copy != nullptr) copy->image->set_name("copy of a target");
    return copy;
}

/// Puts the resource's copy in its place, with what the part has now. False: memory is short.
bool replace(HostRecorder& host, std::shared_ptr<Resource>& resource, const Part& part) {
    if (resource->copy == nullptr) resource->copy = make_copy(host, *resource);
    if (resource->copy == nullptr) return false;
    host.has_copies = true;
    bool complete = true;
    for (uint32_t level = part.first_level; level < part.first_level + part.levels; level++) {
        const VkExtent3D e = resource->extent(level);
        const bool volume = resource->image->info().type == VK_IMAGE_TYPE_3D;
        const vk::ImageBox box{.level = level,
                               .z = volume ? 0 : part.first_layer,
                               .width = e.width,
                               .height = e.height,
                               .depth = volume ? e.depth : part.layers};
        complete &= vk::copy_image(host.stream, resource->image, box, resource->copy->image, box) == vk::Status::Done;
    }
    resource = std::shared_ptr(resource->copy);
    return complete;
}

}  // namespace

bool samples_targets(const Bindings& context, const LinkedProgram& program) {
    bool any = false;
    for_each_read_target(context, program, [&](virgl::Stage, bool, uint32_t, const Part&) { any = true; });
    return any;
}

std::optional<Bindings> copy_sampled_targets(HostRecorder& host, const Bindings& context,
                                             const LinkedProgram& program) {
    if (!flush_clears(host)) return std::nullopt;
    host.stream.end_scope();
    Bindings apart = context;
    bool complete = true;
    for_each_read_target(context, program, [&](virgl::Stage s, bool stored, uint32_t slot, const Part& part) {
        StageBindings& stage = apart.stage(s);
        // Several descriptors may show one slot: its first one has put the copy there.
        if (stored && stage.images[slot].resource.get() == part.resource) {
            complete &= replace(host, stage.images[slot].resource, part);
        } else if (!stored && stage.views[slot]->resource.get() == part.resource) {
            auto view = std::make_shared<SamplerView>(*stage.views[slot]);
            complete &= replace(host, view->resource, part);
            stage.views[slot] = std::move(view);
        }
    });
    return complete ? std::optional(std::move(apart)) : std::nullopt;
}

}  // namespace tgsi2spv::host
