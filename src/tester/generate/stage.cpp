// The inputs that a stage provides to a program, and the places of its results.
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
Values mixed(Shader& shader, const std::string& name, bool all_ints) {
    Values v{};
    for (int c = 0; c < 4; c++) {
        if (all_ints || shader.chance(2))
            v[static_cast<size_t>(c)] = any_int();
        else
            shader.raw_floats.push_back(fmt::format("{}.{}", name, std::string(4, kLetters[c])));
    }
    return v;
}

void inputs(Shader& shader) {
    const int count = 2 + static_cast<int>(shader.random.below(3));
    constexpr const char* kInterpolations[] = {"CONSTANT", "LINEAR", "PERSPECTIVE", "PERSPECTIVE, CENTROID"};
    for (int i = 0; i < count; i++) {
        const char* how = kInterpolations[i == 0 ? 0 : shader.random.below(4)];
        const std::string attributes = is_fragment(shader) ? fmt::format(", GENERIC[{}], {}", i, how) : "";
        shader.declarations.push_back(fmt::format("DCL IN[{}]{}", i, attributes));
        add_register(shader, "IN", i, false, mixed(shader, fmt::format("IN[{}]", i), i == 0));
    }
}

/// Declares FACE in either of its forms.
void faces(Shader& shader) {
    if (shader.chance(4)) {
        shader.declarations.emplace_back("DCL IN[14], FACE, CONSTANT");
        add_register(shader, "IN", 14, false, {float_of(-1, 1, 0), {}, {}, float_of(1, 1, 0)});
    }
    if (shader.chance(4)) {
        shader.declarations.emplace_back("DCL SV[0], FACE");
        add_register(shader, "SV", 0, false, {mask_of(), {}, {}, {}});
    }
}

/// Returns the value of a lane's address, whose lowest bits are 0.
Value address_of(int zeros, int lanes) {
    Value v = int_of(0, lanes * std::ldexp(1, zeros) - 1);
    v.grid = zeros;
    return v;
}

/// Numbers lanes: those of VERT are vertices, those of FRAG are pixels in eight columns and rows.
void number_lanes(Shader& shader) {
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    const std::string t = name(shader, reg);
    if (is_fragment(shader)) {
        shader.declarations.emplace_back("DCL IN[15], POSITION, LINEAR");
        // Adding 2^23 - 0.5 puts the pixel's integer position into the low bits of the float, without a conversion,
        // which would have to truncate halves.
        emit(shader, fmt::format("ADD {}.xy, IN[15], {}", t, imm_float(shader, 0x1p23 - 0.5)));
        emit(shader, fmt::format("AND {0}.xy, {0}, {1}", t, imm_int(shader, 7)));
        emit(shader, fmt::format("UMAD {0}.x, {0}.yyyy, {1}, {0}.xxxx", t, imm_int(shader, 8)));
    } else {
        shader.declarations.emplace_back("DCL SV[0], VERTEXID");
        emit(shader, fmt::format("MOV {}.x, SV[0].xxxx", t));
        emit(shader, fmt::format("AND {0}.x, {0}.xxxx, {1}", t, imm_int(shader, 63)));
    }
    emit(shader, fmt::format("SHL {0}.y, {0}.xxxx, {1}", t, imm_int(shader, 4)));
    shader.lane_register = reg;
    shader.state[static_cast<size_t>(reg)] = {int_of(0, 63), address_of(4, 64), {}, {}};
}

/// Declares constants: floats, also for indirect addressing, and integers.
void constants(Shader& shader) {
    const bool second = shader.chance(3);
    shader.declarations.emplace_back("DCL CONST[0][0..5]");
    for (int i = 0; i < 2; i++) {
        Values v;
        v.fill(i == 0 ? float_of(-40, 40, kNoGrid, true) : any_int(true));
        add_register(shader, "CONST[0]", i, false, v);
    }
    Values v;
    v.fill(float_of(-40, 40, kNoGrid, false));
    shader.registers[static_cast<size_t>(add_register(shader, "CONST[0]", 2, false, v))].count = 4;
    if (!second) return;
    shader.declarations.emplace_back("DCL CONST[2][0]");
    v.fill(float_of(-40, 40, kNoGrid, true));
    add_register(shader, "CONST[2]", 0, false, v);
}

