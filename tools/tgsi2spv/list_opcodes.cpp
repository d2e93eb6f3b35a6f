#include "tgsi2spv/list_opcodes.h"

#include <fmt/format.h>

#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"

namespace tools {
namespace {

using namespace tgsi2spv;

struct Coverage {
    tgsi::Opcode op;
    bool parsed, translated, executed, compared;
};
constexpr Coverage kCoverage[] = {
#define OPCODE_COVERAGE(op, parsed, translated, executed, compared) \
    {tgsi::Opcode::op, parsed, translated, executed, compared},
#include "tgsi2spv/opcode_coverage.inc"
#undef OPCODE_COVERAGE
};
static_assert(std::size(kCoverage) == tgsi::kOpcodeCount,
              "tools/tgsi2spv/opcode_coverage.inc has a row for each opcode");

std::string editions_of(const tgsi::OpcodeInfo& info) {
    std::string out;
    for (const auto& [bit, name] : {std::pair{tgsi::kEditionOldest, "oldest"},
                                    {tgsi::kEditionMiddle, "middle"},
                                    {tgsi::kEditionNewest, "newest"}})
        if (info.editions & bit) out += (out.empty() ? "" : ",") + std::string(name);
    return out.empty() ? "(text)" : out;
}

std::string stages_of(const tgsi::OpcodeInfo& info) {
    if (info.stages == 0x3f) return "all";
    std::string out;
    for (int s = 0; s < 6; ++s)
        if (info.stages >> s & 1)
            out += (out.empty() ? "" : ",") + std::string(tgsi::name(static_cast<tgsi::Stage>(s)));
    return out;
}

}  // namespace

std::string list_opcodes() {
    const auto word = [](bool b) { return b ? "yes" : "no"; };
    std::string out = fmt::format("{:<16}{:<22}{:<16}{:<8}{:<12}{:<10}{}\n", "opcode", "editions", "stages", "parsed",
                                  "translated", "executed", "compared");
    for (const Coverage& c : kCoverage) {
        const auto& info = tgsi::info(c.op);
        out += fmt::format("{:<16}{:<22}{:<16}{:<8}{:<12}{:<10}{}\n", info.mnemonic, editions_of(info), stages_of(info),
                           word(c.parsed), word(c.translated), word(c.executed), word(c.compared));
    }
    return out;
}

}  // namespace tools
