// Inputs as they are given; system values as they are given, or as a stage defines them by itself.
#include <algorithm>

#include "reference/machine/system_values.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Semantic;
using tgsi::Stage;

void load(Machine& machine, RegisterFile& file, int32_t index, const std::vector<Vec4>& given) {
    Value* block = file.make(index, machine.lanes);
    for (uint32_t lane = 0; lane < machine.lanes; ++lane) {
        // Lanes that fill up the last quad read the values of lane 0. In a case, COMP has no separate lanes: all of
        // them get the given value.
        const size_t from = machine.program.stage != Stage::Compute && machine.case_lane(lane) < machine.inputs.lanes
                                ? machine.case_lane(lane)
                                : 0;
        if (from >= given.size()) continue;
        for (size_t c = 0; c < 4; ++c) block[c * machine.lanes + lane] = exact(given[from][c]);
    }
}

/// x, y and z of number `i` in a box, x fastest.
std::array<Value, 4> place_in(const std::array<uint32_t, 3>& box, uint32_t i) {
    return {exact(i % box[0]), exact(i / box[0] % box[1]), exact(i / box[0] / box[1]), exact(0u)};
}

/// The device chooses how invocations are divided into subgroups (subgroup.cpp), if it is not known.
Value of_subgroup(const Machine& machine, uint32_t nominal) {
    return machine.subgroups_are_known() ? exact(nominal) : unknown(nominal);
}
/// 64 bits in xy, for the invocations that a subgroup has.
std::array<Value, 4> mask_of(const Machine& machine, uint64_t nominal) {
    if (machine.subgroup_size() < 64) nominal &= (uint64_t{1} << machine.subgroup_size()) - 1;
    return {of_subgroup(machine, static_cast<uint32_t>(nominal)),
            of_subgroup(machine, static_cast<uint32_t>(nominal >> 32)), exact(0u), exact(0u)};
}

/// The engine's value of a system value in a lane: VERT draws one instance without indices; FRAG draws front faces,
/// unsampled, on the first primitive, layer and viewport. Components without a meaning are zero.
std::array<Value, 4> computed(const Machine& machine, Semantic semantic, uint32_t lane) {
    std::array<Value, 4> v{};
    switch (semantic) {
        case Semantic::VertexId:  // with the base, as in GL (semantics: System values, inputs, outputs)
            v[0] = exact(machine.inputs.base_vertex + lane);
            break;
        case Semantic::VertexIdNoBase:
            v[0] = exact(lane);
            break;
        case Semantic::BaseVertex:
            v[0] = exact(machine.inputs.base_vertex);
            break;
        case Semantic::BaseInstance:
            v[0] = exact(machine.inputs.base_instance);
            break;
        case Semantic::PrimId:
            // Each lane of GEOM is a primitive, and so is each patch of TESS_CTRL; each lane of TESS_EVAL is a vertex
            // of its own patch; VERT and FRAG draw one.
            if (machine.program.stage != Stage::Vertex && machine.program.stage != Stage::Fragment)
                v[0] = exact(machine.case_lane(lane));
            break;
        case Semantic::VerticesIn:
            v[0] = exact(machine.files.vertices_in);
            break;
        case Semantic::TessDefaultOuterLevel:
            v.fill(exact(kOne));  // the defaults of APIs
            break;
        case Semantic::TessDefaultInnerLevel:  // there are two of them; no document defines the others
            v = {exact(kOne), exact(kOne), unknown(), unknown()};
            break;
        case Semantic::InvocationId:
            v[0] = exact(machine.invocation(lane));
            break;
        case Semantic::Face:
            v[0] = exact(~0u);
            v[3] = exact(1u);
            break;
        case Semantic::Position: {
            const auto [x, y] = pixel_of(machine, lane);
            const bool integer = machine.program.property(tgsi::Property::FsCoordPixelCenter) == 1;
            const bool lower_left = machine.program.property(tgsi::Property::FsCoordOrigin) == 1;
            const uint32_t row = lower_left ? machine.inputs.framebuffer_height - 1 - y : y;
            const float centre = integer ? 0.0f : 0.5f;
            v[0] = exact(static_cast<float>(x) + centre);
            v[1] = exact(static_cast<float>(row) + centre);
            v[2] = unknown();
            v[3] = unknown(kOne);
            break;
        }
        case Semantic::SamplePos:
            v[0] = v[1] = exact(0.5f);
            break;
        case Semantic::SampleMask:
            v[0] = exact(1u);
            break;
        case Semantic::PCoord:
            v[0] = v[1] = unknown();
            v[3] = exact(kOne);
            break;
        case Semantic::ThreadId:
            return place_in(machine.block_size, machine.invocation(lane));
        case Semantic::BlockId:
            return place_in(machine.inputs.grid, machine.case_lane(lane));
        case Semantic::BlockSize:
            for (size_t c = 0; c < 3; ++c) v[c] = exact(machine.block_size[c]);
            v[3] = exact(1u);
            break;
        case Semantic::GridSize:
            for (size_t c = 0; c < 3; ++c) v[c] = exact(machine.inputs.grid[c]);
            v[3] = exact(1u);
            break;
        case Semantic::SubgroupSize:
            v[0] = of_subgroup(machine, machine.subgroup_size());
            break;
        case Semantic::SubgroupInvocation:
            v[0] = of_subgroup(machine, machine.subgroup_invocation(lane));
            break;
        case Semantic::SubgroupEqMask:
            return mask_of(machine, uint64_t{1} << machine.subgroup_invocation(lane));
        case Semantic::SubgroupGeMask:
            return mask_of(machine, ~((uint64_t{1} << machine.subgroup_invocation(lane)) - 1));
        case Semantic::SubgroupGtMask:
            return mask_of(machine, ~((uint64_t{2} << machine.subgroup_invocation(lane)) - 1));
        case Semantic::SubgroupLeMask:
            return mask_of(machine, (uint64_t{2} << machine.subgroup_invocation(lane)) - 1);
        case Semantic::SubgroupLtMask:
            return mask_of(machine, (uint64_t{1} << machine.subgroup_invocation(lane)) - 1);
        case Semantic::ViewportMask:
            v.fill(unknown());
            break;
        default:
            break;  // TESSCOORD, TESSOUTER, TESSINNER, INSTANCEID, DRAWID, PRIM_ID, SAMPLEID, LAYER,
                    // HELPER_INVOCATION, …: 0
    }
    return v;
}

}  // namespace

