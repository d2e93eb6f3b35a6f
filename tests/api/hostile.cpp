// Hostile texts from a guest: each ends in a module or in a clear refusal, and its peak memory stays in proportion to
// the text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "everything.h"
#include "ir/allocations.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

constexpr size_t kTextBytes = 400'000;

/// Counts the bytes that the library holds from its caller's allocator, now and at most.
struct Caller {
    size_t now = 0, most = 0;

    static void* allocate(void* user, size_t bytes, size_t alignment) {
        auto* c = static_cast<Caller*>(user);
        c->now += bytes;
        c->most = std::max(c->most, c->now);
        return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    }
    static void release(void* user, void* memory, size_t bytes, size_t) {
        static_cast<Caller*>(user)->now -= bytes;
        std::free(memory);
    }
};

struct End {
    tgsi2spv_status status{};
    std::string code;
    size_t peak = 0;
};

End end_of(const std::string& text) {
    Caller caller;
    auto allocator = make<tgsi2spv_allocator>();
    allocator.user = &caller;
    allocator.allocate = Caller::allocate;
    allocator.release = Caller::release;
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    End end;
    const size_t before = ir::allocated_bytes();
    ir::reset_peak();
    {
        Context context(info);
        (void)context.translate(text, everything);
        end.status = context.status();
        if (context.diagnostic_count() > 0) end.code = context.diagnostic(0).code;
        EXPECT_TRUE(end.status == TGSI2SPV_SUCCESS || context.diagnostic_count() > 0);
        end.peak = ir::peak_bytes() - before + caller.most;
    }
    return end;
}

/// Repeats `line` (with {} replaced by its number) between `head` and `tail` until the text has kTextBytes.
std::string lines(std::string_view head, std::string_view line, std::string_view tail = "END\n") {
    std::string text(head);
    for (size_t i = 0; text.size() < kTextBytes; ++i) text += fmt::format(fmt::runtime(line), i);
    return text += tail;
}

const std::string kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..15]
DCL TEMP[0..63]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
)";

std::string repeat(std::string_view piece, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; ++i) all += piece;
    return all;
}

std::string const_buffers() {
    std::string text = R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL ADDR[0]
)";
    for (int i = 0; i < 32; ++i) text += fmt::format("DCL CONST[{}][0..4095]\n", i);
    return lines(text + "DCL TEMP[0..1]\n",
                 "ADD TEMP[0], TEMP[0], IN[0]\nARL ADDR[0].xy, TEMP[0]\n"
                 "ADD TEMP[1], TEMP[1], CONST[ADDR[0].x][ADDR[0].y]\n",
                 "MOV OUT[0], TEMP[1]\nEND\n");
}

/// Returns a text in which each subroutine calls the next one twice.
std::string doubling_calls() {
    std::string text = kHead + "CAL :2\nEND\n";
    for (int i = 0; i < 60; ++i) text += fmt::format("BGNSUB\nCAL :{0}\nCAL :{0}\nRET\nENDSUB\n", 2 + 5 * (i + 1));
    return text + "BGNSUB\nMOV OUT[0], IN[0]\nRET\nENDSUB\n";
}

/// The case may end in a module or at the limit on operations: how many operations a line becomes is up to the
/// translator.
constexpr tgsi2spv_status kModuleOrBudget = TGSI2SPV_STATUS_MAX;

struct Case {
    const char* name;
    std::function<std::string()> text;
    tgsi2spv_status status;
    const char* code = "";
};

