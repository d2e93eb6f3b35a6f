// What must hold for any text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/convert.h"

namespace fuzz {

struct Tally {
    uint64_t texts = 0, parsed = 0, converted = 0;
    std::map<std::string, uint64_t> refusals;  ///< for texts that pass the checker, by code
};

/// Converts texts and remembers what it saw.
class Judge {
  public:
    Judge();
    ~Judge();
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;

    /// Empty if all is well, otherwise what is wrong: an error without a message, a place outside the text, a print
    /// that does not read back, a refusal for reasons of our own, a module that the validator rejects. `variant`
    /// chooses options.
    std::string judge(std::string_view text, uint64_t variant);
    const Tally& tally() const;

  private:
    struct State;
    State* state_;
};

}  // namespace fuzz
