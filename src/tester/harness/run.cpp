// Runs a job from start to end: create, record, submit, wait, read back.
#include <fmt/format.h>

#include <cstring>

#include "harness/frame.h"
#include "harness/multisample.h"
#include "harness/places.h"
#include "harness/requirements.h"
#include "harness_shaders/no_patch_tese.h"
#include "harness_shaders/one_patch_tesc.h"
#include "harness_shaders/primitive_vert.h"
#include "harness_shaders/triangle_vert.h"
#include "vulkan/floats.h"

namespace tgsi2spv::harness {

std::span<const uint32_t> quad_vertex_shader() {
    return triangle_vert;
}
std::span<const uint32_t> primitive_vertex_shader() {
    return primitive_vert;
}
std::span<const uint32_t> one_patch_control_shader() {
    return one_patch_tesc;
}
std::span<const uint32_t> no_patch_evaluation_shader() {
    return no_patch_tese;
}

Status checked(VkResult result, const char* call) {
    if (result == VK_SUCCESS) return {};
    return fail(vulkan::failure_of(result), vulkan::failed_call(call, result));
}

Status compiled(VkResult result, const char* call) {
    auto status = checked(result, call);
    if (!status && status.error().failure == Failure::Memory) status.error().failure = Failure::CompilerMemory;
    return status;
}

Status compiled(VkResult result, VkPipeline pipeline, const char* call) {
    if (result == VK_SUCCESS && pipeline == VK_NULL_HANDLE)
        return fail(Failure::Device, fmt::format("{} made no pipeline: VK_SUCCESS", call));
    return compiled(result, call);
}

VkShaderStageFlags stages_of(const Job& job) {
    if (!job.compute.words.empty()) return VK_SHADER_STAGE_COMPUTE_BIT;
    VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    if (!job.tess_control.words.empty()) stages |= VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    if (!job.tess_eval.words.empty()) stages |= VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    if (!job.geometry.words.empty()) stages |= VK_SHADER_STAGE_GEOMETRY_BIT;
    return stages;
}

Frame::~Frame() {
    if (device.hung) return;  // the device may still be using these objects
    const auto d = device.handle();
    if (!pipeline_is_kept) vkDestroyPipeline(d, pipeline, nullptr);
    vkDestroyFramebuffer(d, framebuffer, nullptr);
    vkDestroyRenderPass(d, render_pass, nullptr);
    vkDestroyPipelineLayout(d, pipeline_layout, nullptr);
    vkDestroyDescriptorPool(d, descriptor_pool, nullptr);
    for (auto l : set_layouts) vkDestroyDescriptorSetLayout(d, l, nullptr);
    for (auto m : modules) vkDestroyShaderModule(d, m, nullptr);
    for (auto s : samplers) vkDestroySampler(d, s, nullptr);
    destroy_sample_passes(*this);
    for (auto v : texel_views) vkDestroyBufferView(d, v, nullptr);
    for (auto* list : {&views, &attachment_views, &multisampled_views})
        for (auto v : *list) vkDestroyImageView(d, v, nullptr);
    for (auto* list : {&images, &attachments, &multisampled})
        for (auto& i : *list) {
            vkDestroyImage(d, i.image, nullptr);
            vkFreeMemory(d, i.memory, nullptr);
        }
}

namespace {

void bind_pipeline(const Frame& frame, VkCommandBuffer commands, VkPipelineBindPoint point) {
    const auto& job = frame.job;
    vkCmdBindPipeline(commands, point, frame.pipeline);
    if (!frame.sets.empty())
        vkCmdBindDescriptorSets(commands, point, frame.pipeline_layout, 0, static_cast<uint32_t>(frame.sets.size()),
                                frame.sets.data(), 0, nullptr);
    if (!job.push_constants.empty())
        vkCmdPushConstants(commands, frame.pipeline_layout, stages_of(job), 0,
                           static_cast<uint32_t>(job.push_constants.size() * sizeof(uint32_t)),
                           job.push_constants.data());
}

void record_draw(const Frame& frame, VkCommandBuffer commands) {
    const auto& job = frame.job;
    std::vector<VkClearValue> clears;
    for (const auto& a : job.attachments) clears.push_back(VkClearValue{.color = a.clear});
    if (job.depth) clears.push_back(VkClearValue{.depthStencil = {job.depth->clear, job.depth->stencil.value_or(0)}});
    auto begin = make<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
    begin.renderPass = frame.render_pass;
    begin.framebuffer = frame.framebuffer;
    begin.renderArea = {{0, 0}, {job.width, job.height}};
    begin.clearValueCount = static_cast<uint32_t>(clears.size());
    begin.pClearValues = clears.data();
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    bind_pipeline(frame, commands, VK_PIPELINE_BIND_POINT_GRAPHICS);  // a subpass of several views forgets earlier ones
    for (uint32_t i = 0; i < frame.attributes.size(); i++)
        vkCmdBindVertexBuffers(commands, i, 1, &frame.arena->buffer, &frame.attributes[i].offset);
    for (uint32_t i = 0; i < job.captures.size(); i++) {
        const ArenaRange& r = frame.buffers[job.captures[i]];
        vkCmdBindTransformFeedbackBuffersEXT(commands, i, 1, &frame.arena->buffer, &r.offset, &r.size);
    }
    if (!job.captures.empty()) vkCmdBeginTransformFeedbackEXT(commands, 0, 0, nullptr, nullptr);
    if (job.indices.empty()) {
        vkCmdDraw(commands, job.vertex_count, job.instance_count, job.first_vertex, job.first_instance);
    } else {
        vkCmdBindIndexBuffer(commands, frame.arena->buffer, frame.indices.offset, VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(commands, static_cast<uint32_t>(job.indices.size()), job.instance_count, 0,
                         static_cast<int32_t>(job.first_vertex), job.first_instance);
    }
    if (!job.captures.empty()) vkCmdEndTransformFeedbackEXT(commands, 0, 0, nullptr, nullptr);
    vkCmdEndRenderPass(commands);
}

Status record(const Frame& frame, VkCommandBuffer commands) {
    const auto& job = frame.job;
    const bool compute = !job.compute.words.empty();
    auto begin = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (auto s = checked(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer"); !s) return s;
    record_uploads(frame, commands);
    if (compute) {
        bind_pipeline(frame, commands, VK_PIPELINE_BIND_POINT_COMPUTE);
        vkCmdDispatch(commands, job.groups[0], job.groups[1], job.groups[2]);
    } else {
        record_draw(frame, commands);
    }
    record_readbacks(frame, commands);
    auto barrier = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         nullptr, 0, nullptr);
    return checked(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

Status submit_and_wait(Device& device, VkCommandBuffer commands, uint64_t timeout_ns) {
    auto submit = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    const auto fence = device.fence();
    if (auto s = checked(vkResetFences(device.handle(), 1, &fence), "vkResetFences"); !s) return s;
    if (auto s = checked(vkQueueSubmit(device.queue(), 1, &submit, fence), "vkQueueSubmit"); !s) return s;
    const auto waited = vkWaitForFences(device.handle(), 1, &fence, VK_TRUE, timeout_ns);
    if (waited == VK_SUCCESS) return {};
    device.lost = true;
    // With any other result the work may not have ended.
    device.hung = waited != VK_ERROR_DEVICE_LOST;
    if (waited == VK_TIMEOUT)
        return fail(Failure::Timeout, fmt::format("no answer within {} s", static_cast<double>(timeout_ns) / 1e9));
    // Also without memory: the work was submitted, so the case was run.
    return fail(Failure::Lost, vulkan::failed_call("vkWaitForFences", waited));
}

Outputs read_back(const Frame& frame) {
    const uint8_t* base = frame.arena->data;
    Outputs out;
    out.buffers.resize(frame.buffers.size());
    for (size_t i = 0; i < frame.buffers.size(); i++) {
        if (!frame.job.buffers[i].readback || frame.job.buffers[i].words.empty()) continue;
        out.buffers[i].resize(frame.job.buffers[i].words.size());
        std::memcpy(out.buffers[i].data(), base + frame.buffers[i].offset, out.buffers[i].size() * sizeof(uint32_t));
    }
    out.images.resize(frame.images.size());
    for (size_t i = 0; i < frame.images.size(); i++)
        if (frame.job.images[i].readback)
            for (const auto& r : frame.images[i].levels)
                out.images[i].emplace_back(base + r.offset, base + r.offset + r.size);
    for (const auto& r : frame.attachments_back)
        out.attachments.emplace_back(base + r.offset, base + r.offset + r.size);
    return out;
}

/// Checks for mistakes of the caller, which drivers would crash on. They are not missing features, so they never skip a
/// case.
Status check_modules(const Job& job) {
    for (const Shader* shader :
         {&job.vertex, &job.tess_control, &job.tess_eval, &job.geometry, &job.fragment, &job.compute})
        if (!shader->words.empty() && !is_module(shader->words)) return fail(Failure::Usage, "not a SPIR-V module");
    if (auto clash = two_kinds_at_one_place(job)) return fail(Failure::Usage, *clash);
    return {};
}

Expected<Outputs> run_once(Device& device, const Job& job) {
    Frame frame(device, job);
    const bool compute = !job.compute.words.empty();
    // A driver without its hardware has no memory to allocate either.
    Status s = device.compiles_only() ? Status{} : make_resources(frame);
    if (s) s = make_descriptors(frame);
    if (s && !compute) s = make_targets(frame);
    // A pipeline does not use the layouts and render pass that it was created with after its creation, and those of
    // this job are defined identically, so they are compatible (Vulkan, "Object Lifetime"; "Pipeline Layout
    // Compatibility"; "Render Pass Compatibility").
    auto key = device.compiles_only() ? std::vector<uint32_t>() : pipeline_key(job);
    if (s && !key.empty()) frame.pipeline = device.kept_pipeline(key);
    frame.pipeline_is_kept = frame.pipeline != VK_NULL_HANDLE;
    if (s && !frame.pipeline_is_kept) {
        s = compute ? make_compute_pipeline(frame) : make_graphics_pipeline(frame);
        if (s && !key.empty()) {
            device.keep_pipeline(std::move(key), frame.pipeline);
            frame.pipeline_is_kept = true;
        }
    }
    if (s && device.compiles_only()) s = fail(Failure::NotRun, "the device can only compile");
    if (s) s = checked(vkResetCommandBuffer(device.commands(), 0), "vkResetCommandBuffer");
    if (s) s = record(frame, device.commands());
    if (s) s = submit_and_wait(device, device.commands(), job.timeout_ns);
    if (!s) return tl::unexpected<Error>(s.error());
    return read_back(frame);
}

}  // namespace

Expected<Outputs> run(Device& device, const Job& job) {
    if (device.lost) return fail(Failure::Lost, "the device was lost in an earlier job");
    if (!job.captures.empty() && !device.report().transform_feedback)
        return fail(Failure::Missing, "transformFeedback");
    if (auto s =
            within(job.captures.size(), device.report().max_transform_feedback_buffers, "maxTransformFeedbackBuffers");
        !s)
        return tl::unexpected<Error>(s.error());
    if (auto s = check_modules(job); !s) return tl::unexpected<Error>(s.error());
    auto outputs = run_once(device, job);
    // Other processes or objects kept from earlier jobs may have used up the memory. Try once more without the latter.
    const bool lacks_memory =
        !outputs && (outputs.error().failure == Failure::Memory || outputs.error().failure == Failure::CompilerMemory);
    if (lacks_memory && !device.lost) {
        device.forget();
        outputs = run_once(device, job);
    }
    if (!outputs && outputs.error().failure == Failure::Lost) device.lost = true;
    device.changed_floats |= vulkan::restore_floats();
    return outputs;
}

}  // namespace tgsi2spv::harness
