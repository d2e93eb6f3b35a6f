// Shared by all functions of the C API: no exception leaves them, and each discards the results of the call before it.
#pragma once

#include <new>
#include <stdexcept>
#include <string_view>

#include "api/handles.h"
#include "api/options.h"

namespace tgsi2spv::api {

inline constexpr auto kWrong = TGSI2SPV_ERROR_INVALID_ARGUMENT;

/// Out of memory is a status.
template <class Call>
tgsi2spv_status guarded(Call&& call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return TGSI2SPV_ERROR_OUT_OF_MEMORY;
    } catch (const std::length_error&) {
        return TGSI2SPV_ERROR_OUT_OF_MEMORY;
    } catch (...) {
        return TGSI2SPV_ERROR_INTERNAL;
    }
}

inline void discard_module(tgsi2spv_context& context) {
    destroy(context.module);
    context.module = nullptr;
}

/// The same for calls that take a context. Discards the results of the last call, and workspaces that an exception left
/// half changed.
template <class Call>
tgsi2spv_status guarded(tgsi2spv_context& context, Call&& call) noexcept {
    context.diagnostics.clear();
    if (context.module != nullptr) context.module->clear();
    const tgsi2spv_status status = guarded([&] {
        if (!context.core) context.core.emplace(&context.memory);
        return call(*context.core);
    });
    if (status == TGSI2SPV_ERROR_OUT_OF_MEMORY || status == TGSI2SPV_ERROR_INTERNAL) {
        context.core.reset();
        discard_module(context);
    }
    return status;
}

/// The context's diagnostics become those of a refusal; gives its status, which is `otherwise` where the text is at
/// fault.
tgsi2spv_status refuse(tgsi2spv_context& context, std::string_view text, tgsi2spv_status otherwise);
/// Refuses a struct of the caller: the reason becomes a diagnostic without a place in the text.
tgsi2spv_status refuse_argument(tgsi2spv_context& context, const char* why);
/// Refuses a call that lacks a required argument. The results of the previous call are discarded.
tgsi2spv_status refuse_call(tgsi2spv_context* context);
/// The context's own text, which lives until the next call.
tgsi2spv_status give_text(const tgsi2spv_context& context, const char** text, size_t* bytes);

bool parse_text(tgsi2spv_context& context, std::string_view text, const Request& request);
/// The most operations of a conversion of a text of so many bytes.
uint32_t operations_of(const tgsi2spv_context& context, size_t bytes);

}  // namespace tgsi2spv::api
