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
void declare(Shader& s, const std::string& line) {
    for (const auto& d : s.declarations)
        if (d == line) return;
    s.declarations.push_back(line);
}

std::string own_address(const Shader& s) {
    return all(name(s, s.lane_register), 1);
}

uint8_t random_mask(Shader& s) {
    return static_cast<uint8_t>(s.random.below(15) + 1);
}

void result(Shader& s, const std::string& op, const std::string& operands, const Value& v, uint8_t mask) {
    Values values;
    values.fill(v);
    const Dest to = dest(s, mask, values);
    emit(s, fmt::format("{} {}, {}", op, to.text(s), operands));
    written(s, to, values);
}

// Buffers: 4 has 16 bytes for each lane, 5 is read, 6 is changed by all lanes. 7 is accessed as RES[7], raw.
constexpr int kOwn = 4, kRead = 5, kShared = 6, kRaw = 7;

std::string qualifiers(Shader& s) {
    constexpr const char* kAll[] = {"", ", COHERENT", ", RESTRICT", ", VOLATILE"};
    return kAll[s.random.below(4)];
}

/// Whether each lane is executed only once. Otherwise a lane does not know what it reads back from its own memory.
bool once(const Shader& s) {
    return s.stage == Stage::Fragment || s.stage == Stage::Compute;
}

/// Accesses PRIVATE memory (undefined before the lane writes it), GLOBAL memory (each lane its own words), or kernel
/// arguments.
bool named_memory(Shader& s) {
    if (s.stage != Stage::Compute) return false;
    const auto place = [&](const char* by_name, int index, const char* kind) {
        if (s.by_name) return std::string(by_name);
        declare(s, fmt::format("DCL MEMORY[{}], {}", index, kind));
        return fmt::format("MEMORY[{}]", index);
    };
    if (s.chance(3)) {
        const std::string from = place("RINPUT", 3, "INPUT");
        const auto address = scalar(s, {Kind::Int, 0, 1100, 0, false, false});
        result(s, "LOAD", fmt::format("{}, {}", from, address.text), any_int(), random_mask(s));
        return true;
    }
    const bool own = s.chance(2);
    const std::string memory = own ? place("RPRIVATE", 1, "PRIVATE") : place("RGLOBAL", 2, "GLOBAL");
    const std::string address = own ? imm_int(s, 4 * s.random.below(8)) : own_address(s);
    const auto data = source(s, {Kind::Int, kMinInt, kMaxUint, 0, false, false}, 15);
    const uint8_t mask = own ? 15 : random_mask(s);
    emit(s, fmt::format("STORE {}{}, {}, {}", memory, mask_text(mask), address, data.text));
    result(s, "LOAD", fmt::format("{}, {}", memory, address), any_int(), random_mask(s));
    return true;
}

bool load(Shader& s) {
    if ((s.by_name || s.chance(4)) && named_memory(s)) return true;
    if (s.chance(3) && once(s) && s.lane_register >= 0) {
        declare(s, fmt::format("DCL BUFFER[{}]", kOwn));
        const uint8_t mask = random_mask(s);
        result(s, "LOAD", fmt::format("BUFFER[{}], {}{}", kOwn, own_address(s), qualifiers(s)), any_int(), mask);
        return true;
    }
    if (s.chance(4)) {
        declare(s, "DCL CONSTBUF[1]");
        const auto address = scalar(s, {Kind::Int, 0, 1100, 0, false, false});
        std::string buffer = "CONSTBUF[1]";
        if (s.chance(2)) {
            declare(s, "DCL ADDR[2]");
            emit(s, fmt::format("UARL ADDR[2].x, {}", scalar(s, {Kind::Int, 0, 3, 0, false, false}).text));
            buffer = "CONSTBUF[ADDR[2].x]";
        }
        result(s, "LOAD", fmt::format("{}, {}", buffer, address.text), any_int(), random_mask(s));
        return true;
    }
    declare(s, fmt::format("DCL BUFFER[{}]", kRead));
    const auto address = scalar(s, {Kind::Int, 0, 1100, 0, false, false});
    const uint8_t mask = random_mask(s);
    result(s, "LOAD", fmt::format("BUFFER[{}], {}{}", kRead, address.text, qualifiers(s)), any_int(), mask);
    return true;
}

