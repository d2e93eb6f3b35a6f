// The C structs of a call, converted for the parts.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "api/convert.h"
#include "lower/interface/link.h"
#include "lower/options/stream_output.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// A call's request: how a text is read and converted. The pointers in `options` are valid during the call.
struct Request {
    tgsi2spv_parse_info info{};
    tgsi2spv_options options{};
    tgsi2spv_device_caps device{};  ///< the caller's, or least_device()
    std::optional<tgsi2spv_state> state;
    std::optional<tgsi2spv_stream_outputs> table;
    lower::StreamOutputs stream_outputs;  ///< the contents of `table`
};

/// The limits of this device on the interface between stages.
lower::LinkLimits link_limits_of(const tgsi2spv_device_caps& caps);

/// The reason why the structs cannot be accepted (they are from a newer header, have an enumerant out of range, a
/// required pointer that is null, …): a static sentence that names the member. Null if they can.
const char* read_request(const tgsi2spv_parse_info* info, const tgsi2spv_options* options, Request& request);
/// If `operations` is 0, default_operations() applies.
bool read_limits(const tgsi2spv_limits* limits, tgsi::Limits& text, uint32_t& operations);

/// Proportional to the text, so that memory is, too.
constexpr uint32_t default_operations(size_t text_bytes) {
    return static_cast<uint32_t>(16384 + std::min<size_t>(text_bytes, size_t{1} << 30) / 4);
}

/// The result points into the request.
Options options_of(const Request& request);

/// The caller's map, in an order that does not depend on the caller's order.
std::vector<tgsi2spv_binding> sorted_bindings(const tgsi2spv_options& options);

ir::VariableKind kind_of(uint32_t resource_kind);
/// For kinds that a caller binds as descriptors.
tgsi2spv_resource_kind resource_kind_of(ir::VariableKind kind);

}  // namespace tgsi2spv::api
