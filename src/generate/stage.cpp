// What a stage provides to a program, and where its results go.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Stage;

constexpr char kLetters[] = "xyzw";
/// COMP: words of a buffer that belong to each lane.
constexpr int kWordsALane = 8, kResultBuffers = 3;

/// Each component is for floats with arbitrary bits, or for integers.
Values mixed(Shader& s, const std::string& name, bool all_ints) {
    Values v{};
    for (int c = 0; c < 4; c++) {
        if (all_ints || s.chance(2))
            v[static_cast<size_t>(c)] = any_int();
        else
            s.raw_floats.push_back(fmt::format("{}.{}", name, std::string(4, kLetters[c])));
    }
    return v;
}

void inputs(Shader& s) {
    const int count = 2 + static_cast<int>(s.random.below(3));
    constexpr const char* kInterpolations[] = {"CONSTANT", "LINEAR", "PERSPECTIVE", "PERSPECTIVE, CENTROID"};
    for (int i = 0; i < count; i++) {
        const char* how = kInterpolations[i == 0 ? 0 : s.random.below(4)];
        const std::string attributes = is_fragment(s) ? fmt::format(", GENERIC[{}], {}", i, how) : "";
        s.declarations.push_back(fmt::format("DCL IN[{}]{}", i, attributes));
        add_register(s, "IN", i, false, mixed(s, fmt::format("IN[{}]", i), i == 0));
    }
}

/// Declares FACE in either of its forms.
void faces(Shader& s) {
    if (s.chance(4)) {
        s.declarations.emplace_back("DCL IN[14], FACE, CONSTANT");
        add_register(s, "IN", 14, false, {float_of(-1, 1, 0), {}, {}, float_of(1, 1, 0)});
    }
    if (s.chance(4)) {
        s.declarations.emplace_back("DCL SV[0], FACE");
        add_register(s, "SV", 0, false, {mask_of(), {}, {}, {}});
    }
}

/// Returns the value of a lane's address, whose lowest bits are 0.
Value address_of(int zeros, int lanes) {
    Value v = int_of(0, lanes * std::ldexp(1, zeros) - 1);
    v.grid = zeros;
    return v;
}

/// Numbers lanes: those of VERT are vertices, those of FRAG are pixels in eight columns and rows.
void number_lanes(Shader& s) {
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    const std::string t = name(s, reg);
    if (is_fragment(s)) {
        s.declarations.emplace_back("DCL IN[15], POSITION, LINEAR");
        // Adding 2^23 - 0.5 puts the pixel's integer position into the low bits of the float, without a conversion,
        // which would have to truncate halves.
        emit(s, fmt::format("ADD {}.xy, IN[15], {}", t, imm_float(s, 0x1p23 - 0.5)));
        emit(s, fmt::format("AND {0}.xy, {0}, {1}", t, imm_int(s, 7)));
        emit(s, fmt::format("UMAD {0}.x, {0}.yyyy, {1}, {0}.xxxx", t, imm_int(s, 8)));
    } else {
        s.declarations.emplace_back("DCL SV[0], VERTEXID");
        emit(s, fmt::format("MOV {}.x, SV[0].xxxx", t));
        emit(s, fmt::format("AND {0}.x, {0}.xxxx, {1}", t, imm_int(s, 63)));
    }
    emit(s, fmt::format("SHL {0}.y, {0}.xxxx, {1}", t, imm_int(s, 4)));
    s.lane_register = reg;
    s.state[static_cast<size_t>(reg)] = {int_of(0, 63), address_of(4, 64), {}, {}};
}

/// Declares constants: floats, also for indirect addressing, and integers.
void constants(Shader& s) {
    const bool second = s.chance(3);
    s.declarations.emplace_back("DCL CONST[0][0..5]");
    for (int i = 0; i < 2; i++) {
        Values v;
        v.fill(i == 0 ? float_of(-40, 40, kNoGrid, true) : any_int(true));
        add_register(s, "CONST[0]", i, false, v);
    }
    Values v;
    v.fill(float_of(-40, 40, kNoGrid, false));
    s.registers[static_cast<size_t>(add_register(s, "CONST[0]", 2, false, v))].count = 4;
    if (!second) return;
    s.declarations.emplace_back("DCL CONST[2][0]");
    v.fill(float_of(-40, 40, kNoGrid, true));
    add_register(s, "CONST[2]", 0, false, v);
}

