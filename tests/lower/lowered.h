// Helpers that lower text and inspect the result.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "lower/evaluate.h"
#include "lower/lower.h"
#include "sampling/carrier.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::test {

struct Lowered {
    bool ok = false;
    ir::Module module;
    std::vector<tgsi::Diagnostic> diagnostics;
    std::string error;  ///< the first error's message
};

/// Parses and lowers a whole shader, without simplification (lower::Options::simplify is off). A module that the
/// verifier or spirv-val rejects is a test failure.
Lowered lower_text(std::string_view text, const lower::Options& options = {},
                   const lower::Capabilities& capabilities = {});
/// The same with lower::Options::simplify and drop_unneeded.
Lowered lower_simplified(std::string_view text, const lower::Capabilities& capabilities = {},
                         const lower::Options& options = {});

/// Lowers messages without instructions, with `io=buffers` (they have no stage interface).
Lowered lower_messages(std::span<const sampling::Call> calls, tgsi::Stage stage, int32_t pool,
                       const lower::Capabilities& capabilities);

/// Returns how many instructions of this operation all functions have.
size_t count(const ir::Module& module, ir::Op op);

/// Returns the names of main's instructions in order, joined by spaces, without those that only move values or control
/// (Load, Store, Compose, Bitcast, Branch, Return).
std::string operations(const ir::Module& module);

/// Returns the first image instruction of main that is not a query of sizes, levels or samples, as "ImageSampleLod dref
/// lod const_offset" (operands in the order of ImageOp); empty if there is none. image_type() returns an ImageType as
/// "Cube array depth".
std::string image_operation(const ir::Module& module);
std::string image_type(const ir::ImageType& image);

constexpr uint32_t f(float x) {
    return std::bit_cast<uint32_t>(x);
}
constexpr Words all(uint32_t word) {
    return {word, word, word, word};
}
constexpr Words floats(float x, float y, float z, float w) {
    return {f(x), f(y), f(z), f(w)};
}

inline constexpr uint32_t kMinusInf = 0xff80'0000, kNan = 0x7fc0'0000, kAllOnes = 0xffff'ffff;

inline bool is_nan(uint32_t word) {
    return (word & 0x7fff'ffff) > 0x7f80'0000;
}

}  // namespace tgsi2spv::test
