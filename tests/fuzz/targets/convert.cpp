// The whole conversion through the C API. The first bytes select the options (choices.h); spirv-val must accept every
// module.
#include "choices.h"
#include "texts.h"

using namespace tgsi2spv;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    return fuzz::change_text(data, size, most, seed, fuzz::kChoiceBytes);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < fuzz::kChoiceBytes) return 0;
    fuzz::Choices choices;
    choices.take(fuzz::Bits(data));
    Context context = fuzz::small_context(choices.limits);
    const std::string_view text = fuzz::text_of(data + fuzz::kChoiceBytes, size - fuzz::kChoiceBytes);
    const Module module = context.translate(text, choices.options, choices.info);
    if (!module) {
        fuzz::require_reason(context, context.status());
        return 0;
    }
    fuzz::require_valid(module.info());
    for (uint32_t i = 0; i < module.info().resource_count; ++i)
        fuzz::require(*module.resource(i).name != 0, "a resource without a name");
    fuzz::require(!context.json(module).empty(), "no reflection");
    return 0;
}