size_t output_places(const Shader& s) {
    return is_fragment(s) ? 8 : 12;
}
void outputs(Shader& s) {
    for (size_t i = 0; i < output_places(s); i++)
        s.declarations.push_back(is_fragment(s)          ? fmt::format("DCL OUT[{}], COLOR[{}]", i, i)
                                 : i == 0 && s.chance(2) ? std::string("DCL OUT[0], POSITION")
                                                         : fmt::format("DCL OUT[{}], GENERIC[{}]", i, i));
}

/// Returns the shape of a work group: 8 invocations, or more than any subgroup on the devices used here. Subgroups run
/// one after the other, so that missing synchronisation shows.
std::array<int, 3> shape_of_group(Shader& s) {
    constexpr std::array<int, 3> kShapes[] = {{8, 1, 1}, {8, 1, 1}, {4, 2, 1}, {2, 2, 2}, {1, 8, 1}, {2, 1, 4}};
    constexpr std::array<int, 3> kLarge[] = {{64, 1, 1}, {128, 1, 1}, {16, 8, 1}, {4, 16, 1}, {8, 4, 4}};
    const bool exchanges = s.featured == tgsi::Opcode::BARRIER || s.featured == tgsi::Opcode::MEMBAR;
    return s.chance(exchanges ? 2 : 8) ? kLarge[s.random.below(std::size(kLarge))]
                                       : kShapes[s.random.below(std::size(kShapes))];
}

/// Makes the lane's number and the address of its words in bytes: TEMP[n].xy of a register that nothing else writes.
/// The work group has one to three dimensions.
void lane_address(Shader& s) {
    constexpr int kGroups = 2;
    const auto shape = shape_of_group(s);
    s.group = shape[0] * shape[1] * shape[2];
    s.lanes = kGroups * kGroups * s.group;
    s.declarations.emplace_back("DCL SV[0], THREAD_ID");
    s.declarations.emplace_back("DCL SV[1], BLOCK_ID");
    for (int i = 0; i < kResultBuffers; i++) s.declarations.push_back(fmt::format("DCL BUFFER[{}]", i));
    s.properties.push_back(fmt::format("PROPERTY CS_FIXED_BLOCK_WIDTH {}", shape[0]));
    s.properties.push_back(fmt::format("PROPERTY CS_FIXED_BLOCK_HEIGHT {}", shape[1]));
    s.properties.push_back(fmt::format("PROPERTY CS_FIXED_BLOCK_DEPTH {}", shape[2]));
    const auto below = [](int n) {
        // With few values, most results are the same; and drivers can see a zero.
        constexpr int kFew = 4;
        return n < kFew ? Value{} : int_of(0, n - 1);
    };
    add_register(s, "SV", 0, false, {below(shape[0]), below(shape[1]), below(shape[2]), {}});
    add_register(s, "SV", 1, false, {below(kGroups), below(kGroups), {}, {}});
    if (s.chance(3)) {
        s.declarations.emplace_back("DCL SV[2], GRID_SIZE");
        s.declarations.emplace_back("DCL SV[3], BLOCK_SIZE");
        const auto always = [](int n) { return int_of(n, n, true); };
        const Value groups = int_of(1, kGroups, true);
        add_register(s, "SV", 2, false, {groups, groups, always(1), {}});
        add_register(s, "SV", 3, false, {always(shape[0]), always(shape[1]), always(shape[2]), {}});
    }
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    s.lane_register = reg;
    const std::string t = name(s, reg);
    emit(s, fmt::format("UMAD {}.x, SV[1].yyyy, {}, SV[1].xxxx", t, imm_int(s, kGroups)));
    if (shape[2] > 1) {
        emit(s, fmt::format("UMAD {0}.x, {0}.xxxx, {1}, SV[0].zzzz", t, imm_int(s, static_cast<uint32_t>(shape[2]))));
    }
    if (shape[1] > 1)
        emit(s, fmt::format("UMAD {0}.x, {0}.xxxx, {1}, SV[0].yyyy", t, imm_int(s, static_cast<uint32_t>(shape[1]))));
    emit(s, fmt::format("UMAD {0}.x, {0}.xxxx, {1}, SV[0].xxxx", t, imm_int(s, static_cast<uint32_t>(shape[0]))));
    emit(s, fmt::format("UMUL {0}.y, {0}.xxxx, {1}", t, imm_int(s, kWordsALane * 4)));
    emit(s, fmt::format("LOAD {0}.zw, BUFFER[0], {0}.yyyy", t));
    s.state[static_cast<size_t>(reg)] = {int_of(0, s.lanes - 1), address_of(5, s.lanes), any_int(), any_int()};
}

