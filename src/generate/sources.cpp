// Chooses the sources of instructions: what registers already hold, literals, or a value made for the purpose.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "generate/rules.h"
#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

constexpr char kLetters[] = "xyzw";
/// Values made for a need stay this small if the need allows larger ones.
constexpr double kCommon = 16;
/// If no register fits, one operand in this many is a literal: results of literals alone test nothing.
constexpr uint32_t kLiteral = 10;

struct RegisterComponent {
    int reg = -1;
    int component = 0;
};

Values& values_of(Shader& s, int reg) {
    return s.state[static_cast<size_t>(reg)];
}

/// How selective the choice is, beyond the need.
enum class Pick : uint8_t {
    Best,  ///< many values; to decide a branch, several values that are not uniform
    Good,  ///< not always the same value
    Any,   ///< anything, such as NULL
};
bool serves(const Value& v, const Need& need, Pick pick) {
    if (!satisfies(v, need)) return false;
    if (need.varies && v.asked && pick != Pick::Any) return false;
    if (pick == Pick::Best) return tells(v) && (need.varies ? !v.uniform : !is_few(v));
    return pick == Pick::Any || tells(v);
}

/// Returns registers with a component that satisfies the need.
std::vector<int> candidates(const Shader& s, const Need& need, Pick pick) {
    std::vector<int> found;
    const bool arrays = may_load(s);
    for (size_t r = 0; r < s.state.size(); r++)
        if ((arrays || s.registers[r].count == 1) &&
            std::any_of(s.state[r].begin(), s.state[r].end(), [&](const Value& v) { return serves(v, need, pick); }))
            found.push_back(static_cast<int>(r));
    return found;
}

std::vector<int> components(Shader& s, int reg, const Need& need, Pick pick) {
    std::vector<int> found;
    for (int c = 0; c < 4; c++)
        if (serves(values_of(s, reg)[static_cast<size_t>(c)], need, pick)) found.push_back(c);
    return found;
}

/// Returns the best registers; if there are none, and sometimes anyway, good ones.
std::vector<int> choice(Shader& s, const Need& need, Pick& pick) {
    constexpr uint32_t kAnyway = 12;
    pick = s.chance(kAnyway) ? Pick::Good : Pick::Best;
    auto list = candidates(s, need, pick);
    if (!list.empty() || pick == Pick::Good) return list;
    pick = Pick::Good;
    return candidates(s, need, pick);
}

double on_grid(Shader& s, double lo, double hi) {
    const double step = std::exp2(std::floor(std::log2(std::max(hi - lo, 0x1p-10) / 16)));
    const double first = std::ceil(lo / step) * step;
    const auto steps = static_cast<uint64_t>(std::clamp((hi - first) / step, 0.0, 31.0));
    return std::clamp(first + static_cast<double>(s.random.below(steps + 1)) * step, lo, hi);
}

int grid_of(double value) {
    int grid = 20;
    while (grid > -40 && std::fmod(value, std::ldexp(1, grid)) != 0) grid--;
    return value == 0 ? 0 : grid;
}

struct Interval {
    double lo, hi;
};
Interval common_interval(const Need& need) {
    const double lo = std::max(need.lo, need.hi > -kCommon ? -kCommon : need.hi - kCommon);
    return {lo, std::max(lo, std::min(need.hi, std::max(kCommon, lo + kCommon)))};
}

/// Returns an unused component, or an unused pair xy or zw.
RegisterComponent room(Shader& s, bool pair) {
    for (int reg = static_cast<int>(s.registers.size()) - 1; reg >= 0 && reg > static_cast<int>(s.registers.size()) - 4;
         reg--)
        for (int c = 0; c < 4; c += pair ? 2 : 1) {
            const auto& v = values_of(s, reg);
            const bool free = v[static_cast<size_t>(c)].kind == Kind::None &&
                              (!pair || v[static_cast<size_t>(c) + 1].kind == Kind::None);
            if (free && s.registers[static_cast<size_t>(reg)].file == "TEMP" &&
                s.registers[static_cast<size_t>(reg)].count == 1 && may_write(s, reg, c, any_int()) &&
                (!pair || may_write(s, reg, c + 1, any_int())))
                return {reg, c};
        }
    return {fresh_temp(s), 0};
}

