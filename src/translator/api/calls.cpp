#include "api/calls.h"

namespace tgsi2spv::api {
namespace {

/// The status of a refusal, from its first error.
tgsi2spv_status status_of(const std::vector<tgsi::Diagnostic>& diagnostics, tgsi2spv_status otherwise) {
    for (const tgsi::Diagnostic& d : diagnostics) {
        if (d.severity != tgsi::Severity::Error) continue;
        switch (d.code.cause()) {
            case tgsi::Cause::Program:
                return otherwise;
            case tgsi::Cause::Unsupported:
                return TGSI2SPV_ERROR_UNSUPPORTED;
            case tgsi::Cause::Argument:
                return kWrong;
            case tgsi::Cause::Limit:
                return TGSI2SPV_ERROR_LIMIT;
            case tgsi::Cause::Internal:
                return TGSI2SPV_ERROR_INTERNAL;
        }
    }
    return TGSI2SPV_ERROR_INTERNAL;  // refused without a reason
}

}  // namespace

tgsi2spv_status refuse(tgsi2spv_context& context, std::string_view text, tgsi2spv_status otherwise) {
    context.diagnostics.add(context.core->diagnostics, text);
    return status_of(context.core->diagnostics, otherwise);
}

tgsi2spv_status refuse_argument(tgsi2spv_context& context, const char* why) {
    tgsi::Diagnostic d;
    d.code = "invalid-argument";
    d.message = why;
    context.core->diagnostics = {std::move(d)};
    context.diagnostics.add(context.core->diagnostics, {});
    return kWrong;
}

tgsi2spv_status refuse_call(tgsi2spv_context* context) {
    if (context == nullptr) return kWrong;
    context->diagnostics.clear();
    if (context->module != nullptr) context->module->clear();
    return kWrong;
}

bool parse_text(tgsi2spv_context& context, std::string_view text, const Request& request) {
    Options options;
    options.limits = context.limits;
    options.entry = request.info.entry;
    return parse(*context.core, text, options);
}

tgsi2spv_status give_text(const tgsi2spv_context& context, const char** text, size_t* bytes) {
    *text = context.text.c_str();
    *bytes = context.text.size();
    return TGSI2SPV_SUCCESS;
}

uint32_t operations_of(const tgsi2spv_context& context, size_t bytes) {
    return context.operations == 0 ? default_operations(bytes) : context.operations;
}

}  // namespace tgsi2spv::api
