// Chooses the sources of instructions: values in registers, literals, or a value made for the purpose.
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

Values& values_of(Shader& shader, int reg) {
    return shader.state[static_cast<size_t>(reg)];
}

/// How selective the choice is, beyond the need.
enum class Pick : uint8_t {
    Best,  ///< many values; to decide a branch, several values that are not uniform
    Good,  ///< a value that varies
    Any,   ///< anything, such as NULL
};
bool serves(const Value& v, const Need& need, Pick pick) {
    if (!satisfies(v, need)) return false;
    if (need.varies && v.asked && pick != Pick::Any) return false;
    if (pick == Pick::Best) return tells(v) && (need.varies ? !v.uniform : !is_few(v));
    return pick == Pick::Any || tells(v);
}

/// Returns registers with a component that satisfies the need.
std::vector<int> candidates(const Shader& shader, const Need& need, Pick pick) {
    std::vector<int> found;
    const bool arrays = may_load(shader);
    for (size_t r = 0; r < shader.state.size(); r++)
        if ((arrays || shader.registers[r].count == 1) &&
            std::any_of(shader.state[r].begin(), shader.state[r].end(),
                        [&](const Value& v) { return serves(v, need, pick); }))
            found.push_back(static_cast<int>(r));
    return found;
}

std::vector<int> components(Shader& shader, int reg, const Need& need, Pick pick) {
    std::vector<int> found;
    for (int c = 0; c < 4; c++)
        if (serves(values_of(shader, reg)[static_cast<size_t>(c)], need, pick)) found.push_back(c);
    return found;
}

/// Returns the best registers; if there are none, and sometimes anyway, good ones.
std::vector<int> choice(Shader& shader, const Need& need, Pick& pick) {
    constexpr uint32_t kAnyway = 12;
    pick = shader.chance(kAnyway) ? Pick::Good : Pick::Best;
    auto list = candidates(shader, need, pick);
    if (!list.empty() || pick == Pick::Good) return list;
    pick = Pick::Good;
    return candidates(shader, need, pick);
}

