// Functions of doubles in words, for devices without shaderFloat64. The IR calls them; each is made once, after the
// text's own functions, if something calls it.
#pragma once

#include <array>
#include <initializer_list>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

enum class DoubleFunction : uint8_t {
#define DOUBLE_FUNCTION(function, ...) function,
#include "lower/doubles/functions.def"
#undef DOUBLE_FUNCTION
};
inline constexpr size_t kDoubleFunctions = static_cast<size_t>(DoubleFunction::ToUnsigned64) + 1;

/// The IR's functions; kNoIndex: not declared yet.
struct DoubleFunctions {
    std::array<uint32_t, kDoubleFunctions> ir_functions{};
};

void prepare_double_functions(Context& context);
ir::Value call_double(Context& context, DoubleFunction function, std::span<const ir::Value> args);
/// Makes those that the text's functions call.
void fill_double_functions(Context& context);

}  // namespace tgsi2spv::lower
