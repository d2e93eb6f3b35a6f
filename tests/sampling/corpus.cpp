// Every shader of the project, and of the corpus if TGSI2SPV_CORPUS names one: each texture instruction has a message,
// and each message is legal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sampling/message.h"
#include "shader_files.h"
#include "tgsi/parse.h"

namespace tgsi2spv::sampling {
namespace {

TEST(Corpus, EveryTextureInstructionHasAMessage) {
    int messages = 0;
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    Views views;
    std::map<std::string, std::string> refused;
    for (const test::ShaderFile& file : test::all_shaders()) {
        diagnostics.clear();
        if (!tgsi::parse(file.text, {}, program, diagnostics)) continue;  // the parser's tests report such files
        gather_views(program, views);
        for (const tgsi::Instruction& i : program.instructions) {
            if (tgsi::info(i.op).family != tgsi::Family::texture || i.op == tgsi::Opcode::SAMP2HND ||
                i.op == tgsi::Opcode::IMG2HND)
                continue;
            Refusal refusal;
            const std::optional<Message> m = message_of(program, views, i, refusal);
            if (!m) refused.emplace(refusal.reason, file.path);
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
