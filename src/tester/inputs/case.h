// Reads and writes tgsi-run's JSON. Register words are hexadecimal strings or float numbers.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "reference/case/inputs.h"
#include "reference/case/result.h"

namespace tgsi2spv::difftest {

/// Reads a case. The error names the path, such as `inputs.IN[3][0]: expected 4 words, found 3`. Unknown fields and
/// values of the wrong type are errors.
tl::expected<reference::Inputs, std::string> read_inputs(std::string_view json);

/// Writes the same JSON; read_inputs(write_inputs(x)) equals x. If `per_vertex`, the stage has several vertices per
/// lane: vertex 0 is written `IN[0][i]`, not `IN[i]`.
std::string write_inputs(const reference::Inputs& inputs, bool per_vertex = false);

struct WriteOptions {
    bool bounds = false;  ///< writes {"value", "lo", "hi"} (perhaps with "gaps"), {"any", …}, {"fields", …} or
                          ///< {"unknown", …} instead of words
    bool floats = false;  ///< writes {"value", "float"} instead of words, and "float" after every other "value"
    bool killed = false;  ///< writes `killed` (FRAG)
    uint32_t lanes = 0;   ///< the number of lanes in the case, without padding; 0: all
};

/// Writes the outputs of an engine. Registers start at zero in both engines, so a component that no instruction writes
/// is shown as zero, even with bounds (the documents leave it undefined, so campaigns do not compare it).
std::string write_result(const reference::Result& result, const WriteOptions& options);

/// Returns the JSON's name of a wrap mode or comparison, for messages: "CLAMP_TO_EDGE".
std::string_view name(reference::Wrap wrap);
std::string_view name(reference::Compare compare);

}  // namespace tgsi2spv::difftest