size_t output_places(const Shader& shader) {
    return is_fragment(shader) ? 8 : 12;
}
void outputs(Shader& shader) {
    for (size_t i = 0; i < output_places(shader); i++)
        shader.declarations.push_back(is_fragment(shader)          ? fmt::format("DCL OUT[{}], COLOR[{}]", i, i)
                                      : i == 0 && shader.chance(2) ? std::string("DCL OUT[0], POSITION")
                                                                   : fmt::format("DCL OUT[{}], GENERIC[{}]", i, i));
}

/// Returns the shape of a work group: 8 invocations, or more than any subgroup on the devices used here. Subgroups run
/// one after the other, so that missing synchronisation shows.
std::array<int, 3> shape_of_group(Shader& shader) {
    constexpr std::array<int, 3> kShapes[] = {{8, 1, 1}, {8, 1, 1}, {4, 2, 1}, {2, 2, 2}, {1, 8, 1}, {2, 1, 4}};
    constexpr std::array<int, 3> kLarge[] = {{64, 1, 1}, {128, 1, 1}, {16, 8, 1}, {4, 16, 1}, {8, 4, 4}};
    const bool exchanges = shader.featured == tgsi::Opcode::BARRIER || shader.featured == tgsi::Opcode::MEMBAR;
    return shader.chance(exchanges ? 2 : 8) ? kLarge[shader.random.below(std::size(kLarge))]
                                            : kShapes[shader.random.below(std::size(kShapes))];
}

/// Makes the lane's number and the address of its words in bytes: TEMP[n].xy of a register that nothing else writes.
/// The work group has one to three dimensions.
void lane_address(Shader& shader) {
    constexpr int kGroups = 2;
    const auto shape = shape_of_group(shader);
    shader.group = shape[0] * shape[1] * shape[2];
    shader.lanes = kGroups * kGroups * shader.group;
    shader.declarations.emplace_back("DCL SV[0], THREAD_ID");
    shader.declarations.emplace_back("DCL SV[1], BLOCK_ID");
    for (int i = 0; i < kResultBuffers; i++) shader.declarations.push_back(fmt::format("DCL BUFFER[{}]", i));
    shader.properties.push_back(fmt::format("PROPERTY CS_FIXED_BLOCK_WIDTH {}", shape[0]));
    shader.properties.push_back(fmt::format("PROPERTY CS_FIXED_BLOCK_HEIGHT {}", shape[1]));
    shader.properties.push_back(fmt::format("PROPERTY CS_FIXED_BLOCK_DEPTH {}", shape[2]));
    const auto below = [](int n) {
        // With few values, most results are the same; and drivers can see a zero.
        constexpr int kFew = 4;
        return n < kFew ? Value{} : int_of(0, n - 1);
    };
    add_register(shader, "SV", 0, false, {below(shape[0]), below(shape[1]), below(shape[2]), {}});
    add_register(shader, "SV", 1, false, {below(kGroups), below(kGroups), {}, {}});
    if (shader.chance(3)) {
        shader.declarations.emplace_back("DCL SV[2], GRID_SIZE");
        shader.declarations.emplace_back("DCL SV[3], BLOCK_SIZE");
        const auto always = [](int n) { return int_of(n, n, true); };
        const Value groups = int_of(1, kGroups, true);
        add_register(shader, "SV", 2, false, {groups, groups, always(1), {}});
        add_register(shader, "SV", 3, false, {always(shape[0]), always(shape[1]), always(shape[2]), {}});
    }
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    shader.lane_register = reg;
    const std::string t = name(shader, reg);
    emit(shader, fmt::format("UMAD {}.x, SV[1].yyyy, {}, SV[1].xxxx", t, imm_int(shader, kGroups)));
    if (shape[2] > 1) {
        emit(shader,
             fmt::format("UMAD {0}.x, {0}.xxxx, {1}, SV[0].zzzz", t, imm_int(shader, static_cast<uint32_t>(shape[2]))));
    }
    if (shape[1] > 1)
        emit(shader,
             fmt::format("UMAD {0}.x, {0}.xxxx, {1}, SV[0].yyyy", t, imm_int(shader, static_cast<uint32_t>(shape[1]))));
    emit(shader,
         fmt::format("UMAD {0}.x, {0}.xxxx, {1}, SV[0].xxxx", t, imm_int(shader, static_cast<uint32_t>(shape[0]))));
    emit(shader, fmt::format("UMUL {0}.y, {0}.xxxx, {1}", t, imm_int(shader, kWordsALane * 4)));
    emit(shader, fmt::format("LOAD {0}.zw, BUFFER[0], {0}.yyyy", t));
    shader.state[static_cast<size_t>(reg)] = {int_of(0, shader.lanes - 1), address_of(5, shader.lanes), any_int(),
                                              any_int()};
}

