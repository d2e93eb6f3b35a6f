#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "campaign/simplify.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/program/survey.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::difftest {

namespace {

using reference::Inputs;

bool is_fragment(const Candidate& candidate) {
    return candidate.program.stage == tgsi::Stage::Fragment;
}

/// Keeps only lanes `first` … `first + count - 1`.
std::optional<Candidate> lanes_alone(const Candidate& candidate, uint32_t first, uint32_t count) {
    if (candidate.program.stage == tgsi::Stage::Compute) return std::nullopt;
    const bool patches = candidate.inputs.patches > 0;
    const uint32_t all = patches ? candidate.inputs.patches : candidate.inputs.lanes;
    if (first + count > all || count == all) return std::nullopt;
    Candidate smaller = candidate;
    (patches ? smaller.inputs.patches : smaller.inputs.lanes) = count;
    const auto cut = [&](auto& registers) {
        for (auto& [key, values] : registers) {
            values.erase(values.begin(), values.begin() + std::min<std::ptrdiff_t>(first, std::ssize(values)));
            values.resize(std::min<size_t>(values.size(), count));
        }
    };
    cut(smaller.inputs.inputs);
    cut(smaller.inputs.system_values);
    return smaller;
}

size_t lane_pieces(const Candidate& candidate, size_t granularity) {
    const size_t all = candidate.inputs.patches > 0 ? candidate.inputs.patches : candidate.inputs.lanes;
    return (all + granularity - 1) / granularity;
}
std::optional<Candidate> keep_lanes(const Candidate& candidate, size_t granularity, size_t number) {
    const size_t unit = is_fragment(candidate) ? (granularity + 3) / 4 * 4 : granularity;  // whole quads
    return lanes_alone(candidate, static_cast<uint32_t>(number * unit), static_cast<uint32_t>(unit));
}
size_t half_of_lanes(const Candidate& candidate) {
    return candidate.inputs.patches > 0 ? candidate.inputs.patches : candidate.inputs.lanes;
}

/// Memory that a case omits takes no writes and has no size, but the memory that a device has bound there does. A
/// handle in a register of another file selects any of it.
bool would_miss_memory(const tgsi::Program& program, uint32_t number) {
    const auto index = static_cast<int32_t>(number);
    const auto writes = [](const tgsi::Instruction& i) {
        return tgsi::info(i.op).family == tgsi::Family::memory && i.op != tgsi::Opcode::LOAD;
    };
    const auto may_be = [&](const tgsi::Operand& o) {
        return is_memory(o.file) && (o.index_is_relative || o.index == index);
    };
    const auto by_handle = [&](const tgsi::Instruction& i) {
        return tgsi::info(i.op).form == tgsi::Form::memory &&
               std::ranges::none_of(program.all_operands(i), [](const tgsi::Operand& o) { return is_memory(o.file); });
    };
    return std::ranges::any_of(program.instructions, writes) &&
           (number >= tgsi::kGlobalMemory || std::ranges::any_of(program.operands, may_be) ||
            std::ranges::any_of(program.instructions, by_handle));
}

/// Calls `f` with each map of the inputs that may lose an entry, and with whether an entry may go.
template <class F>
void each_map(Candidate& candidate, F&& f) {
    Inputs& in = candidate.inputs;
    const auto any = [](const auto&) { return true; };
    const auto unused = [&](uint32_t number) { return !would_miss_memory(candidate.program, number); };
    f(in.inputs, any);
    f(in.system_values, any);
    f(in.constants, any);
    f(in.textures, any);
    f(in.views, any);
    f(in.samplers, any);
    f(in.framebuffer_colors, any);
    f(in.buffers, unused);
    f(in.hwatomics, [&](uint32_t) { return !would_miss_memory(candidate.program, tgsi::kGlobalMemory); });
    f(in.images, unused);
}

size_t entries(const Candidate& candidate, size_t) {
    size_t n = 0;
    Candidate copy = candidate;
    each_map(copy, [&](auto& map, const auto&) { n += map.size(); });
    return n;
}
std::optional<Candidate> remove_entry(const Candidate& candidate, size_t, size_t number) {
    Candidate smaller = candidate;
    bool done = false;
    each_map(smaller, [&](auto& map, const auto& may_go) {
        if (number < map.size()) {
            const auto entry = std::next(map.begin(), static_cast<std::ptrdiff_t>(number));
            done = may_go(entry->first);
            if (done) map.erase(entry);
            number = SIZE_MAX;
        } else if (number != SIZE_MAX) {
            number -= map.size();
        }
    });
    return done ? std::optional(std::move(smaller)) : std::nullopt;
}

std::vector<uint32_t*> words_of(Inputs& in) {
    std::vector<uint32_t*> all;
    const auto registers = [&](auto& map) {
        for (auto& [key, values] : map)
            for (auto& v : values)
                for (auto& w : v) all.push_back(&w);
    };
    registers(in.inputs);
    registers(in.system_values);
    for (auto* buffers : {&in.constants, &in.buffers, &in.hwatomics, &in.framebuffer_colors})
        for (auto& [key, words] : *buffers)
            for (auto& w : words) all.push_back(&w);
    for (auto* textures : {&in.textures, &in.images})
        for (auto& [key, texture] : *textures)
            for (auto& level : texture.data)
                for (auto& w : level) all.push_back(&w);
    return all;
}

size_t words(const Candidate& candidate) {
    Candidate copy = candidate;
    return words_of(copy.inputs).size();
}
std::optional<Candidate> zero_words(const Candidate& candidate, size_t granularity, size_t number) {
    Candidate smaller = candidate;
    const auto all = words_of(smaller.inputs);
    const size_t begin = std::min(all.size(), number * granularity), end = std::min(all.size(), begin + granularity);
    bool changed = false;
    for (size_t i = begin; i < end; i++) {
        changed |= *all[i] != 0;
        *all[i] = 0;
    }
    return changed ? std::optional(std::move(smaller)) : std::nullopt;
}

constexpr Simplification kSimplifications[] = {
    {"lanes", lane_pieces, keep_lanes, half_of_lanes},
    {"entries", entries, remove_entry, nullptr},
    {"words", [](const Candidate& c, size_t g) { return (words(c) + g - 1) / g; }, zero_words, words},
};

}  // namespace

std::span<const Simplification> input_simplifications() {
    return kSimplifications;
}

}  // namespace tgsi2spv::difftest
