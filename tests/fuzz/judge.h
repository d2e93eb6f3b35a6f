// Checks the rules that hold for any text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/convert.h"

namespace fuzz {

struct Tally {
    uint64_t texts = 0, parsed = 0, converted = 0;
    std::map<std::string, uint64_t> refusals;  ///< of texts that pass the checker, by code
};

/// Converts texts and counts the results.
class Judge {
  public:
    Judge();
    ~Judge();
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;

    /// Returns an empty string if all is well, otherwise the mistake: an error without a message, a place outside the
    /// text, a print that does not parse to the same program, an internal error, a module that the validator rejects.
    /// `variant` selects the options.
    std::string judge(std::string_view text, uint64_t variant);
    const Tally& tally() const;

  private:
    struct State;
    State* state_;
};

}  // namespace fuzz
