// Textures of every target, with coordinates inside texels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generate/shader.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;
using tgsi::Target;

constexpr char kLetters[] = "xyzw";
constexpr int kMaxTextures = 5;

/// The meaning of an opcode's second source, or of the first source's w.
enum class Extra : uint8_t { None, Bias, Level, Divisor, Reference, Gradients, Component };

struct Row {
    Opcode op;
    Extra extra;
    bool implicit;  ///< FRAG: LOD from derivatives
};
constexpr Row kRows[] = {
    {Opcode::TEX, Extra::None, true},
    {Opcode::TXP, Extra::Divisor, true},
    {Opcode::TXB, Extra::Bias, true},
    {Opcode::TXL, Extra::Level, false},
    {Opcode::TEX_LZ, Extra::None, false},
    {Opcode::TXB2, Extra::Bias, true},
    {Opcode::TXL2, Extra::Level, false},
    {Opcode::TEX2, Extra::Reference, true},
    {Opcode::TXD, Extra::Gradients, false},
    {Opcode::TG4, Extra::Component, false},
    {Opcode::LODQ, Extra::None, true},
    {Opcode::SAMPLE, Extra::None, true},
    {Opcode::SAMPLE_B, Extra::Bias, true},
    {Opcode::SAMPLE_C, Extra::Reference, true},
    {Opcode::SAMPLE_C_LZ, Extra::Reference, false},
    {Opcode::SAMPLE_L, Extra::Level, false},
    {Opcode::SAMPLE_D, Extra::Gradients, false},
    {Opcode::GATHER4, Extra::None, false},
    {Opcode::LOD, Extra::None, true},
};

bool is_view_opcode(Opcode op) {
    return tgsi::info(op).form == tgsi::Form::sample;
}

/// Returns the targets that an opcode takes (semantics: Textures).
std::vector<Target> targets_of(Opcode op) {
    switch (op) {
        case Opcode::TXB2:
        case Opcode::TXL2:
            return {Target::CubeArray, Target::Shadow2DArray, Target::ShadowCube};
        case Opcode::TEX2:
            return {Target::ShadowCubeArray};
        case Opcode::TXP:
            return {Target::T1D,      Target::T2D,      Target::Rect,      Target::T3D,
                    Target::Shadow1D, Target::Shadow2D, Target::ShadowRect};
        case Opcode::TXB:
        case Opcode::TXL:
            return {Target::T1D,      Target::T2D,      Target::T3D,      Target::Cube,         Target::T1DArray,
                    Target::T2DArray, Target::Shadow1D, Target::Shadow2D, Target::Shadow1DArray};
        case Opcode::TXD:
            // Without RECT: with one level, gradients have no effect.
            return {Target::T1D, Target::T2D, Target::T3D, Target::T1DArray, Target::T2DArray, Target::Shadow2D};
        case Opcode::TG4:
            return {Target::T2D, Target::T2DArray, Target::Rect, Target::Cube, Target::Shadow2D, Target::Shadow2DArray};
        case Opcode::GATHER4:
            return {Target::T2D, Target::T2DArray, Target::Cube};
        case Opcode::SAMPLE_C:
        case Opcode::SAMPLE_C_LZ:
            return {Target::Shadow1D, Target::Shadow2D, Target::Shadow2DArray};
        case Opcode::SAMPLE_D:
            return {Target::T1D, Target::T2D, Target::T3D, Target::T2DArray};
        case Opcode::LODQ:
        case Opcode::LOD:
            return {Target::T1D, Target::T2D, Target::T3D, Target::T2DArray};
        case Opcode::SAMPLE:
        case Opcode::SAMPLE_B:
        case Opcode::SAMPLE_L:
            return {Target::T1D, Target::T2D, Target::T3D, Target::Cube, Target::T1DArray, Target::T2DArray};
        default:
            return {Target::T1D,           Target::T2D,       Target::T3D,        Target::Cube,
                    Target::Rect,          Target::T1DArray,  Target::T2DArray,   Target::CubeArray,
                    Target::Shadow1D,      Target::Shadow2D,  Target::ShadowRect, Target::Shadow1DArray,
                    Target::Shadow2DArray, Target::ShadowCube};
    }
}

