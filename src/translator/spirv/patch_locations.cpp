#include "spirv/patch_locations.h"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::spirv {
namespace {

constexpr uint32_t kApart = 64;

/// Calls f(words of the instruction) for each OpDecorate.
template <class Words, class F>
void for_each_decoration(Words& words, F&& f) {
    for (size_t at = 5; at < words.size();) {
        const uint32_t count = words[at] >> 16;
        if (count == 0 || at + count > words.size()) return;
        if (static_cast<spv::Op>(words[at] & 0xffff) == spv::Op::OpDecorate && count >= 3) f(words.data() + at, count);
        at += count;
    }
}

}  // namespace

std::vector<uint32_t> with_patch_locations_apart(std::span<const uint32_t> words) {
    std::vector<uint32_t> copy(words.begin(), words.end()), patches;
    for_each_decoration(words, [&](const uint32_t* i, uint32_t) {
        if (static_cast<spv::Decoration>(i[2]) == spv::Decoration::Patch) patches.push_back(i[1]);
    });
    for_each_decoration(copy, [&](uint32_t* i, uint32_t count) {
        if (static_cast<spv::Decoration>(i[2]) != spv::Decoration::Location || count != 4) return;
        if (std::find(patches.begin(), patches.end(), i[1]) != patches.end()) i[3] += kApart;
    });
    return copy;
}

}  // namespace tgsi2spv::spirv
