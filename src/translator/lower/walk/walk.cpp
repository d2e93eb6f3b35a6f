// Errors and warnings of the walk.
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

namespace {

/// Per shader; the same number as when a text is checked (tgsi::Limits::errors).
constexpr uint32_t kMaxWarnings = 20;

}  // namespace

void fail(Walk& walk, tgsi::Code code, uint32_t position, std::string_view message) {
    if (walk.ok)
        walk.diagnostics.push_back({.code = code, .offset = position, .message = std::string(message), .hint = {}});
    walk.ok = false;
}

void fail_lacking(Walk& walk, uint32_t position, std::string_view feature, std::string_view needing) {
    if (!walk.ok) return;
    std::string message(needing);
    if (!needing.empty()) message += ": ";
    fail(walk, "unsupported-by-device", position, message.append("the device lacks ").append(feature));
    walk.diagnostics.back().feature = feature;
}

void fail_operations(Walk& walk, uint32_t position) {
    fail(walk, "operation-limit", position,
         "the shader needs more than the limit of " + std::to_string(walk.options.max_operations) + " operations");
}

void warn(Walk& walk, tgsi::Code code, uint32_t position, std::string_view message) {
    if (walk.warned.times == kMaxWarnings) return;  // a warning about one instruction may apply to a million of them
    ++walk.warned.times;
    walk.diagnostics.push_back({.severity = tgsi::Severity::Warning,
                                .code = code,
                                .offset = position,
                                .message = std::string(message),
                                .hint = {}});
}

}  // namespace tgsi2spv::lower
