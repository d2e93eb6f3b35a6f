// The shaders of a pipeline, linked. Their texts follow the bytes that select options, separated by NULs. One choice
// inserts a GEOM made by the library after the first shader. spirv-val must accept the module of each stage.
#include <array>

#include "choices.h"

using namespace tgsi2spv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < fuzz::kChoiceBytes) return 0;
    fuzz::Choices choices;
    choices.take(fuzz::Bits(data));
    Context context = fuzz::small_context();

    constexpr size_t kMost = 7;  // one more than a pipeline can have
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
    if (choices.with_geometry && count < kMost) {
        for (size_t i = 0; i < count; ++i)
            if (programs[i].stage() == TGSI2SPV_STAGE_FRAGMENT) choices.geometry.fragment = handles[i];
        const std::string_view text = context.passthrough_geometry(programs[0], choices.geometry);
        if (context.status() != TGSI2SPV_SUCCESS) {
            fuzz::require_reason(context, context.status());
            return 0;
        }
        programs[count] = context.parse(std::string(text));
        fuzz::require(programs[count].get() != nullptr, "a text of the library's own is no program");
        handles[count] = programs[count].get();
        options[count++] = &choices.options;
    }
    const tgsi2spv_status linked = tgsi2spv_link(context.get(), handles.data(), count, options.data(), linkages.data());
    if (linked != TGSI2SPV_SUCCESS) {
        if (count == kMost)
            fuzz::require(linked == TGSI2SPV_ERROR_INVALID_ARGUMENT, "more stages than there are");
        else
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
