#include "device_caps.h"

#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "api/device.h"

namespace tools {
namespace {

using Json = nlohmann::json;
using Caps = tgsi2spv_device_caps;

/// Nothing deeper than this is read.
constexpr int kMostDepth = 8;

/// The number that a member holds: also true, "0x10", a number as text; 0 for everything else.
int64_t number_of(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number_unsigned()) return static_cast<int64_t>(std::min<uint64_t>(value.get<uint64_t>(), INT64_MAX));
    if (value.is_number_integer()) return value.get<int64_t>();
    if (!value.is_string()) return 0;
    std::string_view text = value.get_ref<const std::string&>();
    if (text == "true" || text == "VK_TRUE") return 1;
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    int64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n, base);
    return n;
}

uint32_t unsigned_of(const Json& value) {
    return static_cast<uint32_t>(std::clamp<int64_t>(number_of(value), 0, UINT32_MAX));
}

int32_t signed_of(const Json& value) {
    return static_cast<int32_t>(std::clamp<int64_t>(number_of(value), INT32_MIN, INT32_MAX));
}

/// "1.3.230", or the number that Vulkan packs.
uint32_t version_of(const Json& value) {
    if (!value.is_string()) return unsigned_of(value);
    const auto& text = value.get_ref<const std::string&>();
    uint32_t major = 0, minor = 0;
    const auto dot = std::from_chars(text.data(), text.data() + text.size(), major);
    if (dot.ptr == text.data() + text.size() || *dot.ptr != '.') return unsigned_of(value);
    std::from_chars(dot.ptr + 1, text.data() + text.size(), minor);
    return (major & 0x7f) << 22 | (minor & 0x3ff) << 12;
}

struct Flag {
    std::string_view name;
    uint32_t bit;
};
constexpr Flag kStages[] = {
    {"VK_SHADER_STAGE_VERTEX_BIT", 1},
    {"VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT", 2},
    {"VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT", 4},
    {"VK_SHADER_STAGE_GEOMETRY_BIT", 8},
    {"VK_SHADER_STAGE_FRAGMENT_BIT", 16},
    {"VK_SHADER_STAGE_COMPUTE_BIT", 32},
    {"VK_SHADER_STAGE_ALL_GRAPHICS", 31},
    {"VK_SHADER_STAGE_ALL", 0x7fffffff},
};

uint32_t bit_of(std::string_view name) {
    for (const Flag& f : kStages)
        if (f.name == name) return f.bit;
    for (const auto& o : tgsi2spv::api::subgroup_operations())
        if (o.name == name) return o.bit;
    return 0;
}

/// Flags by name, or as a number.
uint32_t flags_of(const Json& value) {
    if (!value.is_array()) return unsigned_of(value);
    uint32_t flags = 0;
    for (const Json& name : value)
        if (name.is_string()) flags |= bit_of(name.get_ref<const std::string&>());
    return flags;
}

struct Limit {
    std::string_view name;
    uint32_t Caps::*member;
};
constexpr Limit kLimits[] = {
    {"maxPerStageDescriptorUniformBuffers", &Caps::max_per_stage_descriptor_uniform_buffers},
    {"maxUniformBufferRange", &Caps::max_uniform_buffer_range},
    {"maxPushConstantsSize", &Caps::max_push_constants_size},
    {"maxTexelOffset", &Caps::max_texel_offset},
    {"maxTexelGatherOffset", &Caps::max_texel_gather_offset},
    {"maxVertexOutputComponents", &Caps::max_vertex_output_components},
    {"maxTessellationControlPerVertexInputComponents", &Caps::max_tessellation_control_per_vertex_input_components},
    {"maxTessellationControlPerVertexOutputComponents", &Caps::max_tessellation_control_per_vertex_output_components},
    {"maxTessellationControlPerPatchOutputComponents", &Caps::max_tessellation_control_per_patch_output_components},
    {"maxTessellationEvaluationInputComponents", &Caps::max_tessellation_evaluation_input_components},
    {"maxTessellationEvaluationOutputComponents", &Caps::max_tessellation_evaluation_output_components},
    {"maxGeometryInputComponents", &Caps::max_geometry_input_components},
    {"maxGeometryOutputComponents", &Caps::max_geometry_output_components},
    {"maxFragmentInputComponents", &Caps::max_fragment_input_components},
    {"maxFragmentOutputAttachments", &Caps::max_fragment_output_attachments},
    {"maxComputeSharedMemorySize", &Caps::max_compute_shared_memory_size},
    {"maxTransformFeedbackStreams", &Caps::max_transform_feedback_streams},
    {"maxTransformFeedbackBuffers", &Caps::max_transform_feedback_buffers},
    {"maxTransformFeedbackBufferDataSize", &Caps::max_transform_feedback_buffer_data_size},
    {"maxTransformFeedbackBufferDataStride", &Caps::max_transform_feedback_buffer_data_stride},
    {"maxComputeWorkGroupInvocations", &Caps::max_compute_work_group_invocations},
};

