// Memory: a lane writes its own words. Shared words are read, or changed by atomics whose order does not matter.
#include <fmt/format.h>

#include <algorithm>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;
using tgsi::Stage;

constexpr char kLetters[] = "xyzw";

std::string all(const std::string& reg, int c) {
    return fmt::format("{}.{}", reg, std::string(4, kLetters[c]));
}

/// Adds a declaration unless it exists.
void declare(Shader& shader, const std::string& line) {
    for (const auto& d : shader.declarations)
        if (d == line) return;
    shader.declarations.push_back(line);
}

std::string own_address(const Shader& shader) {
    return all(name(shader, shader.lane_register), 1);
}

uint8_t random_mask(Shader& shader) {
    return static_cast<uint8_t>(shader.random.below(15) + 1);
}

void result(Shader& shader, const std::string& op, const std::string& operands, const Value& v, uint8_t mask) {
    Values values;
    values.fill(v);
    const Dest to = dest(shader, mask, values);
    emit(shader, fmt::format("{} {}, {}", op, to.text(shader), operands));
    written(shader, to, values);
}

// Buffers: 4 has 16 bytes for each lane, 5 is read, 6 is changed by all lanes. 7 is accessed as RES[7], raw.
constexpr int kOwn = 4, kRead = 5, kShared = 6, kRaw = 7;

std::string qualifiers(Shader& shader) {
    constexpr const char* kAll[] = {"", ", COHERENT", ", RESTRICT", ", VOLATILE"};
    return kAll[shader.random.below(4)];
}

/// Whether each lane is executed only once. Otherwise a lane cannot know the value that it reads back from its own
/// memory.
bool once(const Shader& shader) {
    return shader.stage == Stage::Fragment || shader.stage == Stage::Compute;
}

/// Accesses PRIVATE memory (undefined before the lane writes it), GLOBAL memory (each lane its own words), or kernel
/// arguments.
bool named_memory(Shader& shader) {
    if (shader.stage != Stage::Compute) return false;
    const auto place = [&](const char* by_name, int index, const char* kind) {
        if (shader.by_name) return std::string(by_name);
        declare(shader, fmt::format("DCL MEMORY[{}], {}", index, kind));
        return fmt::format("MEMORY[{}]", index);
    };
    if (shader.chance(3)) {
        const std::string from = place("RINPUT", 3, "INPUT");
        const auto address = scalar(shader, {Kind::Int, 0, 1100, 0, false, false});
        result(shader, "LOAD", fmt::format("{}, {}", from, address.text), any_int(), random_mask(shader));
        return true;
    }
    const bool own = shader.chance(2);
    const std::string memory = own ? place("RPRIVATE", 1, "PRIVATE") : place("RGLOBAL", 2, "GLOBAL");
    const std::string address = own ? imm_int(shader, 4 * shader.random.below(8)) : own_address(shader);
    const auto data = source(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, false}, 15);
    const uint8_t mask = own ? 15 : random_mask(shader);
    emit(shader, fmt::format("STORE {}{}, {}, {}", memory, mask_text(mask), address, data.text));
    result(shader, "LOAD", fmt::format("{}, {}", memory, address), any_int(), random_mask(shader));
    return true;
}

bool load(Shader& shader) {
    if ((shader.by_name || shader.chance(4)) && named_memory(shader)) return true;
    if (shader.chance(3) && once(shader) && shader.lane_register >= 0) {
        declare(shader, fmt::format("DCL BUFFER[{}]", kOwn));
        const uint8_t mask = random_mask(shader);
        result(shader, "LOAD", fmt::format("BUFFER[{}], {}{}", kOwn, own_address(shader), qualifiers(shader)),
               any_int(), mask);
        return true;
    }
    if (shader.chance(4)) {
        declare(shader, "DCL CONSTBUF[1]");
        const auto address = scalar(shader, {Kind::Int, 0, 1100, 0, false, false});
        std::string buffer = "CONSTBUF[1]";
        if (shader.chance(2)) {
            declare(shader, "DCL ADDR[2]");
            emit(shader, fmt::format("UARL ADDR[2].x, {}", scalar(shader, {Kind::Int, 0, 3, 0, false, false}).text));
            buffer = "CONSTBUF[ADDR[2].x]";
        }
        result(shader, "LOAD", fmt::format("{}, {}", buffer, address.text), any_int(), random_mask(shader));
        return true;
    }
    declare(shader, fmt::format("DCL BUFFER[{}]", kRead));
    const auto address = scalar(shader, {Kind::Int, 0, 1100, 0, false, false});
    const uint8_t mask = random_mask(shader);
    result(shader, "LOAD", fmt::format("BUFFER[{}], {}{}", kRead, address.text, qualifiers(shader)), any_int(), mask);
    return true;
}

