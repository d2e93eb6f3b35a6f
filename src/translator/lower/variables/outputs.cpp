#include "lower/variables/outputs.h"

#include "lower/context/components.h"
#include "lower/context/values.h"
#include "lower/registers/cells.h"

namespace tgsi2spv::lower {

uint8_t stream_of_component(const Declared& declared, uint32_t component) {
    return declared.declaration->has_stream ? declared.declaration->streams[component] & 3 : 0;
}

void read_output(Context& context, uint32_t i, Ref* refs) {
    read_slot(context, context.plan.slots.output + i, all_components(), refs);
    uint8_t mask = context.plan.output_masks[i];
    for (uint32_t before = i; mask != 0xf && (before = context.outputs.earlier[before]) != kNoIndex;) {
        if ((context.plan.output_masks[before] & ~mask) == 0) continue;
        Ref others[4];
        read_slot(context, context.plan.slots.output + before, all_components(), others);
        for (int c = 0; c < 4; ++c)
            if ((context.plan.output_masks[before] & ~mask) >> c & 1) refs[c] = others[c];
        mask |= context.plan.output_masks[before];
    }
}

ir::Value emitted_vertices(Context& context) {
    static constexpr uint8_t kFirst[1] = {0};
    Ref ref;
    read_slot(context, context.plan.slots.emitted, kFirst, &ref);
    return gather(context.b, std::span<const Ref>(&ref, 1), ir::Scalar::U32);
}

}  // namespace tgsi2spv::lower
