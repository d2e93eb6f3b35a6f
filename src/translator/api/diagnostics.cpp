// Returns diagnostics in the caller's form.
#include <algorithm>
#include <cstring>

#include "api/handles.h"
#include "api/versioned.h"

namespace tgsi2spv::api {
namespace {

/// Bytes of a source line that are shown, on each side of the place.
constexpr size_t kShownBytes = 256;

/// Finds line ends in order, so that one sweep over the text finds the places of many diagnostics.
struct Lines {
    std::string_view text;
    size_t at = 0, start = 0;
    uint32_t line = 1;

    void move_to(size_t offset) {
        if (offset < start) *this = {text};
        for (; at < offset; ++at)
            if (text[at] == '\n') {
                ++line;
                start = at + 1;
            }
    }
};

}  // namespace

Texts::Texts(std::pmr::memory_resource& memory, size_t first_bytes)
    : first_(first_bytes, &memory), pool_(first_.data(), first_.size(), &memory) {}

const char* Texts::keep(std::string_view text) {
    auto* copy = static_cast<char*>(pool_.allocate(text.size() + 1, 1));
    if (!text.empty()) std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    return copy;
}

void CallerDiagnostics::clear() {
    all.clear();
    texts.clear();
}

void CallerDiagnostics::add(const std::vector<tgsi::Diagnostic>& diagnostics, std::string_view text) {
    Lines lines{text};
    all.reserve(all.size() + diagnostics.size());
    for (const tgsi::Diagnostic& d : diagnostics) {
        const size_t offset = std::min<size_t>(d.offset, text.size());
        lines.move_to(offset);
        const size_t column = offset - lines.start;
        const size_t cut = column > kShownBytes ? column - kShownBytes : 0;
        std::string_view shown = text.substr(lines.start + cut, column - cut + kShownBytes);
        shown = shown.substr(0, shown.find('\n', column - cut));
        if (shown.ends_with('\r')) shown.remove_suffix(1);

        tgsi2spv_diagnostic out{};
        out.struct_size = sizeof out;
        out.code = texts.keep(d.code);
        out.message = texts.keep(d.message);
        out.feature = texts.keep(d.feature);
        out.hint = texts.keep(d.hint);
        out.source_line = texts.keep(shown);
        out.source_line_bytes = shown.size();
        static_assert(TGSI2SPV_SEVERITY_ERROR == static_cast<int>(tgsi::Severity::Error) &&
                      TGSI2SPV_SEVERITY_NOTE == static_cast<int>(tgsi::Severity::Note));
        out.severity = static_cast<tgsi2spv_severity>(d.severity);
        out.offset = static_cast<uint32_t>(offset);
        out.line = lines.line;
        out.column = static_cast<uint32_t>(column + 1);
        out.length = tgsi::marked_bytes(d, text);
        out.source_column = static_cast<uint32_t>(column - cut + 1);
        all.push_back(out);
    }
}

}  // namespace tgsi2spv::api

using namespace tgsi2spv;

size_t tgsi2spv_context_diagnostic_count(const tgsi2spv_context* context) noexcept {
    return context == nullptr ? 0 : context->diagnostics.all.size();
}

tgsi2spv_status tgsi2spv_context_get_diagnostic(const tgsi2spv_context* context, size_t index,
                                                tgsi2spv_diagnostic* diagnostic) noexcept {
    if (context == nullptr || index >= context->diagnostics.all.size()) return TGSI2SPV_ERROR_INVALID_ARGUMENT;
    return api::copy_out(context->diagnostics.all[index], diagnostic) ? TGSI2SPV_SUCCESS
                                                                      : TGSI2SPV_ERROR_INVALID_ARGUMENT;
}
