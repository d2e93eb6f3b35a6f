#include "difftest/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tgsi2spv::difftest {

namespace {

using reference::Component;
using reference::Kind;

void wrong(Comparison& c, const Mismatch& m) {
    c.wrong++;
    if (c.mismatches.size() < kMismatchesKept) c.mismatches.push_back(m);
}

void hold(Comparison& c, const Component& expected, uint32_t got, const Mismatch& where) {
    c.words++;
    if (expected.kind == Kind::Unknown) {
        c.unknown++;
    } else if (!reference::permits(expected, got)) {
        Mismatch m = where;
        m.expected = expected;
        m.got = got;
        wrong(c, m);
    }
}

/// Whether the outputs of a lane are compared; differing kills are counted here.
enum class Lane : uint8_t { Compare, Unknown, Skip };
Lane lane_state(Comparison& c, const reference::Result& judged, const reference::Result& device, uint32_t lane) {
    if (lane < judged.killed_unknown.size() && judged.killed_unknown[lane]) return Lane::Unknown;
    const bool expected = lane < judged.killed.size() && judged.killed[lane];
    const bool got = lane < device.killed.size() && device.killed[lane];
    if (expected != got) {
        Mismatch m;
        m.what = Mismatch::What::Killed;
        m.lane = lane;
        m.got = got;
        wrong(c, m);
        return Lane::Skip;
    }
    return expected ? Lane::Skip : Lane::Compare;
}

void compare_words(Comparison& c, const std::vector<Component>& expected, const std::vector<Component>& got,
                   Mismatch where) {
    if (got.size() < expected.size()) {
        where.lane = static_cast<uint32_t>(got.size());
        where.what = Mismatch::What::Short;
        wrong(c, where);
    }
    for (uint32_t w = 0; w < std::min(expected.size(), got.size()); w++) {
        where.lane = w;
        hold(c, expected[w], got[w].value, where);
    }
}

std::string word(uint32_t w) {
    return fmt::format("{:#010x} ({})", w, std::bit_cast<float>(w));
}

std::string permitted(const Component& c) {
    switch (c.kind) {
        case Kind::Unknown:
            return "anything";
        case Kind::Interval:
            return fmt::format("[{}, {}]{}", word(c.lo), word(c.hi), c.maybe_nan ? " or NaN" : "");
        case Kind::Words:
            break;
    }
    std::string all;
    for (uint8_t i = 0; i < c.count; i++) all += (i > 0 ? " or " : "") + word(c.words[i]);
    return all;
}

}  // namespace

WrittenMasks written_outputs(const tgsi::Program& program, const tgsi::Registers& registers) {
    WrittenMasks written;
    for (const auto& instruction : program.instructions)
        for (const auto& d : program.dsts(instruction)) {
            if (d.file != tgsi::File::Output) continue;
            if (!d.index_is_relative) {
                written[d.index] |= d.write_mask;
                continue;
            }
            const auto* array = d.array_id != 0 ? registers.array(d.file, d.array_id) : nullptr;
            for (const auto& r : registers.ranges)
                if (r.file == d.file && (array == nullptr || array->array_id == r.array_id))
                    for (int32_t i = r.first; i <= r.last; i++) written[i] |= d.write_mask;
        }
    return written;
}

Comparison compare(const reference::Result& judged, const reference::Result& device, const WrittenMasks& written,
                   uint32_t lanes) {
    Comparison c;
    std::vector<Lane> states(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) states[lane] = lane_state(c, judged, device, lane);
    for (const auto& [reg, expected] : judged.outputs) {
        const auto mask = written.find(reg);
        if (mask == written.end()) continue;
        const auto found = device.outputs.find(reg);
        if (found == device.outputs.end() || found->second.size() < std::min<size_t>(lanes, expected.size())) {
            Mismatch m;
            m.what = Mismatch::What::Absent;
            m.index = reg;
            wrong(c, m);
            continue;
        }
        for (uint32_t lane = 0; lane < std::min<size_t>(lanes, expected.size()); lane++) {
            if (states[lane] == Lane::Skip) continue;
            for (uint8_t i = 0; i < 4; i++) {
                if ((mask->second >> i & 1) == 0) continue;
                if (states[lane] == Lane::Unknown) {
                    c.words++;
                    c.unknown++;
                    continue;
                }
                Mismatch where;
                where.index = reg;
                where.lane = lane;
                where.component = i;
                hold(c, expected[lane][i], found->second[lane][i].value, where);
            }
        }
    }
    using Words = std::map<uint32_t, std::vector<Component>>;
    const auto memory = [&](const Words& permitted, const Words& got, Mismatch::What what) {
        for (const auto& [index, expected] : permitted) {
            const auto found = got.find(index);
            if (found == got.end()) continue;  // the module does not use it: nothing was written
            compare_words(c, expected, found->second, {.what = what, .index = static_cast<int32_t>(index)});
        }
    };
    memory(judged.buffers, device.buffers, Mismatch::What::Buffer);
    memory(judged.hwatomics, device.hwatomics, Mismatch::What::Counter);
    for (const auto& [index, levels] : judged.images) {
        const auto found = device.images.find(index);
        if (found == device.images.end()) continue;
        for (size_t level = 0; level < std::min(levels.size(), found->second.size()); level++)
            compare_words(c, levels[level], found->second[level],
                          {.what = Mismatch::What::Image,
                           .index = static_cast<int32_t>(index),
                           .component = static_cast<uint8_t>(level)});
    }
    return c;
}

std::string describe(const Mismatch& m) {
    switch (m.what) {
        case Mismatch::What::Absent:
            return fmt::format("OUT[{}] is absent", m.index);
        case Mismatch::What::Killed:
            return fmt::format("lane {} was {}killed and should {}be", m.lane, m.got != 0 ? "" : "not ",
                               m.got != 0 ? "not " : "");
        case Mismatch::What::Buffer:
            return fmt::format("BUFFER[{}] word {}: got {}, permitted {}", m.index, m.lane, word(m.got),
                               permitted(m.expected));
        case Mismatch::What::Counter:
            return fmt::format("HWATOMIC[{}][{}]: got {}, permitted {}", m.index, m.lane, word(m.got),
                               permitted(m.expected));
        case Mismatch::What::Image:
            return fmt::format("IMAGE[{}] level {} word {}: got {}, permitted {}", m.index, m.component, m.lane,
                               word(m.got), permitted(m.expected));
        case Mismatch::What::Short:
            return fmt::format("memory {} has only {} words", m.index, m.lane);
        case Mismatch::What::Output:
            break;
    }
    return fmt::format("OUT[{}] lane {}.{}: got {}, permitted {}", m.index, m.lane, "xyzw"[m.component & 3],
                       word(m.got), permitted(m.expected));
}

}  // namespace tgsi2spv::difftest