/// Returns the registers with something to show: the witness first, then those written last.
std::vector<int> results(Shader& s) {
    std::vector<int> list;
    for (int r = static_cast<int>(s.registers.size()) - 1; r >= 0; r--) {
        const auto& reg = s.registers[static_cast<size_t>(r)];
        const auto& v = s.state[static_cast<size_t>(r)];
        if ((reg.file == "TEMP" || reg.file == "ADDR") && reg.count == 1 && r != s.lane_register && r != s.witness &&
            std::any_of(v.begin(), v.end(), [](const Value& x) { return x.kind != Kind::None; }))
            list.push_back(r);
    }
    list.insert(list.begin(), s.witness);
    return list;
}

/// Shows the elements of writable arrays and of arrays of literals.
void show_arrays(Shader& s) {
    for (size_t a = 0; a < s.registers.size(); a++) {
        const Register r = s.registers[a];
        const bool literals = r.file == "IMMX";
        if (r.count == 1 || !(r.writable || literals)) continue;
        for (int i = 0; i < r.count; i++)
            show_components(s, fmt::format("{}[{}]", r.file, r.index + i), s.state[a], 15);
    }
}

uint8_t shown(const Shader& s, int reg) {
    uint8_t mask = 0;
    for (int c = 0; c < 4; c++)
        if (s.state[static_cast<size_t>(reg)][static_cast<size_t>(c)].kind != Kind::None) mask |= 1 << c;
    return mask;
}

/// Reduces the list to `places` registers by combining components of the same kind.
void fold(Shader& s, std::vector<int>& list, size_t places) {
    while (list.size() > places) {
        const int from = list.back();
        list.pop_back();
        for (int c = 0; c < 4; c++) {
            const Value a = s.state[static_cast<size_t>(from)][static_cast<size_t>(c)];
            if (a.kind == Kind::None) continue;
            enum class How : uint8_t { Xor, Add, Move };
            std::vector<std::pair<int, How>> ways;
            for (size_t p = 0; p < places; p++) {
                const Value b = s.state[static_cast<size_t>(list[p])][static_cast<size_t>(c)];
                if (a.kind == Kind::Int && b.kind == Kind::Int && a.fuzz == 0 && b.fuzz == 0)
                    ways.emplace_back(list[p], How::Xor);
                if (a.kind == Kind::Float && b.kind == Kind::Float && std::max(a.fuzz, b.fuzz) < kOnlyShown)
                    ways.emplace_back(list[p], How::Add);
                if (b.kind == Kind::None && (a.kind == Kind::Int || a.kind == Kind::Float))
                    ways.emplace_back(list[p], How::Move);
            }
            // A sum hides its smaller operand: a free component or the witness is better.
            const bool exact = a.fuzz == 0 && (a.kind != Kind::Float || a.grid != kNoGrid);
            const bool moves = std::any_of(ways.begin(), ways.end(), [](auto& w) { return w.second == How::Move; });
            if (moves) std::erase_if(ways, [](auto& w) { return w.second != How::Move; });
            if (ways.empty() || (exact && !moves && a.kind != Kind::Int)) {
                show(s, from, static_cast<uint8_t>(1 << c));
                if (exact || ways.empty()) continue;
            }
            const auto [into, how] = s.any_of(ways);
            const auto all = [&](int r) { return name(s, r) + "." + std::string(4, kLetters[c]); };
            const std::string to = fmt::format("{}.{}", name(s, into), kLetters[c]);
            if (how == How::Move)
                emit(s, fmt::format("MOV {}, {}", to, all(from)));
            else
                emit(s, fmt::format("{} {}, {}, {}", how == How::Xor ? "XOR" : "ADD", to, all(into), all(from)));
            s.state[static_cast<size_t>(into)][static_cast<size_t>(c)] = how == How::Xor ? any_int() : a;
        }
    }
}

}  // namespace

