// Programs linked as the stages of a pipeline.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lower/interface/link.h"
#include "tgsi/parse/parse.h"

namespace tgsi2spv::test {

struct Pipeline {
    bool ok = false;
    std::vector<lower::Linkage> linkages;
    std::string code, error;  ///< of the first diagnostic
    std::vector<tgsi::Diagnostic> diagnostics;
};

inline Pipeline linked(const std::vector<std::string>& texts, const lower::LinkLimits& limits = {},
                       const lower::Options& options = {}, const lower::Capabilities& capabilities = {}) {
    std::vector<tgsi::Program> programs(texts.size());
    std::vector<tgsi::Registers> registers(texts.size());
    std::vector<lower::LinkStage> stages;
    std::vector<tgsi::Diagnostic> diagnostics;
    for (size_t i = 0; i < texts.size(); ++i) {
        EXPECT_TRUE(tgsi::parse(texts[i], {}, programs[i], diagnostics)) << texts[i];
        registers[i] = tgsi::gather(programs[i]);
        stages.push_back({&programs[i], &registers[i], &options});
    }
    Pipeline p;
    p.linkages.resize(texts.size());
    p.ok = lower::link(stages, capabilities, limits, p.linkages, diagnostics);
    if (!diagnostics.empty()) {
        p.code = diagnostics[0].code;
        p.error = diagnostics[0].message;
    }
    p.diagnostics = std::move(diagnostics);
    return p;
}

}  // namespace tgsi2spv::test
