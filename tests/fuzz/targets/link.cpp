// The shaders of a pipeline, linked: behind the bytes that choose options stand their texts, a NUL between two of them.
// What each stage becomes passes spirv-val.
#include <array>

#include "choices.h"

using namespace tgsi2spv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < fuzz::kChoiceBytes) return 0;
    fuzz::Choices choices;
    choices.take(fuzz::Bits(data));
    auto limits = make<tgsi2spv_limits>();
    limits.registers = 4096;
    auto info = make<tgsi2spv_context_info>();
    info.limits = &limits;
    Context context(info);

    constexpr size_t kMost = 6;
    std::array<Program, kMost> programs;
    std::array<const tgsi2spv_program*, kMost> handles{};
    std::array<const tgsi2spv_options*, kMost> options{};
    std::array<tgsi2spv_linkage*, kMost> linkages{};
    size_t count = 0;
    std::string_view rest = fuzz::text_of(data + fuzz::kChoiceBytes, size - fuzz::kChoiceBytes);
    while (count < kMost) {
        const size_t end = rest.find('\0');
        programs[count] = context.parse(rest.substr(0, end));
        if (!programs[count]) return 0;
        handles[count] = programs[count].get();
        options[count++] = &choices.options;
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    const tgsi2spv_status linked = tgsi2spv_link(context.get(), handles.data(), count, options.data(), linkages.data());
    if (linked != TGSI2SPV_SUCCESS) {
        fuzz::require_reason(context, linked);
        for (const tgsi2spv_linkage* l : linkages) fuzz::require(l == nullptr, "a linkage in spite of failure");
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        tgsi2spv_options o = choices.options;
        o.linkage = linkages[i];
        const Module module = context.convert(programs[i], o);
        if (module)
            fuzz::require_valid(module.info());
        else
            fuzz::require_reason(context, context.status());
    }
    for (tgsi2spv_linkage* l : linkages) tgsi2spv_linkage_destroy(l);
    return 0;
}
