#include "cases/run/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/device.h"
#include "cases/run/bind.h"
#include "cases/run/run_parts.h"
#include "harness/statistics.h"
#include "tgsi/program/semantics.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using Kind = ir::VariableKind;

/// Whether VERT writes the semantic and FRAG reads it at a location.
bool is_varying(tgsi::Semantic s) {
    using enum tgsi::Semantic;
    return s == Color || s == BColor || s == Fog || s == Generic || s == TexCoord;
}

/// Calls f(number, "GENERIC[3]") for each varying that a file of the program declares.
template <class F>
void for_each_varying(const api::Context& context, tgsi::File file, F&& f) {
    uint32_t number = 0;
    tgsi::for_each_semantic(context.program, file, [&](int32_t, const tgsi::Declaration& d, uint32_t index) {
        if (is_varying(d.semantic)) f(number++, fmt::format("{}[{}]", tgsi::name(d.semantic), index));
    });
}

/// A VERT that writes everything that the FRAG reads, each from an attribute of its own: equal ones would be merged.
std::string vertex_for(const api::Context& fragment, uint32_t most) {
    std::string declared = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n", moved = "MOV OUT[0], IN[0]\n";
    for_each_varying(fragment, tgsi::File::Input, [&](uint32_t n, const std::string& semantic) {
        const uint32_t attribute = std::min(n + 1, most - 1);
        if (attribute == n + 1) declared += fmt::format("DCL IN[{}]\n", attribute);
        declared += fmt::format("DCL OUT[{}], {}\n", n + 1, semantic);
        moved += fmt::format("MOV OUT[{}], IN[{}]\n", n + 1, attribute);
    });
    return declared + moved + "END\n";
}

/// A FRAG of the maximum of everything that the VERT writes: drivers would move sums of varyings to VERT.
std::string fragment_for(const api::Context& vertex) {
    std::string declared = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {0, 0, 0, 0}\n",
                joined = "MOV TEMP[0], IMM[0]\n";
    for_each_varying(vertex, tgsi::File::Output, [&](uint32_t n, const std::string& semantic) {
        declared += fmt::format("DCL IN[{}], {}, PERSPECTIVE\n", n, semantic);
        joined += fmt::format("MAX TEMP[0], TEMP[0], IN[{}]\n", n);
    });
    return declared + joined + "MOV OUT[0], TEMP[0]\nEND\n";
}

/// Adds descriptors without objects: nothing runs.
void add_descriptors(const spirv::Reflection& reflection, harness::Job& job) {
    job.buffers.resize(1);
    job.images.resize(1);
    job.views.resize(1);
    job.texel_views.resize(1);
    job.samplers.resize(1);
    for (const auto& r : reflection.resources) {
        job.descriptors.push_back(
            {r.binding.set, r.binding.binding, descriptor_type(r), std::vector<uint32_t>(r.count), {}});
        if (r.kind == Kind::CombinedImage) job.descriptors.back().samplers.resize(r.count);
        if (r.kind == Kind::InputAttachment) {
            if (job.input_attachments.size() <= r.index) job.input_attachments.resize(r.index + 1, harness::kNoView);
            job.input_attachments[r.index] = 0;
        }
    }
    job.push_constants.resize(reflection.push_constant_bytes / sizeof(uint32_t));
}

void add_attributes(const spirv::Reflection& vertex, harness::Job& job) {
    for (const auto& v : vertex.interface)
        if (!v.is_output && v.builtin == ir::BuiltIn::None) {
            job.attributes.emplace_back().location = v.location;
            if (v.type.is_int()) job.attributes.back().format = VK_FORMAT_R32G32B32A32_UINT;
        }
}

/// A target for each colour that the text declares: FS_COLOR0_WRITES_ALL_CBUFS has one, as a program usually binds.
void add_attachments(const api::Context& fragment, harness::Job& job) {
    for_each_varying(fragment, tgsi::File::Output,
                     [&](uint32_t, const std::string&) { job.attachments.emplace_back(); });
    for (auto& a : job.attachments) {
        a.format = VK_FORMAT_R8G8B8A8_UNORM;
        a.texel_bytes = 4;
    }
}

}  // namespace

tl::expected<ShaderStatistics, VulkanTrouble> shader_statistics(harness::Device& device, api::Context& context,
                                                                tgsi::Dialect dialect) {
    using tgsi::Stage;
    api::Options conversion;
    conversion.lower.dialect = dialect;
    conversion.capabilities = api::capabilities_of(device.report().caps);
    const Stage stage = context.program.stage;
    if (stage != Stage::Compute && stage != Stage::Vertex && stage != Stage::Fragment)
        return trouble(Trouble::Missing, "statistics of this stage");
    const auto reflection = convert_judged(context, conversion, {});
    if (!reflection) return tl::unexpected(reflection.error());
    harness::Job job;
    add_descriptors(*reflection, job);
    api::Context other;
    spirv::Reflection partner;
    if (stage == Stage::Compute) {
        job.compute.words = context.words;
    } else {
        const bool vertex = stage == Stage::Vertex;
        const std::string text =
            vertex ? fragment_for(context) : vertex_for(context, device.report().limits.maxVertexInputAttributes);
        if (!api::convert(other, text, conversion))
            return trouble(Trouble::Invalid, "the stage beside it: " + first_error(other.diagnostics));
        partner = api::reflect(other, conversion);
        job.vertex.words = vertex ? context.words : other.words;
        job.fragment.words = vertex ? other.words : context.words;
        add_attributes(vertex ? *reflection : partner, job);
        add_attachments(vertex ? other : context, job);
    }
    const auto compiled = harness::compile(device, job);
    if (!compiled) return tl::unexpected(from_vulkan(compiled.error()));
    const VkShaderStageFlags own = stage == Stage::Compute  ? VK_SHADER_STAGE_COMPUTE_BIT
                                   : stage == Stage::Vertex ? VK_SHADER_STAGE_VERTEX_BIT
                                                            : VK_SHADER_STAGE_FRAGMENT_BIT;
    ShaderStatistics out{compiled->creation_ms, {}};
    for (const auto& e : compiled->executables)
        if ((e.stages & own) != 0)
            std::ranges::copy_if(e.values, std::back_inserter(out.values), [](const auto& value) {
                return value.first.find("ash") == std::string::npos;  // RADV tells hashes, too
            });
    if (out.values.empty()) return trouble(Trouble::Missing, "statistics of this stage");
    return out;
}

}  // namespace tgsi2spv::difftest
