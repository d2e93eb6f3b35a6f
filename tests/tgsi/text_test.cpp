// Bytes: line ends, byte order marks, NULs, bytes beyond ASCII, and numbers in any locale.
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <clocale>

#include "tgsi/parse/parse.h"
#include "tgsi/print.h"
#include "tgsi/text/bytes.h"

namespace tgsi2spv::tgsi {
namespace {

const std::string kShader =
    "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.5, 1.25, -3.0, 1.0}\n0: MOV OUT[0], IMM[0]\n"
    "1: END\n";

Program parsed(std::string_view text) {
    Program p;
    std::vector<Diagnostic> diagnostics;
    EXPECT_TRUE(parse(text, {}, p, diagnostics)) << (diagnostics.empty() ? "" : diagnostics[0].message);
    return p;
}

/// The diagnostics of a text that is refused.
std::vector<Diagnostic> refused(const std::string& text) {
    Program p;
    std::vector<Diagnostic> diagnostics;
    EXPECT_FALSE(parse(text, {}, p, diagnostics)) << text;
    return diagnostics;
}

std::string with_line_end(std::string_view end) {
    std::string out;
    for (char c : kShader) out += c == '\n' ? std::string(end) : std::string(1, c);
    return out;
}

TEST(Text, LineEndsMarksAndNulsAtTheEndAreWhiteSpace) {
    const Program p = parsed(kShader);
    EXPECT_EQ(parsed(with_line_end("\r\n")), p);
    EXPECT_EQ(parsed(with_line_end("\r")), p);
    EXPECT_EQ(parsed(with_line_end("\t \f\v")), p);
    EXPECT_EQ(parsed("\xef\xbb\xbf" + kShader), p);
    EXPECT_EQ(parsed(kShader + std::string(3, '\0')), p);
    EXPECT_EQ(parsed(kShader + std::string("\0 \n\0", 4)), p);
    EXPECT_EQ(parsed(kShader.substr(0, kShader.size() - 1)), p);
    EXPECT_EQ(parsed("\n\n  \t" + kShader), p);
}

struct Refused {
    std::string text;
    const char* code;
    uint32_t offset;
};

TEST(Text, OtherBytesAreRefusedWhereTheyStand) {
    const Refused cases[] = {
        {std::string("FRAG\n\0END", 9), "bad-statement", 5},
        {std::string("FRAG\0\nEND\n", 10), "bad-statement", 4},
        {"FRAG\nEND \xe9", "bad-statement", 9},
        {"FRAG\n\xe9"
         "END",
         "bad-statement", 5},
        {"FR\xc4G\nEND", "missing-stage", 0},
        {"FRAG\nMOV TEMP[0], T\xcbMP[0]\nEND", "bad-operand", 18},
        {"FRAG\nMOV TEMP[\xa0"
         "0], TEMP[0]\nEND",
         "bad-number", 14},
        {"FRAG\nMOV TEMP[0], TEMP[0].x\xff\nEND", "bad-statement", 27},
        {"FRAG\nIMM[0] FLT32 {1\xb4, 0, 0, 0}\nEND", "bad-number", 19},
        {"FRAG\nNOP \x01\nEND", "bad-statement", 9},
        {"\xfe\xff"
         "FRAG\nEND",
         "missing-stage", 0},
    };
    for (const Refused& c : cases) {
        const auto diagnostics = refused(c.text);
        ASSERT_FALSE(diagnostics.empty());
        EXPECT_EQ(diagnostics[0].code, c.code) << c.text << ": " << diagnostics[0].message;
        EXPECT_EQ(diagnostics[0].offset, c.offset) << c.text;
    }
}

TEST(Text, MessagesHoldNoByteOfTheTextThatIsNotPrintable) {
    for (int b = 0; b < 256; ++b) {
        if (b >= 0x20 && b < 0x7f) continue;
        const std::string text = std::string("FRAG\nIMM[0] FLT32 {1x") + static_cast<char>(b) + "y, 0, 0, 0}\nNOP " +
                                 static_cast<char>(b) + "z\nEND";
        Program p;
        std::vector<Diagnostic> diagnostics;
        parse(text, {}, p, diagnostics);
        for (const Diagnostic& d : diagnostics)
            for (char c : d.message + d.hint) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << d.message;
    }
}

TEST(Text, NumbersAreCorrectlyRounded) {
    const auto bits = [](const std::string& number) {
        return parsed("FRAG\nIMM[0] FLT32 {" + number + ", 0, 0, 0}\nEND").immediates[0].words[0];
    };
    EXPECT_EQ(bits("0.1"), 0x3dcccccdu);
    EXPECT_EQ(bits("-0.0"), 0x80000000u);
    EXPECT_EQ(bits("16777217"), 0x4b800000u);          // tie, to even
    EXPECT_EQ(bits("16777219"), 0x4b800002u);          // tie, to even, upwards
    EXPECT_EQ(bits("16777217.0000001"), 0x4b800001u);  // just above a tie
    EXPECT_EQ(bits("340282346638528859811704183484516925440.0000"), 0x7f7fffffu);
    EXPECT_EQ(bits("1e-45"), 1u);
    EXPECT_EQ(bits("1.17549435e-38"), 0x00800000u);
    EXPECT_EQ(bits("0x7fc00001"), 0x7fc00001u);
    EXPECT_EQ(bits("1e39"), 0x7f800000u);
    EXPECT_EQ(bits("-1e99999999999999999999"), 0xff800000u);
    EXPECT_EQ(bits("1e9223372036854775807"), 0x7f800000u);
    EXPECT_EQ(bits("1000.5e9223372036854775807"), 0x7f800000u);
    EXPECT_EQ(bits("0.001e-9223372036854775808"), 0u);
    EXPECT_EQ(bits("1e-60"), 0u);
    EXPECT_EQ(bits("-1e-99999999999999999999"), 0x80000000u);
    EXPECT_EQ(bits("0e99999999999999999999"), 0u);
    EXPECT_EQ(bits("0." + std::string(400, '0') + "1"), 0u);
    EXPECT_EQ(bits("1" + std::string(400, '0')), 0x7f800000u);
    const Immediate wide = parsed("FRAG\nIMM[0] FLT64 {0.1, -2}\nEND").immediates[0];
    EXPECT_EQ(uint64_t{wide.words[1]} << 32 | wide.words[0], 0x3fb999999999999aull);
    EXPECT_EQ(uint64_t{wide.words[3]} << 32 | wide.words[2], 0xc000000000000000ull);
}

TEST(Text, RangeOfAFloatIsAWarning) {
    Program p;
    std::vector<Diagnostic> diagnostics;
    EXPECT_TRUE(parse("FRAG\nIMM[0] FLT32 {1e39, 0, 0, 0}\nEND", {}, p, diagnostics));
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].severity, Severity::Warning);
    EXPECT_EQ(diagnostics[0].code, "float-range");
}