bool store(Shader& shader) {
    if (shader.lane_register < 0) return false;
    if ((shader.by_name || shader.chance(4)) && may_load(shader) && named_memory(shader)) return true;
    const bool words = shader.chance(2);
    const auto data = words ? source(shader, {Kind::Int, kMinInt, kMaxUint, 1, false, false}, 15)
                            : source(shader, {Kind::Float, -kMaxFloat, kMaxFloat, 5, false, false}, 15);
    if (shader.chance(4)) {
        declare(shader, fmt::format("DCL RES[{}], BUFFER, WR, RAW", kRaw));
        emit(shader, fmt::format("STORE RES[{}]{}, {}, {}", kRaw, mask_text(random_mask(shader)), own_address(shader),
                                 data.text));
        return true;
    }
    declare(shader, fmt::format("DCL BUFFER[{}]", kOwn));
    const std::string how = qualifiers(shader);
    emit(shader, fmt::format("STORE BUFFER[{}]{}, {}, {}{}", kOwn, mask_text(random_mask(shader)), own_address(shader),
                             data.text, how));
    return true;
}

std::string number(Shader& shader) {
    return scalar(shader, {Kind::Int, 0, 255, 0, false, false}).text;
}

std::string own_texel(Shader& shader);
std::string written_suffix(const Shader& shader);

/// Whether each lane has its own texel of image 0.
bool has_own_texel(const Shader& shader) {
    constexpr int kTexels = 64;
    return shader.lane_register >= 0 && shader.lanes <= kTexels;
}

/// Whether image 0 holds whole words and is accessed only through its register.
bool has_word_texels(Shader& shader) {
    if (!has_own_texel(shader) || shader.image_format > 1 || shader.image_way.value_or(Opcode::STORE) != Opcode::STORE)
        return false;
    shader.image_way = Opcode::STORE;
    return true;
}

/// An atomic on the lane's own word: the returned value is known, too.
bool own_atomic(Shader& shader, Opcode op) {
    const std::string mnemonic(tgsi::info(op).mnemonic);
    std::string operands;
    std::string suffix;
    if (op != Opcode::ATOMFADD && shader.chance(4) && has_word_texels(shader)) {
        operands = "IMAGE[0], " + own_texel(shader);
        suffix = written_suffix(shader);
    } else {
        declare(shader, fmt::format("DCL BUFFER[{}]", kOwn));
        operands = fmt::format("BUFFER[{}], {}", kOwn, own_address(shader));
    }
    if (op == Opcode::ATOMFADD) {
        // The word must hold a float first.
        const auto first = scalar(shader, {Kind::Float, -16, 16, 0, true, false});
        emit(shader, fmt::format("STORE BUFFER[{}].x, {}, {}", kOwn, own_address(shader), first.text));
        operands += ", " + scalar(shader, {Kind::Float, -16, 16, 0, true, false}).text;
    } else {
        operands += ", " + number(shader);
        if (op == Opcode::ATOMCAS) operands += ", " + number(shader);
    }
    operands += suffix;
    // VERT may be executed twice. Floats are added in a loop, which killed lanes leave at another time
    // (driver-bugs.md).
    if (!once(shader) || !may_load(shader) || (op == Opcode::ATOMFADD && shader.may_kill)) {
        const int reg = fresh_temp(shader);
        shader.registers[static_cast<size_t>(reg)].writable = false;
        emit(shader, fmt::format("{} {}.x, {}", mnemonic, name(shader, reg), operands));
        return true;
    }
    result(shader, mnemonic, operands, any_int(), static_cast<uint8_t>(1 << shader.random.below(4)));
    return true;
}

