// Compares the table that `tgsi2spv --list-opcodes` prints with the example shaders' coverage of each opcode. With
// TGSI2SPV_UPDATE=1 in the environment, the test rewrites the table.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <spirv-tools/libspirv.hpp>

#include "api/convert.h"
#include "campaign/baseline.h"
#include "cases/compare.h"
#include "cases/judge.h"
#include "cases/sources.h"
#include "harness/devices.h"
#include "inputs/inputs.h"
#include "places.h"
#include "reference/run.h"
#include "tgsi/print.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv {
namespace {

const std::string kTable = test::source_path("tools/tgsi2spv/opcode_coverage.inc");

/// The example shaders' coverage of an opcode. `compared`: in one that a device ran correctly, a word that was compared
/// with the reference depends on it.
struct Seen {
    bool parsed = false, translated = false, executed = false, compared = false;
};
using Table = std::array<Seen, tgsi::kOpcodeCount>;

std::string write(const Table& table) {
    std::string out =
        "// The coverage of each opcode by shaders/, as tests/coverage saw it: parsed, translated, executed, compared "
        "(a\n"
        "// word that a device returned depends on it).\n"
        "// Generated: TGSI2SPV_UPDATE=1 ctest -R OpcodeCoverage; the same test compares it with its own results.\n";
    const auto word = [](bool b) { return b ? "true" : "false"; };
    for (size_t i = 0; i < table.size(); ++i)
        out += std::string("OPCODE_COVERAGE(") + std::string(tgsi::kOpcodes[i].mnemonic) + ", " +
               word(table[i].parsed) + ", " + word(table[i].translated) + ", " + word(table[i].executed) + ", " +
               word(table[i].compared) + ")\n";
    return out;
}

/// Returns the opcodes without which a text with `op` does not parse.
std::set<tgsi::Opcode> companions(tgsi::Opcode op) {
    using enum tgsi::Opcode;
    const std::set<tgsi::Opcode> constructs[] = {{IF, IFC, UIF, ELSE, ENDIF},
                                                 {BGNLOOP, BRK, BREAKC, CONT, ENDLOOP},
                                                 {SWITCH, CASE, DEFAULT, BRK, ENDSWITCH},
                                                 {CAL, CALLNZ, BGNSUB, RET, ENDSUB}};
    for (const auto& all : constructs)
        if (all.contains(op)) return all;
    return {op};
}

tgsi::Program without(tgsi::Program program, const std::set<tgsi::Opcode>& opcodes) {
    for (tgsi::Instruction& i : program.instructions) {
        if (!opcodes.contains(i.op)) continue;
        const uint32_t position = i.position;
        i = {};
        i.op = tgsi::Opcode::NOP;
        i.position = position;
    }
    return program;
}

struct OpcodeCoverage : testing::Test {
    Table table{};
    api::Context context;
    std::vector<std::string> names;
    difftest::Baseline baseline;
    std::optional<difftest::Workplace> workplace;
    spvtools::SpirvTools validator{SPV_ENV_VULKAN_1_2};

    void SetUp() override {
        names = test::installed_devices();
        ASSERT_FALSE(names.empty());
        auto opened = difftest::open_workplace(names, false);
        ASSERT_TRUE(opened) << opened.error();
        workplace.emplace(std::move(*opened));
        for (const char* list : {"lavapipe.txt", "swiftshader.txt"}) {
            const auto text = difftest::read_source(test::source_path("tests/baselines/") + list);
            ASSERT_TRUE(text) << text.error();
            const auto read = difftest::read_baseline(*text, list, baseline);
            ASSERT_TRUE(read) << read.error();
        }
    }