TEST(Text, NumbersDoNotDependOnTheLocale) {
    const Program p = parsed(kShader);
    const std::string printed = print(p);
    const std::string before = std::setlocale(LC_ALL, nullptr);
    bool found = false;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"})
        found |= std::setlocale(LC_ALL, name) != nullptr;
    if (!found) std::puts("no locale with a decimal comma is installed: tried in the C locale only");
    EXPECT_EQ(parsed(kShader), p);
    EXPECT_EQ(print(p), printed);
    std::setlocale(LC_ALL, before.c_str());
}

TEST(Text, EveryFloatSurvivesPrinting) {
    uint32_t state = 1;
    for (int n = 0; n < 20000; ++n) {
        state = state * 1664525u + 1013904223u;
        Program p = parsed(kShader), again;
        p.immediates[0].words[0] = state;
        p.immediates[0].words[1] = state & 0x807fffffu;  // denormals
        std::vector<Diagnostic> diagnostics;
        ASSERT_TRUE(parse(print(p), {}, again, diagnostics));
        ASSERT_EQ(p, again) << std::hex << state;
    }
}

TEST(Text, BlanksInBracketsChangeNoOperand) {
    const std::pair<const char*, const char*> pairs[] = {
        {"MOV TEMP[123456].xw, IMM[1].yyzz", "MOV TEMP[ 123456].xw, IMM[ 1].yyzz"},
        {"ADD TEMP[0], CONSTBUF[7], HWATOMIC[1].x", "ADD TEMP[ 0], CONSTBUF[ 7], HWATOMIC[ 1].x"},
        {"mul temp[0].RGB, in[1].bgr, Out[2].w", "mul temp[ 0].RGB, in[ 1].bgr, Out[ 2].w"},
        {"MOV TEMP[ADDR[0].x+12](3).yw, CONST[1][ADDR[0].y]", "MOV TEMP[ADDR[ 0].x+12](3).yw, CONST[ 1][ADDR[ 0].y]"},
        {"MOV OUT[ADDR[1].z](2)[7], -|IN[ADDR[0].w+1][2]|", "MOV OUT[ADDR[ 1].z](2)[ 7], -|IN[ADDR[ 0].w+1][ 2]|"},
        {"STORE IMAGE[ADDR[0].x], TEMP[0], TEMP[1], 2D", "STORE IMAGE[ADDR[ 0].x], TEMP[ 0], TEMP[ 1], 2D"},
        {"LOAD TEMP[0].y, BUFFER[0], IMM[0].xxxx", "LOAD TEMP[ 0].y, BUFFER[ 0], IMM[ 0].xxxx"},
        {"ADD OUT[0].y, TEMP[1].x, TEMP[2].zwzw\r", "ADD OUT[ 0].y, TEMP[ 1].x, TEMP[ 2].zwzw"},
    };
    // A blank after a dot, which some producers print, stays on the line.
    EXPECT_EQ(parsed("FRAG\nMOV TEMP[0]. xy, -|IN[0].\t zwzw|\nEND"),
              parsed("FRAG\nMOV TEMP[0].xy, -|IN[0].zwzw|\nEND"));
    EXPECT_EQ(parsed("FRAG\nMOV TEMP[0]. , IN[0]\nCLOCK TEMP[0].\nXPD TEMP[0], IN[0], IN[1]\nEND").instructions.size(),
              4u);
    for (const auto& [text, blanks] : pairs) {
        const std::string head = "FRAG\n", tail = "\nEND";
        EXPECT_EQ(parsed(head + text + tail), parsed(head + blanks + tail)) << text;
    }
    // An array id or a second bracket may be on the next line.
    EXPECT_EQ(parsed("FRAG\nMOV TEMP[0]\n(1).x, IN[1]\n[2]\nEND"), parsed("FRAG\nMOV TEMP[0](1).x, IN[1][2]\nEND"));
}

