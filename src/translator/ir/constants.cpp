#include "ir/constants.h"

namespace tgsi2spv::ir {
namespace {

uint64_t scalar_hash(uint64_t seed, uint32_t spec_id, Type type, uint64_t first_words) {
    const uint64_t kind = uint64_t{spec_id} << 32 | static_cast<uint64_t>(type.scalar) << 8 | type.components;
    return hash_word(seed ^ kind, first_words);
}

uint64_t hash_of(uint64_t seed, const Constant& constant) {
    // Two words at a time: words that the type does not use are zero.
    uint64_t hash = scalar_hash(seed, static_cast<uint32_t>(constant.spec_id), constant.type,
                                pair_of_words(constant.words[1], constant.words[0]));
    const int words = constant.type.components * (constant.type.is_wide() ? 2 : 1);
    for (size_t i = 2; i < static_cast<size_t>(words); i += 2)
        hash = hash_word(hash, pair_of_words(constant.words[i + 1], constant.words[i]));
    return hash;
}

}  // namespace

Value ConstantTable::find_or_add(Module& module, const Constant& constant) {
    if (is_small(constant.type, constant.words[0]) && constant.spec_id < 0) return small(module, constant.words[0]);
    auto& all = module.constants;
    const auto next = static_cast<uint32_t>(all.size());
    const uint32_t index =
        others_.find_or_insert(hash_of(others_.seed(), constant), next, [&](uint32_t i) { return all[i] == constant; });
    if (index == next) all.push_back(constant);
    return index | kConstantBit;
}

Value ConstantTable::find_or_add(Module& module, Type type, uint32_t word) {
    if (is_small(type, word)) return small(module, word);
    auto& all = module.constants;
    const auto next = static_cast<uint32_t>(all.size());
    const uint64_t hash = scalar_hash(others_.seed(), ~uint32_t{0}, type, word);
    const uint32_t index = others_.find_or_insert(
        hash, next, [&](uint32_t i) { return all[i].type == type && all[i].spec_id < 0 && all[i].words[0] == word; });
    return index == next ? add_scalar(module, type, word) : index | kConstantBit;
}

Value ConstantTable::add_scalar(Module& module, Type type, uint32_t word) {
    const auto index = static_cast<uint32_t>(module.constants.size());
    Constant& added = module.constants.emplace_back();
    added.type = type;
    added.words[0] = word;
    return index | kConstantBit;
}

void ConstantTable::fill(const Module& module) {
    const auto& all = module.constants;
    clear(all.size() * 2);
    for (uint32_t n = 0; n < all.size(); n++) {
        const Constant& c = all[n];
        if (is_small(c.type, c.words[0]) && c.spec_id < 0)
            small_words_[c.words[0]] = n | kConstantBit;
        else
            others_.find_or_insert(hash_of(others_.seed(), c), n, [&](uint32_t i) { return all[i] == c; });
    }
}

}  // namespace tgsi2spv::ir
