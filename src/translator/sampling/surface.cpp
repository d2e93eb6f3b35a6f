// Converts targets to surfaces, and collects the targets that declarations give to views.
#include <algorithm>
#include <tuple>

#include "sampling/message.h"
#include "tgsi/tables/names.h"

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
    views.arrays.clear();
    // A range declares one target for all its registers, so its first index represents it.
    for (const tgsi::Declaration& d : program.declarations) {
        const bool is_view = d.file == tgsi::File::SamplerView || d.file == tgsi::File::Resource;
        if (is_view) views.entries.push_back({d.file, d.first, d.target, static_cast<uint32_t>(views.entries.size())});
        if (d.array_id != 0 && (is_view || d.file == tgsi::File::Sampler))
            views.arrays.push_back({d.file, d.array_id, d.first});
    }
    const auto key = [](const Views::Entry& e) { return std::tuple(e.file, e.index, e.order); };
    if (!std::ranges::is_sorted(views.entries, {}, key)) std::ranges::sort(views.entries, {}, key);
    std::ranges::sort(views.arrays, {}, [](const Views::Array& a) { return std::tuple(a.file, a.id, a.first); });
}

tgsi::Target Views::target(tgsi::File file, int32_t index) const {
    auto after = std::upper_bound(entries.begin(), entries.end(), std::pair(file, index),
                                  [](const auto& key, const Entry& e) { return key < std::pair(e.file, e.index); });
    if (after == entries.begin()) return tgsi::Target::None;
    const Entry& e = *(after - 1);
    return e.file == file ? e.target : tgsi::Target::None;
}

tgsi::Target Views::target(const tgsi::Operand& operand, tgsi::File file) const {
    int32_t index = operand.index;
    if (operand.array_id != 0) {
        const auto array = std::ranges::lower_bound(arrays, std::pair(operand.file, operand.array_id), {},
                                                    [](const Array& a) { return std::pair(a.file, a.id); });
        if (array != arrays.end() && array->file == operand.file && array->id == operand.array_id) index = array->first;
    }
    const tgsi::Target found = target(file, index);
    if (found != tgsi::Target::None || !operand.index_is_relative) return found;
    const auto first = std::ranges::lower_bound(entries, file, {}, &Entry::file);
    return first != entries.end() && first->file == file ? first->target : tgsi::Target::None;
}

}  // namespace tgsi2spv::sampling