void raise_limit(std::string_view name, const Json& value, Caps& caps) {
    for (const Limit& l : kLimits)
        if (l.name == name) caps.*l.member = std::max(caps.*l.member, unsigned_of(value));
}

void read_limits(const Json& limits, Caps& caps) {
    if (!limits.is_object()) return;
    for (const auto& [name, value] : limits.items()) {
        raise_limit(name, value, caps);
        if (name == "standardSampleLocations") caps.standard_sample_locations |= number_of(value) != 0 ? 1u : 0u;
        if (name == "minTexelOffset") caps.min_texel_offset = std::min(caps.min_texel_offset, signed_of(value));
        if (name == "minTexelGatherOffset")
            caps.min_texel_gather_offset = std::min(caps.min_texel_gather_offset, signed_of(value));
        if (name == "maxComputeWorkGroupSize" && value.is_array() && value.size() == 3)
            for (size_t c = 0; c < 3; ++c)
                caps.max_compute_work_group_size[c] =
                    std::max(caps.max_compute_work_group_size[c], unsigned_of(value[c]));
    }
}

void have(std::string_view feature, Caps& caps) {
    for (const auto& f : tgsi2spv::api::device_features())
        if (f.name == feature) caps.*f.member = 1;
}

/// A VkPhysicalDevice… struct. Finds names as Vulkan spells them in any struct: features move from the structs of
/// extensions into those of versions.
void read_struct(const Json& members, Caps& caps) {
    if (!members.is_object()) return;
    for (const auto& [name, value] : members.items()) {
        if (name == "apiVersion")
            caps.api_version = std::max(caps.api_version, version_of(value));
        else if (name == "limits")
            read_limits(value, caps);
        else if (name == "supportedStages" || name == "subgroupSupportedStages")
            caps.subgroup_supported_stages |= flags_of(value);
        else if (name == "supportedOperations" || name == "subgroupSupportedOperations")
            caps.subgroup_supported_operations |= flags_of(value);
        else if (number_of(value) != 0) {
            have(name, caps);
            raise_limit(name, value, caps);
        }
    }
}

void read_structs(const Json& structs, Caps& caps, bool& any) {
    if (!structs.is_object()) return;
    for (const auto& [name, members] : structs.items()) {
        if (!name.starts_with("VkPhysicalDevice")) continue;
        any = true;
        read_struct(members, caps);
    }
}

/// A block of a profile: {"extensions": {"VK_…": 1}, "features": {"VkPhysicalDevice…": {}}, "properties": {…}}.
void read_block(const Json& block, Caps& caps, bool& any) {
    if (!block.is_object()) return;
    for (const auto& [name, value] : block.items()) {
        if (name == "features" || name == "properties") read_structs(value, caps, any);
        if (name == "extensions" && value.is_object())
            for (const auto& [extension, version] : value.items()) have(extension, caps);
    }
}

/// [{"extensionName": "VK_…", …}]
void read_extensions(const Json& list, Caps& caps) {
    if (!list.is_array()) return;
    for (const Json& e : list) {
        if (!e.is_object()) continue;
        const auto name = e.find("extensionName");
        if (name != e.end() && name->is_string()) have(name->get_ref<const std::string&>(), caps);
    }
}

}  // namespace

tl::expected<Caps, std::string> read_device_caps(std::string_view text) {
    if (text.size() > kMostCapsBytes) return tl::unexpected<std::string>("file is larger than any device description");
    // Drops what is nested deeper than anything that is read, while parsing.
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMostDepth; };
    Json json;
    try {
        json = Json::parse(text.begin(), text.end(), shallow);
    } catch (const Json::exception& e) {
        // "[json.exception.parse_error.101] parse error at line …"
        const std::string what = e.what();
        return tl::unexpected<std::string>("not valid JSON: " + what.substr(what.find("] ") + 2));
    }
    if (json.is_discarded()) return tl::unexpected<std::string>("nested too deeply");
    Caps caps{};
    caps.struct_size = sizeof caps;
    bool any = false;
    read_structs(json, caps, any);
    if (json.is_object()) {
        if (const auto extensions = json.find("ArrayOfVkExtensionProperties"); extensions != json.end())
            read_extensions(*extensions, caps);
        const auto blocks = json.find("capabilities");
        if (blocks != json.end() && blocks->is_object())
            for (const auto& [name, block] : blocks->items()) {
                // A block may be a list of alternatives, and then none of them is certain.
                read_block(block, caps, any);
            }
    }
    if (!any)
        return tl::unexpected<std::string>("no VkPhysicalDevice struct: not a file that 'vulkaninfo --json' wrote");
    return caps;
}

}  // namespace tools
