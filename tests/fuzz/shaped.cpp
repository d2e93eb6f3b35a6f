#include "shaped.h"

#include <iterator>
#include <utility>

#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"

namespace fuzz {

using namespace tgsi2spv;

namespace {

template <size_t N>
std::string_view one_of(Random& random, const std::string_view (&words)[N]) {
    return words[random.below(N)];
}
bool chance(Random& random, size_t in) {
    return random.below(in) == 0;
}

struct StageText {
    tgsi::Stage stage;
    std::string_view head;    ///< the stage's keyword, properties, inputs and outputs
    std::string_view value;   ///< a system value
    std::string_view input;   ///< the text before the register's index
    std::string_view output;  ///< a register that may be written
    std::string_view result;  ///< statements that output TEMP[0]
};
constexpr StageText kStages[] = {
    {tgsi::Stage::Vertex, "VERT\nDCL IN[0..2]\nDCL OUT[0], POSITION\n", "VERTEXID", "IN", "OUT[0]",
     "MOV OUT[0], TEMP[0]\n"},
    {tgsi::Stage::Fragment, "FRAG\nDCL IN[0..2], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n", "FACE", "IN", "OUT[0]",
     "MOV OUT[0], TEMP[0]\n"},
    {tgsi::Stage::Geometry,
     "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
     "PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0..2], GENERIC[0]\nDCL OUT[0], POSITION\n",
     "INVOCATIONID", "IN[0]", "OUT[0]", "MOV OUT[0], TEMP[0]\nEMIT IMM[1].x\n"},
    {tgsi::Stage::TessControl,
     "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0..2], GENERIC[0]\nDCL OUT[0], PATCH[0]\n", "INVOCATIONID",
     "IN[0]", "OUT[0]", "MOV OUT[0], TEMP[0]\n"},
    {tgsi::Stage::TessEval,
     "TESS_EVAL\nPROPERTY TES_PRIM_MODE TRIANGLES\nDCL IN[][0..2], GENERIC[0]\n"
     "DCL OUT[0], POSITION\n",
     "TESSCOORD", "IN[0]", "OUT[0]", "MOV OUT[0], TEMP[0]\n"},
    {tgsi::Stage::Compute,
     "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 2\nPROPERTY CS_FIXED_BLOCK_HEIGHT 2\n"
     "PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL MEMORY[0..1], SHARED\n",
     "THREAD_ID", "SV[0]", "TEMP[2]", "STORE BUFFER[0], IMM[1].x, TEMP[0]\n"},
};

// Mostly indices that are valid in a file of two registers; in the second half, an index may be relative or far
// outside.
constexpr std::string_view kIndices[] = {"0",        "1",       "ADDR[0].x",     "TEMP[0].x+1", "ADDR[0].y-1",
                                         "IMM[1].y", "SV[0].x", "CONST[0][1].x", "TEMP[0].x-1", "1048575"};
constexpr std::string_view kSwizzles[] = {"", ".x", ".y", ".xyzw", ".wzyx", ".zwzw", ".xxyy", ".w", ".xyxy"};
constexpr std::string_view kMasks[] = {"", ".x", ".xy", ".xyz", ".w", ".yz", ".xyzw", ".zw"};
constexpr std::string_view kFormats[] = {"R32_UINT", "R8G8B8A8_UNORM", "R32_FLOAT",
                                         "R32_SINT", "NONE",           "R32G32B32A32_UINT"};
constexpr std::string_view kTypes[] = {"FLOAT", "UINT", "SINT", "UNORM", "FLOAT, UINT, SINT, FLOAT"};
constexpr std::string_view kMemory[] = {"BUFFER",      "IMAGE",    "MEMORY",  "RES",
                                        "HWATOMIC[0]", "CONSTBUF", "RGLOBAL", "RINPUT"};
constexpr std::string_view kValues[] = {"TEMP", "CONST[0]", "IMM", "ADDR", "CONST", "PRED"};
constexpr std::string_view kWritten[] = {"TEMP", "ADDR", "PRED", "TEMP"};

std::string_view target(Random& random) {
    return tgsi::name(static_cast<tgsi::Target>(1 + random.below(tgsi::kTargetCount - 1)));
}
std::string indexed(Random& random, std::string_view file) {
    return std::string(file) + '[' +
           std::string(kIndices[random.below(chance(random, 4) ? std::size(kIndices) - !chance(random, 20) : 2)]) + ']';
}

struct Shaper {
    Random& random;
    const StageText& stage;
    std::string text{};

