#include "renderer/record/stream_out.h"

#include <algorithm>
#include <cstring>

#include "renderer/state/host_state.h"

namespace tgsi2spv::host {
namespace {

/// Lists that are remembered: a program that pauses resumes before it begins many others.
constexpr size_t kMaxFeedbacks = 64;

bool is_used(const StreamoutTarget* target) {
    return target != nullptr && target->size != 0;
}

bool is_vertex_buffer(const Bindings& context, const Resource& resource) {
    const auto same = [&](const BoundVertexBuffer& b) { return b.resource.get() == &resource; };
    return std::ranges::any_of(context.vertex_buffers, same);
}

}  // namespace

Problem bind(HostState& host, SubContext& context, const virgl::SetStreamoutTargets& command) {
    if (context.feedback != nullptr) context.mark_dirty(Dirty::Shaders);
    context.feedback = nullptr;
    std::vector<std::shared_ptr<StreamoutTarget>> targets;
    for (const uint32_t handle : command.targets) {
        if (const Problem p = context.objects.find(handle, targets.emplace_back())) return p;
    }
    while (!targets.empty() && targets.back() == nullptr) targets.pop_back();
    if (targets.empty()) return Problem::None;
    const vulkan::DeviceReport& report = host.device->report();
    const uint32_t most = std::min(report.transform_feedback ? report.max_transform_feedback_buffers : UINT32_MAX,
                                   virgl::kMaxStreamoutTargets);
    if (targets.size() > most) return {Problem::BadSize, targets.size(), most};
    context.mark_dirty(Dirty::Shaders);
    auto known = std::ranges::find(
        context.feedbacks, targets, [](const auto& f) -> const auto& { return f->targets; });
    if (known == context.feedbacks.end()) {
        auto made = std::make_shared<Feedback>();
        made->targets = std::move(targets);
        made->counters = vk::Buffer::create(*host.device, host.memory, sizeof(uint32_t) * made->strides.size());
        if (made->counters == nullptr) return Problem::NoMemory;
        std::memset(made->counters->mapped(), 0, made->counters->size());
        if (context.feedbacks.size() == kMaxFeedbacks) context.feedbacks.erase(context.feedbacks.begin());
        context.feedbacks.push_back(std::move(made));
        known = context.feedbacks.end() - 1;
    }
    std::rotate(known, known + 1, context.feedbacks.end());  // the newest is the last
    context.feedback = context.feedbacks.back();
    return Problem::None;
}

void destroy_streamout_target(SubContext& context, StreamoutTarget& target) {
    target.destroyed = true;
    const auto gone = [](const auto& t) { return t == nullptr || t->destroyed; };
    std::erase_if(context.feedbacks, [&](const auto& f) { return std::ranges::all_of(f->targets, gone); });
}

uint32_t captured_buffers(const Bindings& context, const Shader& shader) {
    uint32_t mask = 0;
    if (context.feedback == nullptr) return mask;
    for (const tgsi2spv_stream_output& o : shader.outputs)
        if (o.buffer < context.feedback->targets.size() && is_used(context.feedback->targets[o.buffer].get()))
            mask |= 1u << o.buffer;
    return mask;
}

void add_captures(const Bindings& context, std::vector<vk::Use>& uses) {
    uses.push_back(vk::writes(context.feedback->counters));
    for (const auto& target : context.feedback->targets)
        if (target != nullptr) uses.push_back(vk::writes(target->resource->buffer));
}

void begin_captures(HostState& host, const Bindings& context) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const auto& limits = host.device->extras().feedback;
    Feedback& f = *context.feedback;
    VkBuffer counters[4];
    VkDeviceSize places[4];
    for (uint32_t i = 0; i < f.targets.size(); i++) {
        counters[i] = f.started ? f.counters->handle() : VK_NULL_HANDLE;
        places[i] = sizeof(uint32_t) * i;
        if (const StreamoutTarget* t = f.targets[i].get(); is_used(t)) {
            const VkBuffer buffer = t->resource->buffer->handle();
            const VkDeviceSize offset = t->offset;
            const VkDeviceSize size = std::min<VkDeviceSize>(t->size, limits.maxTransformFeedbackBufferSize);
            vkCmdBindTransformFeedbackBuffersEXT(commands, i, 1, &buffer, &offset, &size);
        } else {
            counters[i] = VK_NULL_HANDLE;
        }
    }
    vkCmdBeginTransformFeedbackEXT(commands, 0, static_cast<uint32_t>(f.targets.size()), counters, places);
}

void end_captures(HostState& host, const Bindings& context, const std::array<uint32_t, 4>& strides) {
    Feedback& f = *context.feedback;
    VkBuffer counters[4];
    VkDeviceSize places[4];
    for (uint32_t i = 0; i < f.targets.size(); i++) {
        counters[i] = is_used(f.targets[i].get()) ? f.counters->handle() : VK_NULL_HANDLE;
        places[i] = sizeof(uint32_t) * i;
    }
    vkCmdEndTransformFeedbackEXT(host.stream.commands_in_scope(), 0, static_cast<uint32_t>(f.targets.size()), counters,
                                 places);
    f.started = true;
    f.strides = strides;
}

std::optional<CapturedCount> find_captured_count(const SubContext& context, uint32_t size) {
    std::optional<CapturedCount> best;
    for (size_t n = context.feedbacks.size(); n-- > 0;) {
        const Feedback& f = *context.feedbacks[n];
        if (&f == context.feedback.get()) continue;
        for (size_t i = 0; i < f.targets.size(); i++) {
            if (!f.started || f.targets[i] == nullptr || f.targets[i]->size != size || f.strides[i] == 0) continue;
            const CapturedCount found{f.counters, sizeof(uint32_t) * i, f.strides[i] * 4};
            if (is_vertex_buffer(context, *f.targets[i]->resource)) return found;
            if (!best) best = found;
        }
    }
    return best;
}

}  // namespace tgsi2spv::host
