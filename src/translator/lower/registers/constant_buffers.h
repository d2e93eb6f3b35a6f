// CONST: constant buffers. They are read-only, so a loaded vector is used again wherever its load dominates.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/context/context.h"
#include "lower/context/regions.h"

namespace tgsi2spv::lower {

/// The constant buffers of the text; lists by buffer, but for the last.
struct ConstantBuffers {
    explicit ConstantBuffers(std::pmr::memory_resource* memory)
        : counts(memory), indexed(memory), variables(memory), first_loaded(memory), loaded(memory) {}

    std::pmr::vector<uint32_t> counts;     ///< its number of elements: Registers::count
    std::pmr::vector<int32_t> indexed;     ///< the buffers that an indexed first bracket selects among
    std::pmr::vector<uint32_t> variables;  ///< kNoIndex until something reads it
    uint32_t num_variables = 0;
    /// Not 0: that many buffers from indexed[0] on are one array of descriptors, since the device can index it.
    uint32_t array_length = 0;
    std::pmr::vector<uint32_t> first_loaded;  ///< its first place in `loaded`
    std::pmr::vector<Cached> loaded;          ///< vectors that the text names directly, the first kMostKept
    // Options::push_constants: one variable for all that are there, and its length.
    uint32_t push_variable = kNoIndex, push_words = 0;
};

void prepare_constants(Context& context);
/// The vector at `index` of the operand's buffer, or of the one that `selector` (unless it is kNone) gives the number
/// of.
ir::Value load_constant(Context& context, const tgsi::Operand& operand, ir::Value selector, ir::Value index);
/// The variable of constant buffer `dim`, as a whole, for use as a resource.
uint32_t constant_buffer(Context& context, int32_t dim);
/// Where the text declares the buffer, for messages; 0 if it does not.
[[gnu::cold]] uint32_t declared_at(const Context& context, int32_t dim);
/// The buffers that the operand's index selects among; none after a refusal.
std::span<const int32_t> indexed_buffers(Context& context, const tgsi::Operand& operand);

/// Where the load of a vector is kept; nullptr for vectors that the text names only through an index, or too late.
inline Cached* kept_constant(Context& context, int32_t dim, int32_t index) {
    const auto d = static_cast<size_t>(dim);
    if (d >= context.plan.const_counts.size() || index >= context.plan.const_counts[d]) return nullptr;
    const size_t place = size_t{context.constants.first_loaded[d]} + static_cast<uint32_t>(index);
    return place < context.constants.loaded.size() ? &context.constants.loaded[place] : nullptr;
}
/// The vector, if it was loaded before and that load can be used again; otherwise kNone.
inline ir::Value known_constant(const Context& context, const Cached* kept) {
    return kept != nullptr ? usable(context, *kept) : ir::kNone;
}
/// Loads a vector that is not known; zeros if it does not exist.
ir::Value load_named(Context& context, int32_t dim, int32_t index);
/// The vector of a register that the operand names directly; kNone for other operands.
inline ir::Value named_constant(Context& context, const tgsi::Operand& operand) {
    if (operand.file != tgsi::File::Const || operand.index_is_relative || operand.dim_is_relative) return ir::kNone;
    const int32_t dim = operand.has_dim ? operand.dim : 0;
    const ir::Value known = known_constant(context, kept_constant(context, dim, operand.index));
    return known != ir::kNone ? known : load_named(context, dim, operand.index);
}

}  // namespace tgsi2spv::lower
