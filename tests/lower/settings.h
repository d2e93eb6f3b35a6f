// The options and capabilities of a case of data/*.txt, by name.
#pragma once

#include <string>

#include "lower/interface/link.h"
#include "lower/lower.h"
#include "lower/options/linkage.h"
#include "lower/options/stream_output.h"

namespace tgsi2spv::test {

struct Setup {
    lower::Options options;
    lower::Capabilities device;
    lower::LinkLimits limits;
    lower::StreamOutputs captures;  ///< used if there are any outputs or strides
    lower::Linkage linkage{};       ///< used with the setting `unlinked`: it passes nothing on
    bool captured = false, simplified = false, linked = false;
};

/// Applies one word: a name of a field (`flip_y`, `state.flip_y`), `-name` (false), `name=number`, `name[index]=word`.
/// Words are those of kWords. False: there is no such setting.
bool adjust(const std::string& word, Setup& setup);

}  // namespace tgsi2spv::test