void is_read(Shader& s, int reg, int component) {
    s.unread.resize(s.registers.size());
    s.unread[static_cast<size_t>(reg)][static_cast<size_t>(component)] = false;
    s.read.emplace_back(reg, component);
}

std::string at(const Shader& s, const RegisterComponent& p) {
    return fmt::format("{}.{}", name(s, p.reg), kLetters[p.component]);
}
std::string all(const Shader& s, const RegisterComponent& p) {
    return fmt::format("{}.{}", name(s, p.reg), std::string(4, kLetters[p.component]));
}
std::string both(const Shader& s, const RegisterComponent& p) {
    return fmt::format("{}.{}", name(s, p.reg), p.component == 0 ? "xyxy" : "zwzw");
}

Source four(std::string text, Value v) {
    Source source{std::move(text), {}};
    source.values.fill(v);
    return source;
}

/// Returns a component with many values relative to `most`, preferably one that differs between the lanes that are
/// active here; or nothing.
std::optional<RegisterComponent> many_valued_place(Shader& s, uint32_t most, bool uniform) {
    const Need any{Kind::Int, kMinInt, kMaxUint, 0, false, uniform};
    const auto pick = Pick::Good;
    // Too few values remain of a truth value, or of one or two bits.
    constexpr double kFew = 7;
    const auto many = [&](int r, int c) {
        const Value& v = values_of(s, r)[static_cast<size_t>(c)];
        return v.hi - v.lo >= std::min<double>(kFew, most) && v.grid <= 0;
    };
    auto list = candidates(s, any, pick);
    const auto good = [&](int r, bool varying) {
        auto all = components(s, r, any, pick);
        std::erase_if(all, [&](int c) {
            const Value& v = values_of(s, r)[static_cast<size_t>(c)];
            return !many(r, c) || (varying && (v.uniform || v.asked));
        });
        return all;
    };
    std::erase_if(list, [&](int r) { return good(r, false).empty(); });
    const bool varying =
        !uniform && std::any_of(list.begin(), list.end(), [&](int r) { return !good(r, true).empty(); });
    std::erase_if(list, [&](int r) { return good(r, varying).empty(); });
    if (list.empty()) return std::nullopt;
    const int from = s.any_of(list);
    return RegisterComponent{from, s.any_of(good(from, varying))};
}

Source source_at(Shader& s, const RegisterComponent& p) {
    is_read(s, p.reg, p.component);
    const Value v = values_of(s, p.reg)[static_cast<size_t>(p.component)];
    return four(reference(s, p.reg) + "." + std::string(4, kLetters[p.component]), v);
}

/// Makes a word in [0, most]; `most` is one less than a power of two.
RegisterComponent small_int(Shader& s, uint32_t most, bool uniform) {
    const auto from = many_valued_place(s, most, uniform);
    const RegisterComponent p = room(s, false);
    bool is_uniform = true;
    if (!from) {
        emit(s, fmt::format("MOV {}, {}", at(s, p), imm_int(s, s.random.below(uint64_t{most} + 1))));
    } else {
        const auto source = source_at(s, *from);
        is_uniform = source.values[0].uniform;
        mask_bits(s, at(s, p), source.text, source.values[0], most);
    }
    write_component(s, p.reg, p.component, int_of(0, most, is_uniform));
    return p;
}

Source make_float(Shader& s, const Need& need) {
    const auto [lo, hi] = common_interval(need);
    if ((!need.varies && s.chance(kLiteral)) || hi - lo < 0x1p-6) {
        const double v = on_grid(s, lo, hi);
        return four(imm_float(s, v), float_of(v, v, grid_of(v), true));
    }
    constexpr double kFraction = 0.8125;  // an odd number of sixteenths, so that sums are rarely whole
    const double power = std::exp2(std::floor(std::log2((hi - lo) / 16)));
    const bool fraction = need.fraction || s.chance(2);
    const double step = fraction ? kFraction * power : power;
    const double first = std::ceil(lo / power) * power;
    const int grid = static_cast<int>(std::log2(power)) - (fraction ? 4 : 0);
    const RegisterComponent p = small_int(s, 15, need.uniform);
    emit(s, fmt::format("{} {}, {}", s.chance(2) ? "U2F" : "I2F", at(s, p), all(s, p)));
    if (s.chance(2)) {
        const std::string last = imm_float(s, first);
        emit(s, fmt::format("MAD {}, {}, {}, {}", at(s, p), all(s, p), imm_float(s, step), last));
    } else {
        emit(s, fmt::format("MUL {}, {}, {}", at(s, p), all(s, p), imm_float(s, step)));
        emit(s, fmt::format("ADD {}, {}, {}", at(s, p), all(s, p), imm_float(s, first)));
    }
    const bool uniform = values_of(s, p.reg)[static_cast<size_t>(p.component)].uniform;
    const Value v = float_of(first, first + 15 * step, grid, uniform);
    write_component(s, p.reg, p.component, v);
    return four(all(s, p), values_of(s, p.reg)[static_cast<size_t>(p.component)]);
}

