#include "generate/shader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace tgsi2spv::difftest::generate {

namespace {

constexpr char kLetters[] = "xyzw";

int place_words(Shader& shader, Kind kind, std::array<uint32_t, 2> words, int count) {
    for (size_t i = 0; i < shader.immediates.size(); i++) {
        const auto& m = shader.immediates[i];
        for (int at = 0; m.kind == kind && at + count <= m.used; at += count)
            if (m.words[at] == words[0] && (count == 1 || m.words[at + 1] == words[1]))
                return static_cast<int>(i * 4) + at;
    }
    if (shader.immediates.empty() || shader.immediates.back().kind != kind || shader.immediates.back().used + count > 4)
        shader.immediates.push_back({kind, {}, 0});
    auto& m = shader.immediates.back();
    const int at = m.used;
    for (int k = 0; k < count; k++) m.words[at + k] = words[k];
    m.used += count;
    return static_cast<int>((shader.immediates.size() - 1) * 4) + at;
}

std::string single(int place) {
    return fmt::format("IMM[{}].{}", place / 4, std::string(4, kLetters[place % 4]));
}

std::string pair(int place) {
    return fmt::format("IMM[{}].{}", place / 4, place % 4 == 0 ? "xyxy" : "zwzw");
}

std::array<uint32_t, 2> halves(uint64_t v) {
    return {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)};
}

}  // namespace

void emit(Shader& shader, std::string line) {
    shader.code.push_back(std::move(line));
}

std::string imm_float(Shader& shader, double value) {
    return single(place_words(shader, Kind::Float, {std::bit_cast<uint32_t>(static_cast<float>(value)), 0}, 1));
}
std::string imm_float_bits(Shader& shader, uint32_t word) {
    return single(place_words(shader, Kind::Float, {word, 0}, 1));
}
std::string imm_int(Shader& shader, uint32_t word) {
    return single(place_words(shader, Kind::Int, {word, 0}, 1));
}
std::string imm_double(Shader& shader, double value) {
    return pair(place_words(shader, Kind::Double, halves(std::bit_cast<uint64_t>(value)), 2));
}
std::string imm_long(Shader& shader, uint64_t value) {
    return pair(place_words(shader, Kind::Long, halves(value), 2));
}

int add_register(Shader& shader, std::string file, int index, bool writable, const Values& values) {
    Register r;
    r.file = std::move(file);
    r.index = index;
    r.writable = writable;
    r.owner = shader.subroutine;
    shader.registers.push_back(std::move(r));
    shader.state.push_back(values);
    return static_cast<int>(shader.registers.size()) - 1;
}

bool may_load(const Shader& shader) {
    return std::all_of(shader.loops.begin(), shader.loops.end(),
                       [](const Loop& l) { return l.is_switch || l.uniform; });
}

int fresh_temp(Shader& shader) {
    return add_register(shader, "TEMP", shader.temps++, true, {});
}

std::string name(const Shader& shader, int reg) {
    const auto& r = shader.registers[static_cast<size_t>(reg)];
    return fmt::format("{}[{}]", r.file, r.index);
}

std::string mask_text(uint8_t mask) {
    if (mask == 15) return "";
    std::string text = ".";
    for (int c = 0; c < 4; c++)
        if ((mask >> c & 1) != 0) text += kLetters[c];
    return text;
}

std::string Dest::text(const Shader& shader) const {
    return name(shader, reg) + mask_text(mask);
}

bool may_write(const Shader& shader, int reg, int component, const Value& v) {
    const auto& r = shader.registers[static_cast<size_t>(reg)];
    if (!r.writable || r.owner != shader.subroutine) return false;
    const auto held = [&](const State& head, int c) {
        return static_cast<size_t>(reg) < head.size() ? head[static_cast<size_t>(reg)][static_cast<size_t>(c)]
                                                      : Value{};
    };
    for (const auto& head : shader.heads) {
        const Value now = held(head, component);
        if (!contains(now, v)) return false;
        // Both halves of a pair change together.
        if (now.kind != v.kind && v.kind != Kind::None && component % 2 == 0 &&
            held(head, component + 1).kind == Kind::High)
            return false;
        if (component % 2 == 1 && is_pair(held(head, component - 1).kind) && v.kind != Kind::High) return false;
    }
    return true;
}

