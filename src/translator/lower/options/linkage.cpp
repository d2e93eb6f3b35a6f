#include "lower/options/linkage.h"

#include <algorithm>

namespace tgsi2spv::lower {

bool clips_fragments(const tgsi::Program& program, const Options& options) {
    return program.stage == tgsi::Stage::Fragment && options.linkage != nullptr &&
           std::ranges::find(options.linkage->inputs, tgsi::Semantic::ClipDist, &LinkedVarying::semantic) !=
               options.linkage->inputs.end();
}

}  // namespace tgsi2spv::lower