bool store(Shader& s) {
    if (s.lane_register < 0) return false;
    if ((s.by_name || s.chance(4)) && may_load(s) && named_memory(s)) return true;
    const bool words = s.chance(2);
    const auto data = words ? source(s, {Kind::Int, kMinInt, kMaxUint, 1, false, false}, 15)
                            : source(s, {Kind::Float, -kMaxFloat, kMaxFloat, 5, false, false}, 15);
    if (s.chance(4)) {
        declare(s, fmt::format("DCL RES[{}], BUFFER, WR, RAW", kRaw));
        emit(s, fmt::format("STORE RES[{}]{}, {}, {}", kRaw, mask_text(random_mask(s)), own_address(s), data.text));
        return true;
    }
    declare(s, fmt::format("DCL BUFFER[{}]", kOwn));
    const std::string how = qualifiers(s);
    emit(s,
         fmt::format("STORE BUFFER[{}]{}, {}, {}{}", kOwn, mask_text(random_mask(s)), own_address(s), data.text, how));
    return true;
}

std::string number(Shader& s) {
    return scalar(s, {Kind::Int, 0, 255, 0, false, false}).text;
}

std::string own_texel(Shader& s);
std::string written_suffix(const Shader& s);

/// Whether each lane has its own texel of image 0.
bool has_own_texel(const Shader& s) {
    constexpr int kTexels = 64;
    return s.lane_register >= 0 && s.lanes <= kTexels;
}

/// Whether image 0 holds whole words and is accessed only through its register.
bool has_word_texels(Shader& s) {
    if (!has_own_texel(s) || s.image_format > 1 || s.image_way.value_or(Opcode::STORE) != Opcode::STORE) return false;
    s.image_way = Opcode::STORE;
    return true;
}

/// An atomic on the lane's own word: the returned value is known, too.
bool own_atomic(Shader& s, Opcode op) {
    const std::string mnemonic(tgsi::info(op).mnemonic);
    std::string operands;
    std::string suffix;
    if (op != Opcode::ATOMFADD && s.chance(4) && has_word_texels(s)) {
        operands = "IMAGE[0], " + own_texel(s);
        suffix = written_suffix(s);
    } else {
        declare(s, fmt::format("DCL BUFFER[{}]", kOwn));
        operands = fmt::format("BUFFER[{}], {}", kOwn, own_address(s));
    }
    if (op == Opcode::ATOMFADD) {
        // The word must hold a float first.
        const auto first = scalar(s, {Kind::Float, -16, 16, 0, true, false});
        emit(s, fmt::format("STORE BUFFER[{}].x, {}, {}", kOwn, own_address(s), first.text));
        operands += ", " + scalar(s, {Kind::Float, -16, 16, 0, true, false}).text;
    } else {
        operands += ", " + number(s);
        if (op == Opcode::ATOMCAS) operands += ", " + number(s);
    }
    operands += suffix;
    // VERT may be executed twice. Floats are added in a loop, which killed lanes leave at another time
    // (driver-bugs.md).
    if (!once(s) || !may_load(s) || (op == Opcode::ATOMFADD && s.may_kill)) {
        const int reg = fresh_temp(s);
        s.registers[static_cast<size_t>(reg)].writable = false;
        emit(s, fmt::format("{} {}.x, {}", mnemonic, name(s, reg), operands));
        return true;
    }
    result(s, mnemonic, operands, any_int(), static_cast<uint8_t>(1 << s.random.below(4)));
    return true;
}