/// Clamps an arbitrary input; NaN becomes an end of the range.
Source clamp_raw(Shader& s, const Need& need) {
    const auto [lo, hi] = common_interval(need);
    const RegisterComponent p = room(s, false);
    const std::string& raw = s.any_of(s.raw_floats);
    emit(s, fmt::format("MAX {}, {}, {}", at(s, p), raw, imm_float(s, lo)));
    emit(s, fmt::format("MIN {}, {}, {}", at(s, p), all(s, p), imm_float(s, hi)));
    write_component(s, p.reg, p.component, float_of(lo, hi));
    return four(all(s, p), values_of(s, p.reg)[static_cast<size_t>(p.component)]);
}

Source make_int(Shader& s, const Need& need) {
    const double lo = std::max(need.lo, 0.0), span = need.hi - lo;
    if (span < 1 || (!need.varies && s.chance(kLiteral))) {
        const double from = need.hi < 0 ? std::max(need.lo, need.hi - 16) : lo;
        const double word = from + s.random.below(static_cast<uint64_t>(std::clamp(need.hi - from, 0.0, 40.0)) + 1);
        return four(imm_int(s, static_cast<uint32_t>(static_cast<int64_t>(word))), int_of(word, word, true));
    }
    uint32_t most = 1;
    while (most * 2 + 1 <= std::min(span, 65535.0) && !s.chance(8)) most = most * 2 + 1;
    const RegisterComponent p = small_int(s, most, need.uniform);
    if (lo > 0) {
        emit(s, fmt::format("UADD {}, {}, {}", at(s, p), all(s, p), imm_int(s, static_cast<uint32_t>(lo))));
        const bool uniform = values_of(s, p.reg)[static_cast<size_t>(p.component)].uniform;
        write_component(s, p.reg, p.component, int_of(lo, lo + most, uniform));
    }
    return four(all(s, p), values_of(s, p.reg)[static_cast<size_t>(p.component)]);
}

Source make_pair(Shader& s, const Need& need) {
    const auto [lo, hi] = common_interval(need);
    if (s.chance(kLiteral)) {
        if (need.kind == Kind::Double) {
            const double v = on_grid(s, lo, hi);
            return four(imm_double(s, v), {Kind::Double, v, v, 0, grid_of(v), true});
        }
        const double from = std::max(need.lo, 0.0);
        const double v = from + s.random.below(static_cast<uint64_t>(std::clamp(need.hi - from, 0.0, 1000.0)) + 1);
        return four(imm_long(s, static_cast<uint64_t>(v)), {Kind::Long, v, v, 0, kNoGrid, true});
    }
    Source from;
    std::string op;
    Value v;
    if (need.kind == Kind::Double) {
        from = scalar(s, {Kind::Float, lo, hi, need.most_fuzz, need.grid, need.uniform, false, need.fraction});
        v = from.values[0];
        op = "F2D";
    } else if (need.lo <= kMinLong && need.hi >= kMaxUlong && s.chance(2)) {
        from = source(s, {Kind::Int, kMinInt, kMaxUint, 0, false, need.uniform}, 15);
        v = any_long();
        op = "MOV";
    } else {
        const double most = std::min(need.hi, 0x1p31 - 1), least = std::max(need.lo, need.lo < 0 ? -0x1p31 : 0);
        from = scalar(s, {Kind::Int, least, std::max(least, most), 0, false, need.uniform});
        v = from.values[0];
        op = v.lo >= 0 ? "U2I64" : "I2I64";
    }
    v.kind = need.kind;
    const RegisterComponent p = room(s, true);
    emit(s, fmt::format("{} {}.{}, {}", op, name(s, p.reg), p.component == 0 ? "xy" : "zw", from.text));
    write_component(s, p.reg, p.component, v);
    write_component(s, p.reg, p.component + 1, high(v));
    return four(both(s, p), values_of(s, p.reg)[static_cast<size_t>(p.component)]);
}