TEST(Text, ACommentAfterANumberChangesNothing) {
    // A comma or a brace after a number lets the fast path read it, a comment does not.
    std::vector<std::string> numbers = {
        "0",           "-0",          "7",          "1.",          ".5",           "-.25",        ".",
        "-",           "-.",          "1..2",       "1.2.3",       "16777215",     "16777216",    "16777217.5",
        "99999999",    "999999999",   "9999999999", "0.123456789", "0.1234567891", "123456789.5", ".123456789",
        ".1234567890", "00000000001", "+3",         "0x",          "0x7",          "0xDeadBeef",  "0x123456789",
        "-0x1",        "0X3F800000",  "0x1g",       "1e5",         "1.#INF00",     "-1.#IND",     "nan",
        "-inf",        "1f",          "2147483648", "-2147483648", "    \t 12",    "1 2",         "0x7 f",
        "4294967296"};
    uint32_t state = 7;
    for (int n = 0; n < 2000; ++n) {
        std::string number;
        state = state * 1664525u + 1013904223u;
        for (uint32_t length = 1 + (state >> 28), c = 0; c < length; ++c) {
            state = state * 1664525u + 1013904223u;
            number += "0123456789.00000-xaF "[(state >> 16) % 21];
        }
        numbers.push_back(number);
    }
    size_t taken = 0;
    for (const char* type : {"FLT32", "INT32", "UINT32", "FLT64", "INT64", "UINT64"})
        for (const std::string& number : numbers) {
            const bool wide = std::string_view(type).ends_with("64");
            const auto read = [&](const std::string& after, Program& p) {
                const std::string one = number + after, two = one + ", " + one;
                std::vector<Diagnostic> diagnostics;
                return parse(std::string("FRAG\nIMM[0] ") + type + " {" + (wide ? two : two + ", " + two) +
                                 "}\nEND // and enough bytes after it",
                             {}, p, diagnostics);
            };
            Program fast, slow;
            const bool ok = read("", fast);
            ASSERT_EQ(ok, read("// after it\n", slow)) << type << " " << number;
            if (!ok) continue;
            ++taken;
            ASSERT_EQ(fast, slow) << type << " " << number;
        }
    EXPECT_GT(taken, 1000u);
    // A blank ends a number as well; blanks up to the end of the text do not lead beyond it.
    EXPECT_EQ(parsed("FRAG\nIMM[0] FLT32 {1 , 2 ,          3 , -4.5 }\nEND // and enough bytes after it"),
              parsed("FRAG\nIMM[0] FLT32 {1, 2, 3, -4.5}\nEND"));
    for (size_t blanks = 0; blanks < 300; ++blanks) {
        const auto diagnostics = refused("FRAG\nIMM[0] FLT32 {1,2," + std::string(blanks, ' '));
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_EQ(diagnostics[0].code, "bad-number");
    }
}

