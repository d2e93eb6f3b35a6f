// Errors and warnings of the walk.
#include "lower/context/context.h"

namespace tgsi2spv::lower {

namespace {

/// Per shader; the same number as when a text is checked (tgsi::Limits::errors).
constexpr uint32_t kMaxWarnings = 20;

}  // namespace

void fail(Context& context, tgsi::Code code, uint32_t position, std::string_view message) {
    if (context.ok)
        context.diagnostics.push_back({.code = code, .offset = position, .message = std::string(message), .hint = {}});
    context.ok = false;
}

void fail_lacking(Context& context, uint32_t position, std::string_view feature, std::string_view needing) {
    if (!context.ok) return;
    std::string message(needing);
    if (!needing.empty()) message += ": ";
    fail(context, "unsupported-by-device", position, message.append("the device lacks ").append(feature));
    context.diagnostics.back().feature = feature;
}

void fail_operations(Context& context, uint32_t position) {
    fail(context, "operation-limit", position,
         "the shader needs more than the limit of " + std::to_string(context.options.max_operations) + " operations");
}

void warn(Context& context, tgsi::Code code, uint32_t position, std::string_view message) {
    if (context.warned.times == kMaxWarnings) return;  // a warning about one instruction may apply to a million of them
    ++context.warned.times;
    context.diagnostics.push_back({.severity = tgsi::Severity::Warning,
                                   .code = code,
                                   .offset = position,
                                   .message = std::string(message),
                                   .hint = {}});
}

}  // namespace tgsi2spv::lower