    bool translates(const std::string& text) {
        return api::convert(context, text, {}) && validator.Validate(context.words.data(), context.words.size());
    }
    bool executes(const std::string& text) {
        if (!api::parse(context, text, {})) return false;
        const auto inputs = difftest::generate_inputs(context.program, context.registers, {});
        return reference::run(context.program, context.registers, inputs, {}).error.empty();
    }
    /// Whether some device passes. A wrong answer that no baseline names fails the test.
    bool passes(const difftest::MadeCase& made) {
        bool passed = false;
        for (size_t d = 0; d < names.size(); d++) {
            auto r = judge_case(made, d, {}, *workplace);
            difftest::apply_baseline(baseline, r);
            if (!r.expected) ADD_FAILURE() << r.id << " on " << r.device << ": " << r.message;
            passed |= r.status == difftest::Status::Pass;
        }
        return passed;
    }
    bool parses(const tgsi::Program& program) {
        context.diagnostics.clear();
        return api::parse(context, tgsi::print(program), {});
    }
    /// Returns those of `opcodes` of which this case shows that they work: if the opcode did nothing, a word that is
    /// compared would be another, or might be anything. Where a text needs the opcode, as an ENDIF, everything that it
    /// goes with does nothing either.
    std::set<tgsi::Opcode> shown(const std::set<tgsi::Opcode>& opcodes, const difftest::MadeCase& made) {
        EXPECT_TRUE(api::parse(context, made.text, {}));
        const tgsi::Program program = context.program;
        const auto streams = difftest::stream_outputs(program);
        reference::Options options;
        options.max_steps = 10'000;  // without its BRK, a loop does not end
        const auto answer = reference::run(program, context.registers, made.inputs, options);
        const auto compared = [&](reference::Result judged) {
            judged.written = answer.written;  // outputs that only this opcode writes are compared, too
            return difftest::compare(judged, answer, made.inputs.lanes, streams);
        };
        const auto all = compared(answer);
        std::set<tgsi::Opcode> found;
        for (const auto op : opcodes) {
            if (op == tgsi::Opcode::END && all.unknown < all.words) found.insert(op);  // no text does without it
            if (!parses(without(program, {op})) && !parses(without(program, companions(op)))) continue;
            const auto c = compared(reference::run(context.program, context.registers, made.inputs, options));
            if (c.wrong != 0 || c.unknown > all.unknown) found.insert(op);
        }
        return found;
    }
    void look_at(const difftest::Source& source) {
        const auto text = difftest::read_source(source.path);
        ASSERT_TRUE(text) << text.error();
        ASSERT_TRUE(api::parse(context, *text, {})) << source.name << ": " << context.diagnostics.at(0).message;
        std::set<tgsi::Opcode> used;
        for (const auto& i : context.program.instructions) used.insert(i.op);
        const bool translated = translates(*text), executed = executes(*text);
        for (const auto op : used) {
            Seen& s = table[static_cast<size_t>(op)];
            s.parsed = true;
            s.translated |= translated;
            s.executed |= executed;
        }
        difftest::CaseSpec spec;
        spec.kind = difftest::CaseKind::File;
        spec.name = source.name;
        spec.path = source.path;
        // One set of inputs need not take each branch.
        constexpr uint32_t kInputSets = 8;
        for (; spec.input < kInputSets; ++spec.input) {
            std::erase_if(used, [&](tgsi::Opcode op) { return table[static_cast<size_t>(op)].compared; });
            if (used.empty()) return;
            const auto made = make_case(spec, {}, *workplace);
            if (!passes(made)) continue;
            for (const auto op : shown(used, made)) table[static_cast<size_t>(op)].compared = true;
        }
    }
};

TEST_F(OpcodeCoverage, TheTableMatchesTheExamples) {
    const auto sources = difftest::find_sources(std::vector<std::string>{test::source_path("shaders")});
    ASSERT_TRUE(sources) << sources.error();
    for (const auto& source : *sources) look_at(source);
    if (std::getenv("TGSI2SPV_UPDATE")) std::ofstream(kTable, std::ios::binary) << write(table);
    std::ifstream file(kTable, std::ios::binary);
    const std::string listed{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(listed, write(table))
        << "the examples show other opcodes: TGSI2SPV_UPDATE=1 ctest -R OpcodeCoverage writes the table anew";
}

}  // namespace
}  // namespace tgsi2spv