TEST(Text, BlanksInBracketsChangeNoImmediate) {
    const auto with_blank = [](std::string text) { return text.insert(text.find('[') + 1, " "); };
    const std::string head = "FRAG\n", tail = "\nEND // and enough bytes after it";
    const std::string fine[] = {
        "IMM[0] FLT32 {    0.0000,     1.5000,    -2.2500, 0x7fc00001}",
        "IMM[0] INT32 {0, -1, 2147483647, -2147483648}",
        "IMM[0] UINT32 {0, -1, 4294967295, 1065353216}",
        "IMM[0] UINT32 {0000000007,0x80000000,3, 4}",
    };
    for (const std::string& text : fine) {
        const Program p = parsed(head + text + tail);
        ASSERT_EQ(p.immediates.size(), 1u);
        EXPECT_EQ(p.immediates[0].position, head.size()) << text;
        EXPECT_EQ(p, parsed(head + with_blank(text) + tail)) << text;
        EXPECT_EQ(p, parsed(head + text + "\nEND")) << text;
        EXPECT_EQ(p, parsed(head + text + " \r\n" + tail)) << text;
    }
    // Short numbers have a fast path; these have more than it reads, or an error.
    for (const char* other : {"IMM[3] FLT32 {1, 2, 3, 4}", "IMM FLT32 {1, 2, 3, 4}", "imm[0] flt32 {1, 2, 3, 4}",
                              "IMM[0] FLT32{1, 2, 3, 4}", "IMM[0] FLT64 {1, 2}", "IMM[0] FLT32 {1e3, inf, 3, 4}"})
        EXPECT_EQ(parsed(head + other + tail).instructions.size(), 1u) << other;
    for (const char* wrong :
         {"IMM[0] FLT32 {1, 2, 3}", "IMM[0] FLT32 {1, 2, 3, 4, 5}", "IMM[0] FLT32 {1, 2, 3 4}",
          "IMM[0] INT32 {1., 2, 3, 4}", "IMM[0] INT32 {2147483648, 2, 3, 4}", "IMM[0] UINT32 {4294967296, 2, 3, 4}",
          "IMM[0] UINT32 {-2147483649, 2, 3, 4}", "IMM[] FLT32 {1, 2, 3, 4}", "IMM[99999999] FLT32 {1, 2, 3, 4}",
          "IMM[0] FLT32 {1, 2, 3, 4}\nIMM[0] FLT32 {1, 2, 3, 4}"}) {
        EXPECT_EQ(refused(head + wrong + tail).size(), 1u) << wrong;
    }
}

