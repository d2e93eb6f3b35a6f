// tgsi-run's JSON and its form in memory, both ways. Register words are hexadecimal strings or float numbers.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "reference/run.h"

namespace tgsi2spv::difftest {

/// Reads a case. The error names the place, such as `inputs.IN[3][0]: expected 4 words, found 3`; unknown fields
/// and values of the wrong kind are errors.
tl::expected<reference::Inputs, std::string> read_inputs(std::string_view json);

/// The same JSON; read_inputs(write_inputs(x)) equals x. `stage` decides between `IN[i]` and `IN[v][i]`: vertex 0
/// of a stage that has several is written `IN[0][i]`.
std::string write_inputs(const reference::Inputs& inputs, bool per_vertex = false);

struct WriteOptions {
    bool bounds = false;  ///< {"value", "lo", "hi"}, {"any", …}, {"fields", …} or {"unknown", …} instead of words
    bool killed = false;  ///< FRAG
    uint32_t lanes = 0;   ///< lanes that the case asked for, without padding; 0: all
};

/// The outputs of an engine. Registers start at zero on both engines, so a component that no instruction writes is
/// shown as that zero, with bounds too (the documents leave it undefined: campaigns do not compare it).
std::string write_result(const reference::Result& result, const WriteOptions& options);

/// Wrap, filter and comparison names of the JSON, for messages: "CLAMP_TO_EDGE".
std::string_view name(reference::Wrap wrap);
std::string_view name(reference::Compare compare);

}  // namespace tgsi2spv::difftest
