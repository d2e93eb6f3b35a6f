// A hash of a case's contents, so that no result is taken for that of another case of the same name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/protocol.h"
#include "cases/cases.h"

namespace tgsi2spv::difftest {

/// Hashes cases. Cases of one shader should follow each other, since its text is then read once.
class CaseHasher {
  public:
    explicit CaseHasher(WorkerSettings settings);
    /// Returns 32 hexadecimal digits: a hash of the shader's text, the variant, the number of the input set, and the
    /// settings with which workers make and judge cases. Names, paths and devices are not included. The text of a
    /// generated program takes as long to make as the case to run: its number and the generator's sources replace it.
    std::string of(const CaseSpec& spec);

  private:
    std::string settings_;     ///< those that matter, as a line
    std::string path_, text_;  ///< the last file and its text, empty if it cannot be read
    const std::string generator_;
    const std::string& text(const CaseSpec& spec);
};

/// Returns the hash of a case's result: `driver` is its name and version, since a new version may answer differently.
std::string hash_on(std::string_view case_hash, std::string_view driver);

/// Returns a hash of the list of results that a run is to have.
std::string hash_of_list(const std::vector<CaseSpec>& cases, std::span<const std::string> devices);

}  // namespace tgsi2spv::difftest