TEST(Text, BlanksInBracketsChangeNoDeclaration) {
    const std::pair<const char*, const char*> pairs[] = {
        {"DCL TEMP[0..5], LOCAL", "DCL TEMP[ 0..5], LOCAL"},
        {"DCL IN[][2], GENERIC[9]", "DCL IN[ ][2], GENERIC[9]"},
        {"DCL IN[3][0..1], POSITION", "DCL IN[ 3][0..1], POSITION"},
        {"DCL OUT[0], COLOR, PERSPECTIVE", "DCL OUT[ 0], COLOR, PERSPECTIVE"},
        {"DCL in[999], Generic[999], linear", "DCL in[ 999], Generic[999], linear"},
        {"DCL CONST[1][0..31]", "DCL CONST[ 1][0..31]"},
        {"DCL SV[0], VERTEXID", "DCL SV[ 0], VERTEXID"},
        {"DCL ADDR[0]", "DCL ADDR[ 0]"},
    };
    const std::string head = "GEOM\n", tail = "\nEND // and enough bytes after it, forty-eight of them";
    for (const auto& [text, blanks] : pairs) {
        const Program p = parsed(head + text + tail);
        ASSERT_EQ(p.declarations.size(), 1u);
        EXPECT_EQ(p.declarations[0].position, head.size()) << text;
        EXPECT_EQ(p, parsed(head + blanks + tail)) << text;
        EXPECT_EQ(p, parsed(head + text + "\nEND")) << text;
        EXPECT_EQ(p, parsed(head + text + "\r" + tail)) << text;
    }
    for (const char* text :
         {"DCL TEMP[5..0]", "DCL TEMP[]", "DCL TEMP", "DCL IMM[0]", "DCL NULL[0]", "DCL TEMP[0..1][0]",
          "DCL IN[0], GENERIC[", "DCL IN[0], GENERICS", "DCL TEMP[-1]", "DCL TEMP[99999999]"}) {
        refused(head + text + tail);
    }
    EXPECT_TRUE(parsed(head + "DCL OUT[0], COLOR, INVARIANT" + tail).declarations[0].invariant);
    EXPECT_EQ(parsed(head + "DCL OUT[0].xy, COLOR" + tail).declarations[0].usage_mask, 3);
    EXPECT_EQ(parsed(head + "DCL IN[0], COLOR, LINEAR, CENTROID" + tail).declarations[0].location, Location::Centroid);
}

TEST(Text, NoByteOfAWordStandsForAnother) {
    // Folding clears bit 5, which would turn DEL into '_' and control characters into digits.
    for (const char* word : {"MOV\x7fSAT", "DP\x13", "DP\x33\x01", "M\x6fV", "MO(", "MOV\xa0", "MO\xd6"}) {
        const std::string text =
            "FRAG\n" + std::string(word) + " TEMP[0], IN[0], IN[0]\nEND // and enough bytes after it";
        refused(text);
    }
    const char* masks[] = {".zx", ".xx", ".xyzwx", ".xG", ".x1", ".", ".q"};
    for (const char* mask : masks) {
        const std::string text = "FRAG\nABS TEMP[0]" + std::string(mask) + ", IN[0]\nEND // and enough bytes after it";
        std::vector<Diagnostic> diagnostics;
        Program p;
        const bool empty = std::string_view(mask) == ".", mixed = std::string_view(mask) == ".xG";
        EXPECT_EQ(parse(text, {}, p, diagnostics), empty || mixed) << mask;
        if (mixed) {
            EXPECT_EQ(p.operands[0].write_mask, 3);
        }
    }
}