/// A new register whose components are written one after another.
struct Parameters {
    Shader& s;
    int reg;
    explicit Parameters(Shader& shader) : s(shader), reg(fresh_temp(shader)) {
        s.registers[static_cast<size_t>(reg)].writable = false;
    }
    std::string at(int c) const { return fmt::format("{}.{}", name(s, reg), kLetters[c]); }
    std::string all(int c) const { return fmt::format("{}.{}", name(s, reg), std::string(4, kLetters[c])); }

    void word(int c, uint32_t most) {
        const auto from = many_valued(s, most);
        mask_bits(s, at(c), from.text, from.values[0], most);
    }
    void number(int c, uint32_t most) {
        word(c, most);
        emit(s, fmt::format("U2F {}, {}", at(c), all(c)));
    }
    /// Writes first + step × (0 … most).
    void steps(int c, uint32_t most, double step, double first) {
        number(c, most);
        if (step == 1 && first == 0) return;
        const std::string last = imm_float(s, first);
        emit(s, fmt::format("MAD {}, {}, {}, {}", at(c), all(c), imm_float(s, step), last));
    }
};

/// The position in a texel of level 0, three eighths from its left edge. With eight texels it is inside a texel at
/// further levels too.
constexpr double kInside = 0.375;

void coordinates(Parameters& parameters, const tgsi::TargetShape& shape) {
    Shader& s = parameters.s;
    int next = shape.coords;
    if (shape.cube) {
        // One component of magnitude 1 selects the face; the others vary on it.
        const int major = static_cast<int>(s.random.below(3));
        for (int c = 0; c < 3; c++)
            if (c == major)
                parameters.steps(c, 1, 2, -1);
            else
                parameters.steps(c, 7, 0.25, (kInside - 4) / 4);
    } else {
        for (int c = 0; c < shape.coords; c++)
            shape.rect ? parameters.steps(c, 7, 1, kInside) : parameters.steps(c, 15, 0.125, kInside / 8 - 0.5);
    }
    if (shape.array) parameters.steps(next++, 3, 1, 0);
    // The reference follows the coordinates (semantics), in z at least.
    if (shape.shadow && next < 4) parameters.steps(std::max(next, 2), 15, 0.0625, 0.03125);
}

/// Sets one of four gradients, a different one in each lane, so that each matters in some lane. All computations of the
/// LOD that Vulkan permits select the same level: the gradient is 27/32 of a texel's width at level 1 or 2, so the LOD
/// is about a quarter of a level below that level, and at most as much above it.
void gradients(Parameters& parameters) {
    Shader& s = parameters.s;
    const auto from = many_valued(s, 3);
    const std::string size = imm_float(s, 0.2109375 * (1 + s.random.below(2)));
    mask_bits(s, parameters.at(0), from.text, from.values[0], 3);
    for (int k = 3; k >= 0; k--) {
        emit(s,
             fmt::format("USEQ {}, {}, {}", parameters.at(k), parameters.all(0), imm_int(s, static_cast<uint32_t>(k))));
        emit(s, fmt::format("AND {}, {}, {}", parameters.at(k), parameters.all(k), size));
    }
}

void integer_coordinates(Parameters& parameters, const tgsi::TargetShape& shape) {
    int next = 0;
    for (int c = 0; c < (shape.cube ? 2 : shape.coords); c++)
        parameters.word(next++, shape.coords == 3 && c == 2 ? 3 : 7);
    if (shape.cube) parameters.word(next++, 3);
    if (shape.array && !shape.cube) parameters.word(next++, 3);
    while (next < 3) parameters.word(next++, 0);
    parameters.word(3, shape.ms ? 3 : 0);
}

const char* type_name(tgsi::ReturnType type) {
    return type == tgsi::ReturnType::Uint ? "UINT" : type == tgsi::ReturnType::Sint ? "SINT" : "FLOAT";
}

