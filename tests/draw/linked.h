// Converts the shader texts of a pipeline together, so that the stages agree on locations.
#pragma once

#include <string>
#include <vector>

#include "draw/draw.h"
#include "lower/interface/link.h"
#include "lower/options/stream_output.h"

namespace tgsi2spv::test {

class LinkedDrawing : public Drawing {
  protected:
    /// Converts the texts as one pipeline, each with options `base`; `stream_outputs` belongs to the last stage before
    /// FRAG.
    std::vector<std::vector<uint32_t>> convert_all(const std::vector<std::string>& texts,
                                                   const lower::StreamOutputs* stream_outputs = nullptr,
                                                   const lower::LinkLimits& limits = {},
                                                   const api::Options& base = {}) {
        std::vector<api::Context> contexts(texts.size());
        std::vector<api::Options> options(texts.size(), base);
        std::vector<lower::LinkStage> stages;
        for (size_t i = 0; i < texts.size(); i++) {
            EXPECT_TRUE(api::parse(contexts[i], texts[i], options[i])) << contexts[i].diagnostics[0].message << "\n"
                                                                       << texts[i];
            options[i].lower.convert_depth_range = false;
            stages.push_back({&contexts[i].program, &contexts[i].registers, &options[i].lower});
        }
        std::vector<lower::Linkage> linkages(stages.size());
        std::vector<tgsi::Diagnostic> diagnostics;
        EXPECT_TRUE(lower::link(stages, base.capabilities, limits, linkages, diagnostics)) << diagnostics[0].message;
        std::vector<std::vector<uint32_t>> words;
        const bool rasterizes = contexts.back().program.stage == tgsi::Stage::Fragment;
        for (size_t i = 0; i < texts.size() && i < linkages.size(); i++) {
            options[i].lower.linkage = &linkages[i];
            if (i + (rasterizes ? 2 : 1) == texts.size()) options[i].lower.stream_outputs = stream_outputs;
            EXPECT_TRUE(api::lower(contexts[i], options[i]) && api::optimise(contexts[i], options[i]) &&
                        api::emit(contexts[i], options[i]))
                << contexts[i].diagnostics[0].message << "\n"
                << texts[i];
            words.emplace_back(contexts[i].words.begin(), contexts[i].words.end());
        }
        return words;
    }
};

}  // namespace tgsi2spv::test