/// All lanes change one word with operations that commute. The returned values are not used.
bool shared_atomic(Shader& shader, Opcode op) {
    const bool repeatable = op != Opcode::ATOMUADD && op != Opcode::ATOMXOR;
    if ((shader.shared_atomic && *shader.shared_atomic != op) || (!once(shader) && !repeatable)) return false;
    shader.shared_atomic = op;
    declare(shader, fmt::format("DCL BUFFER[{}]", kShared));
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    const auto from = scalar(shader, {Kind::Int, 0, kMaxUint, 0, false, false});
    emit(shader, fmt::format("{} {}.x, BUFFER[{}], {}, {}", tgsi::info(op).mnemonic, name(shader, reg), kShared,
                             imm_int(shader, 4 * shader.random.below(8)), from.text));
    return true;
}

bool commutes(Opcode op) {
    switch (op) {
        case Opcode::ATOMUADD:
        case Opcode::ATOMAND:
        case Opcode::ATOMOR:
        case Opcode::ATOMXOR:
        case Opcode::ATOMUMAX:
        case Opcode::ATOMUMIN:
        case Opcode::ATOMIMAX:
        case Opcode::ATOMIMIN:
            return true;
        default:
            return false;
    }
}

// ---- images

struct Format {
    const char* name;
    Kind kind;
    double lo, hi;
};
// Storage images of these formats, and storage texel buffers, are on every device ("Required Format Support" of
// Vulkan).
constexpr Format kFormats[] = {
    {"PIPE_FORMAT_R32_UINT", Kind::Int, 0, kMaxUint},
    {"PIPE_FORMAT_R32_SINT", Kind::Int, kMinInt, 0x1p31 - 1},
    {"PIPE_FORMAT_R32_FLOAT", Kind::Float, -64, 64},
    {"PIPE_FORMAT_R32G32B32A32_FLOAT", Kind::Float, -64, 64},
    {"PIPE_FORMAT_R8G8B8A8_UNORM", Kind::Float, 0, 1},
    {"PIPE_FORMAT_R32G32B32A32_UINT", Kind::Int, 0, kMaxUint},
    {"PIPE_FORMAT_R8G8B8A8_SNORM", Kind::Float, -1, 1},
    {"PIPE_FORMAT_R8G8B8A8_UINT", Kind::Int, 0, 255},
    {"PIPE_FORMAT_R8G8B8A8_SINT", Kind::Int, -128, 127},
    {"PIPE_FORMAT_R16G16B16A16_UINT", Kind::Int, 0, 65535},
    {"PIPE_FORMAT_R16G16B16A16_SINT", Kind::Int, -32768, 32767},
    {"PIPE_FORMAT_R16G16B16A16_FLOAT", Kind::Float, -64, 64},
    {"PIPE_FORMAT_R32G32_SINT", Kind::Int, kMinInt, 0x1p31 - 1},
    {"PIPE_FORMAT_R32G32_FLOAT", Kind::Float, -64, 64},
};
static_assert(std::size(kFormats) == kImageFormats);

/// A target with a texel for each of 64 lanes has them in its first rows: the lane determines x and y, or x alone.
struct ImageTarget {
    const char* name;
    int lane_components;
    uint32_t others[2];  ///< sizes of the dimensions after x: rows, layers, faces
};
constexpr ImageTarget kImageTargets[] = {
    {"2D", 2, {8, 1}},     {"3D", 2, {8, 4}},         {"2D_ARRAY", 2, {8, 4}}, {"CUBE", 2, {8, 6}},
    {"BUFFER", 1, {1, 1}}, {"CUBEARRAY", 2, {8, 12}}, {"1D", 0, {1, 1}},       {"1D_ARRAY", 0, {4, 1}},
};
const ImageTarget& written_target(const Shader& shader) {
    return kImageTargets[shader.written_image];
}
const ImageTarget& read_target(const Shader& shader) {
    return kImageTargets[shader.read_image];
}

std::string suffix_of(const Shader& shader, const ImageTarget& target) {
    return fmt::format(", {}, {}", target.name, kFormats[shader.image_format].name);
}
std::string written_suffix(const Shader& shader) {
    return suffix_of(shader, written_target(shader));
}

int own_register(Shader& shader) {
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    return reg;
}