/// Returns a texture of the target, existing or new, or −1. `floats`: not one of integers.
int declare(Shader& shader, Target target, bool view, bool floats = false) {
    for (size_t i = 0; i < shader.textures.size(); i++)
        if (shader.textures[i].target == target && (view || !shader.textures[i].resource) &&
            !(floats && shader.textures[i].type != tgsi::ReturnType::Float) && shader.chance(2))
            return static_cast<int>(i);
    // If an index chooses a sampler, all samplers are equal.
    if (shader.textures.size() >= kMaxTextures || (!shader.textures.empty() && shader.textures[0].twin)) return -1;
    const int index = static_cast<int>(shader.textures.size());
    GeneratedTexture t;
    t.target = target;
    if (!floats && !tgsi::shape(target).shadow && shader.chance(3))
        t.type = shader.chance(2) ? tgsi::ReturnType::Uint : tgsi::ReturnType::Sint;
    t.resource = view && shader.chance(4);
    t.twin = !t.resource && shader.textures.empty() && shader.chance(6);
    shader.declarations.push_back(t.twin ? fmt::format("DCL SAMP[{}..{}], ARRAY(1)", index, index + 1)
                                         : fmt::format("DCL SAMP[{}]", index));
    for (int i = index; i <= index + (t.twin ? 1 : 0); i++)
        shader.declarations.push_back(
            fmt::format("DCL {}[{}], {}, {}", t.resource ? "RES" : "SVIEW", i, tgsi::name(target), type_name(t.type)));
    shader.textures.push_back(t);
    if (t.twin) {
        t.twin = false;
        shader.textures.push_back(t);
    }
    return index;
}

std::string view_name(const Shader& shader, int index) {
    return fmt::format("{}[{}]", shader.textures[static_cast<size_t>(index)].resource ? "RES" : "SVIEW", index);
}

/// Returns `SAMP[1]`; of two like samplers either may be selected.
std::string sampler_name(Shader& shader, int index) {
    const std::string chosen =
        shader.textures[static_cast<size_t>(index)].twin && shader.chance(2) ? selector(shader, 2) : "";
    if (chosen.empty()) return fmt::format("SAMP[{}]", index);
    return fmt::format("SAMP[{}{}](1)", chosen, index == 0 ? "" : fmt::format("+{}", index));
}

void finish(Shader& shader, const std::string& op, const std::string& operands, const Value& v, uint8_t mask) {
    Values values;
    values.fill(v);
    const Dest to = dest(shader, mask, values);
    emit(shader, fmt::format("{} {}, {}", op, to.text(shader), operands));
    written(shader, to, values);
}

Value texel(const Shader& shader, int index) {
    const auto& t = shader.textures[static_cast<size_t>(index)];
    if (t.type != tgsi::ReturnType::Float) {
        Value v = any_int();
        v.fuzz = 1;
        return v;
    }
    const bool shadow = tgsi::shape(t.target).shadow;
    Value v = float_of(shadow ? 0 : -2, shadow ? 1 : 2);
    v.fuzz = 5;
    return v;
}

uint8_t random_mask(Shader& shader) {
    return static_cast<uint8_t>(shader.random.below(15) + 1);
}

