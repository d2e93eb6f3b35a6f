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

void place_tld4(Message& message, bool packed) {
    Components a{.source = 0}, b{.source = 1};
    if (message.surface.array) message.layer = a.take();
    for (int c = 0; c < message.surface.coords; ++c) message.coord[c] = a.take();
    if (message.bindless) message.handle = b.take();
    if (packed && message.offsets != Offsets::None) message.packed_offsets[0] = b.take();
    if (packed && message.offsets == Offsets::Ptp) message.packed_offsets[1] = b.take();
    if (message.surface.shadow) message.reference = b.take();
}

/// Follows the table below "Extra parameters": ref, then bias or lod, then the coordinates, each with its gradients,
/// then the layer (V of a 1D array, R of a 2D array, Ai of a cube array).
void place_sample_3d(Message& message, int given) {
    Components components{.given = given};
    const SampleOpInfo& op = info(message.sample);
    if (message.surface.shadow && message.sample != SampleOp::LOD) message.reference = components.take();
    if (op.bias) message.bias = components.take();
    if (op.lod) message.lod = components.take();
    for (int c = 0; c < message.surface.coords; ++c) {
        message.coord[c] = components.take();
        if (!op.gradients) continue;
        message.ddx[c] = components.take();
        message.ddy[c] = components.take();
    }
    if (message.surface.array) message.layer = components.take();
}

}  // namespace

void place_parameters(Message& message, bool packed, int given) {
    for (Param* params : {message.coord, message.ddx, message.ddy}) std::fill_n(params, 3, Param{});
    std::fill_n(message.packed_offsets, 2, Param{});
    for (Param* p : {&message.layer, &message.reference, &message.divisor, &message.lod, &message.bias,
                     &message.sample_index, &message.component, &message.handle})
        *p = {};
    message.lod_is_zero = message.cls == Class::Tld4 || (message.cls == Class::Sample3D && info(message.sample).zero);
    if (message.cls == Class::Tld4) place_tld4(message, packed);
    if (message.cls == Class::Sample3D) {
        place_sample_3d(message, given);
        // An absent trailing parameter is 0 (3d_sample, "Extra parameters"), so the level does not come from
        // derivatives.
        if (info(message.sample).lod && !message.lod.present()) message.lod_is_zero = true;
    }
}

int parameter_sources(const Message& message) {
    int sources = 0;
    const auto count = [&](const Param& p) {
        if (p.present()) sources = std::max(sources, p.source + 1);
    };
    for (const Param* params : {message.coord, message.ddx, message.ddy}) std::for_each_n(params, 3, count);
    std::for_each_n(message.packed_offsets, 2, count);
    for (const Param* p : {&message.layer, &message.reference, &message.divisor, &message.lod, &message.bias,
                           &message.sample_index, &message.component, &message.handle})
        count(*p);
    return sources;
}

}  // namespace tgsi2spv::sampling
