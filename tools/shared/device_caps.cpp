#include "shared/device_caps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/device.h"
#include "shared/device_json.h"

namespace tools {
namespace {

using Json = nlohmann::json;
using Caps = tgsi2spv_device_caps;

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
    {"maxVertexInputAttributes", &Caps::max_vertex_input_attributes},
    {"maxGeometryShaderInvocations", &Caps::max_geometry_shader_invocations},
    {"maxGeometryOutputVertices", &Caps::max_geometry_output_vertices},
    {"maxGeometryTotalOutputComponents", &Caps::max_geometry_total_output_components},
    {"maxFragmentInputComponents", &Caps::max_fragment_input_components},
    {"maxFragmentOutputAttachments", &Caps::max_fragment_output_attachments},
    {"maxComputeSharedMemorySize", &Caps::max_compute_shared_memory_size},
    {"maxTransformFeedbackStreams", &Caps::max_transform_feedback_streams},
    {"maxTransformFeedbackBuffers", &Caps::max_transform_feedback_buffers},
    {"maxTransformFeedbackBufferDataSize", &Caps::max_transform_feedback_buffer_data_size},
    {"maxTransformFeedbackBufferDataStride", &Caps::max_transform_feedback_buffer_data_stride},
    {"maxComputeWorkGroupInvocations", &Caps::max_compute_work_group_invocations},
};

uint32_t unsigned_of(int64_t number) {
    return static_cast<uint32_t>(std::clamp<int64_t>(number, 0, UINT32_MAX));
}

struct Reader {
    Caps caps{};
    bool any = false;     ///< some VkPhysicalDevice struct was seen
    std::string_view in;  ///< the struct at hand
    std::string wrong{};  ///< the first member with a value of the wrong kind

    void refuse(std::string_view name, const char* kind) {
        if (wrong.empty()) wrong = fmt::format("{} in {} is not {}", name, in, kind);
    }
    /// The value of a member that is known by its name.
    int64_t known(std::string_view name, std::optional<int64_t> value, const char* kind) {
        if (!value) refuse(name, kind);
        return value.value_or(0);
    }
    int64_t number(std::string_view name, const Json& value) {
        return known(name, number_of(value), "a number, true or false");
    }
    uint32_t unsigned_number(std::string_view name, const Json& value) { return unsigned_of(number(name, value)); }
    int32_t signed_number(std::string_view name, const Json& value) {
        return static_cast<int32_t>(std::clamp<int64_t>(number(name, value), INT32_MIN, INT32_MAX));
    }
    uint32_t flags(std::string_view name, const Json& value) {
        return unsigned_of(known(name, flags_of(value), "a list of flags or a number"));
    }

    void raise_limit(std::string_view name, const Json& value) {
        for (const Limit& l : kLimits)
            if (l.name == name) caps.*l.member = std::max(caps.*l.member, unsigned_number(name, value));
    }
    void read_group_size(std::string_view name, const Json& value) {
        if (!value.is_array() || value.size() != 3) {
            refuse(name, "a list of three numbers");
            return;
        }
        for (size_t c = 0; c < 3; ++c)
            caps.max_compute_work_group_size[c] =
                std::max(caps.max_compute_work_group_size[c], unsigned_number(name, value[c]));
    }
    void read_limits(const Json& limits) {
        if (!limits.is_object()) {
            refuse("limits", "a struct");
            return;
        }
        for (const auto& [name, value] : limits.items()) {
            raise_limit(name, value);
            if (name == "standardSampleLocations") caps.standard_sample_locations |= number(name, value) != 0 ? 1u : 0u;
            if (name == "minTexelOffset")
                caps.min_texel_offset = std::min(caps.min_texel_offset, signed_number(name, value));
            if (name == "minTexelGatherOffset")
                caps.min_texel_gather_offset = std::min(caps.min_texel_gather_offset, signed_number(name, value));
            if (name == "maxComputeWorkGroupSize") read_group_size(name, value);
        }
    }

    /// Without `value`: an extension, which is there if it is listed.
    void read_feature(std::string_view name, const Json* value = nullptr) {
        for (const auto& f : tgsi2spv::api::device_features())
            if (f.name == name && (value == nullptr || number(name, *value) != 0)) caps.*f.member = 1;
    }

    /// A VkPhysicalDevice… struct. Finds names as Vulkan spells them in any struct: features move from the structs of
    /// extensions into those of versions.
    void read_struct(const Json& members) {
        if (!members.is_object()) {
            refuse("the value", "a struct");
            return;
        }
        for (const auto& [name, value] : members.items()) {
            if (name == "apiVersion") {
                const int64_t version = known(name, version_of(value), "a version such as 1.3.230");
                caps.api_version = std::max(caps.api_version, unsigned_of(version));
            } else if (name == "limits") {
                read_limits(value);
            } else if (name == "supportedStages" || name == "subgroupSupportedStages") {
                caps.subgroup_supported_stages |= flags(name, value);
            } else if (name == "supportedOperations" || name == "subgroupSupportedOperations") {
                caps.subgroup_supported_operations |= flags(name, value);
            } else {
                read_feature(name, &value);
                raise_limit(name, value);
            }
        }
    }
    void read_structs(const Json& structs) {
        if (!structs.is_object()) return;
        for (const auto& [name, members] : structs.items()) {
            if (!name.starts_with("VkPhysicalDevice")) continue;
            any = true;
            // Any text may follow the prefix.
            in = plain_name(name);
            read_struct(members);
        }
    }

    /// A block of a profile: {"extensions": {"VK_…": 1}, "features": {"VkPhysicalDevice…": {}}, "properties": {…}}.
    void read_block(const Json& block) {
        if (!block.is_object()) return;
        for (const auto& [name, value] : block.items()) {
            if (name == "features" || name == "properties") read_structs(value);
            if (name == "extensions" && value.is_object())
                for (const auto& [extension, version] : value.items()) read_feature(extension);
        }
    }

    /// [{"extensionName": "VK_…", …}]
    void read_extensions(const Json& list) {
        if (!list.is_array()) return;
        for (const Json& e : list) {
            if (!e.is_object()) continue;
            const auto name = e.find("extensionName");
            if (name != e.end() && name->is_string()) read_feature(name->get_ref<const std::string&>());
        }
    }
};

}  // namespace

tl::expected<Caps, std::string> read_device_caps(std::string_view text) {
    const auto parsed = parse_device_json(text);
    if (!parsed) return tl::unexpected(parsed.error());
    const Json& json = *parsed;
    Reader r;
    r.caps.struct_size = sizeof r.caps;
    r.read_structs(json);
    if (json.is_object()) {
        if (const auto extensions = json.find("ArrayOfVkExtensionProperties"); extensions != json.end())
            r.read_extensions(*extensions);
        const auto blocks = json.find("capabilities");
        if (blocks != json.end() && blocks->is_object())
            for (const auto& [name, block] : blocks->items()) {
                // A block may be a list of alternatives, and then none of them is certain.
                r.read_block(block);
            }
    }
    if (!r.any)
        return tl::unexpected<std::string>("no VkPhysicalDevice struct: not a file that 'vulkaninfo --json' wrote");
    if (!r.wrong.empty()) return tl::unexpected(std::move(r.wrong));
    return r.caps;
}

}  // namespace tools