const Case kCases[] = {
    {"IfsInIfs", [] { return kHead + repeat("UIF IMM[0].xxxx\n", 20'000) + repeat("ENDIF\n", 20'000) + "END\n"; },
     TGSI2SPV_ERROR_LIMIT, "nesting-limit"},
    {"LoopsInLoops", [] { return kHead + repeat("BGNLOOP\n", 40'000) + repeat("ENDLOOP\n", 40'000) + "END\n"; },
     TGSI2SPV_ERROR_LIMIT, "nesting-limit"},
    {"LoopsAsDeepAsAllowed",
     [] {
         const std::string nest = repeat("BGNLOOP\n", 250) + "ADD TEMP[0], TEMP[1], IN[0]\n" +
                                  repeat("UIF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\n", 250);
         return kHead + repeat(nest, kTextBytes / nest.size()) + "MOV OUT[0], TEMP[0]\nEND\n";
     },
     TGSI2SPV_SUCCESS},
    {"ManyDeclarations", [] { return lines("VERT\n", "DCL TEMP[{}]\n"); }, TGSI2SPV_SUCCESS},
    {"ManyArrays", [] { return lines("VERT\n", "DCL TEMP[{0}], ARRAY({0})\n"); }, TGSI2SPV_SUCCESS},
    {"ManyImmediates", [] { return lines("VERT\n", "IMM[{}] UINT32 {{1, 2, 3, 4}}\n"); }, TGSI2SPV_SUCCESS},
    {"ManyProperties", [] { return lines("FRAG\n", "PROPERTY FS_COORD_ORIGIN 0\n"); }, TGSI2SPV_SUCCESS},
    {"ManyErrors", [] { return lines("FRAG\n", "ADDD TEMP[0]\n"); }, TGSI2SPV_ERROR_INVALID_TEXT, "unknown-opcode"},
    {"OneLine", [] { return "FRAG\n" + std::string(kTextBytes, 'A'); }, TGSI2SPV_ERROR_INVALID_TEXT},
    {"Zeros", [] { return std::string(kTextBytes, '\0'); }, TGSI2SPV_ERROR_INVALID_TEXT},
    {"HugeRange", [] { return std::string("FRAG\nDCL TEMP[0..2147483647]\nEND\n"); }, TGSI2SPV_ERROR_LIMIT},
    {"HugeIndex",
     [] {
         return std::string(R"(FRAG
DCL OUT[0], COLOR
MOV OUT[0], TEMP[4294967295]
END
)");
     },
     TGSI2SPV_ERROR_INVALID_TEXT},
    {"HugeBufferNumber", [] { return std::string("FRAG\nDCL CONST[2147483647][0..1]\nEND\n"); }, TGSI2SPV_ERROR_LIMIT},
    {"LargestRanges",
     [] {
         std::string text =
             R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..65535]
DCL ADDR[0]
)";
         for (int i = 0; i < 16; ++i) text += fmt::format("DCL CONST[{}][0..4095]\n", i);
         return text + "ARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x], IN[0]\nMOV OUT[0], TEMP[ADDR[0].x]\nEND\n";
     },
     TGSI2SPV_SUCCESS},
    // A few bytes ask for thousands of copies, which are made before the first instruction is lowered.
    {"IndexedInputs",
     [] {
         return std::string(R"(VERT
DCL IN[0..65000]
DCL OUT[0], COLOR
DCL ADDR[0]
MOV OUT[0], IN[ADDR[0].x]
END
)");
     },
     TGSI2SPV_ERROR_LIMIT, "operation-limit"},
    {"IndexedImmediates",
     [] {
         return std::string(
             R"(FRAG
DCL OUT[0], COLOR
DCL ADDR[0]
IMM[65535] FLT32 {1, 2, 3, 4}
MOV OUT[0], IMM[ADDR[0].x]
END
)");
     },
     TGSI2SPV_ERROR_LIMIT, "operation-limit"},
    {"AsManyInputsAsAreCopied",
     [] {
         return std::string(R"(VERT
DCL IN[0..3200]
DCL OUT[0], COLOR
DCL ADDR[0]
MOV OUT[0], IN[ADDR[0].x]
END
)");
     },
     TGSI2SPV_SUCCESS},
    {"NestsBesideJumps",
     [] {
         const std::string nest = repeat("IF IN[0]\n", 200) + repeat("ENDIF\n", 200);
         return kHead + "BRA :1\n" + repeat(nest, kTextBytes / nest.size()) + "MOV OUT[0], IN[0]\nEND\n";
     },
     kModuleOrBudget, "operation-limit"},
    {"ReturnsUnderPredicates",
     [] {
         return kHead + "DCL PRED[0]\nBRA :1\n" + repeat("(PRED[0].x)RET\n", kTextBytes / 15) +
                "MOV OUT[0], IN[0]\nEND\n";
     },
     kModuleOrBudget, "operation-limit"},
    {"SumsOfThemselves",
     [] {
         return lines(kHead + "MOV TEMP[0], IN[0]\n", "ADD TEMP[0], TEMP[0], TEMP[0].wzyx\n",
                      "MOV OUT[0], TEMP[0]\nEND\n");
     },
     TGSI2SPV_SUCCESS},
    {"WideDivisions",
     [] {
         return lines(kHead + "MOV TEMP[0], IN[0]\n", "I64DIV TEMP[0], TEMP[0], IN[0].wzyx\n",
                      "MOV OUT[0], TEMP[0]\nEND\n");
     },
     kModuleOrBudget, "operation-limit"},
    {"Sines",
     [] { return lines(kHead + "MOV TEMP[0], IN[0]\n", "SIN TEMP[0], TEMP[0].xxxx\n", "MOV OUT[0], TEMP[0]\nEND\n"); },
     kModuleOrBudget, "operation-limit"},
    {"IndexedTemporaries",
     [] { return lines(kHead, "MOV TEMP[ADDR[0].x+1], TEMP[ADDR[0].y+2]\n", "MOV OUT[0], TEMP[1]\nEND\n"); },
     TGSI2SPV_SUCCESS},
    {"IndexedConstantBuffers", const_buffers, kModuleOrBudget, "operation-limit"},
    {"IndexedImages",
     [] {
         return lines(
             R"(FRAG
DCL OUT[0], COLOR
DCL IMAGE[0..4095], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR
DCL ADDR[0]
DCL TEMP[0]
)",
             "LOAD TEMP[0], IMAGE[ADDR[0].x], TEMP[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\n",
             "MOV OUT[0], TEMP[0]\nEND\n");
     },
     TGSI2SPV_SUCCESS},
    {"PackedHalves",
     [] { return lines(kHead + "MOV TEMP[0], IN[0]\n", "UP2H TEMP[0], TEMP[0]\n", "MOV OUT[0], TEMP[0]\nEND\n"); },
     TGSI2SPV_SUCCESS},
    {"SamplerArrays",
     [] {
         return lines(
             R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..31]
DCL ADDR[0]
DCL TEMP[0]
MOV TEMP[0], IN[0]
)",
             "ARL ADDR[0].x, TEMP[0]\nTEX TEMP[0], TEMP[0], SAMP[ADDR[0].x], 2D\n", "MOV OUT[0], TEMP[0]\nEND\n");
     },
     kModuleOrBudget, "operation-limit"},
    {"ManyOutputArrays", [] { return lines("VERT\n", "DCL OUT[{0}..{0}], ARRAY({0}), GENERIC[{0}]\n"); },
     TGSI2SPV_SUCCESS},
    {"Vertices",
     [] {
         return lines(
             R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 1024
DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL OUT[1..30], GENERIC[0]
IMM[0] INT32 {0, 0, 0, 0}
)",
             "EMIT IMM[0].xxxx\n");
     },
     TGSI2SPV_SUCCESS},
    {"RegistersAcrossLoops",
     [] {
         std::string text = R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..2047]
)";
         for (int i = 0; i < 2048; ++i) text += fmt::format("MOV TEMP[{}], IN[0]\n", i);
         for (int i = 0; i < 2048; ++i)
             text += fmt::format("BGNLOOP\nADD TEMP[{0}], TEMP[{1}], IN[0]\nUIF TEMP[{0}].xxxx\nBRK\nENDIF\nENDLOOP\n",
                                 i, 2047 - i);
         return text + "MOV OUT[0], TEMP[7]\nEND\n";
     },
     TGSI2SPV_SUCCESS},
    {"CallOfItself", [] { return kHead + "CAL :2\nEND\nBGNSUB\nCAL :2\nRET\nENDSUB\n"; }, TGSI2SPV_ERROR_INVALID_TEXT,
     "recursion"},
    {"CallsInACircle", [] { return kHead + "CAL :2\nEND\nBGNSUB\nCAL :6\nRET\nENDSUB\nBGNSUB\nCAL :2\nRET\nENDSUB\n"; },
     TGSI2SPV_ERROR_INVALID_TEXT, "recursion"},
    {"CallsThatDouble", doubling_calls, TGSI2SPV_ERROR_LIMIT, "inlined-size"},
    {"LongChainOfCalls",
     [] {
         std::string text = kHead + "CAL :2\nEND\n";
         for (int i = 0; i < 10'000; ++i) text += fmt::format("BGNSUB\nCAL :{}\nRET\nENDSUB\n", 2 + 4 * (i + 1));
         return text + "BGNSUB\nRET\nENDSUB\n";
     },
     TGSI2SPV_ERROR_LIMIT, "call-depth"},
    {"ManySubroutines",
     [] {
         constexpr int kCount = 20'000;
         std::string text = kHead;
         for (int i = 0; i < kCount; ++i) text += fmt::format("CAL :{}\n", kCount + 1 + 2 * i);
         text += "END\n";
         for (int i = 0; i < kCount; ++i) text += "BGNSUB\nENDSUB\n";
         return text;
     },
     TGSI2SPV_SUCCESS},
    {"JumpsEverywhere",
     [] { return lines(kHead, "BRA :0\nUIF TEMP[0].xxxx\nBRA :5\nENDIF\n", "MOV OUT[0], TEMP[0]\nEND\n"); },
     TGSI2SPV_SUCCESS},
    {"ManyCases",
     [] {
         return lines(kHead + "SWITCH TEMP[0].xxxx\n", "CASE IMM[0].xxxx\nADD TEMP[0], TEMP[0], IN[0]\n",
                      "MOV OUT[0], TEMP[0]\nENDSWITCH\nEND\n");
     },
     TGSI2SPV_SUCCESS},
};

