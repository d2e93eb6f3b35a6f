#include "renderer/record/condition.h"

#include "renderer/record/query.h"
#include "renderer/state/host_state.h"

namespace tgsi2spv::host {
namespace {

/// The run that decides. Null: no condition is set, or its query has not ended, which no API permits.
std::shared_ptr<QueryRun> deciding_run(const RenderCondition& condition) {
    if (condition.query == nullptr || condition.query->run == nullptr || !condition.query->run->ended) return nullptr;
    return condition.query->run;
}

/// Copies the slot to a word, once for each run. False: the device cannot decide.
bool ask_device(HostState& host, RenderCondition& condition, const std::shared_ptr<QueryRun>& run) {
    // The device's number in one slot has to be the result.
    if (host.device->extras().conditional.conditionalRendering == 0 || run->counted.size() != 1 ||
        run->counted[0].type != VK_QUERY_TYPE_OCCLUSION || run->segments != 1)
        return false;
    if (condition.resolved == run) return true;
    const vk::QuerySlot slot{run->pool.lock(), run->slot};
    auto word = vk::Buffer::create(*host.device, host.memory, sizeof(uint32_t));
    if (slot.pool == nullptr || word == nullptr) return false;
    host.stream.order({vk::writes(word)});
    vkCmdCopyQueryPoolResults(host.stream.commands(), vk::handle_of(slot), slot.index, 1, word->handle(), 0,
                              sizeof(uint32_t), VK_QUERY_RESULT_WAIT_BIT);
    host.stream.keep(slot.pool);
    condition.resolved = run;
    condition.word = std::move(word);
    return true;
}

}  // namespace

Problem bind(HostState&, SubContext& context, const virgl::SetRenderCondition& command) {
    context.condition = {};
    if (command.query == 0) return Problem::None;
    if (const Problem p = find_query(context, command.query, context.condition.query)) return p;
    context.condition.skip_where = command.skip_where;
    context.condition.waits =
        command.mode == virgl::ConditionMode::Wait || command.mode == virgl::ConditionMode::ByRegionWait;
    return Problem::None;
}

bool is_skipped(HostState& host, const SubContext& context) {
    const auto run = deciding_run(context.condition);
    if (run == nullptr) return false;
    const bool known =
        host.stream.done(run->last_batch) || (context.condition.waits && host.stream.wait(run->last_batch));
    return known && (result_of(*run) != 0) == context.condition.skip_where;
}

Decision check_condition(HostState& host, SubContext& context) {
    const auto run = deciding_run(context.condition);
    if (run != nullptr && context.condition.waits && !host.stream.done(run->last_batch) &&
        ask_device(host, context.condition, run))
        return Decision::AskDevice;
    return is_skipped(host, context) ? Decision::Skip : Decision::Execute;
}

vk::Use use_of_condition(const RenderCondition& condition) {
    return vk::reads(condition.word);
}

void begin_condition(HostState& host, const RenderCondition& condition) {
    const VkConditionalRenderingFlagsEXT inverted =
        condition.skip_where ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0;
    const VkConditionalRenderingBeginInfoEXT begin{.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                   .buffer = condition.word->handle(),
                                                   .flags = inverted};
    vkCmdBeginConditionalRenderingEXT(host.stream.commands_in_scope(), &begin);
}

void end_condition(HostState& host) {
    vkCmdEndConditionalRenderingEXT(host.stream.commands_in_scope());
}

}  // namespace tgsi2spv::host