void write_component(Shader& shader, int reg, int component, const Value& v) {
    auto& values = shader.state[static_cast<size_t>(reg)];
    auto& slot = values[static_cast<size_t>(component)];
    if (component % 2 == 0 && is_pair(slot.kind) && !is_pair(v.kind)) values[static_cast<size_t>(component) + 1] = {};
    if (component % 2 == 1 && slot.kind == Kind::High && v.kind != Kind::High)
        values[static_cast<size_t>(component) - 1] = {};
    slot = v;
    slot.uniform &= shader.uniform;
    shader.unread.resize(shader.registers.size());
    shader.unread[static_cast<size_t>(reg)][static_cast<size_t>(component)] = v.kind != Kind::None;
}

namespace {

/// Returns a power of two that can be added to such a float or double exactly, with a sum above 0. The value keeps its
/// sign in the sum, but zeros lose theirs, which drivers may get wrong (driver-bugs.md). Nothing: it has too many bits.
std::optional<double> shown_above(const Value& v) {
    const int bits = v.kind == Kind::Double ? 52 : 23;
    if (v.grid == kNoGrid) return std::nullopt;
    int power = v.grid;
    while (std::ldexp(1, power) <= std::max(std::abs(v.lo), std::abs(v.hi))) power++;
    return power - v.grid > bits ? std::nullopt : std::optional(std::ldexp(1, power));
}

bool is_shown(const Value& v) {
    switch (v.kind) {
        case Kind::None:
        case Kind::High:
            return false;
        case Kind::Int:
        case Kind::Long:
            return v.fuzz == 0;
        default:
            return v.fuzz == 0 && shown_above(v);
    }
}

/// Adds with an odd factor, so that a value that is shown twice does not cancel.
void add_to_witness(Shader& shader, uint8_t mask, const std::string& from) {
    const std::string to = name(shader, shader.witness);
    emit(shader, fmt::format("UMAD {}{}, {}, {}, {}", to, mask_text(mask), to, imm_int(shader, 31), from));
}

}  // namespace

void show_components(Shader& shader, const std::string& from, const Values& values, uint8_t mask) {
    uint8_t words = 0, left = 0;
    for (size_t c = 0; c < 4; c++) {
        const Value& v = values[c];
        if ((mask >> c & 1) == 0 || !is_shown(v)) continue;
        const uint8_t bits = static_cast<uint8_t>((is_pair(v.kind) ? 3 : 1) << c);
        (v.kind == Kind::Int || v.kind == Kind::Long ? words : left) |= bits;
    }
    if (words != 0) add_to_witness(shader, words, from);
    for (size_t c = 0; c < 4; c++) {
        if ((left >> c & 1) == 0) continue;
        // All components that the same power suits.
        const auto above = shown_above(values[c]);
        uint8_t alike = 0;
        for (size_t k = c; k < 4; k++)
            if ((left >> k & 1) != 0 && values[k].kind == values[c].kind && shown_above(values[k]) == above)
                alike |= static_cast<uint8_t>((is_pair(values[k].kind) ? 3 : 1) << k);
        left &= static_cast<uint8_t>(~alike);
        const bool pair = is_pair(values[c].kind);
        emit(shader,
             fmt::format("{} {}{}, {}, {}", pair ? "DADD" : "ADD", name(shader, shader.scratch), mask_text(alike), from,
                         pair ? imm_double(shader, *above) : imm_float(shader, *above)));
        add_to_witness(shader, alike, name(shader, shader.scratch));
    }
}