bool sample(Shader& shader, const Row& row) {
    const bool view = is_view_opcode(row.op);
    const bool levels = row.op == Opcode::LODQ || row.op == Opcode::LOD;
    if ((row.implicit && is_fragment(shader) && !shader.uniform) || (levels && !is_fragment(shader))) return false;
    const auto targets = targets_of(row.op);
    const Target target = shader.any_of(targets);
    const auto shape = tgsi::shape(target);
    const int index = declare(shader, target, view);
    if (index < 0) return false;
    Parameters p(shader);
    // The LOD depends on differences alone: neither sums nor signs of coordinates matter.
    if (levels)
        for (int c = 0; c < shape.coords; c++) p.number(c, 15);
    else
        coordinates(p, shape);
    Parameters q(shader);
    std::string second;
    const bool in_w = row.op == Opcode::TXB || row.op == Opcode::TXL || row.op == Opcode::TXP;
    Parameters& place = in_w ? p : q;
    const int c = in_w ? 3 : 0;
    switch (row.extra) {
        case Extra::Bias:
            place.steps(c, 1, 0.75, 0.125);  // without derivatives it is the LOD: it selects level 0 or 1
            break;
        case Extra::Level:
            place.steps(c, 3, 1, 0.125);
            break;
        case Extra::Divisor:
            place.steps(c, 1, 0.5, 0.5);
            break;
        case Extra::Reference:
            q.steps(0, 15, 0.0625, 0.03125);
            break;
        case Extra::Gradients:
            gradients(q);
            break;
        default:
            break;
    }
    std::string text = name(shader, p.reg);
    const std::string sampler = view ? fmt::format("SAMP[{}]", index) : sampler_name(shader, index);
    if (view) {
        text += fmt::format(", {}, {}", view_name(shader, index), sampler);
        if (row.extra == Extra::Gradients)
            text += fmt::format(", {}.xyzx, {}.zwxx", name(shader, q.reg), name(shader, q.reg));
        else if (row.extra != Extra::None)
            text += ", " + q.all(0);
        if (row.op == Opcode::SAMPLE && shader.chance(4) && !shape.cube) text += ", " + offset(shader);
    } else {
        if (row.extra == Extra::Gradients)
            text += fmt::format(", {}.xyzx, {}.zwxx", name(shader, q.reg), name(shader, q.reg));
        if (row.extra == Extra::Component) text += ", " + imm_int(shader, shape.shadow ? 0 : shader.random.below(4));
        const bool pair = row.op == Opcode::TXB2 || row.op == Opcode::TXL2 || row.op == Opcode::TEX2;
        if (pair) text += ", " + q.all(0);
        text += fmt::format(", {}, {}", sampler, tgsi::name(target));
        const bool shifts = row.op != Opcode::TXP && row.op != Opcode::LODQ && !shape.cube;
        if (shifts && shader.chance(4)) text += ", " + offset(shader);
    }
    Value v = texel(shader, index);
    if (levels) v = Value{Kind::Float, -32, 32, kOnlyShown, kNoGrid, false};
    finish(shader, std::string(tgsi::info(row.op).mnemonic), text, v, levels ? 3 : random_mask(shader));
    return true;
}

bool fetch(Shader& shader, Opcode op) {
    const bool ms = op == Opcode::SAMPLE_I_MS;
    static constexpr Target kMs[] = {Target::T2DMS, Target::T2DArrayMS};
    static constexpr Target kOthers[] = {Target::T1D,      Target::T2D,  Target::T3D,   Target::T1DArray,
                                         Target::T2DArray, Target::Rect, Target::Buffer};
    std::vector<Target> targets;
    const bool texels = op == Opcode::TXF || op == Opcode::TXF_LZ;
    if (ms || texels)
        for (const Target t : kMs) targets.push_back(t);
    if (!ms)
        for (const Target t : kOthers)
            if (texels || (t != Target::Rect && t != Target::Buffer)) targets.push_back(t);
    const Target target = shader.any_of(targets);
    const auto shape = tgsi::shape(target);
    const int index = declare(shader, target, is_view_opcode(op));
    if (index < 0) return false;
    Parameters p(shader);
    integer_coordinates(p, shape);
    std::string text = name(shader, p.reg);
    if (is_view_opcode(op))
        text += fmt::format(", {}{}", view_name(shader, index), ms ? ", " + p.all(3) : "");
    else
        text += fmt::format(", SAMP[{}], {}", index, tgsi::name(target));
    Value v = texel(shader, index);
    v.fuzz = 1;
    finish(shader, std::string(tgsi::info(op).mnemonic), text, v, random_mask(shader));
    return true;
}

