// Float arithmetic that uses each freedom that Vulkan gives ("Precision and Operation of SPIR-V Instructions"), drawn
// at random. It knows nothing of the reference, which has to permit all of its results.
#pragma once

#include "inputs/random.h"
#include "lower/invocation.h"

namespace tgsi2spv::odd {

/// The execution modes of a module, and the device's reading of "double precision at least that of single".
struct Promises {
    bool keeps_special = true;  ///< SignedZeroInfNanPreserve 32
    bool keeps_special_64 = true;
    bool rounds_to_even = true;  ///< RoundingModeRTE 32
    bool doubles_as_single = true;
};

class Arithmetic : public test::Arithmetic {
  public:
    Arithmetic(uint64_t seed, const Promises& promises);

    std::optional<test::Answer> component(const ir::Instruction& i, ir::Type from, const test::Operands& x) override;
    uint32_t dot(std::span<const uint32_t> a, std::span<const uint32_t> b) override;
    uint32_t pack_half(uint32_t number) override;
    uint32_t unpack_half(uint32_t half) override;
    std::optional<uint64_t> contracted(ir::Type type, const test::Factors& factors, uint64_t addend) override;
    uint32_t undefined_word() override;

    /// A derivative is the difference of two lanes of a quad.
    uint32_t difference(uint32_t a, uint32_t b);
    difftest::Random& random() { return random_; }

  private:
    /// Of 4 times, how often a freedom is used. Each device has its own habits.
    using Habit = uint32_t;

    difftest::Random random_;
    const Promises promises_;
    const uint64_t seed_;
    Habit flushes_, fuses_, errs_, at_limits_, reorders_;

    bool draws(Habit habit) { return random_.below(4) < habit; }
    bool flushes(uint64_t denormal) const;
    template <class Number>
    class Of;
    test::Answer converted(const ir::Instruction& i, ir::Type from, uint64_t bits);
};

}  // namespace tgsi2spv::odd