/// All lanes change one word with operations that commute. The returned values are not used.
bool shared_atomic(Shader& s, Opcode op) {
    const bool repeatable = op != Opcode::ATOMUADD && op != Opcode::ATOMXOR;
    if ((s.shared_atomic && *s.shared_atomic != op) || (!once(s) && !repeatable)) return false;
    s.shared_atomic = op;
    declare(s, fmt::format("DCL BUFFER[{}]", kShared));
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    const auto from = scalar(s, {Kind::Int, 0, kMaxUint, 0, false, false});
    emit(s, fmt::format("{} {}.x, BUFFER[{}], {}, {}", tgsi::info(op).mnemonic, name(s, reg), kShared,
                        imm_int(s, 4 * s.random.below(8)), from.text));
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
const ImageTarget& written_target(const Shader& s) {
    return kImageTargets[s.written_image];
}
const ImageTarget& read_target(const Shader& s) {
    return kImageTargets[s.read_image];
}

std::string suffix_of(const Shader& s, const ImageTarget& target) {
    return fmt::format(", {}, {}", target.name, kFormats[s.image_format].name);
}
std::string written_suffix(const Shader& s) {
    return suffix_of(s, written_target(s));
}

int own_register(Shader& s) {
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    return reg;
}

/// Returns the coordinates of the lane's texel of image 0.
std::string own_texel(Shader& s) {
    const auto& target = written_target(s);
    declare(s, fmt::format("DCL IMAGE[0]{}, WR", written_suffix(s)));
    const std::string at = name(s, own_register(s)), lane = all(name(s, s.lane_register), 0);
    if (target.lane_components == 1) {
        emit(s, fmt::format("MOV {}, {}", at, lane));
        return all(at, 0);
    }
    emit(s, fmt::format("AND {}.x, {}, {}", at, lane, imm_int(s, 7)));
    emit(s, fmt::format("USHR {}.y, {}, {}", at, lane, imm_int(s, 3)));
    emit(s, fmt::format("AND {0}.y, {1}, {2}", at, all(at, 1), imm_int(s, 7)));
    emit(s, fmt::format("MOV {}.z, {}", at, imm_int(s, s.random.below(target.others[1]))));
    return at + ".xyzz";
}

/// Accesses image 0, of which each lane writes its own texel, or reads image 1 anywhere.
bool image(Shader& s, Opcode op) {
    const Format& format = kFormats[s.image_format];
    if (op == Opcode::RESQ) {
        const bool first = s.chance(2);
        const std::string suffix = suffix_of(s, first ? written_target(s) : read_target(s));
        declare(s, fmt::format("DCL IMAGE[{}]{}{}", first ? 0 : 1, suffix, first ? ", WR" : ""));
        result(s, "RESQ", fmt::format("IMAGE[{}]{}", first ? 0 : 1, suffix), int_of(0, 64, true),
               static_cast<uint8_t>(s.random.below(7) + 1));
        return true;
    }
    if (op == Opcode::STORE || (op == Opcode::IMG2HND)) {
        // Accesses to one image in two ways would be aliases, which drivers need not notice.
        if (!has_own_texel(s) || s.image_way.value_or(op) != op) return false;
        s.image_way = op;
        const std::string texel = own_texel(s);
        const auto data = source(s, {format.kind, format.lo, format.hi, 0, false, false}, 15);
        std::string to = "IMAGE[0]";
        if (op == Opcode::IMG2HND) {
            to = name(s, own_register(s));
            emit(s, fmt::format("IMG2HND {}.xy, IMAGE[0]{}", to, written_suffix(s)));
        }
        emit(s, fmt::format("STORE {}, {}, {}{}", to, texel, data.text, written_suffix(s)));
        return true;
    }
    const auto& target = read_target(s);
    declare(s, fmt::format("DCL IMAGE[1]{}", suffix_of(s, target)));
    const std::string at = name(s, own_register(s));
    const uint32_t sizes[] = {target.lane_components == 1 ? 64u : 8u, target.others[0], target.others[1]};
    for (int c = 0; c < 3; c++) {
        const std::string to = fmt::format("{}.{}", at, kLetters[c]);
        if (sizes[c] == 1) {
            emit(s, fmt::format("MOV {}, {}", to, imm_int(s, 0)));
        } else {
            const std::string size = imm_int(s, sizes[c]);
            emit(s, fmt::format("UMOD {}, {}, {}", to, many_valued(s, sizes[c]).text, size));
        }
    }
    Value v = format.kind == Kind::Int ? any_int() : float_of(-64, 64);
    v.fuzz = 1;
    result(s, "LOAD", fmt::format("IMAGE[1], {}.xyzz{}", at, suffix_of(s, target)), v, random_mask(s));
    return true;
}

// ---- counters, shared memory, fences

bool counter(Shader& s) {
    if (!once(s)) return false;
    declare(s, "DCL HWATOMIC[0][0..1]");
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    const std::string more = imm_int(s, 1 + s.random.below(3)), nowhere = imm_int(s, 0);
    emit(s, fmt::format("ATOMUADD {}.x, HWATOMIC[0][{}], {}, {}", name(s, reg), s.random.below(2), nowhere, more));
    return true;
}

/// Exchanges shared memory: each invocation writes and changes its own words, and reads those of another one after a
/// barrier.
bool exchange(Shader& s) {
    if (s.stage != Stage::Compute || !s.uniform || s.depth > 0 || s.turns > 1) return false;
    constexpr Opcode kChanges[] = {Opcode::ATOMUADD, Opcode::ATOMXOR,  Opcode::ATOMUMAX,     Opcode::ATOMIMIN,
                                   Opcode::ATOMXCHG, Opcode::ATOMCAS,  Opcode::ATOMAND,      Opcode::ATOMOR,
                                   Opcode::ATOMIMAX, Opcode::ATOMUMIN, Opcode::ATOMINC_WRAP, Opcode::ATOMDEC_WRAP};
    if (!s.by_name) declare(s, "DCL MEMORY[0], SHARED");
    const std::string memory = s.by_name ? "RLOCAL" : "MEMORY[0]";
    const std::string at = name(s, own_register(s));
    const auto last = static_cast<uint32_t>(s.group - 1);
    emit(s, fmt::format("AND {}.x, {}, {}", at, all(name(s, s.lane_register), 0), imm_int(s, last)));
    emit(s, fmt::format("SHL {}.x, {}, {}", at, all(at, 0), imm_int(s, 4)));
    // The invocation at the other end is in another subgroup if there are several.
    const uint32_t apart = s.chance(2) ? last : 1 + s.random.below(last);
    emit(s, fmt::format("XOR {}.y, {}, {}", at, all(at, 0), imm_int(s, 16 * apart)));
    const auto data = source(s, {Kind::Int, kMinInt, kMaxUint, 0, false, false}, 15);
    emit(s, "BARRIER");
    emit(s, fmt::format("STORE {}, {}, {}", memory, all(at, 0), data.text));
    if (s.chance(2)) {
        const Opcode op = kChanges[s.random.below(std::size(kChanges))];
        std::string operands = fmt::format("{}, {}, {}", memory, all(at, 0), number(s));
        if (op == Opcode::ATOMCAS) operands += ", " + number(s);
        result(s, std::string(tgsi::info(op).mnemonic), operands, any_int(),
               static_cast<uint8_t>(1 << s.random.below(4)));
    }
    // The barrier orders memory by itself. lavapipe's fence also waits for other invocations, and would hide a missing
    // barrier.
    if (s.featured == Opcode::MEMBAR || s.chance(3)) emit(s, fmt::format("MEMBAR {}", imm_int(s, 8 + 16)));
    emit(s, "BARRIER");
    result(s, "LOAD", fmt::format("{}, {}", memory, all(at, 1)), any_int(), random_mask(s));
    return true;
}

}  // namespace

