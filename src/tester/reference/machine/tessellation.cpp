// TESS_CTRL: OUT as memory that the invocations of a patch share.
//
// Each lane has its own view of every word: the value that it would read if no other lane wrote. Writes of others since
// the last barrier may or may not have arrived, so such a word can be read only if both are the same. A lane that has
// read a word which another lane writes afterwards may have read the new value: then the program runs again, and reads
// of this word are unknown. A barrier makes the views one.
#include <algorithm>

#include "reference/machine/tessellation.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::reference {
namespace {

bool same(const Value& a, const Value& b) {
    return is_exact(a) && is_exact(b) && a.words[0] == b.words[0];
}

std::vector<uint8_t>& touched_of(Machine& machine, int32_t vertex, int32_t index) {
    auto& flags = machine.shared.touched[{vertex, index}];
    if (flags.empty()) flags.resize(size_t{4} * machine.lanes);
    return flags;
}

std::array<int32_t, 4> word_of(const Machine& machine, int32_t vertex, int32_t index, int component, uint32_t lane) {
    return {static_cast<int32_t>(lane / machine.group), vertex, index, component};
}

/// The one value of a word that `views` and `flags` (of the patch's invocations) leave; false if none wrote it.
bool merged_view(const Value* views, const uint8_t* flags, uint32_t count, Value& v) {
    bool any = false, one = true;
    for (uint32_t k = 0; k < count; ++k) {
        if (!(flags[k] & touch::kWrote)) continue;
        if (any && !same(v, views[k])) one = false;
        v = views[k];
        any = true;
    }
    if (!one) v = unknown(v.value);
    return any;
}

/// The views of a patch become one.
void merge_views(Machine& machine, uint32_t patch) {
    const size_t first = size_t{patch} * machine.group;
    for (auto& [key, flags] : machine.shared.touched) {
        Value* block = machine.files.outputs_of_vertex[static_cast<size_t>(key.first)].at(key.second);
        for (size_t c = 0; c < 4; ++c) {
            const size_t at = c * machine.lanes + first;
            Value v;
            if (block && merged_view(block + at, flags.data() + at, machine.group, v))
                std::fill_n(block + at, machine.group, v);
            std::fill_n(flags.begin() + static_cast<std::ptrdiff_t>(at), machine.group, uint8_t{0});
        }
    }
}

}  // namespace

Value read_shared(Machine& machine, int32_t vertex, int32_t index, int component, uint32_t lane) {
    if (vertex < 0 || vertex >= static_cast<int32_t>(machine.files.outputs_of_vertex.size())) return exact(0u);
    const Value* block = machine.files.outputs_of_vertex[static_cast<size_t>(vertex)].at(index);
    auto& flags = touched_of(machine, vertex, index);
    const size_t column = static_cast<size_t>(component) * machine.lanes,
                 first = column + lane / machine.group * machine.group;
    flags[column + lane] |= touch::kRead;
    if (!block) return unknown();
    const Value own = block[column + lane];
    if (machine.shared.overtaken &&
        machine.shared.overtaken->words.contains(word_of(machine, vertex, index, component, lane)))
        return unknown(own.value);
    for (size_t k = 0; k < machine.group; ++k)
        if (first + k != column + lane && (flags[first + k] & touch::kWrote) && !same(own, block[first + k]))
            return unknown(own.value);
    return own;
}

void wrote_shared(Machine& machine, int32_t vertex, int32_t index, int component, uint32_t lane) {
    const Value* block = machine.files.outputs_of_vertex[static_cast<size_t>(vertex)].at(index);
    auto& flags = touched_of(machine, vertex, index);
    const size_t column = static_cast<size_t>(component) * machine.lanes,
                 first = column + lane / machine.group * machine.group;
    uint8_t& own = flags[column + lane];
    own |= static_cast<uint8_t>(touch::kWrote | (own & touch::kRead ? touch::kChanged : 0));
    for (size_t k = 0; k < machine.group; ++k) {
        const uint8_t other = flags[first + k];
        if (first + k == column + lane || !(other & touch::kRead)) continue;
        if ((other & touch::kChanged) || !same(block[first + k], block[column + lane])) {
            const auto word = word_of(machine, vertex, index, component, lane);
            if (!machine.shared.overtaken) return machine.lose(lane);
            if (machine.shared.overtaken->words.contains(word)) return;  // the reads were unknown
            if (machine.shared.overtaken->given_up) return machine.lose(lane);
            machine.shared.overtaken->words.insert(word);
            machine.shared.overtaken->grew = true;
            return;
        }
    }
}

void patch_barrier(Machine& machine, const Mask& here) {
    const uint32_t patches = machine.lanes / machine.group;
    for (uint32_t patch = 0; patch < patches; ++patch) {
        const auto first = here.begin() + static_cast<std::ptrdiff_t>(size_t{patch} * machine.group);
        const auto arrived = [](Presence p) { return (p & (kNominal | kMay)) != 0; };
        if (std::none_of(first, first + machine.group, arrived)) continue;
        if (std::any_of(first, first + machine.group, [](Presence p) { return p != kAll; }))
            machine.lose(patch * machine.group);
        merge_views(machine, patch);
    }
}

void collect_patches(Machine& machine, const std::vector<uint8_t>& written, Result& result) {
    const uint32_t patches = machine.lanes / machine.group;
    for (uint32_t patch = 0; patch < patches; ++patch) merge_views(machine, patch);
    machine.registers.for_each_run(tgsi::File::Output, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            result.written[i] =
                written[static_cast<size_t>(i)] & tgsi::output_components(machine.program, machine.registers, i);
            const bool array = machine.files.is_array(tgsi::File::Output, i);
            for (uint32_t v = 0; v < (array ? machine.group : 1); ++v) {
                const Value* block = machine.make(machine.files.outputs_of_vertex[v], i);
                auto& out = array ? result.vertex_outputs[{static_cast<int32_t>(v), i}] : result.outputs[i];
                out.resize(patches);
                for (uint32_t patch = 0; patch < patches; ++patch)
                    for (size_t c = 0; c < 4; ++c)
                        out[patch][c] = block[c * machine.lanes + size_t{patch} * machine.group];
            }
        }
    });
}

}  // namespace tgsi2spv::reference
