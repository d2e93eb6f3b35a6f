// What a campaign is made of: cases with stable names, listed without a device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

enum class CaseKind : uint8_t {
    File,       ///< a shader, with generated inputs
    Generated,  ///< a generated program, with generated inputs
    Sampling,   ///< a form of the texture pages on a few states; `input` says which
    Given,      ///< shader and inputs as they stand here
};

struct CaseSpec {
    CaseKind kind{};
    std::string name;     ///< `frag/a.tgsi`, `generated/SEED/N`, `sampling/FORM`
    uint32_t input = 0;   ///< which of the shader's inputs, or which states of the form
    std::string path;     ///< File
    uint64_t number = 0;  ///< Generated: N; Sampling: of the form in sampling_forms(); File: 1 + VariantKind, 0 none
    std::string text;     ///< Given: TGSI
    std::string inputs;   ///< Given: tgsi-run's JSON
    bool operator==(const CaseSpec&) const = default;
};

/// The name, and `#N` behind it for inputs but the first: what results, baselines, filters and shards know a case by.
std::string id_of(const CaseSpec& spec);

/// Where cases come from.
struct CaseSources {
    std::vector<std::string> paths;  ///< shaders, and folders of *.tgsi
    bool sampling = false;
    bool variants = false;   ///< of the shaders, too: changes that must not change the answer (variants.h)
    uint64_t generated = 0;  ///< programs
    uint64_t seed = 1;
    uint32_t inputs = 2;  ///< cases a shader
    uint32_t sample = 1;  ///< every nth shader, program or form
};

/// Which of the cases one process or machine runs.
struct CaseChoice {
    std::string filter;  ///< a regular expression that is found in the id; empty: all
    uint32_t shard = 0, shards = 1;
};

/// In a fixed order, each id once. The error is one of usage: a path that does not exist, a filter that is none.
tl::expected<std::vector<CaseSpec>, std::string> list_cases(const CaseSources& sources, const CaseChoice& choice);

/// Reads `i/n`, 0 ≤ i < n.
tl::expected<CaseChoice, std::string> read_shard(const std::string& text);

}  // namespace tgsi2spv::difftest