/// Returns components that a query of the target defines: sizes, layers, and in w the number of levels.
uint8_t queried(Shader& shader, Target target) {
    const auto shape = tgsi::shape(target);
    const int sizes = (shape.cube ? 2 : shape.coords) + (shape.array ? 1 : 0);
    const auto defined = static_cast<uint8_t>(8 | ((1 << sizes) - 1));
    const auto some = static_cast<uint8_t>(random_mask(shader) & defined);
    return some == 0 ? defined : some;
}

bool query(Shader& shader, Opcode op) {
    const bool ms = op == Opcode::TXQS || op == Opcode::SAMPLE_INFO || op == Opcode::SAMPLE_POS;
    const std::vector<Target> plain = {Target::T1D,      Target::T2D,      Target::T3D,       Target::Cube,
                                       Target::T1DArray, Target::T2DArray, Target::CubeArray, Target::Rect};
    const std::vector<Target> samples = {Target::T2DMS, Target::T2DArrayMS};
    const Target target = shader.any_of(ms ? samples : plain);
    const int index = declare(shader, target, is_view_opcode(op));
    if (index < 0) return false;
    const std::string mnemonic(tgsi::info(op).mnemonic);
    const Value v = int_of(0, 64, true);
    Value shown = float_of(0, 1);
    shown.fuzz = kOnlyShown;
    const std::string zero = imm_int(shader, 0), view = view_name(shader, index);
    const std::string sampler = fmt::format("SAMP[{}], {}", index, tgsi::name(target));
    switch (op) {
        case Opcode::TXQ:
            finish(shader, mnemonic, zero + ", " + sampler, v, queried(shader, target));
            return true;
        case Opcode::TXQS:
            finish(shader, mnemonic, sampler, v, 1);
            return true;
        case Opcode::SVIEWINFO:
            finish(shader, mnemonic, zero + ", " + view, v, queried(shader, target));
            return true;
        case Opcode::SAMPLE_INFO:
            finish(shader, mnemonic, view + ".xxxx", v, 1);
            return true;
        default:
            finish(shader, mnemonic, view + ", " + imm_int(shader, shader.random.below(4)), shown, 3);
            return true;
    }
}

/// Makes a handle and uses it at once.
bool handle(Shader& shader) {
    const int index = declare(shader, Target::T2D, false, true);
    if (index < 0) return false;
    Parameters p(shader), h(shader);
    coordinates(p, tgsi::shape(Target::T2D));
    emit(shader, fmt::format("SAMP2HND {}.xy, SAMP[{}], 2D", name(shader, h.reg), index));
    finish(shader, "TEX_LZ", fmt::format("{}, {}.xyxy, 2D", name(shader, p.reg), name(shader, h.reg)),
           texel(shader, index), random_mask(shader));
    return true;
}

}  // namespace

std::string offset(Shader& shader) {
    constexpr int kMax = 2;
    const auto drawn = static_cast<int>(shader.random.between(-kMax, kMax));
    // The offset is one literal component, replicated. Some of the negative ones are written with modifiers.
    const auto replicated = [&shader](int value) {
        const std::string text = imm_int(shader, static_cast<uint32_t>(value));
        return text.substr(0, text.size() - 1);
    };
    switch (drawn) {
        case -1:
            return "-" + replicated(1);
        case -kMax:
            return "-|" + replicated(-kMax) + "|";
        default:
            return replicated(drawn);
    }
}

bool texture_instruction(Shader& shader, Opcode op) {
    for (const auto& row : kRows)
        if (row.op == op) return sample(shader, row);
    switch (op) {
        case Opcode::TXF:
        case Opcode::TXF_LZ:
        case Opcode::SAMPLE_I:
        case Opcode::SAMPLE_I_MS:
            return fetch(shader, op);
        case Opcode::TXQ:
        case Opcode::TXQS:
        case Opcode::SVIEWINFO:
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            return query(shader, op);
        case Opcode::SAMP2HND:
            return handle(shader);
        default:
            return false;
    }
}

}  // namespace tgsi2spv::difftest::generate