double on_grid(Shader& shader, double lo, double hi) {
    const double step = std::exp2(std::floor(std::log2(std::max(hi - lo, 0x1p-10) / 16)));
    const double first = std::ceil(lo / step) * step;
    const auto steps = static_cast<uint64_t>(std::clamp((hi - first) / step, 0.0, 31.0));
    return std::clamp(first + static_cast<double>(shader.random.below(steps + 1)) * step, lo, hi);
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
RegisterComponent room(Shader& shader, bool pair) {
    for (int reg = static_cast<int>(shader.registers.size()) - 1;
         reg >= 0 && reg > static_cast<int>(shader.registers.size()) - 4; reg--)
        for (int c = 0; c < 4; c += pair ? 2 : 1) {
            const auto& v = values_of(shader, reg);
            const bool free = v[static_cast<size_t>(c)].kind == Kind::None &&
                              (!pair || v[static_cast<size_t>(c) + 1].kind == Kind::None);
            if (free && shader.registers[static_cast<size_t>(reg)].file == "TEMP" &&
                shader.registers[static_cast<size_t>(reg)].count == 1 && may_write(shader, reg, c, any_int()) &&
                (!pair || may_write(shader, reg, c + 1, any_int())))
                return {reg, c};
        }
    return {fresh_temp(shader), 0};
}

void is_read(Shader& shader, int reg, int component) {
    shader.unread.resize(shader.registers.size());
    shader.unread[static_cast<size_t>(reg)][static_cast<size_t>(component)] = false;
    shader.read.emplace_back(reg, component);
}

std::string at(const Shader& shader, const RegisterComponent& component) {
    return fmt::format("{}.{}", name(shader, component.reg), kLetters[component.component]);
}
std::string all(const Shader& shader, const RegisterComponent& component) {
    return fmt::format("{}.{}", name(shader, component.reg), std::string(4, kLetters[component.component]));
}
std::string both(const Shader& shader, const RegisterComponent& component) {
    return fmt::format("{}.{}", name(shader, component.reg), component.component == 0 ? "xyxy" : "zwzw");
}

Source four(std::string text, Value v) {
    Source source{std::move(text), {}};
    source.values.fill(v);
    return source;
}

/// Returns a component with many values relative to `most`, preferably one that differs between the lanes that are
/// active here; or nothing.
std::optional<RegisterComponent> many_valued_place(Shader& shader, uint32_t most, bool uniform) {
    const Need any{Kind::Int, kMinInt, kMaxUint, 0, false, uniform};
    const auto pick = Pick::Good;
    // Too few values remain of a truth value, or of one or two bits.
    constexpr double kFew = 7;
    const auto many = [&](int r, int c) {
        const Value& v = values_of(shader, r)[static_cast<size_t>(c)];
        return v.hi - v.lo >= std::min<double>(kFew, most) && v.grid <= 0;
    };
    auto list = candidates(shader, any, pick);
    const auto good = [&](int r, bool varying) {
        auto all = components(shader, r, any, pick);
        std::erase_if(all, [&](int c) {
            const Value& v = values_of(shader, r)[static_cast<size_t>(c)];
            return !many(r, c) || (varying && (v.uniform || v.asked));
        });
        return all;
    };
    std::erase_if(list, [&](int r) { return good(r, false).empty(); });
    const bool varying =
        !uniform && std::any_of(list.begin(), list.end(), [&](int r) { return !good(r, true).empty(); });
    std::erase_if(list, [&](int r) { return good(r, varying).empty(); });
    if (list.empty()) return std::nullopt;
    const int from = shader.any_of(list);
    return RegisterComponent{from, shader.any_of(good(from, varying))};
}

Source source_at(Shader& shader, const RegisterComponent& component) {
    is_read(shader, component.reg, component.component);
    const Value v = values_of(shader, component.reg)[static_cast<size_t>(component.component)];
    return four(reference(shader, component.reg) + "." + std::string(4, kLetters[component.component]), v);
}

/// Makes a word in [0, most]; `most` is one less than a power of two.
RegisterComponent small_int(Shader& shader, uint32_t most, bool uniform) {
    const auto from = many_valued_place(shader, most, uniform);
    const RegisterComponent p = room(shader, false);
    bool is_uniform = true;
    if (!from) {
        emit(shader,
             fmt::format("MOV {}, {}", at(shader, p), imm_int(shader, shader.random.below(uint64_t{most} + 1))));
    } else {
        const auto source = source_at(shader, *from);
        is_uniform = source.values[0].uniform;
        mask_bits(shader, at(shader, p), source.text, source.values[0], most);
    }
    write_component(shader, p.reg, p.component, int_of(0, most, is_uniform));
    return p;
}

Source make_float(Shader& shader, const Need& need) {
    const auto [lo, hi] = common_interval(need);
    if ((!need.varies && shader.chance(kLiteral)) || hi - lo < 0x1p-6) {
        const double v = on_grid(shader, lo, hi);
        return four(imm_float(shader, v), float_of(v, v, grid_of(v), true));
    }
    constexpr double kFraction = 0.8125;  // an odd number of sixteenths, so that sums are rarely whole
    const double power = std::exp2(std::floor(std::log2((hi - lo) / 16)));
    const bool fraction = need.fraction || shader.chance(2);
    const double step = fraction ? kFraction * power : power;
    const double first = std::ceil(lo / power) * power;
    const int grid = static_cast<int>(std::log2(power)) - (fraction ? 4 : 0);
    const RegisterComponent p = small_int(shader, 15, need.uniform);
    emit(shader, fmt::format("{} {}, {}", shader.chance(2) ? "U2F" : "I2F", at(shader, p), all(shader, p)));
    if (shader.chance(2)) {
        const std::string last = imm_float(shader, first);
        emit(shader, fmt::format("MAD {}, {}, {}, {}", at(shader, p), all(shader, p), imm_float(shader, step), last));
    } else {
        emit(shader, fmt::format("MUL {}, {}, {}", at(shader, p), all(shader, p), imm_float(shader, step)));
        emit(shader, fmt::format("ADD {}, {}, {}", at(shader, p), all(shader, p), imm_float(shader, first)));
    }
    const bool uniform = values_of(shader, p.reg)[static_cast<size_t>(p.component)].uniform;
    const Value v = float_of(first, first + 15 * step, grid, uniform);
    write_component(shader, p.reg, p.component, v);
    return four(all(shader, p), values_of(shader, p.reg)[static_cast<size_t>(p.component)]);
}

/// Clamps an arbitrary input; NaN becomes an end of the range.
Source clamp_raw(Shader& shader, const Need& need) {
    const auto [lo, hi] = common_interval(need);
    const RegisterComponent p = room(shader, false);
    const std::string& raw = shader.any_of(shader.raw_floats);
    emit(shader, fmt::format("MAX {}, {}, {}", at(shader, p), raw, imm_float(shader, lo)));
    emit(shader, fmt::format("MIN {}, {}, {}", at(shader, p), all(shader, p), imm_float(shader, hi)));
    write_component(shader, p.reg, p.component, float_of(lo, hi));
    return four(all(shader, p), values_of(shader, p.reg)[static_cast<size_t>(p.component)]);
}

Source make_int(Shader& shader, const Need& need) {
    const double lo = std::max(need.lo, 0.0), span = need.hi - lo;
    if (span < 1 || (!need.varies && shader.chance(kLiteral))) {
        const double from = need.hi < 0 ? std::max(need.lo, need.hi - 16) : lo;
        const double word =
            from + shader.random.below(static_cast<uint64_t>(std::clamp(need.hi - from, 0.0, 40.0)) + 1);
        return four(imm_int(shader, static_cast<uint32_t>(static_cast<int64_t>(word))), int_of(word, word, true));
    }
    uint32_t most = 1;
    while (most * 2 + 1 <= std::min(span, 65535.0) && !shader.chance(8)) most = most * 2 + 1;
    const RegisterComponent p = small_int(shader, most, need.uniform);
    if (lo > 0) {
        emit(shader,
             fmt::format("UADD {}, {}, {}", at(shader, p), all(shader, p), imm_int(shader, static_cast<uint32_t>(lo))));
        const bool uniform = values_of(shader, p.reg)[static_cast<size_t>(p.component)].uniform;
        write_component(shader, p.reg, p.component, int_of(lo, lo + most, uniform));
    }
    return four(all(shader, p), values_of(shader, p.reg)[static_cast<size_t>(p.component)]);
}

Source make_pair(Shader& shader, const Need& need) {
    const auto [lo, hi] = common_interval(need);
    if (shader.chance(kLiteral)) {
        if (need.kind == Kind::Double) {
            const double v = on_grid(shader, lo, hi);
            return four(imm_double(shader, v), {Kind::Double, v, v, 0, grid_of(v), true});
        }
        const double from = std::max(need.lo, 0.0);
        const double v = from + shader.random.below(static_cast<uint64_t>(std::clamp(need.hi - from, 0.0, 1000.0)) + 1);
        return four(imm_long(shader, static_cast<uint64_t>(v)), {Kind::Long, v, v, 0, kNoGrid, true});
    }
    Source from;
    std::string op;
    Value v;
    if (need.kind == Kind::Double) {
        from = scalar(shader, {Kind::Float, lo, hi, need.most_fuzz, need.grid, need.uniform, false, need.fraction});
        v = from.values[0];
        op = "F2D";
    } else if (need.lo <= kMinLong && need.hi >= kMaxUlong && shader.chance(2)) {
        from = source(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, need.uniform}, 15);
        v = any_long();
        op = "MOV";
    } else {
        const double most = std::min(need.hi, 0x1p31 - 1), least = std::max(need.lo, need.lo < 0 ? -0x1p31 : 0);
        from = scalar(shader, {Kind::Int, least, std::max(least, most), 0, false, need.uniform});
        v = from.values[0];
        op = v.lo >= 0 ? "U2I64" : "I2I64";
    }
    v.kind = need.kind;
    const RegisterComponent p = room(shader, true);
    emit(shader, fmt::format("{} {}.{}, {}", op, name(shader, p.reg), p.component == 0 ? "xy" : "zw", from.text));
    write_component(shader, p.reg, p.component, v);
    write_component(shader, p.reg, p.component + 1, high(v));
    return four(both(shader, p), values_of(shader, p.reg)[static_cast<size_t>(p.component)]);
}

