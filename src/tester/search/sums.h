// Sums and comparisons of a program traced back to words of the inputs, so that both sides can be made equal. Internal
// to search.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "inputs/random.h"
#include "search/parts.h"
#include "tgsi/program.h"

namespace tgsi2spv::difftest::searching {

/// What a program computes from its inputs, read from the text in one walk. It does not follow branches, loops or
/// indexed accesses. So an answer is a guess, and the reference shows its result.
class Sums {
  public:
    /// `places` must outlive it.
    Sums(const tgsi::Program& program, const std::vector<InputWord>& places);

    size_t sums() const { return cancelled_.size(); }
    size_t comparisons() const { return compared_.size(); }
    /// Changes a word of the inputs of the sum at `number` in the text so that the lane computes `apart`. False: no
    /// word does that. `choice` selects among several.
    bool cancel(Inputs& in, size_t number, uint32_t lane, float apart, uint32_t choice);
    /// Whether words that all lanes share may change, too.
    void change_shared(bool may) { shared_ = may; }
    /// Makes all sums that only add words 0, except for one (and what follows from it): only its own terms then show in
    /// the result. plain_sums: how many there are; `number`: the one.
    size_t plain_sums() const { return forms_.size(); }
    void single_out(Inputs& in, size_t number, uint32_t lane, float apart, Random& random);
    /// Likewise: makes the sides of a comparison equal, or the first side greater by `apart`.
    bool meet(Inputs& in, size_t number, uint32_t lane, float apart, uint32_t choice);

  private:
    enum class Op : uint8_t {
        Unknown,
        Word,
        Leaf,
        Fixed,
        Negate,
        Absolute,
        Add,
        Multiply,
        IntAdd,
        IntMultiply,
        ToFloat,
        ToInt,
        Root,
        InverseRoot,
        Reciprocal,
        Floor,
        Fraction,
        Saturate,
        Exponential,
        Logarithm,
        Sine,
        Cosine,
        Scale,  ///< a float by a power of two
        Either
    };
    struct Node {
        Op op{};
        uint32_t a = 0, b = 0;  ///< nodes; Word: the word; Leaf: the place; Fixed: an input that stays as it is
        bool leaves = false;    ///< some Leaf is below
    };
    struct Pair {
        uint32_t a, b;  ///< nodes
        bool floats;
        uint32_t high_a = 0, high_b = 0;  ///< for 64 bits
    };

    const std::vector<InputWord>& places_;
    std::vector<Node> nodes_{Node{}};  ///< the first is Unknown
    std::vector<Pair> cancelled_, compared_;
    std::vector<std::pair<reference::RegisterKey, size_t>> fixed_;
    /// A sum of words of the inputs: how often each place occurs in it, and what is added.
    struct Form {
        std::map<uint32_t, double> terms{};
        double constant = 0;
    };
    std::vector<Form> forms_;
    Inputs* in_ = nullptr;
    uint32_t lane_ = 0, choice_ = 0;
    bool second_ = false;  ///< the second side of Either
    int budget_ = 0;
    bool shared_ = true;

    friend struct SumScan;
    uint32_t make(Op op, uint32_t a, uint32_t b = 0);
    bool add_terms(uint32_t node, double times, Form& form) const;
    void find_forms();
    std::optional<uint32_t> value(uint32_t node);
    bool solve(uint32_t node, uint32_t to);
    bool solve(Inputs& in, const Pair& pair, bool sum, uint32_t lane, float apart, uint32_t choice);
};

/// What becomes 0 or equal in the sets that solved_inputs() makes.
enum class Target : uint8_t {
    SumsButOne,            ///< all sums, then all but one per lane, which is off by a little or by a lot
    OneComparison,         ///< in each lane
    SumsAndOneComparison,  ///< both
    ComparisonsButOne,     ///< all comparisons, then all but one
    InputSumsButOne,       ///< all sums that only add words of inputs, except a different one in each lane
};
inline constexpr uint32_t kTargets = 5;

/// Sets made from `from`. If lanes do not differ from each other, gives one set for each.
std::vector<Inputs> solved_inputs(Sums& sums, const tgsi::Program& program, const std::vector<InputWord>& places,
                                  const Inputs& from, Target target, Random& random);

}  // namespace tgsi2spv::difftest::searching
