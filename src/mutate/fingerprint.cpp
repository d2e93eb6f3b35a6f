#include "mutate/fingerprint.h"

namespace tgsi2spv::difftest {

namespace {

struct Hash {
    uint64_t value = 0xcbf29ce484222325;
    void take(uint64_t word) {
        value = (value ^ word) * 0x9e3779b97f4a7c15;
        value ^= value >> 29;
    }
    void take(const reference::OutputLanes& lanes) {
        take(lanes.size());
        for (const auto& lane : lanes)
            for (size_t c = 0; c < 4; c++) take(lane[c].value);
    }
    void take(const std::vector<reference::Component>& words) {
        take(words.size());
        for (const auto& w : words) take(w.value);
    }
};

}  // namespace

uint64_t fingerprint(const reference::Result& result) {
    Hash h;
    for (const auto& [reg, lanes] : result.outputs) {
        h.take(static_cast<uint64_t>(reg));
        h.take(lanes);
    }
    for (const auto& [key, lanes] : result.vertex_outputs) {
        h.take(static_cast<uint64_t>(key.first) << 32 | static_cast<uint32_t>(key.second));
        h.take(lanes);
    }
    for (const auto& lane : result.emitted) {
        h.take(lane.size());
        for (const auto& vertex : lane) {
            h.take(uint64_t{vertex.stream} << 32 | vertex.primitive);
            for (const auto& [reg, components] : vertex.outputs) {
                h.take(static_cast<uint64_t>(reg));
                for (const auto& c : components) h.take(c.value);
            }
        }
    }
    h.take(result.killed.size());
    for (const bool killed : result.killed) h.take(killed ? 1 : 2);
    for (const auto* all : {&result.buffers, &result.hwatomics})
        for (const auto& [index, words] : *all) {
            h.take(index);
            h.take(words);
        }
    for (const auto& [index, levels] : result.images) {
        h.take(index);
        for (const auto& level : levels) h.take(level);
    }
    return h.value;
}

}  // namespace tgsi2spv::difftest