Source make_any(Shader& shader, const Need& need) {
    switch (need.kind) {
        case Kind::Float:
            if (!need.grid && !need.uniform && !shader.raw_floats.empty() && !shader.chance(3) &&
                need.hi - need.lo > 0x1p-3)
                return clamp_raw(shader, need);
            return make_float(shader, need);
        case Kind::Int:
            return make_int(shader, need);
        default:
            return make_pair(shader, need);
    }
}

/// Makes a value. Everything computed on the way counts as read, and the value is read by the caller.
Source make(Shader& shader, const Need& need) {
    const auto before = shader.unread;
    auto made = make_any(shader, need);
    for (size_t r = 0; r < shader.unread.size(); r++) {
        uint8_t fresh = 0;
        for (size_t c = 0; c < 4; c++)
            if (shader.unread[r][c] && (r >= before.size() || !before[r][c])) fresh |= static_cast<uint8_t>(1 << c);
        if (shader.shows_all) show(shader, static_cast<int>(r), fresh);
        for (size_t c = 0; c < 4; c++)
            if ((fresh >> c & 1) != 0) is_read(shader, static_cast<int>(r), static_cast<int>(c));
    }
    return made;
}

/// Adds sign modifiers if the need remains satisfied.
void modify(Shader& shader, Source& source, const Need& need, uint8_t mask) {
    const bool is_float = need.kind == Kind::Float || need.kind == Kind::Double;
    const bool any_word = need.kind == Kind::Int && need.lo <= kMinInt && need.hi >= kMaxUint;
    if (!(is_float && shader.chance(4)) && !(any_word && shader.chance(16))) return;
    const bool abs = is_float && shader.chance(2), minus = !abs || shader.chance(2);
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

bool make_one(Shader& shader, const std::vector<int>& list) {
    return list.empty() || shader.chance(list.size() < 3 ? 3 : 8);
}

}  // namespace

