// Texts around a texture instruction or a memory instruction.
#include <algorithm>

#include "api/generated_texts.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv {
namespace {

using difftest::Random;
using tgsi::OperandType;
using tgsi::Target;

struct Stage {
    std::string_view head;
    std::string_view input;  ///< an operand that differs between lanes
    std::string_view end;    ///< shows TEMP[0]
};
constexpr Stage kStages[] = {
    {"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR", "IN[0]", "MOV OUT[0], TEMP[0]"},
    {"FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\nDCL IN[0], TEXCOORD[0], LINEAR, CENTROID\nDCL OUT[0], COLOR", "IN[0]",
     "KILL_IF IN[0].xxxx\nMOV OUT[0], TEMP[0]"},
    {"VERT\nDCL IN[0]\nDCL OUT[0], POSITION", "IN[0]", "MOV OUT[0], TEMP[0]"},
    {"COMP\nDCL SV[0], THREAD_ID", "SV[0]", "STORE BUFFER[0], IMM[1].wwww, TEMP[0]"},
    {R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], GENERIC[0]
DCL OUT[0], POSITION)",
     "IN[1][0]", "MOV OUT[0], TEMP[0]\nEMIT IMM[1].wwww"},
    {"TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], GENERIC[0]\nDCL OUT[0], POSITION", "IN[2][0]",
     "MOV OUT[0], TEMP[0]"},
};
constexpr std::string_view kMasks[] = {"", "", ".x", ".yw", ".xyz"};
constexpr std::string_view kFormats[] = {
    "NONE",         "R32_UINT",          "R32_SINT",        "R32_FLOAT",          "R8G8B8A8_UNORM",
    "R8_UINT",      "R16G16_SINT",       "R11G11B10_FLOAT", "R32G32B32A32_FLOAT", "R10G10B10A2_UNORM",
    "R16G16_SNORM", "R32G32B32A32_UINT", "B8G8R8A8_UNORM",
};
constexpr std::string_view kAtomicFormats[] = {"R32_UINT", "R32_SINT", "R32_FLOAT"};
constexpr uint32_t kRegisters = 3;  ///< of each file of resources

std::string target_word(Target target) {
    return std::string(tgsi::name(target));
}
Target any_target(Random& random) {
    return static_cast<Target>(1 + random.below(tgsi::kTargetCount - 1));
}

struct Shaper : TextWriter {
    const Stage& stage;

    explicit Shaper(Random& r) : TextWriter{r}, stage(kStages[r.below(std::size(kStages))]) {
        line(stage.head);
        line(R"(DCL ADDR[0]
DCL PRED[0]
DCL CONST[0..3]
DCL TEMP[0..5]
DCL TEMP[6..8], ARRAY(1)
DCL BUFFER[0..2])");
    }

    void begin() {
        line(
            R"(IMM[0] FLT32 {0.5, 0.25, 1, 2}
IMM[1] INT32 {1, -2, 3, 0}
IMM[2] INT32 {4, -20, 13, 1}
UARL ADDR[0], CONST[1]
MOV PRED[0], CONST[2]
MOV TEMP[1], CONST[3])");
    }
    std::string end() {
        line("ADD TEMP[0], TEMP[0], TEMP[1]\nADD TEMP[0], TEMP[0], TEMP[2]\nADD TEMP[0], TEMP[0], TEMP[3]");
        line(stage.end);
        line("END");
        return std::move(text);
    }

    std::string value() {
        const std::string input(stage.input);
        const std::string values[] = {input,
                                      "-" + input + ".wzyx",
                                      "|" + input + "|",
                                      "TEMP[1]",
                                      "IMM[0]",
                                      "IMM[1].yxwz",
                                      "IMM[2]",
                                      "CONST[0]",
                                      "IMM[1]",
                                      "TEMP[ADDR[0].x]",
                                      "TEMP[ADDR[0].y+6](1)"};
        return any(values);
    }
    std::string destination() {
        if (chance(12)) return "TEMP[ADDR[0].x+6](1)";
        const uint32_t n = random.below(4);
        return fmt::format("TEMP[{}]{}", n, any(kMasks));
    }
    std::string index(uint32_t n) {
        const std::string number = std::to_string(n);
        if (!chance(4)) return number;
        const std::string indices[] = {"ADDR[0].x", "ADDR[0].y", "CONST[0].x", "CONST[1].y+1", "ADDR[0].x-1"};
        return any(indices);
    }

