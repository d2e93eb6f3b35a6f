// Every shader of the project, and of the corpus if TGSI2SPV_CORPUS names one: each texture instruction has a message,
// and each message is legal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sampling/message.h"
#include "shader_files.h"
#include "tgsi/parse/parse.h"

namespace tgsi2spv::sampling {
namespace {

TEST(Corpus, EveryTextureInstructionHasAMessage) {
    std::set<std::string_view> unseen;  ///< the examples have every opcode
    for (const tgsi::OpcodeInfo& row : tgsi::kOpcodes)
        if (row.family == tgsi::Family::texture) unseen.insert(row.mnemonic);
    unseen.erase("SAMP2HND");
    unseen.erase("IMG2HND");
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    Views views;
    std::map<std::string, std::string> refused;
    for (const test::ShaderFile& file : test::all_shaders()) {
        diagnostics.clear();
        ASSERT_TRUE(tgsi::parse(file.text, {}, program, diagnostics)) << file.path;
        gather_views(program, views);
        for (const tgsi::Instruction& i : program.instructions) {
            if (tgsi::info(i.op).family != tgsi::Family::texture || i.op == tgsi::Opcode::SAMP2HND ||
                i.op == tgsi::Opcode::IMG2HND)
                continue;
            Refusal refusal;
            const std::optional<Message> m = message_of(program, views, i, refusal);
            if (!m) refused.emplace(refusal.reason, file.path);
            if (!m) continue;
            unseen.erase(tgsi::info(i.op).mnemonic);
            EXPECT_EQ(why_illegal(*m), "") << print(*m);
        }
    }
    EXPECT_THAT(refused, testing::IsEmpty());
    EXPECT_THAT(unseen, testing::IsEmpty());
}

}  // namespace
}  // namespace tgsi2spv::sampling
