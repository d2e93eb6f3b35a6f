#include "damage.h"

#include <algorithm>

#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"

namespace fuzz {
namespace {

namespace tgsi = tgsi2spv::tgsi;

// clang-format off
constexpr std::string_view kSnippets[] = {
    "[", "]", "(", ")", "{", "}", ",", ".", "..", "-", "|", ":", ";", "#", "//", "\n", "\r", " ", "!", "_SAT",
    "_PRECISE", "TEMP[0]", "TEMP[ADDR[0].x]", "CONST[1][0]", "CONST[ADDR[0].x+3]", "IN[0]", "OUT[0]", "IN[0][0]",
    "NULL[0]", "NULL[0].", "IMM[0]", "SV[0]", "SAMP[0]", "SVIEW[0]", "IMAGE[0]", "BUFFER[0]", "MEMORY[0]", "ADDR[0]",
    "PRED[0]", "(PRED[0].x)", "ARRAY(1)", "LOCAL", ".xyzw", ".xxxx", ".x", ".w", ".yxwz", "-|TEMP[0]|",
    "DCL TEMP[0..65535]\n", "DCL TEMP[0..3]\n", "DCL TEMP[4..7], ARRAY(1)\n", "DCL ADDR[0]\n", "DCL CONST[1][0..9]\n",
    "DCL SAMP[0]\n", "IMM[0] FLT32 {1, 2, 3, 4}\n", "IMM UINT32 {0, 1, 2, 4294967295}\n", "IF TEMP[0]\n", "ENDIF\n",
    "ELSE\n", "BGNLOOP\n", "ENDLOOP\n", "BRK\n", "CONT\n", "SWITCH TEMP[0]\n", "CASE IMM[0]\n", "DEFAULT\n",
    "ENDSWITCH\n", "RET\n", "CAL :0\n", "CAL :3\n", "BGNSUB\n", "ENDSUB\n", "END\n", "KILL\n", "KILL_IF -TEMP[0]\n",
    "MOV TEMP[0], TEMP[1]\n", "UADD TEMP[0].x, TEMP[0], IMM[0]\n", "0x7fffffff", "4294967296", "-1", "99999999999",
    "inf", "nan", "1e39",
};
// clang-format on

constexpr std::string_view kNumbers[] = {"0",    "1",     "2",     "3",          "4",          "7",         "16",
                                         "31",   "32",    "63",    "64",         "255",        "256",       "1023",
                                         "4095", "65535", "65536", "2147483647", "2147483648", "4294967295"};

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Span {
    size_t first, length;
};

/// Returns the word or number at or after a random position.
Span word_at(const std::string& text, Random& random) {
    size_t at = random.below(text.size());
    while (at < text.size() && !is_word(text[at])) ++at;
    size_t first = at, last = at;
    while (first > 0 && is_word(text[first - 1])) --first;
    while (last < text.size() && is_word(text[last])) ++last;
    return {first, last - first};
}

Span line_at(const std::string& text, Random& random) {
    const size_t at = random.below(text.size());
    const size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const size_t first = before == std::string::npos ? 0 : before + 1;
    const size_t last = std::min(text.find('\n', at), text.size() - 1) + 1;
    return {first, last - first};
}

std::string_view random_word(Random& random) {
    switch (random.below(6)) {
        case 0:
            return tgsi::name(static_cast<tgsi::Target>(random.below(tgsi::kTargetCount)));
        case 1:
            return tgsi::name(static_cast<tgsi::Semantic>(random.below(tgsi::kSemanticCount)));
        case 2:
            return tgsi::name(static_cast<tgsi::File>(random.below(tgsi::kFileCount)));
        case 3:
            return tgsi::name(static_cast<tgsi::Property>(random.below(tgsi::kPropertyCount)));
        case 4:
            return tgsi::format_info(static_cast<uint16_t>(random.below(tgsi::format_count()))).name;
        default:
            return tgsi::info(static_cast<tgsi::Opcode>(random.below(tgsi::kOpcodeCount))).mnemonic;
    }
}

/// Replaces an opcode with another one of the same operand shape, which is most likely to be accepted.
void change_opcode(std::string& text, Random& random) {
    for (int tries = 0; tries < 8; ++tries) {
        const Span w = word_at(text, random);
        const auto op = tgsi::opcode_from_name(std::string_view(text).substr(w.first, w.length));
        if (!op) continue;
        for (int more = 0; more < 400; ++more) {
            const tgsi::OpcodeInfo& o = tgsi::info(static_cast<tgsi::Opcode>(random.below(tgsi::kOpcodeCount)));
            const tgsi::OpcodeInfo& old = tgsi::info(*op);
            if (o.num_dst != old.num_dst || o.num_src != old.num_src || o.form != old.form) continue;
            text.replace(w.first, w.length, o.mnemonic);
            return;
        }
    }
}

void one(std::string& text, std::string_view other, Random& random) {
    const auto insert = [&](std::string_view what) { text.insert(random.below(text.size() + 1), what); };
    switch (random.below(15)) {
        case 0:
            text[random.below(text.size())] = static_cast<char>(random.next());
            return;
        case 1: {
            const size_t at = random.below(text.size());  // drawn first: arguments have no order of evaluation
            text.erase(at, 1 + random.below(8));
            return;
        }
        case 2:
            insert(kSnippets[random.below(std::size(kSnippets))]);
            return;
        case 3: {
            const Span w = word_at(text, random);
            text.replace(w.first, w.length, random_word(random));
            return;
        }
        case 4: {
            const Span w = word_at(text, random);
            text.replace(w.first, w.length, kNumbers[random.below(std::size(kNumbers))]);
            return;
        }
        case 5: {
            const Span line = line_at(text, random);
            text.erase(line.first, line.length);
            return;
        }
        case 6: {
            const Span line = line_at(text, random);
            text.insert(line.first, std::string(text, line.first, line.length));
            return;
        }
        case 7: {
            const Span line = line_at(text, random);
            const std::string moved(text, line.first, line.length);
            text.erase(line.first, line.length);
            if (text.empty()) return;
            text.insert(line_at(text, random).first, moved);
            return;
        }
        case 8: {
            std::string from(other);
            if (from.empty()) return;
            const Span line = line_at(from, random);
            text.insert(line_at(text, random).first, from, line.first, line.length);
            return;
        }
        case 9: {  // changes a number a little
            const Span w = word_at(text, random);
            if (w.length > 0 && text[w.first] >= '0' && text[w.first] <= '8') ++text[w.first];
            return;
        }
        case 10: {
            const Span line = line_at(text, random);
            const std::string_view snippet = kSnippets[random.below(std::size(kSnippets))];
            if (snippet.ends_with('\n')) text.insert(line.first, snippet);
            return;
        }
        case 11: {  // changes a component
            const size_t dot = text.find('.', random.below(text.size()));
            if (dot != std::string::npos && dot + 1 < text.size()) text[dot + 1] = "xyzw"[random.below(4)];
            return;
        }
        case 12:
            text.resize(random.below(text.size()));
            return;
        default:
            return change_opcode(text, random);
    }
}

}  // namespace

uint64_t Random::next() {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545f4914f6cdd1du) >> 16;
}

std::string mutate(std::string_view text, std::string_view other, Random& random) {
    std::string out(text);
    for (size_t i = 1 + random.below(5); i > 0 && !out.empty(); --i) one(out, other, random);
    return out;
}

}  // namespace fuzz