/// Returns the coordinates of the lane's texel of image 0.
std::string own_texel(Shader& shader) {
    const auto& target = written_target(shader);
    declare(shader, fmt::format("DCL IMAGE[0]{}, WR", written_suffix(shader)));
    const std::string at = name(shader, own_register(shader)), lane = all(name(shader, shader.lane_register), 0);
    if (target.lane_components == 1) {
        emit(shader, fmt::format("MOV {}, {}", at, lane));
        return all(at, 0);
    }
    emit(shader, fmt::format("AND {}.x, {}, {}", at, lane, imm_int(shader, 7)));
    emit(shader, fmt::format("USHR {}.y, {}, {}", at, lane, imm_int(shader, 3)));
    emit(shader, fmt::format("AND {0}.y, {1}, {2}", at, all(at, 1), imm_int(shader, 7)));
    emit(shader, fmt::format("MOV {}.z, {}", at, imm_int(shader, shader.random.below(target.others[1]))));
    return at + ".xyzz";
}

/// Accesses image 0, of which each lane writes its own texel, or reads image 1 anywhere.
bool image(Shader& shader, Opcode op) {
    const Format& format = kFormats[shader.image_format];
    if (op == Opcode::RESQ) {
        const bool first = shader.chance(2);
        const std::string suffix = suffix_of(shader, first ? written_target(shader) : read_target(shader));
        declare(shader, fmt::format("DCL IMAGE[{}]{}{}", first ? 0 : 1, suffix, first ? ", WR" : ""));
        result(shader, "RESQ", fmt::format("IMAGE[{}]{}", first ? 0 : 1, suffix), int_of(0, 64, true),
               static_cast<uint8_t>(shader.random.below(7) + 1));
        return true;
    }
    if (op == Opcode::STORE || (op == Opcode::IMG2HND)) {
        // Accesses to one image in two ways would be aliases, which drivers need not notice.
        if (!has_own_texel(shader) || shader.image_way.value_or(op) != op) return false;
        shader.image_way = op;
        const std::string texel = own_texel(shader);
        const auto data = source(shader, {format.kind, format.lo, format.hi, 0, false, false}, 15);
        std::string to = "IMAGE[0]";
        if (op == Opcode::IMG2HND) {
            to = name(shader, own_register(shader));
            emit(shader, fmt::format("IMG2HND {}.xy, IMAGE[0]{}", to, written_suffix(shader)));
        }
        emit(shader, fmt::format("STORE {}, {}, {}{}", to, texel, data.text, written_suffix(shader)));
        return true;
    }
    const auto& target = read_target(shader);
    declare(shader, fmt::format("DCL IMAGE[1]{}", suffix_of(shader, target)));
    const std::string at = name(shader, own_register(shader));
    const uint32_t sizes[] = {target.lane_components == 1 ? 64u : 8u, target.others[0], target.others[1]};
    for (int c = 0; c < 3; c++) {
        const std::string to = fmt::format("{}.{}", at, kLetters[c]);
        if (sizes[c] == 1) {
            emit(shader, fmt::format("MOV {}, {}", to, imm_int(shader, 0)));
        } else {
            const std::string size = imm_int(shader, sizes[c]);
            emit(shader, fmt::format("UMOD {}, {}, {}", to, many_valued(shader, sizes[c]).text, size));
        }
    }
    Value v = format.kind == Kind::Int ? any_int() : float_of(-64, 64);
    v.fuzz = 1;
    result(shader, "LOAD", fmt::format("IMAGE[1], {}.xyzz{}", at, suffix_of(shader, target)), v, random_mask(shader));
    return true;
}

// ---- counters, shared memory, fences

bool counter(Shader& shader) {
    if (!once(shader)) return false;
    declare(shader, "DCL HWATOMIC[0][0..1]");
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    const std::string more = imm_int(shader, 1 + shader.random.below(3)), nowhere = imm_int(shader, 0);
    emit(shader, fmt::format("ATOMUADD {}.x, HWATOMIC[0][{}], {}, {}", name(shader, reg), shader.random.below(2),
                             nowhere, more));
    return true;
}

