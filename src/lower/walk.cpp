// Errors and warnings of the walk.
#include "lower/walk.h"

namespace tgsi2spv::lower {

namespace {

/// Per shader; the same number as when a text is checked (tgsi::Limits::errors).
constexpr uint32_t kMaxWarnings = 20;

}  // namespace

void fail(Walk& w, tgsi::Code code, uint32_t position, std::string_view message) {
    if (w.ok) w.diagnostics.push_back({.code = code, .offset = position, .message = std::string(message), .hint = {}});
    w.ok = false;
}

void fail_lacking(Walk& w, uint32_t position, std::string_view feature, std::string_view needing) {
    if (!w.ok) return;
    std::string message(needing);
    if (!needing.empty()) message += ": ";
    fail(w, "unsupported-by-device", position, message.append("the device lacks ").append(feature));
    w.diagnostics.back().feature = feature;
}

void fail_operations(Walk& w, uint32_t position) {
    fail(w, "operation-limit", position,
         "the shader needs more than the limit of " + std::to_string(w.options.max_operations) + " operations");
}

void warn(Walk& w, tgsi::Code code, uint32_t position, std::string_view message) {
    if (w.warned.times == kMaxWarnings) return;  // a warning about one instruction may apply to a million of them
    ++w.warned.times;
    w.diagnostics.push_back({.severity = tgsi::Severity::Warning,
                             .code = code,
                             .offset = position,
                             .message = std::string(message),
                             .hint = {}});
}

}  // namespace tgsi2spv::lower