void ask(Shader& shader) {
    for (const auto& [reg, c] : std::exchange(shader.read, {}))
        values_of(shader, reg)[static_cast<size_t>(c)].asked = true;
}

void forget(Shader& shader, const State& before) {
    for (size_t r = 0; r < shader.state.size(); r++)
        for (size_t c = 0; c < 4; c++) shader.state[r][c].asked = r < before.size() && before[r][c].asked;
}

std::string selector(Shader& shader, int count, bool beyond) {
    constexpr int kMissed = 4;
    const Need need{Kind::Int, 0, static_cast<double>(count - 1 + (beyond ? kMissed : 0)), 0, false, false};
    auto list = candidates(shader, need, Pick::Good);
    const auto good = [&](int r) {
        auto all = components(shader, r, need, Pick::Good);
        std::erase_if(all, [&](int c) { return values_of(shader, r)[static_cast<size_t>(c)].lo >= count; });
        return all;
    };
    std::erase_if(list, [&](int r) {
        const auto& reg = shader.registers[static_cast<size_t>(r)];
        return reg.count > 1 || reg.file.find('[') != std::string::npos || good(r).empty();
    });
    if (list.empty()) return {};
    const int r = shader.any_of(list);
    const int c = shader.any_of(good(r));
    is_read(shader, r, c);
    return fmt::format("{}.{}", name(shader, r), kLetters[c]);
}