void begin_stage(Shader& s) {
    s.declarations.emplace_back("DCL ADDR[0]");
    constants(s);
    if (s.stage == Stage::Compute) {
        lane_address(s);
    } else if (is_primitive_stage(s)) {
        begin_primitives(s);
        if (s.stage == Stage::TessEval) outputs(s);
    } else {
        inputs(s);
        outputs(s);
        s.constant_input = is_fragment(s) ? 0 : -1;
        const auto family = tgsi::info(s.featured).family;
        if (is_fragment(s)) faces(s);
        if (family == tgsi::Family::memory || s.featured == tgsi::Opcode::IMG2HND || s.chance(3)) number_lanes(s);
    }
    add_register(s, "ADDR", 0, true, {});
    // A constant that drivers see: it is data, but not an operand of arithmetic (driver-bugs.md, signs of zero and
    // division).
    Value null = int_of(0, 0, true);
    null.fuzz = 1;
    add_register(s, "NULL", 0, false, {null, null, null, null});
    s.witness = fresh_temp(s);
    s.scratch = fresh_temp(s);
    for (const int reg : {s.witness, s.scratch}) s.registers[static_cast<size_t>(reg)].writable = false;
    emit(s, fmt::format("MOV {}, {}", name(s, s.witness), imm_int(s, 1)));
    begin_arrays(s);
}

void show_early(Shader& s) {
    show_lost(s, {});
    if (s.stage == Stage::Geometry) return end_geometry(s, {s.witness});
    if (s.stage == Stage::Compute)
        return emit(s, fmt::format("STORE BUFFER[0], {}.yyyy, {}", name(s, s.lane_register), name(s, s.witness)));
    s.left_early = true;
    for (size_t i = 0; i < output_places(s); i++) emit(s, fmt::format("MOV OUT[{}], {}", i, name(s, s.witness)));
}

void end_stage(Shader& s) {
    show_arrays(s);
    // Nothing has read the witness so far, since it starts as the same word everywhere.
    s.state[static_cast<size_t>(s.witness)].fill(any_int());
    auto list = results(s);
    if (s.stage == Stage::Compute) {
        // A register is stored to a lane's words 0 to 3 or 4 to 7 of a buffer.
        fold(s, list, 2 * kResultBuffers);
        const std::string t = name(s, s.lane_register);
        for (size_t i = 0; i < list.size(); i++) {
            const uint8_t mask = shown(s, list[i]);
            if (i == kResultBuffers) emit(s, fmt::format("UADD {0}.y, {0}.yyyy, {1}", t, imm_int(s, 16)));
            emit(s, fmt::format("STORE BUFFER[{}]{}, {}.yyyy, {}", i % kResultBuffers, mask_text(mask), t,
                                name(s, list[i])));
        }
        return;
    }
    if (s.stage == Stage::Geometry) {
        fold(s, list, s.two_streams ? 2 : 6);
        return end_geometry(s, list);
    }
    if (s.stage == Stage::TessControl) {
        fold(s, list, 3);
        return end_control(s, list);
    }
    fold(s, list, output_places(s));
    for (size_t i = 0; i < list.size(); i++)
        emit(s, s.left_early ? fmt::format("MOV OUT[{}], {}", i, whole(s, list[i]))
                             : fmt::format("MOV OUT[{}]{}, {}", i, mask_text(shown(s, list[i])), name(s, list[i])));
    for (size_t i = list.size(); s.left_early && i < output_places(s); i++)
        emit(s, fmt::format("MOV OUT[{}], {}", i, name(s, s.witness)));
    // Overwrites one of two outputs that have values; an index chooses which.
    if (list.size() < 2 || !s.chance(3)) return;
    const size_t first = s.random.below(list.size() - 1);
    const auto mask = static_cast<uint8_t>(shown(s, list[first]) & shown(s, list[first + 1]));
    const std::string index = selector(s, 2);
    if (mask == 0 || index.empty()) return;
    emit(s, fmt::format("MOV OUT[{}{}]{}, {}", index, first == 0 ? "" : fmt::format("+{}", first), mask_text(mask),
                        name(s, list[first])));
}

}  // namespace tgsi2spv::difftest::generate
