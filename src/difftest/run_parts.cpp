#include "difftest/run_parts.h"

#include "difftest/quirks.h"

namespace tgsi2spv::difftest {

VulkanTrouble from_vulkan(const vulkan::Error& e) {
    switch (e.failure) {
        case vulkan::Failure::Missing:
            return {Trouble::Missing, e.message};
        case vulkan::Failure::Timeout:
            return {Trouble::Timeout, e.message};
        default:
            return {Trouble::Device, e.message};
    }
}

std::string first_error(const std::vector<tgsi::Diagnostic>& diagnostics) {
    for (const auto& d : diagnostics)
        if (d.severity == tgsi::Severity::Error) return d.message;
    return "refused without a reason";
}

api::Options judged_conversion(const vulkan::Device& device, const api::Context& context,
                               const reference::Inputs& inputs, const VulkanOptions& options) {
    api::Options conversion;
    conversion.lower.dialect = options.dialect;
    conversion.lower.exact = true;
    conversion.lower.io_buffers = true;
    conversion.lower.opaque_immediates = true;
    conversion.lower.shared_words = inputs.shared_words;
    conversion.capabilities = capabilities_of(device.report());
    avoid(quirks_of(device.report().info.name), context.program, conversion.capabilities);
    return conversion;
}

tl::expected<spirv::Reflection, VulkanTrouble> convert_judged(api::Context& context, const api::Options& conversion) {
    context.diagnostics.clear();
    if (!api::lower(context, conversion)) {
        const bool missing = !context.diagnostics.empty() && context.diagnostics.back().code == "unsupported-capability";
        return trouble(missing ? Trouble::Missing : Trouble::Refused, first_error(context.diagnostics));
    }
    if (!api::optimise(context, conversion) || !api::emit(context, conversion))
        return trouble(Trouble::Invalid, first_error(context.diagnostics));
    auto reflection = api::reflect(context, conversion);
    if (reflection.push_constant_bytes != 0) return trouble(Trouble::Missing, "push constants in the harness");
    return reflection;
}

void read_memory(const spirv::Reflection& reflection, const reference::Inputs& inputs, const vulkan::Job& job,
                 const vulkan::Outputs& outputs, reference::Result& result) {
    for (const auto& back : buffers_back(reflection, job)) {
        auto& out = back.counters ? result.hwatomics[back.index] : result.buffers[back.index];
        const auto& given = back.counters ? inputs.hwatomics : inputs.buffers;
        const auto& words = outputs.buffers[back.buffer];
        // What the case leaves out is no buffer, though something is bound there.
        const size_t size = given.count(back.index) != 0 ? words.size() : 0;
        for (size_t i = 0; i < size; i++) out.push_back(known(words[i]));
    }
}

}  // namespace tgsi2spv::difftest