Source make_any(Shader& s, const Need& need) {
    switch (need.kind) {
        case Kind::Float:
            if (!need.grid && !need.uniform && !s.raw_floats.empty() && !s.chance(3) && need.hi - need.lo > 0x1p-3)
                return clamp_raw(s, need);
            return make_float(s, need);
        case Kind::Int:
            return make_int(s, need);
        default:
            return make_pair(s, need);
    }
}

/// Makes a value. Everything computed on the way counts as read, and the value is read by the caller.
Source make(Shader& s, const Need& need) {
    const auto before = s.unread;
    auto made = make_any(s, need);
    for (size_t r = 0; r < s.unread.size(); r++) {
        uint8_t fresh = 0;
        for (size_t c = 0; c < 4; c++)
            if (s.unread[r][c] && (r >= before.size() || !before[r][c])) fresh |= static_cast<uint8_t>(1 << c);
        if (s.shows_all) show(s, static_cast<int>(r), fresh);
        for (size_t c = 0; c < 4; c++)
            if ((fresh >> c & 1) != 0) is_read(s, static_cast<int>(r), static_cast<int>(c));
    }
    return made;
}

/// Adds sign modifiers if the need remains satisfied.
void modify(Shader& s, Source& source, const Need& need, uint8_t mask) {
    const bool is_float = need.kind == Kind::Float || need.kind == Kind::Double;
    const bool any_word = need.kind == Kind::Int && need.lo <= kMinInt && need.hi >= kMaxUint;
    if (!(is_float && s.chance(4)) && !(any_word && s.chance(16))) return;
    const bool abs = is_float && s.chance(2), minus = !abs || s.chance(2);
    Values changed = source.values;
    for (size_t c = 0; c < 4; c++) {
        if (abs) changed[c] = absolute(changed[c]);
        if (minus) changed[c] = any_word ? any_int(changed[c].uniform) : negate(changed[c]);
        if ((mask >> c & 1) != 0 && !satisfies(changed[c], need)) return;
    }
    source.values = changed;
    if (abs) source.text = "|" + source.text + "|";
    if (minus) source.text = "-" + source.text;
}

bool make_one(Shader& s, const std::vector<int>& list) {
    return list.empty() || s.chance(list.size() < 3 ? 3 : 8);
}

}  // namespace

void ask(Shader& s) {
    for (const auto& [reg, c] : std::exchange(s.read, {})) values_of(s, reg)[static_cast<size_t>(c)].asked = true;
}

void forget(Shader& s, const State& before) {
    for (size_t r = 0; r < s.state.size(); r++)
        for (size_t c = 0; c < 4; c++) s.state[r][c].asked = r < before.size() && before[r][c].asked;
}

std::string selector(Shader& s, int count, bool beyond) {
    constexpr int kMissed = 4;
    const Need need{Kind::Int, 0, static_cast<double>(count - 1 + (beyond ? kMissed : 0)), 0, false, false};
    auto list = candidates(s, need, Pick::Good);
    const auto good = [&](int r) {
        auto all = components(s, r, need, Pick::Good);
        std::erase_if(all, [&](int c) { return values_of(s, r)[static_cast<size_t>(c)].lo >= count; });
        return all;
    };
    std::erase_if(list, [&](int r) {
        const auto& reg = s.registers[static_cast<size_t>(r)];
        return reg.count > 1 || reg.file.find('[') != std::string::npos || good(r).empty();
    });
    if (list.empty()) return {};
    const int r = s.any_of(list);
    const int c = s.any_of(good(r));
    is_read(s, r, c);
    return fmt::format("{}.{}", name(s, r), kLetters[c]);
}

