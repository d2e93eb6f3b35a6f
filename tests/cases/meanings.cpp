// The rules of tests/meanings, on the devices.
#include "meanings/inputs.h"

#include <gtest/gtest.h>

#include <spirv-tools/optimizer.hpp>

#include <algorithm>
#include <span>

#include "cases/devices.h"

namespace tgsi2spv::difftest {
namespace {

using meanings::Row;
using meanings::Rule;

struct MeaningsOnDevices : CasesOnDevices {
    /// Runs a rule on each device that has its features. The lanes are rows, but a row of COMP is a run of its own.
    void hold(const Rule& rule) {
        const std::span<const Row> rows = rule.rows;
        const size_t at_once = rule.is_compute() ? 1 : rows.size();
        bool ran = false;
        for (size_t first = 0; first < rows.size(); first += at_once)
            for (auto& device : devices) ran |= hold(rule, rows.subspan(first, at_once), *device);
        EXPECT_TRUE(ran) << "no device has the features of " << rule.text;
    }
    bool hold(const Rule& rule, std::span<const Row> rows, harness::Device& device) {
        const reference::Inputs inputs = meanings::inputs_of(rule, rows);
        EXPECT_TRUE(api::parse(context, rule.text, {})) << rule.text;
        VulkanOptions options;
        options.settings.dialect = rule.dialect;
        options.max_iterations = rule.max_iterations;
        const auto r = run_vulkan(device, context, inputs, options);
        if (!r && r.error().kind == Trouble::Missing) return false;
        EXPECT_TRUE(r) << r.error().message << "\n" << rule.text;
        for (uint32_t lane = 0; r && lane < inputs.lanes; lane++) {
            if (rows[lane].is_wrong_on(device.report().info.name)) continue;
            const auto trace = rule.trace(rows[lane]);
            SCOPED_TRACE(device.report().info.name);
            EXPECT_EQ(!r->killed.empty() && r->killed[lane], rows[lane].killed);
            for (size_t o = 0; o < rows[lane].out.size(); o++)
                if (rule.is_compute())
                    expect(rows[lane].out[o], r->buffers.at(static_cast<uint32_t>(o)), "BUFFER", o);
                else
                    expect(rows[lane].out[o], r->outputs.at(static_cast<int32_t>(o))[lane], "OUT", o);
        }
        return true;
    }
    static void expect(const std::vector<meanings::Expect>& expected, std::span<const reference::Component> got,
                       const char* name, size_t number) {
        ASSERT_EQ(expected.size(), got.size());
        for (size_t c = 0; c < got.size(); c++)
            EXPECT_TRUE(meanings::permitted(expected[c], got[c].value, c + 1 < got.size() ? got[c + 1].value : 0))
                << name << "[" << number << "][" << c << "] is 0x" << std::hex << got[c].value << " ("
                << std::bit_cast<float>(got[c].value) << ")";
    }

    /// A module that is not exact need not preserve NaN, nor the sign of a zero ("SPIR-V float controls").
    static std::vector<meanings::Expect> loosened(const Rule& op, std::vector<meanings::Expect> expected) {
        const std::string_view name(op.op);
        const auto opcode = tgsi::opcode_from_name(name.substr(0, name.find("_SAT"))).value();
        const auto type = tgsi::info(opcode).dst[0];
        if (type != tgsi::OperandType::Float && type != tgsi::OperandType::Double) return expected;
        for (meanings::Expect& e : expected) {
            if (e.kind == meanings::Expect::Kind::Nan) e.kind = meanings::Expect::Kind::Free;
            if (std::ranges::any_of(e.words, [](uint32_t word) { return word << 1 == 0; }))
                e.words.insert(e.words.end(), {0, 0x80000000});
        }
        return expected;
    }
    /// Runs an opcode on immediates, which the translator knows and mostly folds. The driver folds the rest.
    void hold_on_literals(const Rule& op, bool optimised) {
        for (size_t first = 0; first < op.rows.size(); first += kRowsATime) {
            const auto rows = std::span(op.rows).subspan(first, std::min(kRowsATime, op.rows.size() - first));
            const std::string text = meanings::literal_text(op, first, rows.size(), optimised);
            SCOPED_TRACE(text);
            ASSERT_TRUE(api::parse(context, text, {})) << context.diagnostics.at(0).message;
            bool ran = false;
            for (auto& device : devices) {
                const std::string where = "literals on " + device->report().info.name;
                VulkanOptions options;
                options.settings.plain_immediates = true;
                options.settings.dialect = op.dialect;
                options.exact = !optimised;
                if (optimised) options.hook = optimise;
                const auto r = run_vulkan(*device, context, {}, options);
                if (!r && r.error().kind == Trouble::Missing) continue;
                ASSERT_TRUE(r) << r.error().message;
                ran = true;
                SCOPED_TRACE(where);
                for (size_t k = 0; k < rows.size(); k++)
                    if (!rows[k].is_wrong_on(where))
                        expect(optimised ? loosened(op, rows[k].out[0]) : rows[k].out[0],
                               r->outputs.at(static_cast<int32_t>(k))[0], "OUT", k);
            }
            EXPECT_TRUE(ran);
        }
    }
    static constexpr size_t kRowsATime = 16;
    /// spirv-opt -O, which folds little in modules that are exact.
    static void optimise(api::Context& c, const api::Options&) {
        spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_3);
        optimizer.RegisterPerformancePasses();
        std::vector<uint32_t> out;
        EXPECT_TRUE(optimizer.Run(c.words.data(), c.words.size(), &out));
        c.words.assign(out.begin(), out.end());
    }
};

TEST_P(MeaningsOnDevices, AreThoseOfTheRules) {
    for (const Rule& rule : meanings::rules_of(GetParam())) hold(rule);
}

/// Also with the optimizers of users and drivers: spirv-opt folds some instructions by the type of their operands.
TEST_P(MeaningsOnDevices, OnLiterals) {
    for (const Rule& rule : meanings::rules_of(GetParam()))
        for (const bool optimised : {false, true})
            if (!rule.op.empty()) hold_on_literals(rule, optimised);
}

INSTANTIATE_TEST_SUITE_P(Cases, MeaningsOnDevices, testing::ValuesIn(test::cases_of(meanings::kFolder)),
                         test::test_name);

}  // namespace
}  // namespace tgsi2spv::difftest
