#include "renderer/record/based_views.h"

#include <algorithm>
#include <utility>

#include "renderer/record/fetched.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "renderer/state/resource.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

bool is_misread(const Shader& shader, const SamplerView* view) {
    return shader.fetches_texels && view != nullptr && view->resource->image != nullptr && view->first_level > 0 &&
           view->levels > 1;
}

/// Calls `use` with the stage and slot of each view that is misread.
template <class Use>
void for_each_misread(const Bindings& context, const LinkedProgram& program, const Use& use) {
    for (const auto& set : program.descriptors)
        for (const Descriptor& d : set) {
            const bool sampled =
                d.kind == TGSI2SPV_RESOURCE_SAMPLED_IMAGE || d.kind == TGSI2SPV_RESOURCE_COMBINED_IMAGE;
            const StageBindings& stage = context.stage(d.stage);
            if (!sampled || is_fetched(d.kind, d.index) || stage.shader == nullptr) continue;
            const size_t end = std::min<size_t>(d.index + d.count, stage.views.size());
            for (size_t slot = d.index; slot < end; slot++)
                if (is_misread(*stage.shader, stage.views[slot].get())) use(d.stage, slot);
        }
}

/// The levels of the view as a texture. Null: memory is short.
std::shared_ptr<Resource> copy_levels(HostRecorder& host, const SamplerView& view) {
    const Resource& from = *view.resource;
    vk::ImageInfo info = from.image->info();
    info.extent = from.extent(view.first_level);
    info.levels = view.levels;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    auto copy = make_texture_for_copy(host, from, info);
    if (copy == nullptr) return nullptr;
    copy->info.width = info.extent.width;
    copy->info.height = info.extent.height;
    copy->info.depth = info.extent.depth;
    copy->info.last_level = info.levels - 1;
    for (uint32_t level = 0; level < info.levels; level++) {
        const VkExtent3D e = copy->extent(level);
        const vk::ImageBox box{
            .level = view.first_level + level, .width = e.width, .height = e.height, .depth = copy->slices(level)};
        if (vk::copy_image(host.stream, from.image, box, copy->image, {.level = level}) != vk::Status::Done)
            return nullptr;
    }
    return copy;
}

}  // namespace

bool misreads_levels(const HostRecorder& host, const Bindings& context, const LinkedProgram& program) {
    bool any = false;
    if (host.limits_fetched_levels) for_each_misread(context, program, [&](virgl::Stage, size_t) { any = true; });
    return any;
}

std::optional<Bindings> copy_based_views(HostRecorder& host, const Bindings& context, const LinkedProgram& program) {
    if (!flush_clears(host)) return std::nullopt;
    host.stream.end_scope();
    Bindings based = context;
    bool complete = true;
    for_each_misread(context, program, [&](virgl::Stage s, size_t slot) {
        Shared<SamplerView>& bound = based.stage(s).views[slot];
        if (bound->first_level == 0) return;  // another descriptor shows the slot, too
        auto view = std::make_shared<SamplerView>(*bound);
        view->resource = copy_levels(host, *bound);
        view->first_level = 0;
        complete &= view->resource != nullptr;
        if (complete) bound = std::move(view);
    });
    return complete ? std::optional(std::move(based)) : std::nullopt;
}

}  // namespace tgsi2spv::host
