// The C structs of a question as what the parts take.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "api/convert.h"
#include "lower/link.h"
#include "lower/stream_output.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// One question: how a text is read and converted. Pointers of `options` are good while the call lasts.
struct Question {
    tgsi2spv_parse_info info{};
    tgsi2spv_options options{};
    std::optional<tgsi2spv_device_caps> device;
    std::optional<tgsi2spv_state> state;
    tgsi2spv_workarounds workarounds{};
    std::optional<tgsi2spv_stream_outputs> table;
    lower::StreamOutputs stream_outputs;  ///< of `table`
};

/// What a module of this device may have between its stages.
lower::LinkLimits link_limits_of(const tgsi2spv_device_caps& caps);

/// Why the structs cannot be taken (they are from a newer header, hold an enumerant out of range, a null pointer to
/// something, …): a static sentence that names the member. Null if they can.
const char* read_question(const tgsi2spv_parse_info* info, const tgsi2spv_options* options, Question& question);
/// `operations` 0: as default_operations() has it.
bool read_limits(const tgsi2spv_limits* limits, tgsi::Limits& text, uint32_t& operations);

/// In proportion to the text, so that memory is.
constexpr uint32_t default_operations(size_t text_bytes) {
    return static_cast<uint32_t>(16384 + std::min<size_t>(text_bytes, size_t{1} << 30) / 4);
}

/// They point into the question.
Options options_of(const Question& question);

/// The caller's map, in an order that does not depend on the caller's.
std::vector<tgsi2spv_binding> sorted_bindings(const tgsi2spv_options& options);

ir::VariableKind kind_of(uint32_t resource_kind);
/// Of those that stand in descriptors a caller binds.
tgsi2spv_resource_kind resource_kind_of(ir::VariableKind kind);

}  // namespace tgsi2spv::api
