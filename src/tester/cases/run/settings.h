// How the cases of a run are made, converted and judged: one struct, and one table that case files, workers, hashes and
// command lines read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "tgsi/tables/types.h"

namespace tgsi2spv::difftest {

struct RunSettings {
    uint64_t seed = 1;  ///< seed of generated programs and inputs
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    /// Shader files only: number of the instruction at which main begins (old texts have several pieces).
    uint32_t entry = 0;
    uint64_t max_steps = 1'000'000;  ///< instructions of the reference over all lanes; longer cases are skipped
    uint64_t options_seed = 0;       ///< seed of options and abilities (draw_options()); 0: none are drawn
    /// Convert as users do. Otherwise IMM words are combined with a loaded zero
    /// (lower::Workarounds::opaque_immediates), so that drivers cannot fold them, which some do wrongly
    /// (docs/driver-bugs.md).
    bool plain_immediates = false;

    /// Instead of running a case, create the pipeline that users would, and ask for its machine code's statistics.
    bool statistics = false;

    // For shaders: forms of the texture pages have no loops, doubles or functions, and their samplers are those of the
    // matrix.
    bool loops_in_memory = false;  ///< lower::Workarounds::loop_registers_in_memory
    /// lower::Options::offsets_read_one_level, for any samplers of the case; those of generated inputs comply.
    bool one_level_offsets = false;
    bool zeros_alike = false;  ///< accept a zero of the other sign, on every device
    /// Expect more than Vulkan requires: functions of NaN give NaN, and doubles have the precision of doubles. For
    /// devices that are known to provide this; a failure is then the translator's.
    bool strict = false;

    // These change no answer.
    uint64_t timeout_ns = 120'000'000'000;  ///< the driver's time limit for a case
    bool evidence = true;                   ///< collect evidence for failures
    bool operator==(const RunSettings&) const = default;
};

struct Setting {
    std::string_view name;  ///< name in case files, between processes, and in the list of a run's settings
    std::variant<bool RunSettings::*, uint32_t RunSettings::*, uint64_t RunSettings::*, tgsi::Dialect RunSettings::*>
        member;
    bool changes_answers = true;   ///< true: it is part of a case file and of hashes
    std::string_view option = {};  ///< option of tgsi-difftest's commands; empty: none, or one of its own
    std::string_view help = {};
};

inline constexpr Setting kSettings[] = {
    {"dialect", &RunSettings::dialect, true, "--dialect", "TGSI edition to follow where editions differ"},
    {"seed", &RunSettings::seed},
    {"entry", &RunSettings::entry, true, "--entry",
     "COMP: start main at this instruction of each shader (an old text may hold several kernels)"},
    {"loops-in-memory", &RunSettings::loops_in_memory, true, "--loop-registers-in-memory",
     "Keep registers that loops write in memory: lavapipe otherwise keeps first-iteration values in some loops"},
    {"one-level-offsets", &RunSettings::one_level_offsets, true, "--one-level-offsets",
     "Use samplers that do not blend two levels and have no bias, so that offsets from registers can be translated"},
    {"options-seed", &RunSettings::options_seed, true, "--options-seed",
     "Convert with options, and without abilities of the device, that are drawn from this number and must not change "
     "an "
     "answer; 0: none is drawn (default: 0)"},
    {"plain-immediates", &RunSettings::plain_immediates, true, "--plain-immediates",
     "Judge the modules that users get: drivers know the immediates, which some fold wrongly"},
    {"strict", &RunSettings::strict, true, "--strict",
     "Require full precision of doubles and filters, and NaN from functions of NaN: stricter than Vulkan"},
    {"statistics", &RunSettings::statistics},
    {"zeros-alike", &RunSettings::zeros_alike},
    {"max-steps", &RunSettings::max_steps},
    {"timeout-ns", &RunSettings::timeout_ns, false},
    {"evidence", &RunSettings::evidence, false},
};

/// "auto", "oldest", "middle" or "newest".
std::string_view name(tgsi::Dialect dialect);

/// The value as text: "yes" or "no", a number, an edition.
std::string text_of(const RunSettings& settings, const Setting& setting);
/// The reverse; false if the text is not a value of the setting.
bool set_from_text(RunSettings& settings, const Setting& setting, std::string_view text);
inline bool is_default(const RunSettings& settings, const Setting& setting) {
    return text_of(settings, setting) == text_of({}, setting);
}

/// Every setting that differs from its default and changes answers: "seed 7, strict".
std::string summary_of(const RunSettings& settings);

}  // namespace tgsi2spv::difftest