/// Returns the registers with something to show: the witness first, then those written last.
std::vector<int> results(Shader& shader) {
    std::vector<int> list;
    for (int r = static_cast<int>(shader.registers.size()) - 1; r >= 0; r--) {
        const auto& reg = shader.registers[static_cast<size_t>(r)];
        const auto& v = shader.state[static_cast<size_t>(r)];
        if ((reg.file == "TEMP" || reg.file == "ADDR") && reg.count == 1 && r != shader.lane_register &&
            r != shader.witness && std::any_of(v.begin(), v.end(), [](const Value& x) { return x.kind != Kind::None; }))
            list.push_back(r);
    }
    list.insert(list.begin(), shader.witness);
    return list;
}

/// Shows the elements of writable arrays and of arrays of literals.
void show_arrays(Shader& shader) {
    for (size_t a = 0; a < shader.registers.size(); a++) {
        const Register r = shader.registers[a];
        const bool literals = r.file == "IMMX";
        if (r.count == 1 || !(r.writable || literals)) continue;
        for (int i = 0; i < r.count; i++)
            show_components(shader, fmt::format("{}[{}]", r.file, r.index + i), shader.state[a], 15);
    }
}

uint8_t shown(const Shader& shader, int reg) {
    uint8_t mask = 0;
    for (int c = 0; c < 4; c++)
        if (shader.state[static_cast<size_t>(reg)][static_cast<size_t>(c)].kind != Kind::None) mask |= 1 << c;
    return mask;
}

/// Reduces the list to `places` registers by combining components of the same kind.
void fold(Shader& shader, std::vector<int>& list, size_t places) {
    while (list.size() > places) {
        const int from = list.back();
        list.pop_back();
        for (int c = 0; c < 4; c++) {
            const Value a = shader.state[static_cast<size_t>(from)][static_cast<size_t>(c)];
            if (a.kind == Kind::None) continue;
            enum class How : uint8_t { Xor, Add, Move };
            std::vector<std::pair<int, How>> ways;
            for (size_t p = 0; p < places; p++) {
                const Value b = shader.state[static_cast<size_t>(list[p])][static_cast<size_t>(c)];
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
                show(shader, from, static_cast<uint8_t>(1 << c));
                if (exact || ways.empty()) continue;
            }
            const auto [into, how] = shader.any_of(ways);
            const auto all = [&](int r) { return name(shader, r) + "." + std::string(4, kLetters[c]); };
            const std::string to = fmt::format("{}.{}", name(shader, into), kLetters[c]);
            if (how == How::Move)
                emit(shader, fmt::format("MOV {}, {}", to, all(from)));
            else
                emit(shader, fmt::format("{} {}, {}, {}", how == How::Xor ? "XOR" : "ADD", to, all(into), all(from)));
            shader.state[static_cast<size_t>(into)][static_cast<size_t>(c)] = how == How::Xor ? any_int() : a;
        }
    }
}

}  // namespace

