// Real shaders: each of their texture instructions has a message, and each message is legal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sampling/message.h"
#include "tgsi/parse.h"

namespace tgsi2spv::sampling {
namespace {

TEST(Corpus, EveryTextureInstructionHasAMessage) {
    const char* corpus = std::getenv("TGSI2SPV_CORPUS");
    if (!corpus) GTEST_SKIP() << "TGSI2SPV_CORPUS does not name a folder of shaders";
    int messages = 0;
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    Views views;
    std::map<std::string, std::string> refused;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
        if (entry.path().extension() != ".tgsi") continue;
        std::stringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        diagnostics.clear();
        if (!tgsi::parse(text.str(), {}, program, diagnostics)) continue;  // the parser's own tests say why
        gather_views(program, views);
        for (const tgsi::Instruction& i : program.instructions) {
            if (tgsi::info(i.op).family != tgsi::Family::texture || i.op == tgsi::Opcode::SAMP2HND ||
                i.op == tgsi::Opcode::IMG2HND)
                continue;
            Refusal refusal;
            const std::optional<Message> m = message_of(program, views, i, refusal);
            if (!m) refused.emplace(refusal.reason, entry.path().string());
            if (!m) continue;
            ++messages;
            EXPECT_EQ(why_illegal(*m), "") << print(*m);
        }
    }
    EXPECT_THAT(refused, testing::IsEmpty());
    EXPECT_GT(messages, 0);
}

}  // namespace
}  // namespace tgsi2spv::sampling