std::string reference(Shader& shader, int reg) {
    const Register r = shader.registers[static_cast<size_t>(reg)];
    if (r.count == 1 && shader.vertices > 1 && r.file.starts_with("IN[") && shader.chance(3)) {
        // All vertices hold the same in a register.
        const std::string vertex = selector(shader, shader.vertices);
        if (!vertex.empty()) return fmt::format("IN[{}][{}]", vertex, r.index);
    }
    if (r.count == 1) return name(shader, reg);
    const std::string array = r.array_id > 0 ? fmt::format("({})", r.array_id) : "";
    const int offset = static_cast<int>(shader.random.below(static_cast<uint64_t>(r.count)));
    const std::string index = shader.chance(4) ? "" : selector(shader, r.count - offset, shader.chance(3));
    if (index.empty()) return fmt::format("{}[{}]", r.file, r.index + offset);
    const int at = r.index + offset;
    return fmt::format("{}[{}{}]{}", r.file, index, at == 0 ? "" : fmt::format("+{}", at), array);
}

/// A register of the list, with a swizzle, or a new source. `step`: 2 for pairs of components, which stay together.
Source swizzled(Shader& shader, const Need& need, Pick pick, const std::vector<int>& list, uint8_t mask, int step) {
    if (make_one(shader, list)) return make(shader, need);
    Source result;
    const int reg = shader.any_of(list);
    const auto good = components(shader, reg, need, pick);
    std::string swizzle;
    for (int c = 0; c < 4; c += step) {
        const Value& same = values_of(shader, reg)[static_cast<size_t>(c)];
        const bool straight = step == 1 && serves(same, need, pick) && !shader.chance(4);
        const int from = straight ? c : shader.any_of(good);
        for (int i = 0; i < step; i++) {
            if ((mask >> c & ((1 << step) - 1)) != 0) is_read(shader, reg, from + i);
            swizzle += kLetters[from + i];
            result.values[static_cast<size_t>(c + i)] = values_of(shader, reg)[static_cast<size_t>(from)];
        }
    }
    result.text = reference(shader, reg) + (swizzle == "xyzw" ? "" : "." + swizzle);
    return result;
}

Source source(Shader& shader, const Need& need, uint8_t mask) {
    const bool any = !need.varies && shader.chance(24);
    Pick pick = Pick::Any;
    auto list = any ? candidates(shader, need, pick) : choice(shader, need, pick);
    if (any) std::erase_if(list, [&](int r) { return !components(shader, r, need, Pick::Good).empty(); });
    if (any && list.empty()) list = choice(shader, need, pick);
    Source result = swizzled(shader, need, pick, list, mask, 1);
    modify(shader, result, need, mask);
    return result;
}

Source many_valued(Shader& shader, uint32_t most) {
    const auto place = many_valued_place(shader, most, false);
    return place ? source_at(shader, *place) : scalar(shader, {Kind::Int, 0, kMaxUint, 0, false, false});
}

void mask_bits(Shader& shader, const std::string& to, const std::string& from, const Value& v, uint32_t most) {
    // Masking a value that has no more bits shows nothing.
    emit(shader, v.lo >= 0 && v.hi <= most ? fmt::format("MOV {}, {}", to, from)
                                           : fmt::format("AND {}, {}, {}", to, from, imm_int(shader, most)));
}

Source pair_source(Shader& shader, const Need& need, uint8_t mask) {
    Pick pick{};
    const auto list = choice(shader, need, pick);
    Source result = swizzled(shader, need, pick, list, mask, 2);
    result.values[1] = result.values[0];
    result.values[3] = result.values[2];
    modify(shader, result, need, mask);
    return result;
}

Source scalar(Shader& shader, const Need& need) {
    Pick pick{};
    const auto list = choice(shader, need, pick);
    if (make_one(shader, list)) return make(shader, need);
    const int reg = shader.any_of(list);
    const int c = shader.any_of(components(shader, reg, need, pick));
    const bool pair = is_pair(need.kind);
    is_read(shader, reg, c);
    if (pair) is_read(shader, reg, c + 1);
    const Value v = values_of(shader, reg)[static_cast<size_t>(c)];
    return four(reference(shader, reg) + "." + (pair ? (c == 0 ? "xyxy" : "zwzw") : std::string(4, kLetters[c])), v);
}

}  // namespace tgsi2spv::difftest::generate
