#include "cases/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "reference/numbers/packed.h"
#include "reference/numbers/wide_value.h"

namespace tgsi2spv::difftest {

namespace {

using reference::Component;
using reference::Kind;

void wrong(Comparison& comparison, const Mismatch& mismatch) {
    comparison.wrong++;
    if (comparison.mismatches.size() < kMismatchesKept) comparison.mismatches.push_back(mismatch);
}

/// Whether a word is permitted; with `zeros_alike`, also if it is a zero of the wrong sign.
bool is_permitted(const Component& expected, uint32_t got, bool zeros_alike) {
    return reference::is_free(expected) || reference::permits(expected, got) ||
           (zeros_alike && reference::is_zero(got) && reference::permits(expected, got ^ reference::kSign));
}

/// The same for a double that is bounded as a whole.
bool is_permitted(const Component& low, const Component& high, uint32_t got_low, uint32_t got_high, bool zeros_alike) {
    const reference::Wide expected = reference::join_halves(low, high);
    const uint64_t got = uint64_t{got_high} << 32 | got_low;
    return reference::permits(expected, got) ||
           (zeros_alike && reference::is_zero(got) && reference::permits(expected, got ^ reference::Double::kSign));
}

void compare_word(Comparison& comparison, const Component& expected, uint32_t got, const Mismatch& where) {
    comparison.words++;
    if (reference::is_free(expected)) {
        comparison.unknown++;
        comparison.unknown_origins[reference::is_unknown(expected) ? reference::origin_of(expected) : 0]++;
        return;
    }
    comparison.wide += is_wide(expected);
    if (!is_permitted(expected, got, comparison.zeros_alike)) {
        Mismatch m = where;
        m.expected = expected;
        m.got = got;
        wrong(comparison, m);
    }
}

/// Compares the halves of a double that is bounded as a whole: both are right or both are wrong. Returns false if the
/// components are not such a pair.
bool hold_pair(Comparison& comparison, const Component& low, const Component& high, uint32_t got_low, uint32_t got_high,
               const Mismatch& where) {
    if (!reference::is_pair(low, high)) return false;
    comparison.words += 2;
    if (is_permitted(low, high, got_low, got_high, comparison.zeros_alike)) return true;
    Mismatch m = where;
    m.pair = true;
    m.expected = low;
    m.got = got_low;
    m.expected_high = high;
    m.got_high = got_high;
    wrong(comparison, m);
    return true;
}

/// How the outputs of a lane are compared. Wrong kills are counted here.
enum class Lane : uint8_t { Compare, Unknown, Skip };
Lane lane_state(Comparison& comparison, const reference::Result& judged, const reference::Result& device,
                uint32_t lane) {
    const bool expected = lane < judged.killed.size() && judged.killed[lane];
    const bool got = lane < device.killed.size() && device.killed[lane];
    // If both are permitted, a lane that was not killed has outputs like any other.
    if (lane < judged.killed_unknown.size() && judged.killed_unknown[lane]) return got ? Lane::Unknown : Lane::Compare;
    if (expected != got) {
        Mismatch m;
        m.what = Mismatch::What::Killed;
        m.lane = lane;
        m.got = got;
        wrong(comparison, m);
        return Lane::Skip;
    }
    return expected ? Lane::Skip : Lane::Compare;
}

void compare_words(Comparison& comparison, const std::vector<Component>& expected, const std::vector<Component>& got,
                   Mismatch where) {
    if (got.size() < expected.size()) {
        where.lane = static_cast<uint32_t>(got.size());
        where.what = Mismatch::What::Short;
        wrong(comparison, where);
    }
    const auto words = static_cast<uint32_t>(std::min(expected.size(), got.size()));
    for (uint32_t w = 0; w < words; w++) {
        where.lane = w;
        if (w + 1 < words && hold_pair(comparison, expected[w], expected[w + 1], got[w].value, got[w + 1].value, where))
            w++;
        else
            compare_word(comparison, expected[w], got[w].value, where);
    }
}

/// Words have no type. Denormals and unusual NaN are more likely integers.
bool may_be_float(uint32_t w) {
    const uint32_t exponent = w >> 23 & 0xff;
    return exponent != 0 && (exponent != 0xff || (w & 0x3f'ffff) == 0);
}
bool may_be_float(const Mismatch& mismatch) {
    const auto permitted =
        std::span(mismatch.expected.words).first(mismatch.expected.kind == Kind::Words ? mismatch.expected.count : 0);
    return mismatch.expected.kind == Kind::Interval || may_be_float(mismatch.got) ||
           std::ranges::any_of(permitted, [](uint32_t w) { return may_be_float(w); });
}

std::string word(uint32_t w, bool as_float) {
    return as_float ? fmt::format("{:#010x} ({})", w, std::bit_cast<float>(w))
                    : fmt::format("{:#010x} ({})", w, static_cast<int32_t>(w));
}

/// Describes the permitted codes of each field, lowest bits first.
std::string permitted_fields(const Component& c) {
    const int bits = reference::bits_of_field(c);
    std::string all;
    for (int i = 0; i < c.fields; i++) {
        const auto set = reference::field_of(c, i);
        all += fmt::format("{}{:#x}", i > 0 ? " | " : "", set.first);
        if (set.last != set.first) all += fmt::format("..{:#x}", set.last);
        for (const uint32_t other : set.others)
            if (other != set.last) all += fmt::format(" or {:#x}", other);
    }
    return fmt::format("fields of {} bits, lowest first: {}", bits, all);
}

std::string permitted(const Component& c, bool as_float) {
    if (reference::is_packed(c)) return permitted_fields(c);
    std::string all;
    switch (c.kind) {
        case Kind::Unknown:
            return "anything";
        case Kind::Interval:
            for (size_t i = 0; i <= c.gaps; i++) {
                const reference::Part part = reference::part_of(c, i);
                all += fmt::format("{}[{}, {}]", i > 0 ? " or " : "", word(part.lo, as_float), word(part.hi, as_float));
            }
            return all + (c.maybe_nan ? " or NaN" : "");
        case Kind::Words:
            break;
    }
    for (uint8_t i = 0; i < c.count; i++) all += (i > 0 ? " or " : "") + word(c.words[i], as_float);
    return all;
}

/// Compares the components of one register that some instruction writes.
void compare_vector(Comparison& comparison, const std::array<Component, 4>& expected,
                    const std::array<Component, 4>& got, uint8_t mask, Mismatch where) {
    for (uint8_t i = 0; i < 4; i++) {
        if ((mask >> i & 1) == 0) continue;
        where.component = i;
        if (i < 3 && (mask >> (i + 1) & 1) != 0 &&
            hold_pair(comparison, expected[i], expected[i + 1u], got[i].value, got[i + 1u].value, where))
            i++;
        else
            compare_word(comparison, expected[i], got[i].value, where);
    }
}

/// Compares OUT[v][i] of TESS_CTRL.
void compare_vertex_outputs(Comparison& comparison, const reference::Result& judged, const reference::Result& device,
                            uint32_t lanes) {
    for (const auto& [key, expected] : judged.vertex_outputs) {
        const auto mask = judged.written.find(key.second);
        if (mask == judged.written.end()) continue;
        Mismatch where;
        where.index = key.second;
        where.vertex = key.first;
        const auto found = device.vertex_outputs.find(key);
        const auto count = std::min<size_t>(lanes, expected.size());
        if (found == device.vertex_outputs.end() || found->second.size() < count) {
            where.what = Mismatch::What::Absent;
            wrong(comparison, where);
            continue;
        }
        for (uint32_t lane = 0; lane < count; lane++) {
            where.lane = lane;
            compare_vector(comparison, expected[lane], found->second[lane], mask->second, where);
        }
    }
}

/// Compares the vertices of GEOM: their number, the stream and primitive of each, and their registers.
void compare_emitted(Comparison& comparison, const reference::Result& judged, const reference::Result& device,
                     uint32_t lanes, const StreamMasks& streams) {
    for (uint32_t lane = 0; lane < std::min<size_t>(lanes, judged.emitted.size()); lane++) {
        Mismatch where;
        where.lane = lane;
        if (lane < judged.emitted_unknown.size() && judged.emitted_unknown[lane]) {
            // Counts as one word: even the number of vertices is unknown.
            comparison.words++;
            comparison.unknown++;
            continue;
        }
        const auto& expected = judged.emitted[lane];
        const size_t there = lane < device.emitted.size() ? device.emitted[lane].size() : 0;
        if (there != expected.size()) {
            where.what = Mismatch::What::Vertices;
            where.vertex = static_cast<int32_t>(expected.size());
            where.got = static_cast<uint32_t>(there);
            wrong(comparison, where);
            continue;
        }
        for (size_t k = 0; k < there; k++) {
            const auto& got = device.emitted[lane][k];
            where.vertex = static_cast<int32_t>(k);
            if (got.stream != expected[k].stream || got.primitive != expected[k].primitive) {
                where.what = Mismatch::What::Primitive;
                wrong(comparison, where);
                continue;
            }
            where.what = Mismatch::What::Output;
            for (const auto& [reg, components] : expected[k].outputs) {
                const auto mask = judged.written.find(reg);
                const auto found = got.outputs.find(reg);
                if (mask == judged.written.end()) continue;
                where.index = reg;
                if (found == got.outputs.end()) {
                    where.what = Mismatch::What::Absent;
                    wrong(comparison, where);
                    break;
                }
                uint8_t of_stream = mask->second;
                if (const auto own = streams.find(reg); own != streams.end())
                    of_stream = static_cast<uint8_t>(of_stream & own->second[got.stream & 3]);
                compare_vector(comparison, components, found->second, of_stream, where);
            }
        }
    }
}

std::string where_of(const Mismatch& mismatch) {
    if (mismatch.vertex < 0) return fmt::format("OUT[{}] lane {}", mismatch.index, mismatch.lane);
    return fmt::format("OUT[{}] of vertex {}, lane {}", mismatch.index, mismatch.vertex, mismatch.lane);
}

/// Returns where the two words of a pair are.
std::string where_of_pair(const Mismatch& mismatch) {
    switch (mismatch.what) {
        case Mismatch::What::Buffer:
            return fmt::format("BUFFER[{}] words {}, {}", mismatch.index, mismatch.lane, mismatch.lane + 1);
        case Mismatch::What::Counter:
            return fmt::format("HWATOMIC[{}][{}..{}]", mismatch.index, mismatch.lane, mismatch.lane + 1);
        case Mismatch::What::Image:
            return fmt::format("IMAGE[{}] level {} words {}, {}", mismatch.index, mismatch.component, mismatch.lane,
                               mismatch.lane + 1);
        default:
            return fmt::format("{}.{:.2}", where_of(mismatch), &"xyzw"[mismatch.component & 3]);
    }
}

}  // namespace

bool is_wide(const Component& c) {
    constexpr int64_t kManyWords = 1 << 23;
    if (c.kind != Kind::Interval) return false;
    int64_t many = 0;
    for (size_t i = 0; i <= c.gaps; i++) {
        const reference::Part part = reference::part_of(c, i);
        many += int64_t{reference::order(part.hi)} - reference::order(part.lo);
    }
    return many > kManyWords;
}

StreamMasks stream_outputs(const tgsi::Program& program) {
    StreamMasks streams;
    if (program.stage != tgsi::Stage::Geometry) return streams;
    for (const auto& d : program.declarations) {
        if (d.file != tgsi::File::Output || !d.has_stream) continue;
        std::array<uint8_t, 4> masks{};
        for (uint32_t c = 0; c < 4; c++)
            masks[d.streams[c] & 3] = static_cast<uint8_t>(masks[d.streams[c] & 3] | 1u << c);
        for (int32_t i = d.first; i <= d.last; i++) streams[i] = masks;
    }
    return streams;
}

Comparison compare(const reference::Result& judged, const reference::Result& device, uint32_t lanes,
                   const StreamMasks& streams, bool zeros_alike) {
    Comparison c;
    c.zeros_alike = zeros_alike;
    std::vector<Lane> states(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) states[lane] = lane_state(c, judged, device, lane);
    for (const auto& [reg, expected] : judged.outputs) {
        const auto mask = judged.written.find(reg);
        if (mask == judged.written.end()) continue;
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
            if (states[lane] == Lane::Unknown) {
                const auto words = static_cast<uint64_t>(std::popcount(mask->second));
                c.words += words;
                c.unknown += words;
                continue;
            }
            compare_vector(c, expected[lane], found->second[lane], mask->second, {.index = reg, .lane = lane});
        }
    }
    compare_vertex_outputs(c, judged, device, lanes);
    compare_emitted(c, judged, device, lanes, streams);
    using Words = std::map<uint32_t, std::vector<Component>>;
    const auto memory = [&](const Words& permitted, const Words& got, Mismatch::What what) {
        for (const auto& [index, expected] : permitted) {
            const auto found = got.find(index);
            // Memory that the device's result lacks is not in the inputs, so nothing was bound.
            if (found != got.end())
                compare_words(c, expected, found->second, {.what = what, .index = static_cast<int32_t>(index)});
        }
    };
    memory(judged.buffers, device.buffers, Mismatch::What::Buffer);
    memory(judged.hwatomics, device.hwatomics, Mismatch::What::Counter);
    for (const auto& [index, levels] : judged.images) {
        const auto found = device.images.find(index);
        if (found == device.images.end()) continue;
        static const std::vector<Component> kNoTexels;
        for (size_t level = 0; level < levels.size(); level++)
            compare_words(c, levels[level], level < found->second.size() ? found->second[level] : kNoTexels,
                          {.what = Mismatch::What::Image,
                           .index = static_cast<int32_t>(index),
                           .component = static_cast<uint8_t>(level)});
    }
    return c;
}

uint8_t wrong_components(const std::array<Component, 4>& permitted, const std::array<Component, 4>& got, uint8_t mask,
                         bool zeros_alike) {
    static_assert(kMismatchesKept >= 4);
    Comparison c;
    c.zeros_alike = zeros_alike;
    compare_vector(c, permitted, got, mask, {});
    uint8_t wrong = 0;
    for (const Mismatch& m : c.mismatches) wrong = static_cast<uint8_t>(wrong | (m.pair ? 3u : 1u) << m.component);
    return wrong;
}

std::string describe(const Mismatch& mismatch) {
    if (mismatch.pair) {
        reference::DoubleRange r;
        reference::float_range(reference::join_halves(mismatch.expected, mismatch.expected_high), r);
        const uint64_t got = uint64_t{mismatch.got_high} << 32 | mismatch.got;
        return fmt::format("{}: got {:#018x} ({}), permitted [{}, {}]{}", where_of_pair(mismatch), got,
                           std::bit_cast<double>(got), r.lo, r.hi, r.nan ? " or NaN" : "");
    }
    const bool as_float = may_be_float(mismatch);
    const std::string got = word(mismatch.got, as_float), allowed = permitted(mismatch.expected, as_float);
    switch (mismatch.what) {
        case Mismatch::What::Absent:
            return mismatch.vertex < 0 ? fmt::format("OUT[{}] is missing", mismatch.index)
                                       : fmt::format("{} is missing", where_of(mismatch));
        case Mismatch::What::Vertices:
            return fmt::format("lane {} emitted {} vertices instead of {}", mismatch.lane, mismatch.got,
                               mismatch.vertex);
        case Mismatch::What::Primitive:
            return fmt::format("vertex {} of lane {} has the wrong stream or primitive", mismatch.vertex,
                               mismatch.lane);
        case Mismatch::What::Killed:
            return fmt::format("lane {} was {}killed but should {}be", mismatch.lane, mismatch.got != 0 ? "" : "not ",
                               mismatch.got != 0 ? "not " : "");
        case Mismatch::What::Buffer:
            return fmt::format("BUFFER[{}] word {}: got {}, permitted {}", mismatch.index, mismatch.lane, got, allowed);
        case Mismatch::What::Counter:
            return fmt::format("HWATOMIC[{}][{}]: got {}, permitted {}", mismatch.index, mismatch.lane, got, allowed);
        case Mismatch::What::Image:
            return fmt::format("IMAGE[{}] level {} word {}: got {}, permitted {}", mismatch.index, mismatch.component,
                               mismatch.lane, got, allowed);
        case Mismatch::What::Short:
            return fmt::format("memory {} has only {} words", mismatch.index, mismatch.lane);
        case Mismatch::What::Output:
            break;
    }
    return fmt::format("{}.{}: got {}, permitted {}", where_of(mismatch), "xyzw"[mismatch.component & 3], got, allowed);
}

namespace {

void bound(reference::Component& word, const reference::Component& permitted) {
    const uint32_t value = word.value;
    word = permitted;
    word.value = value;
}

void bound(reference::Components& device, const reference::Components& permitted) {
    for (size_t c = 0; c < 4; c++) bound(device[c], permitted[c]);
}

void bound(reference::OutputLanes& device, const reference::OutputLanes& permitted) {
    for (size_t lane = 0; lane < std::min(device.size(), permitted.size()); lane++)
        bound(device[lane], permitted[lane]);
}

/// Words, or levels of words.
template <class Item>
void bound(std::vector<Item>& device, const std::vector<Item>& permitted) {
    for (size_t i = 0; i < std::min(device.size(), permitted.size()); i++) bound(device[i], permitted[i]);
}

template <class Map>
void bound_each(Map& device, const Map& permitted) {
    for (auto& [key, words] : device)
        if (const auto found = permitted.find(key); found != permitted.end()) bound(words, found->second);
}

}  // namespace

void take_bounds(reference::Result& device, const reference::Result& judged) {
    bound_each(device.outputs, judged.outputs);
    bound_each(device.vertex_outputs, judged.vertex_outputs);
    for (size_t lane = 0; lane < std::min(device.emitted.size(), judged.emitted.size()); lane++)
        for (size_t k = 0; k < std::min(device.emitted[lane].size(), judged.emitted[lane].size()); k++)
            bound_each(device.emitted[lane][k].outputs, judged.emitted[lane][k].outputs);
    bound_each(device.buffers, judged.buffers);
    bound_each(device.hwatomics, judged.hwatomics);
    bound_each(device.images, judged.images);
    device.written = judged.written;
    device.killed_unknown = judged.killed_unknown;
    device.emitted_unknown = judged.emitted_unknown;
}

}  // namespace tgsi2spv::difftest