std::string reference(Shader& s, int reg) {
    const Register r = s.registers[static_cast<size_t>(reg)];
    if (r.count == 1 && s.vertices > 1 && r.file.starts_with("IN[") && s.chance(3)) {
        // All vertices hold the same in a register.
        const std::string vertex = selector(s, s.vertices);
        if (!vertex.empty()) return fmt::format("IN[{}][{}]", vertex, r.index);
    }
    if (r.count == 1) return name(s, reg);
    const std::string array = r.array_id > 0 ? fmt::format("({})", r.array_id) : "";
    const int offset = static_cast<int>(s.random.below(static_cast<uint64_t>(r.count)));
    const std::string index = s.chance(4) ? "" : selector(s, r.count - offset, s.chance(3));
    if (index.empty()) return fmt::format("{}[{}]", r.file, r.index + offset);
    const int at = r.index + offset;
    return fmt::format("{}[{}{}]{}", r.file, index, at == 0 ? "" : fmt::format("+{}", at), array);
}

Source source(Shader& s, const Need& need, uint8_t mask) {
    const bool any = !need.varies && s.chance(24);
    Pick pick = Pick::Any;
    auto list = any ? candidates(s, need, pick) : choice(s, need, pick);
    if (any) std::erase_if(list, [&](int r) { return !components(s, r, need, Pick::Good).empty(); });
    if (any && list.empty()) list = choice(s, need, pick);
    Source result;
    if (make_one(s, list)) {
        result = make(s, need);
    } else {
        const int reg = s.any_of(list);
        const auto good = components(s, reg, need, pick);
        std::string swizzle;
        for (int c = 0; c < 4; c++) {
            const bool straight = serves(values_of(s, reg)[static_cast<size_t>(c)], need, pick) && !s.chance(4);
            const int from = straight ? c : s.any_of(good);
            if ((mask >> c & 1) != 0) is_read(s, reg, from);
            swizzle += kLetters[from];
            result.values[static_cast<size_t>(c)] = values_of(s, reg)[static_cast<size_t>(from)];
        }
        result.text = reference(s, reg) + (swizzle == "xyzw" ? "" : "." + swizzle);
    }
    modify(s, result, need, mask);
    return result;
}

Source many_valued(Shader& s, uint32_t most) {
    const auto place = many_valued_place(s, most, false);
    return place ? source_at(s, *place) : scalar(s, {Kind::Int, 0, kMaxUint, 0, false, false});
}

void mask_bits(Shader& s, const std::string& to, const std::string& from, const Value& v, uint32_t most) {
    // Masking a value that has no more bits shows nothing.
    emit(s, v.lo >= 0 && v.hi <= most ? fmt::format("MOV {}, {}", to, from)
                                      : fmt::format("AND {}, {}, {}", to, from, imm_int(s, most)));
}

Source pair_source(Shader& s, const Need& need, uint8_t mask) {
    Pick pick{};
    const auto list = choice(s, need, pick);
    Source result;
    if (make_one(s, list)) {
        result = make(s, need);
    } else {
        const int reg = s.any_of(list);
        const auto good = components(s, reg, need, pick);
        std::string swizzle;
        for (int c = 0; c < 4; c += 2) {
            const int from = s.any_of(good);
            if ((mask >> c & 3) != 0)
                for (int half = from; half < from + 2; half++) is_read(s, reg, half);
            swizzle += from == 0 ? "xy" : "zw";
            result.values[static_cast<size_t>(c)] = values_of(s, reg)[static_cast<size_t>(from)];
        }
        result.text = reference(s, reg) + (swizzle == "xyzw" ? "" : "." + swizzle);
    }
    result.values[1] = result.values[0];
    result.values[3] = result.values[2];
    modify(s, result, need, mask);
    return result;
}

Source scalar(Shader& s, const Need& need) {
    Pick pick{};
    const auto list = choice(s, need, pick);
    if (make_one(s, list)) return make(s, need);
    const int reg = s.any_of(list);
    const int c = s.any_of(components(s, reg, need, pick));
    const bool pair = is_pair(need.kind);
    is_read(s, reg, c);
    if (pair) is_read(s, reg, c + 1);
    const Value v = values_of(s, reg)[static_cast<size_t>(c)];
    return four(reference(s, reg) + "." + (pair ? (c == 0 ? "xyxy" : "zwzw") : std::string(4, kLetters[c])), v);
}

}  // namespace tgsi2spv::difftest::generate
