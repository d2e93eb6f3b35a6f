// The cases of a campaign. They have stable names and are listed without a device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

enum class CaseKind : uint8_t {
    File,       ///< a shader, with generated inputs
    Generated,  ///< a generated program, with generated inputs
    Sampling,   ///< a form of the texture pages in a few states, chosen by `input`
    Given,      ///< shader and inputs are in this struct
};

struct CaseSpec {
    CaseKind kind{};
    std::string name;     ///< `frag/a.tgsi` (below CaseSources::root), `generated/SEED/N`, `sampling/FORM`
    uint32_t input = 0;   ///< number of the shader's input set, or of the form's group of states
    std::string path;     ///< File
    uint64_t number = 0;  ///< Generated: N. Sampling: index in sampling_forms(). File: 1 + VariantKind, or 0 for the
                          ///< shader itself
    std::string text;     ///< Given: TGSI
    std::string inputs;   ///< Given: tgsi-run's JSON
    bool operator==(const CaseSpec&) const = default;
};

/// Returns the name, followed by `#N` except for the first input set. Results, baselines, filters and shards refer to
/// cases by this id.
std::string id_of(const CaseSpec& spec);

/// In generated programs, more than two sets notice little more (docs/judge.md); variants repeat what their shaders
/// show.
inline constexpr uint32_t kShaderInputs = 8, kInputs = 2;

/// The sources of cases.
struct CaseSources {
    std::vector<std::string> paths;  ///< shader files, and folders that are searched for *.tgsi
    std::string root{};              ///< folder of which names leave out the path; empty: that which holds all paths
    bool sampling = false;
    bool variants = false;   ///< adds variants of the shaders: changes that must not change the answer
                             ///< (variants.h)
    uint64_t generated = 0;  ///< number of programs
    uint64_t seed = 1;
    /// Input sets per shader, variant or program. Empty: kShaderInputs per shader, kInputs per variant or program.
    std::optional<uint32_t> inputs{};
};

/// The subset of the cases that one process or machine runs.
struct CaseChoice {
    std::string filter;  ///< a regular expression that occurs in the id; empty: all cases
    uint32_t shard = 0, shards = 1;
};

/// A case that waits takes half a KiB; these take days.
inline constexpr uint64_t kMaxCases = 5'000'000;

/// Lists the cases in a fixed order, each id once. Errors are usage errors: a path that does not exist, an invalid
/// filter, more than kMaxCases.
tl::expected<std::vector<CaseSpec>, std::string> list_cases(const CaseSources& sources, const CaseChoice& choice);

/// Reads a shard `i/n` with 0 ≤ i < n.
tl::expected<CaseChoice, std::string> read_shard(const std::string& text);

}  // namespace tgsi2spv::difftest