std::array<uint32_t, 2> pixel_of(const Machine& machine, uint32_t lane) {
    const uint32_t quads = std::max(machine.inputs.framebuffer_width / 2, 1u), quad = lane / 4;
    return {quad % quads * 2 + (lane & 1), quad / quads * 2 + (lane >> 1 & 1)};
}

void load_inputs(Machine& machine) {
    // PRIM_ID may be an input, too.
    for (const tgsi::Declaration& d : machine.program.declarations) {
        if (d.file != tgsi::File::Input || d.semantic != Semantic::PrimId || machine.program.stage == Stage::Fragment)
            continue;
        for (int32_t i = d.first; i <= d.last; ++i) {
            Value* block = machine.files.inputs_of_vertex[0].make(i, machine.lanes);
            for (uint32_t lane = 0; lane < machine.lanes; ++lane) block[lane] = computed(machine, d.semantic, lane)[0];
        }
    }
    for (const auto& [key, lanes] : machine.inputs.inputs)
        if (key.first >= 0 && key.first < static_cast<int32_t>(machine.files.inputs_of_vertex.size()) &&
            key.second >= 0 && key.second < machine.files.inputs_of_vertex[0].count())
            load(machine, machine.files.inputs_of_vertex[static_cast<size_t>(key.first)], key.second, lanes);
    // FOG: (F, 0, 0, 1) in the older editions (semantics: System values, inputs, outputs).
    if (machine.context.old_dialect() && machine.program.stage == Stage::Fragment) {
        for (const tgsi::Declaration& d : machine.program.declarations) {
            if (d.file != tgsi::File::Input || d.semantic != Semantic::Fog) continue;
            for (int32_t i = d.first; i <= d.last && i < machine.files.inputs_of_vertex[0].count(); ++i) {
                Value* block = machine.files.inputs_of_vertex[0].make(i, machine.lanes);
                for (uint32_t lane = 0; lane < machine.lanes; ++lane)
                    for (uint32_t c = 1; c < 4; ++c)
                        block[size_t{c} * machine.lanes + lane] = exact(c == 3 ? kOne : 0u);
            }
        }
    }
    load_system_values(machine);
}

void load_system_values(Machine& machine) {
    for (const tgsi::Declaration& d : machine.program.declarations) {
        if (d.file != tgsi::File::SystemValue) continue;
        for (int32_t i = d.first; i <= d.last && i < machine.files.system_values.count(); ++i) {
            auto given = machine.inputs.system_values.find(i);
            if (given != machine.inputs.system_values.end()) {
                load(machine, machine.files.system_values, i, given->second);
                const bool is_size = d.semantic == Semantic::BlockSize || d.semantic == Semantic::GridSize;
                if (is_size || d.semantic == Semantic::ThreadId || d.semantic == Semantic::BlockId) {
                    Value* w = machine.files.system_values.make(i, machine.lanes) + size_t{3} * machine.lanes;
                    std::fill_n(w, machine.lanes, exact(is_size ? 1u : 0u));  // w is fixed, the case cannot change it
                }
                continue;
            }
            Value* block = machine.files.system_values.make(i, machine.lanes);
            for (uint32_t lane = 0; lane < machine.lanes; ++lane) {
                const std::array<Value, 4> v = computed(machine, d.semantic, lane);
                for (size_t c = 0; c < 4; ++c) block[c * machine.lanes + lane] = v[c];
            }
        }
    }
}

}  // namespace tgsi2spv::reference