    void declare() {
        text += stage.head;
        text +=
            "DCL TEMP[0..2], ARRAY(1), LOCAL\nDCL ADDR[0..1]\nDCL CONST[0][0..7]\nDCL PRED[0..1]\n"
            "DCL SV[0], ";
        text += stage.value;
        text += "\nDCL SAMP[0..1]\n";
        for (const char* view : {"SVIEW[0]", "SVIEW[1]", "RES[0]"}) {
            if (chance(random, 3)) continue;          // its use declares it
            const std::string shape(target(random));  // a separate statement fixes the order of draws
            text += std::string("DCL ") + view + ", " + shape + ", " + std::string(one_of(random, kTypes)) + '\n';
        }
        for (const char* image : {"IMAGE[0]", "IMAGE[1]"}) {
            if (chance(random, 4)) continue;
            const std::string shape(target(random));
            text += std::string("DCL ") + image + ", " + shape + ", PIPE_FORMAT_" +
                    std::string(one_of(random, kFormats)) + ", WR\n";
        }
        text += chance(random, 2) ? "DCL BUFFER[0..1]\n" : "DCL BUFFER[0]\nDCL BUFFER[1], ATOMIC\nDCL HWATOMIC[0][0]\n";
        text += "IMM[0] FLT32 {1.0, 0.5, -2.0, 3.0}\nIMM[1] UINT32 {0, 1, 2, 31}\nIMM[2] INT32 {-1, 4, 8, 3}\n";
        if (chance(random, 4)) return;  // TEMP and ADDR then start as zeros
        text +=
            "MOV TEMP[0], CONST[0][2]\nMOV TEMP[1], CONST[0][3]\nMOV TEMP[2], CONST[0][4]\n"
            "ARL ADDR[0], CONST[0][5]\nARL ADDR[1], CONST[0][6]\n";
        if (stage.output.starts_with("OUT")) text += "MOV OUT[0], CONST[0][1]\n";
    }

    std::string value() {
        std::string r = chance(random, 5)    ? (stage.stage == tgsi::Stage::Compute ? std::string(stage.input)
                                                                                    : indexed(random, stage.input))
                        : chance(random, 12) ? std::string(stage.output)
                                             : indexed(random, one_of(random, kValues));
        r += one_of(random, kSwizzles);
        if (chance(random, 8)) r = '|' + r + '|';
        return chance(random, 6) ? '-' + r : r;
    }
    std::string source(tgsi::OperandType type) {
        if (chance(random, 40)) type = tgsi::OperandType::Resource;
        switch (type) {
            case tgsi::OperandType::Sampler:
                return chance(random, 20) ? value() : indexed(random, "SAMP");
            case tgsi::OperandType::SamplerView:
                return indexed(random, chance(random, 3) ? "RES" : "SVIEW");
            case tgsi::OperandType::Resource:
                return chance(random, 12) ? value() : indexed(random, one_of(random, kMemory));
            default:
                return value();
        }
    }
    std::string destination(tgsi::OperandType type) {
        std::string r = "TEMP[" + std::to_string(random.below(3)) + ']';
        if (type == tgsi::OperandType::Resource)
            r = source(type);
        else if (chance(random, 10))
            r = stage.output;
        else if (chance(random, 3))
            r = indexed(random, chance(random, 40) ? one_of(random, kValues) : one_of(random, kWritten));
        return r + std::string(one_of(random, kMasks));
    }
    void instruction() {
        const tgsi::OpcodeInfo* o = nullptr;
        do o = &tgsi::kOpcodes[random.below(tgsi::kOpcodeCount)];
        while ((o->stages & 1u << static_cast<unsigned>(stage.stage)) == 0 ||
               (o->family == tgsi::Family::flow && !chance(random, 40)));
        text += o->mnemonic;
        if (o->can_saturate && chance(random, 8)) text += "_SAT";
        if (chance(random, 20)) text += "_PRECISE";
        std::string_view separator = " ";
        const auto add = [&](const std::string& operand) {
            text += separator;
            text += operand;
            separator = ", ";
        };
        for (size_t d = 0; d < o->num_dst; ++d) add(destination(o->dst[d]));
        for (size_t s = 0; s < o->num_src; ++s) add(source(o->src[s]));
        if (o->form == tgsi::Form::tex ||
            ((o->form == tgsi::Form::memory || o->form == tgsi::Form::sample) && chance(random, 2))) {
            add(std::string(target(random)));
            if (o->form == tgsi::Form::memory && chance(random, 2))
                add("PIPE_FORMAT_" + std::string(one_of(random, kFormats)));
            if (o->form == tgsi::Form::tex && chance(random, 5)) add(chance(random, 2) ? "IMM[1].xyz" : "TEMP[0].xyx");
        }
        text += '\n';
    }
};

}  // namespace

std::string shaped(Random& random) {
    Shaper s{random, kStages[random.below(std::size(kStages))]};
    s.declare();
    const size_t count = 1 + random.below(5);
    std::string_view ends;
    for (size_t n = 0; n < count; ++n) {
        if (ends.empty() && chance(random, 4)) {
            const bool loop = chance(random, 2);
            s.text += loop ? "BGNLOOP\nUIF TEMP[0].x\nBRK\nENDIF\n" : "UIF TEMP[1].y\n";
            ends = loop ? "ENDLOOP\n" : "ENDIF\n";
        }
        s.instruction();
        if (!ends.empty() && chance(random, 2)) s.text += std::exchange(ends, {});
    }
    s.text += ends;
    s.text += s.stage.result;
    s.text += "END\n";
    return std::move(s.text);
}

}  // namespace fuzz