void show(Shader& shader, int reg, uint8_t mask) {
    const auto& r = shader.registers[static_cast<size_t>(reg)];
    if (shader.witness < 0 || reg == shader.witness || reg == shader.scratch || r.count > 1 || shader.ended) return;
    shader.unread.resize(shader.registers.size());
    const Values& values = shader.state[static_cast<size_t>(reg)];
    auto& unread = shader.unread[static_cast<size_t>(reg)];
    uint8_t shown = 0;
    for (size_t c = 0; c < 4; c++) {
        // Both halves of a pair.
        const size_t low = values[c].kind == Kind::High ? c - 1 : c;
        if ((mask >> c & 1) == 0 || !is_shown(values[low])) continue;
        shown |= static_cast<uint8_t>(1 << low);
        unread[low] = unread[c] = false;
    }
    if (shown != 0) show_components(shader, name(shader, reg), values, shown);
}

void show_lost(Shader& shader, const State& other) {
    if (shader.ended) return;
    for (size_t r = 0; r < shader.unread.size(); r++)
        for (size_t c = 0; c < 4; c++) {
            const Value there = r < other.size() ? other[r][c] : Value{};
            if (shader.unread[r][c] && join(shader.state[r][c], there).kind == Kind::None)
                show(shader, static_cast<int>(r), static_cast<uint8_t>(1 << c));
        }
}

void written(Shader& shader, const Dest& dest, const Values& values) {
    for (int c = 0; c < 4; c++)
        if ((dest.mask >> c & 1) != 0) write_component(shader, dest.reg, c, values[static_cast<size_t>(c)]);
    if (shader.shows_all) show(shader, dest.reg, dest.mask);
}

namespace {

bool is_unread(const Shader& shader, int reg, int component) {
    const auto r = static_cast<size_t>(reg);
    return r < shader.unread.size() && shader.unread[r][static_cast<size_t>(component)];
}

/// Whether one of these components has not been read and cannot be shown.
bool spares(const Shader& shader, int reg, uint8_t mask) {
    for (int c = 0; c < 4; c++) {
        const auto& values = shader.state[static_cast<size_t>(reg)];
        const auto at = static_cast<size_t>(c);
        const Value& v = values[values[at].kind == Kind::High ? at - 1 : at];
        if ((mask >> c & 1) != 0 && is_unread(shader, reg, c) && !is_shown(v)) return true;
    }
    return false;
}

}  // namespace

Dest dest(Shader& shader, uint8_t mask, const Values& values) {
    constexpr int kSparing = 5;
    const uint32_t fresh_one_in = shader.temps < 12 ? 2 : shader.temps < 24 ? 5 : 12;
    if (!shader.chance(fresh_one_in)) {
        for (int attempt = 0; attempt < 6; attempt++) {
            const int reg = static_cast<int>(shader.random.below(shader.registers.size()));
            if (shader.registers[static_cast<size_t>(reg)].count > 1) continue;
            uint8_t allowed = 0;
            for (int c = 0; c < 4; c++)
                if ((mask >> c & 1) != 0 && may_write(shader, reg, c, values[static_cast<size_t>(c)]))
                    allowed |= 1 << c;
            for (int c = 0; c < 4; c += 2)  // both halves or none
                if (is_pair(values[static_cast<size_t>(c)].kind) && (allowed >> c & 3) != (mask >> c & 3))
                    allowed &= static_cast<uint8_t>(~(3 << c));
            if (allowed == 0 || (attempt < kSparing && spares(shader, reg, allowed))) continue;
            uint8_t lost = 0;
            for (int c = 0; c < 4; c++)
                if ((allowed >> c & 1) != 0 && is_unread(shader, reg, c)) lost |= static_cast<uint8_t>(1 << c);
            show(shader, reg, lost);
            return {reg, allowed};
        }
    }
    return {fresh_temp(shader), mask};
}

State join(const State& a, const State& b) {
    State joined(std::max(a.size(), b.size()));
    for (size_t r = 0; r < std::min(a.size(), b.size()); r++)
        for (size_t c = 0; c < 4; c++) joined[r][c] = join(a[r][c], b[r][c]);
    for (auto& values : joined)
        for (size_t c = 0; c < 4; c += 2)
            if (is_pair(values[c].kind) != (values[c + 1].kind == Kind::High)) values[c] = values[c + 1] = {};
    return joined;
}

}  // namespace tgsi2spv::difftest::generate