void begin_stage(Shader& shader) {
    shader.declarations.emplace_back("DCL ADDR[0]");
    constants(shader);
    if (shader.stage == Stage::Compute) {
        lane_address(shader);
    } else if (is_primitive_stage(shader)) {
        begin_primitives(shader);
        if (shader.stage == Stage::TessEval) outputs(shader);
    } else {
        inputs(shader);
        outputs(shader);
        shader.constant_input = is_fragment(shader) ? 0 : -1;
        const auto family = tgsi::info(shader.featured).family;
        if (is_fragment(shader)) faces(shader);
        if (family == tgsi::Family::memory || shader.featured == tgsi::Opcode::IMG2HND || shader.chance(3))
            number_lanes(shader);
    }
    add_register(shader, "ADDR", 0, true, {});
    // A constant that drivers see: it is data, but not an operand of arithmetic (driver-bugs.md, signs of zero and
    // division).
    Value null = int_of(0, 0, true);
    null.fuzz = 1;
    add_register(shader, "NULL", 0, false, {null, null, null, null});
    shader.witness = fresh_temp(shader);
    shader.scratch = fresh_temp(shader);
    for (const int reg : {shader.witness, shader.scratch}) shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("MOV {}, {}", name(shader, shader.witness), imm_int(shader, 1)));
    begin_arrays(shader);
}

void show_early(Shader& shader) {
    show_lost(shader, {});
    shader.may_return = shader.chance(2);  // after many returns no lane would be left
    if (shader.stage == Stage::Geometry) return end_geometry(shader, {shader.witness});
    if (shader.stage == Stage::Compute)
        return emit(shader, fmt::format("STORE BUFFER[0], {}.yyyy, {}", name(shader, shader.lane_register),
                                        name(shader, shader.witness)));
    shader.left_early = true;
    for (size_t i = 0; i < output_places(shader); i++)
        emit(shader, fmt::format("MOV OUT[{}], {}", i, name(shader, shader.witness)));
}

void end_stage(Shader& shader) {
    show_arrays(shader);
    // Nothing has read the witness so far, since it starts as the same word everywhere.
    shader.state[static_cast<size_t>(shader.witness)].fill(any_int());
    auto list = results(shader);
    if (shader.stage == Stage::Compute) {
        // A register is stored to a lane's words 0 to 3 or 4 to 7 of a buffer.
        fold(shader, list, 2 * kResultBuffers);
        const std::string t = name(shader, shader.lane_register);
        for (size_t i = 0; i < list.size(); i++) {
            const uint8_t mask = shown(shader, list[i]);
            if (i == kResultBuffers) emit(shader, fmt::format("UADD {0}.y, {0}.yyyy, {1}", t, imm_int(shader, 16)));
            emit(shader, fmt::format("STORE BUFFER[{}]{}, {}.yyyy, {}", i % kResultBuffers, mask_text(mask), t,
                                     name(shader, list[i])));
        }
        return;
    }
    if (shader.stage == Stage::Geometry) {
        fold(shader, list, shader.two_streams ? 2 : 6);
        return end_geometry(shader, list);
    }
    if (shader.stage == Stage::TessControl) {
        fold(shader, list, 3);
        return end_control(shader, list);
    }
    fold(shader, list, output_places(shader));
    for (size_t i = 0; i < list.size(); i++)
        emit(shader, shader.left_early ? fmt::format("MOV OUT[{}], {}", i, whole(shader, list[i]))
                                       : fmt::format("MOV OUT[{}]{}, {}", i, mask_text(shown(shader, list[i])),
                                                     name(shader, list[i])));
    for (size_t i = list.size(); shader.left_early && i < output_places(shader); i++)
        emit(shader, fmt::format("MOV OUT[{}], {}", i, name(shader, shader.witness)));
    // Overwrites one of two outputs that have values; an index chooses which.
    if (list.size() < 2 || !shader.chance(3)) return;
    const size_t first = shader.random.below(list.size() - 1);
    const auto mask = static_cast<uint8_t>(shown(shader, list[first]) & shown(shader, list[first + 1]));
    const std::string index = selector(shader, 2);
    if (mask == 0 || index.empty()) return;
    emit(shader, fmt::format("MOV OUT[{}{}]{}, {}", index, first == 0 ? "" : fmt::format("+{}", first), mask_text(mask),
                             name(shader, list[first])));
}

}  // namespace tgsi2spv::difftest::generate
