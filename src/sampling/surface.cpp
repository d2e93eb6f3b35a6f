// Converts targets to surfaces, and collects the targets that declarations give to views.
#include <algorithm>
#include <tuple>

#include "sampling/message.h"
#include "tgsi/names.h"

namespace tgsi2spv::sampling {

Surface surface(tgsi::Target target) {
    const tgsi::TargetShape shape = tgsi::shape(target);
    Surface s;
    s.array = shape.array;
    s.shadow = shape.shadow;
    s.ms = shape.ms;
    s.rect = shape.rect;
    s.coords = shape.coords;
    s.gradients = shape.coords;
    s.offsets = shape.coords;
    if (shape.buffer) {
        s.dim = Dim::Buffer;
        s.gradients = s.offsets = 0;
    } else if (shape.cube) {
        s.dim = Dim::Cube;
        s.offsets = 0;
    } else {
        s.dim = shape.coords == 1 ? Dim::D1 : shape.coords == 3 ? Dim::D3 : Dim::D2;
        if (shape.ms) s.gradients = 0;
    }
    return s;
}

void gather_views(const tgsi::Program& program, Views& views) {
    views.entries.clear();
    // A range declares one target for all its registers, so its first index represents it.
    for (const tgsi::Declaration& d : program.declarations)
        if (d.file == tgsi::File::SamplerView || d.file == tgsi::File::Resource)
            views.entries.push_back({d.file, d.first, d.target, static_cast<uint32_t>(views.entries.size())});
    const auto key = [](const Views::Entry& e) { return std::tuple(e.file, e.index, e.order); };
    if (!std::ranges::is_sorted(views.entries, {}, key)) std::ranges::sort(views.entries, {}, key);
}

tgsi::Target Views::target(tgsi::File file, int32_t index) const {
    auto after = std::upper_bound(entries.begin(), entries.end(), std::pair(file, index),
                                  [](const auto& key, const Entry& e) { return key < std::pair(e.file, e.index); });
    if (after == entries.begin()) return tgsi::Target::None;
    const Entry& e = *(after - 1);
    return e.file == file ? e.target : tgsi::Target::None;
}

}  // namespace tgsi2spv::sampling
