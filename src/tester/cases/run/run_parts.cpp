#include "cases/run/run_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "api/device.h"
#include "cases/run/drawn_options.h"
#include "cases/run/quirks.h"
#include "cases/run/tex_samplers.h"
#include "inputs/texels.h"

namespace tgsi2spv::difftest {

VulkanTrouble from_vulkan(const vulkan::Error& error) {
    switch (error.failure) {
        case vulkan::Failure::Missing:
            return {Trouble::Missing, sentence(error)};
        case vulkan::Failure::Timeout:
            return {Trouble::Timeout, error.message};
        case vulkan::Failure::Memory:
            return {Trouble::Memory, error.message};
        case vulkan::Failure::CompilerMemory:
            return {Trouble::CompilerMemory, error.message};
        case vulkan::Failure::NotRun:
            return {Trouble::NotRun, error.message};
        default:
            return {Trouble::Device, error.message};
    }
}

const tgsi::Diagnostic* find_error(const std::vector<tgsi::Diagnostic>& diagnostics) {
    const auto first = std::ranges::find(diagnostics, tgsi::Severity::Error, &tgsi::Diagnostic::severity);
    return first == diagnostics.end() ? nullptr : &*first;
}

std::string first_error(const std::vector<tgsi::Diagnostic>& diagnostics) {
    const auto* const error = find_error(diagnostics);
    return error != nullptr ? error->message : "rejected without a reason";
}

namespace {

/// Whether no sampler of the case blends two levels or reads another level than the one that follows from the
/// coordinates.
bool reads_one_level(const reference::Inputs& inputs) {
    uint32_t levels = 1;
    for (const auto& [index, texture] : inputs.textures) levels = std::max(levels, texture.levels);
    return levels == 1 || std::all_of(inputs.samplers.begin(), inputs.samplers.end(), [&](const auto& entry) {
               const reference::SamplerState& s = entry.second;
               return s.mip_filter == reference::MipFilter::Nearest && s.lod_bias == 0 && s.min_lod == 0 &&
                      s.max_lod >= static_cast<float>(levels - 1) && s.max_anisotropy == 1;
           });
}

}  // namespace

api::Options judged_conversion(const harness::Device& device, const api::Context& context,
                               const reference::Inputs& inputs, const VulkanOptions& options) {
    api::Options conversion;
    conversion.lower.dialect = options.settings.dialect;
    conversion.lower.exact = options.exact;
    conversion.lower.io_buffers = true;
    conversion.lower.workarounds.opaque_immediates = !options.settings.plain_immediates;
    conversion.lower.workarounds.loop_registers_in_memory = options.settings.loops_in_memory;
    conversion.lower.shared_words = inputs.shared_words;
    conversion.lower.private_words = inputs.private_words;
    for (const auto& [index, image] : inputs.images) {
        auto& formats = conversion.lower.image_formats;
        if (formats.size() <= index) formats.resize(index + 1);
        formats[index] = image.format;
    }
    conversion.lower.offsets_read_one_level = options.settings.one_level_offsets || reads_one_level(inputs);
    conversion.lower.handles = reference::handles_of(inputs);
    conversion.capabilities = api::capabilities_of(device.report().caps);
    conversion.capabilities.robust_buffers &= options.robust_access;
    conversion.capabilities.robust_images &= options.robust_access;
    conversion.lower.workarounds.device_reduces_angles = options.promises.reduces_angles;
    conversion.lower.workarounds.device_logs_zero = options.promises.logs_zero;
    conversion.lower.workarounds.device_saturates = options.promises.saturates;
    if (options.promises.saturates) conversion.lower.conversions = lower::Conversions::Clamp;
    const auto quirks = quirks_of(device.report().info.name);
    conversion.lower.workarounds.opaque_integers = quirks.selected_minus_one_is_negated_bool;
    avoid(quirks, context.program, context.messages, conversion.capabilities);
    if (options.settings.options_seed != 0)
        draw_options(options.settings.options_seed, device.report().info.api_version,
                     samplers_imply_views(context.program), conversion);
    if (options.max_iterations != 0) conversion.lower.max_iterations = options.max_iterations;
    return conversion;
}

void buffer_system_values(const api::Context& context, const reference::Inputs& inputs, lower::Options& options) {
    for (const auto& [index, values] : inputs.system_values) {
        const auto* range = context.registers.find(tgsi::File::SystemValue, index);
        if (range == nullptr) continue;
        const auto semantic = static_cast<uint32_t>(context.program.declarations[range->declaration].semantic);
        options.buffered_system_values[semantic / 32] |= 1u << (semantic % 32);
    }
}

namespace {

tl::expected<spirv::Reflection, VulkanTrouble> convert(api::Context& context, const api::Options& conversion) {
    context.diagnostics.clear();
    if (!api::lower(context, conversion)) {
        // The message is that of the first error, and so is the kind.
        const auto* const error = find_error(context.diagnostics);
        const bool missing =
            error != nullptr && (error->code == "unsupported-capability" || error->code == "unsupported-by-device");
        return trouble(missing ? Trouble::Missing : Trouble::Refused, first_error(context.diagnostics));
    }
    if (!api::optimise(context, conversion) || !api::emit(context, conversion)) {
        const auto* const error = find_error(context.diagnostics);
        const bool missing = error != nullptr && error->code == "unsupported-subgroup";  // of an earlier Vulkan
        return trouble(missing ? Trouble::Missing : Trouble::Invalid, first_error(context.diagnostics));
    }
    auto reflection = api::reflect(context, conversion);
    if (reflection.push_constant_bytes != 0)
        return trouble(Trouble::Missing, "push constants (not supported by the harness)");
    return reflection;
}

}  // namespace

tl::expected<spirv::Reflection, VulkanTrouble> convert_judged(api::Context& context, const api::Options& conversion,
                                                              const VulkanOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    auto reflection = convert(context, conversion);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (options.translator_ms != nullptr) *options.translator_ms += taken.count();
    if (reflection && options.hook) options.hook(context, conversion);
    return reflection;
}

uint32_t add_buffer(harness::Job& job, std::vector<uint32_t> words, bool readback) {
    job.buffers.push_back({std::move(words), readback});
    return static_cast<uint32_t>(job.buffers.size() - 1);
}

void bind_io(const spirv::Reflection& reflection, const uint32_t (&io)[3], harness::Job& job) {
    for (const auto& r : reflection.resources)
        if (r.kind == ir::VariableKind::IoBuffer && r.index < 3)
            job.descriptors.push_back(
                {r.binding.set, r.binding.binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {io[r.index]}, {}});
}

namespace {

/// Adds the memory that the module does not access, unchanged. Otherwise, a translation that loses all accesses to a
/// buffer would also remove the buffer from the comparison.
void add_untouched(const reference::Inputs& inputs, reference::Result& result) {
    const auto words = [](const std::vector<uint32_t>& from, std::vector<reference::Component>& to) {
        for (const uint32_t word : from) to.push_back(known(word));
    };
    for (const auto& [index, given] : inputs.buffers)
        if (const auto [at, added] = result.buffers.try_emplace(index); added) words(given, at->second);
    for (const auto& [index, given] : inputs.hwatomics)
        if (const auto [at, added] = result.hwatomics.try_emplace(index); added) words(given, at->second);
    for (const auto& [index, given] : inputs.images)
        if (const auto [at, added] = result.images.try_emplace(index); added)
            for (const auto& level : given.data) words(level, at->second.emplace_back());
}

}  // namespace

tl::expected<harness::Outputs, VulkanTrouble> run_job(harness::Device& device, const tgsi::Program& program,
                                                      const spirv::Reflection& reflection,
                                                      const reference::Inputs& inputs, harness::Job& job,
                                                      const VulkanOptions& options) {
    if (auto bound = bind_resources(program, reflection, inputs, job, options); !bound)
        return tl::unexpected(bound.error());
    auto ran = harness::run(device, job);
    if (!ran) return tl::unexpected(from_vulkan(ran.error()));
    return std::move(*ran);
}

void read_memory(const spirv::Reflection& reflection, const reference::Inputs& inputs, const harness::Job& job,
                 const harness::Outputs& outputs, reference::Result& result) {
    for (const auto& back : buffers_back(reflection, job)) {
        auto& out = back.counters ? result.hwatomics[back.index] : result.buffers[back.index];
        const auto& given = back.counters ? inputs.hwatomics : inputs.buffers;
        auto words = outputs.buffers[back.buffer];
        // A buffer that the case does not give has no contents, although something is bound.
        const size_t size = given.count(back.index) != 0 ? words.size() : 0;
        for (size_t i = 0; i < size; i++) out.push_back(known(words[i]));
    }
    for (const auto& back : images_back(reflection, inputs, job)) {
        const auto given = inputs.images.find(back.index);
        if (given == inputs.images.end()) continue;
        auto& levels = result.images[back.index];
        levels.clear();  // an image that several variables access is read once
        const auto add = [&](std::span<const uint8_t> bytes) {
            auto words = decode_texels(given->second.format, bytes);
            auto& level = levels.emplace_back();
            for (const uint32_t word : words) level.push_back(known(word));
        };
        if (!back.is_buffer) {
            for (const auto& bytes : outputs.images[back.item]) add(bytes);
            continue;
        }
        std::vector<uint8_t> bytes;
        for (const uint32_t word : outputs.buffers[back.item])
            for (int b = 0; b < 4; b++) bytes.push_back(static_cast<uint8_t>(word >> (8 * b)));
        const auto format = vulkan_format(given->second.format);
        const size_t texels = size_t{given->second.width};
        add(std::span(bytes).first(std::min(bytes.size(), texels * format->texel_bytes)));
    }
    add_untouched(inputs, result);
}

}  // namespace tgsi2spv::difftest
