// Sums and comparisons of a program traced back to words of the inputs, so that both sides can be made alike. Internal
// to search.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "difftest/random.h"
#include "difftest/search/parts.h"
#include "tgsi/program.h"

namespace tgsi2spv::difftest::searching {

/// What a program computes of its inputs, read off the text in one walk: branches, loops and what lies behind an index
/// are not followed, so an answer is a guess; the reference tells what comes of it.
class Sums {
  public:
    /// `places` outlives it.
    Sums(const tgsi::Program& program, const std::vector<Place>& places);

    size_t sums() const { return cancelled_.size(); }
    size_t comparisons() const { return compared_.size(); }
    /// Of the sum that stands at `number` in the text a word of the inputs changes, so that the lane computes `apart`.
    /// False: no word does that. `choice` selects among several.
    bool cancel(Inputs& in, size_t number, uint32_t lane, float apart, uint32_t choice);
    /// Which words may change: those that all lanes share too?
    void change_shared(bool may) { shared_ = may; }
    /// All sums that add words and nothing else are 0, but for one (and what follows from it): there only its own terms
    /// say so. How many there are, and the one.
    size_t plain_sums() const { return forms_.size(); }
    void single_out(Inputs& in, size_t number, uint32_t lane, float apart, Random& random);
    /// Likewise: what a comparison compares is equal, or the first side greater by `apart`.
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
        uint32_t high_a = 0, high_b = 0;  ///< of 64 bits
    };

    const std::vector<Place>& places_;
    std::vector<Node> nodes_{Node{}};  ///< the first is Unknown
    std::vector<Pair> cancelled_, compared_;
    std::vector<std::pair<reference::RegisterKey, size_t>> fixed_;
    /// A sum of words of the inputs: by place how often, and what is added.
    struct Form {
        std::map<uint32_t, double> terms{};
        double constant = 0;
    };
    std::vector<Form> forms_;
    Inputs* in_ = nullptr;
    uint32_t lane_ = 0, choice_ = 0;
    bool second_ = false;  ///< of Either
    int budget_ = 0;
    bool shared_ = true;

    friend struct Walk;
    uint32_t make(Op op, uint32_t a, uint32_t b = 0);
    bool add_terms(uint32_t node, double times, Form& form) const;
    void find_forms();
    std::optional<uint32_t> value(uint32_t node);
    bool solve(uint32_t node, uint32_t to);
    bool solve(Inputs& in, const Pair& pair, bool sum, uint32_t lane, float apart, uint32_t choice);
};

/// Of `from`, by variant: 0 all sums cancelled, then all but one a lane, by a little or by much; 1 a comparison that is
/// met in each lane; 2 both; 3 all comparisons met, then all but one; 4 sums of words all 0 but one, another in each
/// lane. Where no lane differs from another, a set for each.
std::vector<Inputs> settled_inputs(Sums& sums, const tgsi::Program& program, const std::vector<Place>& places,
                                   const Inputs& from, uint32_t variant, Random& random);

}  // namespace tgsi2spv::difftest::searching