bool memory_instruction(Shader& s, Opcode op) {
    switch (op) {
        case Opcode::LOAD:
            return may_load(s) && (s.chance(2) ? image(s, op) : load(s));
        case Opcode::STORE:
            return s.chance(3) ? image(s, op) : store(s);
        case Opcode::RESQ:
            if (s.chance(2)) return image(s, op);
            declare(s, fmt::format("DCL BUFFER[{}]", kRead));
            result(s, "RESQ", fmt::format("BUFFER[{}]", kRead), int_of(0, 4096, true), 1);
            return true;
        case Opcode::IMG2HND:
            return image(s, op);
        case Opcode::MEMBAR:
            if (!may_load(s)) return false;  // lavapipe waits for the other lanes there (driver-bugs.md)
            emit(s, fmt::format("MEMBAR {}", imm_int(s, 1 + s.random.below(31))));
            return true;
        case Opcode::LFENCE:
        case Opcode::SFENCE:
        case Opcode::MFENCE:
            if (!may_load(s)) return false;
            declare(s, fmt::format("DCL RES[{}], BUFFER, WR, RAW", kRaw));
            emit(s, fmt::format("{} RES[{}]", tgsi::info(op).mnemonic, kRaw));
            return true;
        case Opcode::BARRIER:
            return exchange(s);
        default:
            break;
    }
    if (tgsi::info(op).family != tgsi::Family::memory) return false;
    if (op == Opcode::ATOMUADD && s.chance(4)) return counter(s);
    if (commutes(op) && s.chance(2)) return shared_atomic(s, op);
    return s.lane_register >= 0 && own_atomic(s, op);
}

}  // namespace tgsi2spv::difftest::generate
