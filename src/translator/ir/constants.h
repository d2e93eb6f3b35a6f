// Constants are unique: deduplicated by type and bits, never by float equality (0 == -0, NaN != NaN).
#pragma once

#include <array>
#include <memory_resource>

#include "ir/flat_table.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

/// Finds a module's constants. Each function that takes a Module wants one whose constants are all in the table.
class ConstantTable {
  public:
    explicit ConstantTable(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : others_(memory) {
        small_words_.fill(kNone);
    }

    /// Empties the table; about `expected` constants follow.
    void clear(size_t expected = kExpected) {
        small_words_.fill(kNone);
        others_.clear(expected);
    }
    /// The id of a constant. If it is missing, it is added to the module and the table.
    Value find_or_add(Module& module, const Constant& constant);
    /// The same for a 32-bit scalar (or a bool).
    Value find_or_add(Module& module, Type type, uint32_t word);
    /// The same for a u32.
    Value find_or_add(Module& module, uint32_t word) {
        return word < small_words_.size() ? small(module, word) : find_or_add(module, u32(), word);
    }
    /// Fills the table with all of the module's constants.
    void fill(const Module& module);

  private:
    static constexpr size_t kExpected = 64;  ///< few modules have more, so few constants meet in one slot
    std::array<Value, 64> small_words_{};    ///< indices of u32 constants, which most are; kNone: missing
    FlatTable others_;

    bool is_small(Type type, uint32_t word) const { return type == u32() && word < small_words_.size(); }
    Value small(Module& module, uint32_t word) {
        Value& known = small_words_[word];
        return known != kNone ? known : known = add_scalar(module, u32(), word);
    }
    static Value add_scalar(Module& module, Type type, uint32_t word);
};

}  // namespace tgsi2spv::ir
