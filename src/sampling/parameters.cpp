// Assigns registers to a message that no instruction made, in the order of its page.
#include <algorithm>

#include "sampling/ops.h"

namespace tgsi2spv::sampling {
namespace {

/// Hands out components one after another, starting at a first source.
struct Components {
    uint8_t source = 0;
    int next = 0;
    int given = 15;

    Param take() {
        if (next >= given) return {};
        const int k = next++;
        return {static_cast<uint8_t>(source + k / 4), static_cast<uint8_t>(k % 4)};
    }
};

void place_tld4(Message& m, bool packed) {
    Components a{.source = 0}, b{.source = 1};
    if (m.surface.array) m.layer = a.take();
    for (int c = 0; c < m.surface.coords; ++c) m.coord[c] = a.take();
    if (m.bindless) m.handle = b.take();
    if (packed && m.offsets != Offsets::None) m.packed_offsets[0] = b.take();
    if (packed && m.offsets == Offsets::Ptp) m.packed_offsets[1] = b.take();
    if (m.surface.shadow) m.reference = b.take();
}

/// Follows the table below "Extra parameters": ref, then bias or lod, then the coordinates, each with its gradients,
/// then the layer (V of a 1D array, R of a 2D array, Ai of a cube array).
void place_sample_3d(Message& m, int given) {
    Components components{.given = given};
    const SampleOpInfo& op = info(m.sample);
    if (m.surface.shadow && m.sample != SampleOp::LOD) m.reference = components.take();
    if (op.bias) m.bias = components.take();
    if (op.lod) m.lod = components.take();
    for (int c = 0; c < m.surface.coords; ++c) {
        m.coord[c] = components.take();
        if (!op.gradients) continue;
        m.ddx[c] = components.take();
        m.ddy[c] = components.take();
    }
    if (m.surface.array) m.layer = components.take();
}

}  // namespace

void place_parameters(Message& m, bool packed, int given) {
    for (Param* params : {m.coord, m.ddx, m.ddy}) std::fill_n(params, 3, Param{});
    std::fill_n(m.packed_offsets, 2, Param{});
    for (Param* p : {&m.layer, &m.reference, &m.divisor, &m.lod, &m.bias, &m.sample_index, &m.component, &m.handle})
        *p = {};
    m.lod_is_zero = m.cls == Class::Tld4 || (m.cls == Class::Sample3D && info(m.sample).zero);
    if (m.cls == Class::Tld4) place_tld4(m, packed);
    if (m.cls == Class::Sample3D) {
        place_sample_3d(m, given);
        // An absent trailing parameter is 0 (3d_sample, "Extra parameters"), so the level does not come from
        // derivatives.
        if (info(m.sample).lod && !m.lod.present()) m.lod_is_zero = true;
    }
}

int parameter_sources(const Message& m) {
    int sources = 0;
    const auto count = [&](const Param& p) {
        if (p.present()) sources = std::max(sources, p.source + 1);
    };
    for (const Param* params : {m.coord, m.ddx, m.ddy}) std::for_each_n(params, 3, count);
    std::for_each_n(m.packed_offsets, 2, count);
    for (const Param* p :
         {&m.layer, &m.reference, &m.divisor, &m.lod, &m.bias, &m.sample_index, &m.component, &m.handle})
        count(*p);
    return sources;
}

}  // namespace tgsi2spv::sampling
