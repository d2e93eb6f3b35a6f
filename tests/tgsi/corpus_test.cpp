// Every shader of the corpus, whatever its stage, is taken without a complaint.
#include <gtest/gtest.h>

#include "corpus.h"
#include "tgsi/parse.h"

namespace tgsi2spv::tgsi {
namespace {

TEST(Corpus, EveryFileParses) {
    const auto files = read_corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    Program program;
    for (const CorpusFile& file : files) {
        std::vector<Diagnostic> diagnostics;
        EXPECT_TRUE(parse(file.text, {}, program, diagnostics)) << file.path;
        for (const Diagnostic& d : diagnostics) ADD_FAILURE() << file.path << " at " << d.offset << ": " << d.message;
    }
}

}  // namespace
}  // namespace tgsi2spv::tgsi
