// GEOM: vertices as they are emitted, and the primitives they end up in.
#include <algorithm>

#include "reference/machine/geometry.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::reference {
namespace {

/// The most values kept for all emitted vertices; later vertices are unknown.
constexpr size_t kMaxEmittedValues = size_t{1} << 23;

/// The stream that a lane names; false if it may be another one, or does not exist.
bool stream_of(const Value* column, uint32_t lane, uint32_t& stream) {
    stream = column ? column[lane].value : 0;
    const bool known = !column || is_exact(column[lane]);
    if (stream < 4) return known;
    stream = 0;
    return false;
}

}  // namespace

void emit_vertex(Machine& machine, const Mask& here, const Value* stream) {
    const uint32_t limit = tgsi::most_emitted_vertices(machine.program);
    for (uint32_t lane : machine.active) {
        Emission& e = machine.emissions.of_lane[lane];
        if (here[lane] == 0) continue;
        uint32_t k = 0;
        e.unknown |= !stream_of(stream, lane, k) || here[lane] != kAll;
        if (!(here[lane] & kNominal) || e.count == limit) continue;
        ++e.count;
        e.open[k] = true;
        machine.emissions.values += size_t{4} * static_cast<size_t>(machine.files.outputs().count()) + 1;
        if (machine.emissions.values > kMaxEmittedValues) {
            e.unknown = true;
            continue;
        }
        Emitted vertex{static_cast<uint8_t>(k), e.primitives[k], {}};
        machine.registers.for_each_run(tgsi::File::Output, 0, [&](int32_t first, int32_t last) {
            for (int32_t i = first; i <= last; ++i) {
                const Value* block =
                    machine.any_lost ? machine.make(machine.files.outputs(), i) : machine.files.outputs().at(i);
                const tgsi::Range* range = machine.registers.find(tgsi::File::Output, i);
                const tgsi::Declaration& d = machine.program.declarations[range->declaration];
                // Components of another stream's vertices are not part of this one.
                if (std::none_of(d.streams, d.streams + 4, [&](uint8_t of) { return of == k; })) continue;
                auto& words = vertex.outputs[i];
                for (size_t c = 0; c < 4; ++c) {
                    words[c] = block ? block[c * machine.lanes + lane] : exact(0u);
                    if (d.streams[c] != k) words[c] = unknown(words[c].value);
                }
            }
        });
        e.vertices.push_back(std::move(vertex));
    }
}

void end_primitive(Machine& machine, const Mask& here, const Value* stream) {
    for (uint32_t lane : machine.active) {
        Emission& e = machine.emissions.of_lane[lane];
        uint32_t k = 0;
        e.unknown |= here[lane] != 0 && (!stream_of(stream, lane, k) || here[lane] != kAll);
        if (!(here[lane] & kNominal) || !e.open[k]) continue;
        e.open[k] = false;
        ++e.primitives[k];
    }
}

void collect_emissions(Machine& machine, Result& result) {
    result.emitted.resize(machine.inputs.lanes);
    result.emitted_unknown.assign(machine.inputs.lanes, false);
    for (uint32_t lane = 0; lane < machine.inputs.lanes; ++lane) {
        std::array<uint32_t, 4> before{};
        for (uint32_t i = 0; i < machine.group; ++i) {
            Emission& e = machine.emissions.of_lane[lane * machine.group + i];
            for (Emitted& v : e.vertices) {
                v.primitive += before[v.stream];
                result.emitted[lane].push_back(std::move(v));
            }
            for (size_t k = 0; k < 4; ++k) before[k] += e.primitives[k] + (e.open[k] ? 1 : 0);
            if (e.unknown) result.emitted_unknown[lane] = true;
        }
    }
}

}  // namespace tgsi2spv::reference
