#include "findings.h"

#include <algorithm>

namespace tgsi2spv::fuzz {
namespace {

struct Ignored {
    std::string_view key, part;  ///< of the message; an empty one is any
    const char* reason;
};
constexpr Ignored kIgnored[] = {
    {"UNASSIGNED-CoreValidation-Shader-InterfaceTypeMismatch", "of type `VK_FORMAT_UNDEFINED`",
     "what a shader writes to an attachment that is not there is discarded (Vulkan 1.3, vkCmdBeginRendering)"},
    {"SYNC-HAZARD-WRITE-AFTER-READ", "vkCmdEndRenderPass",
     "the layer takes all of a view for read, as by blits between layers; earlier reads are hazards where the pass "
     "begins"},
    {"SYNC-HAZARD-READ-AFTER-WRITE", "for vertex VkBuffer",
     "the layer takes vertices beyond the end for reads of what is there in memory; robust access bounds them"},
    {"SYNC-HAZARD-WRITE-AFTER-READ", "prior_usage: SYNC_VERTEX_ATTRIBUTE_INPUT_VERTEX_ATTRIBUTE_READ",
     "the same, if it is written later"},
    {"", "must match corresponding VkPipelineMultisampleStateCreateInfo",
     "the layer compares with the samples of the pipeline's creation, which are dynamic, or ignored as the pipeline "
     "discards"},
};

}  // namespace

std::string key_of(std::string_view message) {
    const auto between = [&](std::string_view left, std::string_view right) -> std::string_view {
        const size_t from = message.find(left);
        if (from == std::string_view::npos) return {};
        const std::string_view rest = message.substr(from + left.size());
        return rest.substr(0, std::min(rest.find(right), rest.size()));
    };
    std::string_view rule = between("[ ", " ]");
    if (rule.empty()) rule = message.substr(0, 60);
    // "… | MessageID = 0x… | vkCmdDraw(): …": rules of draws are one for each function, with one number.
    std::string key(rule);
    if (const size_t at = key.find("-vkCmdDraw"); at != std::string::npos) {
        const size_t end = key.find('-', at + 1);
        if (end != std::string::npos) key.replace(at + 1, end - at - 1, "vkCmdDraw");
    }
    return key;
}

const char* reason_to_ignore(std::string_view key, std::string_view message) {
    const auto* const at = std::ranges::find_if(kIgnored, [&](const Ignored& i) {
        return (i.key.empty() || key == i.key) && message.find(i.part) != std::string_view::npos;
    });
    return at == std::end(kIgnored) ? nullptr : at->reason;
}

}  // namespace tgsi2spv::fuzz