    /// Calls `instruction` for the statements of the text; in some, they are in a loop or a branch.
    template <class Instruction>
    void in_flow(Instruction instruction) {
        const uint32_t count = chance(3) ? 2 + random.below(3) : 1;
        const bool loop = chance(6), branch = chance(6);
        if (loop) line("BGNLOOP");
        if (branch) line("UIF TEMP[1].xxxx");
        for (uint32_t i = 0; i < count; ++i) instruction(i == 0);
        if (branch) line("ENDIF");
        if (loop) line("UIF TEMP[1].yyyy\nBRK\nENDIF\nENDLOOP");
    }
};

// ---- textures

/// Elsewhere an offset is an error.
bool takes_offset(const tgsi::OpcodeInfo& o, Target target) {
    constexpr std::string_view kQueries[] = {"LOD", "LODQ", "SAMPLE_POS"};
    const tgsi::TargetShape shape = tgsi::shape(target);
    return o.dst[0] == OperandType::Float && std::ranges::find(kQueries, o.mnemonic) == std::end(kQueries) &&
           !shape.cube && !shape.buffer && !shape.ms;
}

struct TextureShaper : Shaper {
    Target targets[kRegisters]{};

    using Shaper::Shaper;

    void declare(tgsi::Form form, Target target, std::string_view type) {
        line("DCL SAMP[0..2]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL RES[0..2], 2D");
        constexpr std::string_view kTypes[] = {"FLOAT", "UNORM", "SINT", "UINT", "FLOAT, UINT, SINT, FLOAT"};
        const bool same = chance(3);                                   // only then may an index choose among them
        const bool undeclared = form == tgsi::Form::tex && chance(6);  // the instruction has the target
        for (uint32_t i = 0; i < kRegisters; ++i) {
            targets[i] = i == 0 || same ? target : any_target(random);
            const std::string of = i == 0 || same ? std::string(type) : any(kTypes);
            if (undeclared) continue;
            line("DCL SVIEW[{}], {}, {}", i, target_word(targets[i]), of);
        }
    }

    std::string operand(OperandType type, uint32_t n) {
        if (type == OperandType::Sampler) {
            if (chance(16)) return "CONST[0].xyxy";                                     // a handle
            constexpr std::string_view kComponents[] = {"", "", "", ".x", ".y", ".w"};  // that GATHER4 gathers
            const std::string sampler = "SAMP[" + index(n) + ']';
            return sampler + any(kComponents);
        }
        if (type == OperandType::SamplerView) {
            if (chance(16)) return "RES[" + index(n) + ']';
            constexpr std::string_view kSwizzles[] = {"", "", "", ".yxwz", ".x"};
            const std::string view = "SVIEW[" + index(n) + ']';
            return view + any(kSwizzles);
        }
        if (type == OperandType::Resource) return "IMAGE[0]";
        if (type == OperandType::Uint && !chance(4)) return "IMM[1].xxxx";  // the component that TG4 gathers
        return value();
    }
    void instruction(const tgsi::OpcodeInfo& o, uint32_t n) {
        std::string words(o.mnemonic);
        if (o.can_saturate && chance(6)) words += "_SAT";
        if (chance(12)) words += "_PRECISE";
        words += ' ' + destination();
        const uint32_t sources = o.min_src + random.below(static_cast<uint64_t>(o.max_src - o.min_src + 1));
        for (uint32_t i = 0; i < sources; ++i) words += ", " + operand(o.src[i], n);
        if (o.form == tgsi::Form::tex) words += ", " + target_word(chance(8) ? any_target(random) : targets[n]);
        if (chance(takes_offset(o, targets[n]) ? 2 : 16)) {
            constexpr std::string_view kOffsets[] = {"IMM[1].xyz", "IMM[1].www", "IMM[2].yzw", "TEMP[3].xyz",
                                                     "TEMP[1].xxx"};
            const bool four = o.mnemonic == "TG4" && chance(2);
            for (uint32_t i = 0; i < (four ? 4 : 1); ++i) words += ", " + any(kOffsets);
        }
        line(words);
    }
};

// ---- memory

struct MemoryShaper : Shaper {
    std::string images[kRegisters], formats[kRegisters];

    using Shaper::Shaper;