/// Exchanges shared memory: each invocation writes and changes its own words, and reads those of another one after a
/// barrier.
bool exchange(Shader& shader) {
    if (shader.stage != Stage::Compute || !shader.uniform || shader.depth > 0 || shader.turns > 1) return false;
    constexpr Opcode kChanges[] = {Opcode::ATOMUADD, Opcode::ATOMXOR,  Opcode::ATOMUMAX,     Opcode::ATOMIMIN,
                                   Opcode::ATOMXCHG, Opcode::ATOMCAS,  Opcode::ATOMAND,      Opcode::ATOMOR,
                                   Opcode::ATOMIMAX, Opcode::ATOMUMIN, Opcode::ATOMINC_WRAP, Opcode::ATOMDEC_WRAP};
    if (!shader.by_name) declare(shader, "DCL MEMORY[0], SHARED");
    const std::string memory = shader.by_name ? "RLOCAL" : "MEMORY[0]";
    const std::string at = name(shader, own_register(shader));
    const auto last = static_cast<uint32_t>(shader.group - 1);
    emit(shader,
         fmt::format("AND {}.x, {}, {}", at, all(name(shader, shader.lane_register), 0), imm_int(shader, last)));
    emit(shader, fmt::format("SHL {}.x, {}, {}", at, all(at, 0), imm_int(shader, 4)));
    // The invocation at the other end is in another subgroup if there are several.
    const uint32_t apart = shader.chance(2) ? last : 1 + shader.random.below(last);
    emit(shader, fmt::format("XOR {}.y, {}, {}", at, all(at, 0), imm_int(shader, 16 * apart)));
    const auto data = source(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, false}, 15);
    emit(shader, "BARRIER");
    emit(shader, fmt::format("STORE {}, {}, {}", memory, all(at, 0), data.text));
    if (shader.chance(2)) {
        const Opcode op = kChanges[shader.random.below(std::size(kChanges))];
        std::string operands = fmt::format("{}, {}, {}", memory, all(at, 0), number(shader));
        if (op == Opcode::ATOMCAS) operands += ", " + number(shader);
        result(shader, std::string(tgsi::info(op).mnemonic), operands, any_int(),
               static_cast<uint8_t>(1 << shader.random.below(4)));
    }
    // The barrier orders memory by itself. lavapipe's fence also waits for other invocations, and would hide a missing
    // barrier.
    if (shader.featured == Opcode::MEMBAR || shader.chance(3))
        emit(shader, fmt::format("MEMBAR {}", imm_int(shader, 8 + 16)));
    emit(shader, "BARRIER");
    result(shader, "LOAD", fmt::format("{}, {}", memory, all(at, 1)), any_int(), random_mask(shader));
    return true;
}

}  // namespace

bool memory_instruction(Shader& shader, Opcode op) {
    switch (op) {
        case Opcode::LOAD:
            return may_load(shader) && (shader.chance(2) ? image(shader, op) : load(shader));
        case Opcode::STORE:
            return shader.chance(3) ? image(shader, op) : store(shader);
        case Opcode::RESQ:
            if (shader.chance(2)) return image(shader, op);
            declare(shader, fmt::format("DCL BUFFER[{}]", kRead));
            result(shader, "RESQ", fmt::format("BUFFER[{}]", kRead), int_of(0, 4096, true), 1);
            return true;
        case Opcode::IMG2HND:
            return image(shader, op);
        case Opcode::MEMBAR:
            if (!may_load(shader)) return false;  // lavapipe waits for the other lanes there (driver-bugs.md)
            emit(shader, fmt::format("MEMBAR {}", imm_int(shader, 1 + shader.random.below(31))));
            return true;
        case Opcode::LFENCE:
        case Opcode::SFENCE:
        case Opcode::MFENCE:
            if (!may_load(shader)) return false;
            declare(shader, fmt::format("DCL RES[{}], BUFFER, WR, RAW", kRaw));
            emit(shader, fmt::format("{} RES[{}]", tgsi::info(op).mnemonic, kRaw));
            return true;
        case Opcode::BARRIER:
            return exchange(shader);
        default:
            break;
    }
    if (tgsi::info(op).family != tgsi::Family::memory) return false;
    if (op == Opcode::ATOMUADD && shader.chance(4)) return counter(shader);
    if (commutes(op) && shader.chance(2)) return shared_atomic(shader, op);
    return shader.lane_register >= 0 && own_atomic(shader, op);
}

}  // namespace tgsi2spv::difftest::generate
