#include "scaling_texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace tgsi2spv::bench {
namespace {

constexpr int kRegisters = 64;

/// TEMP[kRegisters] is for conditions.
std::string head() {
    return fmt::format(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..15]
DCL TEMP[0..{}]
DCL ADDR[0]
IMM[0] FLT32 {{1.0, 2.0, 3.0, 4.0}}
IMM[1] INT32 {{0, 1, 1000, 7}}
)",
        kRegisters);
}

/// The register that arithmetic(i) writes.
int target(int i) {
    return i % kRegisters;
}

/// Each instruction reads the result of the one before, and the last one, i, gives the result: the texts of all lengths
/// consist of the same code, all of it live. Dead code takes half the time of live code.
std::string arithmetic(int i) {
    return fmt::format("MAD TEMP[{}], TEMP[{}].yzwx, CONST[{}], IN[0]\n", target(i), target(i + kRegisters - 1),
                       i % 16);
}

std::string tail(int i) {
    return fmt::format("MOV OUT[0], TEMP[{}]\nEND\n", target(i));
}

std::string straight(int n) {
    std::string s = head();
    for (int i = 0; i < n; ++i) s += arithmetic(i);
    return s + tail(n - 1);
}

/// Many small IFs in sequence, which need many phis. The conditions depend on an input: registers that only an IF
/// may have written would still be known to be zero in a short text.
std::string branches(int n) {
    std::string s = head();
    for (int i = 0; i < n / 4; ++i) {
        s += fmt::format("USNE TEMP[{0}].x, TEMP[{1}].xxxx, IN[0].yyyy\nUIF TEMP[{0}].xxxx\n", kRegisters, target(i));
        s += arithmetic(i) + "ENDIF\n";
    }
    return s + tail(n / 4 - 1);
}

/// One loop with n / 4 BRKs, each of which carries the registers written so far.
std::string breaks(int n) {
    std::string s = head() + "BGNLOOP\n";
    for (int i = 0; i < n / 4; ++i) {
        s += arithmetic(i);
        s += fmt::format("UIF TEMP[{}].xxxx\nBRK\nENDIF\n", target(i));
    }
    return s + "BRK\nENDLOOP\n" + tail(n / 4 - 1);
}

/// Nested loops, 32 deep, repeated.
std::string loops(int n) {
    constexpr int kDepth = 32;
    std::string s = head();
    int i = 0;
    for (int nest = 0; nest < n / (5 * kDepth) + 1; ++nest) {
        for (int d = 0; d < kDepth; ++d) s += "BGNLOOP\n" + arithmetic(i++);
        for (int d = 0; d < kDepth; ++d) s += "BRK\nENDLOOP\n" + arithmetic(i++);
    }
    return s + tail(i - 1);
}

std::string indirect(int n) {
    std::string s = head();
    for (int i = 0; i < n / 2; ++i)
        s += fmt::format("ARL ADDR[0].x, TEMP[{}].xxxx\nADD TEMP[{}], CONST[ADDR[0].x+1], TEMP[ADDR[0].x+2]\n",
                         target(i), target(i + 3));
    return s + tail(0);
}

/// As many registers as a text may have, each computed from the previous one.
std::string registers(int n) {
    const int count = std::clamp(n, 2, 60'000);
    std::string s = fmt::format(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..15]
DCL TEMP[0..{}]
)",
        count - 1);
    for (int i = 0; i < n; ++i)
        s += fmt::format("MAD TEMP[{}], TEMP[{}].yzwx, CONST[{}], IN[0]\n", i % count, (i + count - 1) % count, i % 16);
    return s + fmt::format("MOV OUT[0], TEMP[{}]\nEND\n", (n - 1) % count);
}