// find_no_word() examines eight bytes at once: tests each byte in each position, between word characters and between
// others.
TEST(Text, EightBytesAreOfAWordWhereEachIs) {
    for (int byte = 0; byte < 256; ++byte) {
        const bool of_word = byte == '_' || (byte < 0x80 && std::isalnum(byte) != 0);
        for (size_t place = 0; place < 8; ++place)
            for (const std::string_view around : {"aZ09_zAb", " [.,\xff\n;{"}) {
                std::string text(around);
                text[place] = static_cast<char>(byte);
                const uint64_t others = find_no_word(eight_bytes(text.data()));
                for (size_t i = 0; i < 8; ++i) {
                    const bool expected = i == place ? of_word : around[0] == 'a';
                    EXPECT_EQ((others >> (8 * i + 7) & 1) == 0, expected) << byte << " at " << place << ", " << i;
                }
                EXPECT_EQ(others & 0x7f7f'7f7f'7f7f'7f7fu, 0u);
            }
    }
}

// A word that is compared as a number ends at its zeros: those must not be bytes of the text.
TEST(Text, NulsInsideAStatementAreErrors) {
    using namespace std::string_literals;
    const std::string declarations = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n";
    const std::string end = "END\n" + std::string(200, '#');
    for (const std::string& statement :
         {"MOV OUT[0], IN\0[0]\n"s, "MOV OUT[0], IN\0\0[0]\n"s, "MOV OUT\0[0], IN[0]\n"s, "MOV OUT[0].x\0, IN[0]\n"s,
          "MOV\0 OUT[0], IN[0]\n"s, "MOV OUT[0], IN[0\0]\n"s, "DCL TEMP\0[1]\n"s, "DCL OUT[1], COLOR\0\n"s}) {
        refused(declarations + statement + end);
    }
}

// The parser reads the last statements from a copy; their positions must still be those in the text, after any other
// statements.
TEST(Text, PlacesInTheLastStatementsAreThoseOfTheText) {
    const std::string head = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..9]\n";
    for (int moves = 0; moves < 30; ++moves) {
        std::string text = head;
        for (int i = 0; i < moves; ++i) text += std::to_string(i) + ": MOV TEMP[1].xy, TEMP[2]\n";
        const size_t last = text.size();
        text += "MOV OUT[0], TEMP[3].wzyx\nEND\n";
        const Program p = parsed(text);
        ASSERT_EQ(p.instructions.size(), static_cast<size_t>(moves) + 2);
        EXPECT_EQ(p.instructions[static_cast<size_t>(moves)].position, last);
        EXPECT_EQ(p.operands.back().position, last + 12);
        EXPECT_EQ(p.instructions.back().position, text.size() - 4);

        const std::string broken = text.substr(0, text.size() - 4) + "MOVE OUT[0], TEMP[3]\nEND\n";
        const auto diagnostics = refused(broken);
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_EQ(diagnostics[0].offset, text.size() - 4);
    }
}

/// An array id does not count as a second kind.
TEST(Text, AnArrayOfMemoryHasOneKind) {
    const Program p = parsed("COMP\nDCL MEMORY[0], SHARED, ARRAY(1)\nEND\n");
    ASSERT_EQ(p.declarations.size(), 1u);
    EXPECT_EQ(p.declarations[0].memory_kind, MemoryKind::Shared);
    EXPECT_EQ(p.declarations[0].array_id, 1);
}

TEST(Text, AReusedProgramIsCleared) {
    Program p = parsed(
        "GEOM1.1\nPROPERTY GS_INVOCATIONS 2\nDCL IN[][0], POSITION\nDCL IMMX[0] {{1, 2, 3, 4}}\n"
        "IMM FLT32 {1, 1, 1, 1}\nMOV TEMP[ADDR[0].x], IMM[0]\nEND");
    std::vector<Diagnostic> diagnostics;
    ASSERT_TRUE(parse(kShader, {}, p, diagnostics));
    EXPECT_EQ(p, parsed(kShader));
}

}  // namespace
}  // namespace tgsi2spv::tgsi