TEST(Hostile, TextsEndWithinTheBudget) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.name);
        const std::string text = c.text();
        const End end = end_of(text);
        if (c.status == kModuleOrBudget && end.status == TGSI2SPV_SUCCESS) {
            EXPECT_EQ(end.code, "");
        } else {
            EXPECT_EQ(end.status, c.status == kModuleOrBudget ? TGSI2SPV_ERROR_LIMIT : c.status) << end.code;
            EXPECT_TRUE(*c.code == 0 || end.code == c.code) << end.code;
        }
        EXPECT_LT(end.peak, 192 * text.size() + (4 << 20));
    }
}

/// Registers that are declared but not used cost little: at most the promised bytes.
TEST(Hostile, DeclaredRegistersCostWhatIsPromised) {
    std::string text = "FRAG\n";
    constexpr const char* kFiles[] = {"IN[0..65535], GENERIC[0], PERSPECTIVE",
                                      "OUT[0..65535], COLOR",
                                      "TEMP[0..65535]",
                                      "ADDR[0..65535]",
                                      "PRED[0..65535]",
                                      "CONST[0..65535]",
                                      "SV[0..65535], FACE",
                                      "SAMP[0..65535]",
                                      "SVIEW[0..65535], 2D, FLOAT",
                                      "BUFFER[0..65535]",
                                      "IMAGE[0..65535], 2D, PIPE_FORMAT_R32_UINT"};
    size_t registers = 0;
    for (const char* file : kFiles) {
        const std::string more = text + "DCL " + file + "\n";
        const End end = end_of(more + "BGNLOOP\nBRK\nENDLOOP\nEND\n");
        if (end.status != TGSI2SPV_SUCCESS) continue;  // a file that must not have as many
        text = more;
        registers += 65536;
        EXPECT_LT(end.peak, 192 * text.size() + (4 << 20) + 32 * registers) << file;
    }
    EXPECT_GE(registers, 4u * 65536);
}

}  // namespace
}  // namespace tgsi2spv
