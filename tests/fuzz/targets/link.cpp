// The shaders of a pipeline, linked. Their texts follow the bytes that select options, separated by NULs. One choice
// inserts a GEOM made by the library, another a TESS_CTRL. spirv-val must accept the module of each stage.
#include <array>
#include <utility>

#include "choices.h"

using namespace tgsi2spv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < fuzz::kChoiceBytes) return 0;
    fuzz::Choices choices;
    choices.take(fuzz::Bits(data));
    Context context = fuzz::small_context(choices.limits);

    constexpr size_t kMax = 7;  // one more than a pipeline can have
    std::array<Program, kMax> programs;
    std::array<const tgsi2spv_program*, kMax> handles{};
    std::array<const tgsi2spv_options*, kMax> options{};
    std::array<tgsi2spv_linkage*, kMax> linkages{};
    size_t count = 0;
    const auto add = [&](Program program) {
        if (!program) return false;
        programs[count] = std::move(program);
        handles[count] = programs[count].get();
        options[count] = (choices.plain_stages >> count & 1) != 0 ? nullptr : &choices.options;
        count++;
        return true;
    };
    Context roomy;  // for texts of the library's own, independent of the limits of the others
    const auto add_own = [&](std::string_view text) {
        fuzz::require(add(roomy.parse(text)), "a text of the library's own is no program");
        // To its place, since link() refuses stages in another order.
        for (size_t i = count - 1; i > 0 && programs[i - 1].stage() > programs[i].stage(); --i) {
            std::swap(programs[i - 1], programs[i]);
            std::swap(handles[i - 1], handles[i]);
            std::swap(options[i - 1], options[i]);
        }
    };
    std::string_view rest = fuzz::text_of(data + fuzz::kChoiceBytes, size - fuzz::kChoiceBytes);
    while (count < kMax) {
        const size_t end = rest.find('\0');
        if (!add(context.parse(rest.substr(0, end), choices.info))) return 0;
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    for (size_t i = 0; choices.patch_vertices != 0 && i < count && count < kMax; ++i) {
        if (programs[i].stage() != TGSI2SPV_STAGE_TESS_EVAL) continue;
        const std::string_view text = context.passthrough_tess_ctrl(programs[i], choices.patch_vertices);
        if (context.status() != TGSI2SPV_SUCCESS) {
            fuzz::require_reason(context, context.status());
            return 0;
        }
        add_own(std::string(text));
        break;
    }
    const tgsi2spv_status linked =
        tgsi2spv_linkage_create(context.get(), handles.data(), count, options.data(), linkages.data());
    if (linked != TGSI2SPV_SUCCESS) {
        if (count == kMax)
            fuzz::require(linked == TGSI2SPV_ERROR_INVALID_ARGUMENT, "more stages than there are");
        else
            fuzz::require_reason(context, linked);
        for (const tgsi2spv_linkage* l : linkages) fuzz::require(l == nullptr, "a linkage in spite of failure");
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        tgsi2spv_options o = options[i] == nullptr ? make<tgsi2spv_options>() : choices.options;
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