/// An immediate for every fourth instruction, each with different numbers.
std::string constants(int n) {
    std::string s = head();
    const int count = std::min(n / 4 + 1, 60'000);
    for (int i = 0; i < count; ++i)
        s += fmt::format("IMM[{}] FLT32 {{{}.25, {}.5, {}.75, -{}.0}}\n", i + 2, i, i, i, i + 1);
    for (int i = 0; i < n; ++i)
        s += fmt::format("MAD TEMP[{}], TEMP[{}].yzwx, IMM[{}], IN[0]\n", target(i), target(i + kRegisters - 1),
                         i % count + 2);
    return s + tail(n - 1);
}

/// As constants(), with words whose low halves are 0, as those of round floats are: a hash must not lose the high ones.
std::string round_constants(int n) {
    std::string s = head();
    const int count = std::min(n / 4 + 1, 16'384);
    for (int i = 0; i < count; ++i) {
        s += fmt::format("IMM[{}] UINT32 {{", i + 2);
        for (int c = 0; c < 4; ++c) s += fmt::format("{}{}", c ? ", " : "", static_cast<uint32_t>(4 * i + c) << 16);
        s += "}\n";
    }
    for (int i = 0; i < n; ++i)
        s += fmt::format("UMAD TEMP[{}], TEMP[{}].yzwx, IMM[{}], IN[0]\n", target(i), target(i + kRegisters - 1),
                         i % count + 2);
    return s + tail(n - 1);
}

/// IFs that write sixteen registers each, in both arms, and read those of the IF before.
std::string phis(int n) {
    constexpr int kEach = 16;
    std::string s = head();
    const int ifs = n / (2 * kEach + 3) + 1;
    for (int i = 0; i < ifs; ++i) {
        const auto arm = [&](int turn) {
            for (int k = 0; k < kEach; ++k)
                s += fmt::format("MAD TEMP[{}], TEMP[{}].yzwx, CONST[{}], IN[0]\n", target(kEach * i + k),
                                 target(kEach * (i + 3) + (k + turn) % kEach), k);
        };
        s += fmt::format("UIF TEMP[{}].xxxx\n", target(kEach * (i + 3)));
        arm(0);
        s += "ELSE\n";
        arm(1);
        s += "ENDIF\n";
    }
    const int last = kEach * (ifs - 1);
    for (int k = 1; k < kEach; ++k)
        s += fmt::format("ADD TEMP[{0}], TEMP[{0}], TEMP[{1}]\n", target(last), target(last + k));
    return s + tail(last);
}

/// A SWITCH whose cases each write another register and leave main: nothing falls into a label.
std::string labels(int n) {
    const int count = std::clamp(n / 4, 1, 16'000);  // SPIR-V, Universal Limits: 16,383 pairs of an OpSwitch
    std::string s = fmt::format(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..15]
DCL TEMP[0..{}]
)",
        count - 1);
    for (int i = 0; i < count; ++i) s += fmt::format("IMM[{}] INT32 {{{}, 0, 0, 0}}\n", i, i);
    s += "SWITCH IN[0].xxxx\n";
    for (int i = 0; i < count; ++i)
        s +=
            fmt::format("CASE IMM[{}].xxxx\nMAD TEMP[{}], TEMP[{}].yzwx, CONST[{}], IN[0]\nMOV OUT[0], TEMP[{}]\nRET\n",
                        i, i, (i + 1) % count, i % 16, i);
    return s + "ENDSWITCH\nMOV OUT[0], TEMP[0]\nEND\n";
}

/// Many exits and many outputs, of which one is written.
std::string exits(int n) {
    std::string s = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n";
    const int outputs = std::clamp(n / 2, 1, 60'000);
    for (int i = 1; i <= outputs; ++i) s += fmt::format("DCL OUT[{}], GENERIC[{}]\n", i, i);
    s += "DCL CONST[0..15]\nMOV OUT[0], IN[0]\n";
    for (int i = 0; i < n / 4; ++i)
        s += fmt::format("UIF CONST[{}].xxxx\nADD OUT[0], OUT[0], CONST[{}]\nRET\nENDIF\n", i % 16, (i + 1) % 16);
    return s + "END\n";
}

/// Many small subroutines and many registers.
std::string subroutines(int n) {
    const int count = std::clamp(n / 4, 1, 60'000);
    std::string s = fmt::format(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..15]
DCL TEMP[0..{}]
)",
        count - 1);
    std::string rest;
    for (int i = 0; i < count; ++i) {
        s += fmt::format("CAL :{}\n", count + 2 + 3 * i);
        rest += fmt::format("BGNSUB\nMAD TEMP[{}], TEMP[{}].yzwx, CONST[{}], IN[0]\nENDSUB\n", i,
                            (i + count - 1) % count, i % 16);
    }
    return s + fmt::format("MOV OUT[0], TEMP[{}]\nEND\n", count - 1) + rest;
}

/// Many inputs read by an index, one of which is the fog.
std::string fog(int n) {
    const int inputs = std::clamp(n / 2, 1, 60'000);
    std::string s =
        R"(FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
DCL ADDR[0]
DCL CONST[0..15]
DCL IN[0], FOG, PERSPECTIVE
)";
    for (int i = 1; i <= inputs; ++i) s += fmt::format("DCL IN[{}], GENERIC[{}], PERSPECTIVE\n", i, i);
    for (int i = 0; i < n / 2; ++i)
        s += fmt::format("ARL ADDR[0].x, CONST[{}].xxxx\nADD TEMP[0], TEMP[0], IN[ADDR[0].x]\n", i % 16);
    return s + "MOV OUT[0], TEMP[0]\nEND\n";
}

/// Two arrays of images in turns, both read by an index.
std::string images(int n) {
    const int count = std::clamp(n, 1, 30'000);
    std::string s = fmt::format(
        R"(COMP
DCL IMAGE[0..{}], ARRAY(1), 2D, PIPE_FORMAT_R32_FLOAT, WR
DCL IMAGE[{}..{}], ARRAY(2), BUFFER, PIPE_FORMAT_R32_FLOAT, WR
DCL ADDR[0]
DCL TEMP[0]
DCL CONST[0]
UARL ADDR[0].x, CONST[0].xxxx
)",
        count - 1, count, 2 * count - 1);
    for (int i = 0; i < n / 2; ++i)
        s += "LOAD TEMP[0], IMAGE[ADDR[0].x](1), TEMP[0], 2D\nLOAD TEMP[0], IMAGE[ADDR[0].x](2), TEMP[0], BUFFER\n";
    return s + "STORE IMAGE[0], TEMP[0], TEMP[0], 2D\nEND\n";
}

// SPIR-V allows a module 4,194,303 ids (Universal Limits). Bounds checks take about ten per instruction, phis over
// four.
constexpr ScalingText kTexts[] = {{"straight", straight},
                                  {"branches", branches},
                                  {"breaks", breaks},
                                  {"loops", loops},
                                  {"indirect", indirect, 200'000},
                                  {"registers", registers},
                                  {"constants", constants},
                                  {"round_constants", round_constants},
                                  {"phis", phis, 500'000},
                                  {"labels", labels},
                                  {"exits", exits},
                                  {"subroutines", subroutines},
                                  {"fog", fog, 200'000, true},
                                  {"images", images, 100'000}};

}  // namespace

std::span<const ScalingText> scaling_texts() {
    return kTexts;
}

}  // namespace tgsi2spv::bench
