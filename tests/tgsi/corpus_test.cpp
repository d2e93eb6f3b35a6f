// Every shader of any stage parses, passes the checker, and survives printing.
#include <gtest/gtest.h>

#include <tuple>

#include "cases.h"
#include "shader_files.h"
#include "tgsi/check/check.h"
#include "tgsi/prepare.h"
#include "tgsi/print.h"

namespace tgsi2spv::tgsi {
namespace {

using test::ShaderFile;

/// Returns the project's shaders, the written forms of the parser's tests, and those of the corpus if TGSI2SPV_CORPUS
/// names one.
std::vector<ShaderFile> texts() {
    std::vector<ShaderFile> files = test::all_shaders();
    for (const Case& c : read_cases("forms/forms.txt")) files.push_back({"forms.txt: " + c.name, c.text});
    EXPECT_GT(files.size(), 90u);
    return files;
}

TEST(Corpus, EveryFileParsesPassesTheCheckerAndPrintsBack) {
    const auto files = texts();
    Program program, again;
    Survey survey;
    Registers registers;
    for (const ShaderFile& file : files) {
        std::vector<Diagnostic> diagnostics;
        const bool good = read_text(file.text, {}, program, survey, registers, diagnostics);
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

std::vector<std::tuple<File, int32_t, int32_t, int32_t, uint32_t>> ranges_of(const Registers& registers) {
    std::vector<std::tuple<File, int32_t, int32_t, int32_t, uint32_t>> all;
    for (const Range& r : registers.ranges) all.emplace_back(r.file, r.dim, r.first, r.last, r.declaration);
    return all;
}

TEST(Corpus, TheSurveyChangesNeitherRegistersNorMessages) {
    const auto files = texts();
    Program program;
    Survey seen;
    Registers registers;
    size_t others = 0, instructions = 0;
    for (const ShaderFile& file : files) {
        std::vector<Diagnostic> diagnostics;
        ASSERT_TRUE(parse(file.text, {}, program, seen, diagnostics)) << file.path;
        prepare(program, seen, registers);
        EXPECT_EQ(ranges_of(registers), ranges_of(gather(program))) << file.path;
        std::vector<Diagnostic> thorough = diagnostics;
        Program again = program;  // check() changes it
        EXPECT_EQ(check(program, registers, seen, {}, diagnostics), check(again, {}, thorough)) << file.path;
        EXPECT_EQ(diagnostics.size(), thorough.size()) << file.path;
        others += seen.others.size();
        instructions += program.instructions.size();
    }
    // Otherwise the checker would repeat all of the work.
    EXPECT_LT(others * 3, instructions);
}

}  // namespace
}  // namespace tgsi2spv::tgsi