    void declare() {
        line("DCL MEMORY[0], SHARED\nDCL MEMORY[1], PRIVATE\nDCL MEMORY[2], GLOBAL\nDCL MEMORY[3], INPUT");
        line("DCL HWATOMIC[0][0..2]\nDCL HWATOMIC[1][0..3]");
        if (chance(2)) line("DCL CONSTBUF[0..1]");
        const bool same = chance(3);
        for (uint32_t i = 0; i < kRegisters; ++i) {
            images[i] = i > 0 && same ? images[0] : image_target();
            formats[i] = i > 0 && same ? formats[0] : chance(2) ? any(kAtomicFormats) : any(kFormats);
            line("DCL IMAGE[{}], {}, PIPE_FORMAT_{}, WR", i, images[i], formats[i]);
        }
        for (uint32_t i = 0; i < kRegisters; ++i) {
            constexpr std::string_view kAccess[] = {"", ", WR", ", WR", ", RAW", ", WR, RAW"};
            const std::string target = chance(2) ? "BUFFER" : image_target();
            line("DCL RES[{}], {}{}", i, target, any(kAccess));
        }
    }
    /// Images that are compared are errors in nearly every text.
    std::string image_target() {
        Target target = any_target(random);
        while (!chance(30) && (tgsi::shape(target).shadow || target == Target::Unknown)) target = any_target(random);
        return target_word(target);
    }

    struct MemoryOperand {
        std::string operand, suffix;
    };
    /// A place in `memory`, and the words that it adds after the instruction's operands.
    MemoryOperand place(std::string_view memory, bool written) {
        const uint32_t n = random.below(kRegisters);
        if (memory == "MEMORY") {
            const uint32_t of_four = random.below(4);
            return {fmt::format("MEMORY[{}]", of_four), {}};
        }
        if (memory == "HWATOMIC") {
            const uint32_t buffer = random.below(2);
            return {fmt::format("HWATOMIC[{}][{}]", buffer, index(n)), {}};
        }
        if (memory == "IMAGE") {
            const std::string operand = "IMAGE[" + index(n) + ']';
            const std::string target = chance(8) ? image_target() : images[n];
            if (formats[n] == "NONE" || chance(4)) return {operand, ", " + target};
            return {operand, ", " + target + ", PIPE_FORMAT_" + formats[n]};
        }
        if (memory == "handle") {
            const std::string target = image_target();
            return {written ? "TEMP[1]" : "CONST[0].xyxy", ", " + target + ", PIPE_FORMAT_" + any(kFormats)};
        }
        if (memory.starts_with('R') && memory != "RES") return {std::string(memory), {}};
        return {std::string(memory) + '[' + index(memory == "CONSTBUF" ? n % 2 : n) + ']', {}};
    }
    void instruction(const tgsi::OpcodeInfo& o, std::string_view memory) {
        constexpr std::string_view kQualifiers[] = {"", "", "", ", COHERENT", ", VOLATILE", ", RESTRICT, COHERENT"};
        constexpr std::string_view kPredicates[] = {"(PRED[0].x) ", "(!PRED[0].y) "};
        std::string words = chance(8) ? any(kPredicates) : "";
        words += o.mnemonic;
        std::string suffix;
        std::string_view separator = " ";
        const auto add = [&](const std::string& operand) {
            words += separator;
            words += operand;
            separator = ", ";
        };
        const auto add_place = [&](bool written) {
            MemoryOperand p = place(memory, written);
            if (written && memory != "handle") p.operand += any(kMasks);
            add(p.operand);
            suffix = p.suffix;
        };
        if (o.num_dst > 0) {
            if (o.dst[0] == OperandType::Resource)
                add_place(true);
            else
                add(destination());
        }
        for (uint32_t i = 0; i < o.num_src; ++i) {
            if (o.src[i] == OperandType::Resource)
                add_place(false);
            else
                add(o.num_dst == 0 ? "IMM[2].zzzz" : value());  // MEMBAR takes a literal
        }
        if (o.form != tgsi::Form::memory) return line(words);
        words += any(kQualifiers);
        line(words + suffix);
    }
};

const tgsi::OpcodeInfo& any_of_family(Random& random, tgsi::Family family) {
    while (true) {
        const tgsi::OpcodeInfo& o = tgsi::kOpcodes[random.below(tgsi::kOpcodeCount)];
        if (o.family == family) return o;
    }
}

}  // namespace

std::string texture_text(Random& random, tgsi::Opcode op, Target target, std::string_view type) {
    TextureShaper s(random);
    s.declare(tgsi::info(op).form, target, type);
    s.begin();
    s.in_flow([&](bool first) {
        if (first) return s.instruction(tgsi::info(op), 0);
        const tgsi::OpcodeInfo& other = any_of_family(random, tgsi::Family::texture);
        s.instruction(other, random.below(kRegisters));
    });
    return s.end();
}

std::string memory_text(Random& random, tgsi::Opcode op, std::string_view memory) {
    MemoryShaper s(random);
    s.declare();
    s.begin();
    s.in_flow([&](bool first) {
        if (first) return s.instruction(tgsi::info(op), memory);
        const tgsi::OpcodeInfo& other = any_of_family(random, tgsi::Family::memory);
        s.instruction(other, s.any(kMemories));
    });
    return s.end();
}

}  // namespace tgsi2spv
