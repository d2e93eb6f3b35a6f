// Every shader of the corpus, whatever its stage, is taken, makes sense, and survives being printed.
#include <gtest/gtest.h>

#include "corpus.h"
#include "tgsi/check.h"
#include "tgsi/parse.h"
#include "tgsi/print.h"

namespace tgsi2spv::tgsi {
namespace {

TEST(Corpus, EveryFileParsesPassesTheCheckerAndPrintsBack) {
    const auto files = read_corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    Program program, again;
    for (const CorpusFile& file : files) {
        std::vector<Diagnostic> diagnostics;
        const bool good = parse(file.text, {}, program, diagnostics) && check(program, {}, diagnostics);
        for (const Diagnostic& d : diagnostics) {
            if (d.severity == Severity::Error) ADD_FAILURE() << render(d, file.path, file.text);
        }
        if (!good) continue;
        const std::string printed = print(program);
        ASSERT_TRUE(parse(printed, {}, again, diagnostics)) << file.path << '\n' << printed;
        EXPECT_EQ(program, again) << file.path;
        EXPECT_EQ(printed, print(again)) << file.path;
    }
}

}  // namespace
}  // namespace tgsi2spv::tgsi
