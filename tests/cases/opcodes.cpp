// The tables of words computed by hand (tests/reference/tables), run on the devices.
#include <gtest/gtest.h>
#include <spirv-tools/optimizer.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "cases/devices.h"
#include "meanings/meanings.h"
#include "reference/tables/arithmetic.h"
#include "reference/tables/compare.h"
#include "reference/tables/convert.h"
#include "reference/tables/integer.h"
#include "reference/tables/legacy.h"
#include "reference/tables/sweeps.h"
#include "reference/tables/wide.h"

namespace tgsi2spv::difftest {
namespace {

using tables::Table;

float as_float(uint32_t w) {
    return std::bit_cast<float>(w);
}

/// Rows that a driver gets wrong, and the reason.
struct Known {
    std::string_view device, instruction;
    size_t row;
    std::string_view reason;
};
constexpr Known kKnown[] = {
    {"SwiftShader", "PK2H", 2, "packHalf2x16 of what overflows is neither infinity nor the largest half"},
    {"SwiftShader", "PK2H", 4, "packHalf2x16 of infinity is a NaN"},
    {"llvmpipe", "DROUND", 0, "without AVX-512, doubles in the middle of two integers are rounded towards zero"},
    {"llvmpipe", "DROUND", 1, "the same"},
};

bool is_known(std::string_view device, std::string_view instruction, size_t row) {
    return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const Known& k) {
        return device.find(k.device) != std::string_view::npos && instruction == k.instruction && row == k.row;
    });
}

struct OpcodesOnDevices : OnDevices {
    /// `mask`: the destination's write mask, if it has one. Skips devices without 64-bit integers; at least one must
    /// have them.
    void hold_wide(const std::vector<Table>& all, const std::string& mask = "") {
        size_t ran = 0;
        for (auto& device : devices) {
            const auto& features = device->report().features;
            if (!features.shaderInt64) continue;
            ran++;
            for (const auto& t : all)
                hold(t, mask.empty() ? tables::shader_text(t) : tables::masked_text(t, mask), *device);
        }
        EXPECT_GT(ran, 0u);
    }
    void hold(const std::vector<Table>& all) {
        for (const auto& t : all)
            for (auto& device : devices) hold(t, tables::shader_text(t), *device);
    }
    void hold(const Table& t, const std::string& text, vulkan::Device& device) {
        reference::Inputs inputs;
        inputs.lanes = static_cast<uint32_t>(t.rows.size());
        for (const auto& row : t.rows)
            for (size_t s = 0; s < row.in.size(); s++) inputs.inputs[{0, static_cast<int32_t>(s)}].push_back(row.in[s]);
        const auto r = run(device, text, inputs);
        if (!r) {
            ADD_FAILURE() << t.instruction << " on " << device.report().info.name << ": " << r.error().message;
            return;
        }
        for (size_t row = 0; row < t.rows.size(); row++) judge(t, row, r->outputs.at(0)[row], device);
    }
    void judge(const Table& t, size_t row, const std::array<reference::Component, 4>& got, vulkan::Device& device) {
        if (is_known(device.report().info.name, t.instruction, row)) return;
        for (size_t c = 0; c < 4; c++) {
            EXPECT_TRUE(meanings::permitted(t.rows[row].out[c], got[c].value, c == 3 ? 0 : got[c + 1].value))
                << t.instruction << " row " << row << "."
                << "xyzw"[c] << " on " << device.report().info.name << ": got 0x" << std::hex << got[c].value << " ("
                << as_float(got[c].value) << ")";
        }
    }

    /// Runs a table on immediates, which the translator knows and mostly folds. The driver folds the rest: lavapipe
    /// does that wrongly (driver-bugs.md), so it runs only tables that no other device can.
    void hold_on_literals(const std::vector<Table>& all, const std::string& mask = "", bool optimised = false) {
        for (const auto& t : all)
            for (size_t first = 0; first < t.rows.size(); first += kRowsATime) {
                const size_t count = std::min(kRowsATime, t.rows.size() - first);
                const std::string text = tables::literal_text(t, first, count, mask, optimised);
                SCOPED_TRACE(text);
                ASSERT_TRUE(api::parse(context, text, {})) << context.diagnostics.at(0).message;
                bool ran = false;
                for (auto device = devices.rbegin(); device != devices.rend() && !ran; ++device) {
                    VulkanOptions options;
                    options.settings.plain_immediates = true;
                    options.exact = !optimised;
                    if (optimised) options.hook = optimise;
                    const auto r = run_vulkan(**device, context, {}, options);
                    if (!r && r.error().kind == Trouble::Missing) continue;
                    ASSERT_TRUE(r) << r.error().message;
                    ran = true;
                    for (size_t k = 0; k < count; k++)
                        judge(t, first + k, r->outputs.at(static_cast<int32_t>(k))[0], **device);
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

TEST_F(OpcodesOnDevices, Arithmetic) {
    hold(tables::arithmetic());
}
TEST_F(OpcodesOnDevices, Compare) {
    hold(tables::compare());
}
TEST_F(OpcodesOnDevices, Integer) {
    hold(tables::integer());
}
TEST_F(OpcodesOnDevices, Convert) {
    hold(tables::convert());
}
TEST_F(OpcodesOnDevices, Legacy) {
    hold(tables::legacy());
}

TEST_F(OpcodesOnDevices, Sweeps) {
    hold(tables::sweeps());
    hold_wide(tables::wide_sweeps());
}

TEST_F(OpcodesOnDevices, OnLiterals) {
    hold_on_literals(tables::arithmetic());
    hold_on_literals(tables::compare());
    hold_on_literals(tables::integer());
    hold_on_literals(tables::convert());
    hold_on_literals(tables::legacy());
    hold_on_literals(tables::sweeps());
}
TEST_F(OpcodesOnDevices, WideOnLiterals) {
    hold_on_literals(tables::doubles());
    hold_on_literals(tables::wide_integers());
    hold_on_literals(tables::wide_comparisons(), "xz");
    hold_on_literals(tables::widenings());
    hold_on_literals(tables::wide_conversions());
    hold_on_literals(tables::narrowings(), "xy");
    hold_on_literals(tables::wide_sweeps());
}

/// The optimizers of users and drivers: spirv-opt folds some instructions by the type of their operands.
TEST_F(OpcodesOnDevices, OptimisedOnLiterals) {
    hold_on_literals(tables::arithmetic(), "", true);
    hold_on_literals(tables::compare(), "", true);
    hold_on_literals(tables::integer(), "", true);
    hold_on_literals(tables::convert(), "", true);
    hold_on_literals(tables::legacy(), "", true);
    hold_on_literals(tables::doubles(), "", true);
    hold_on_literals(tables::wide_integers(), "", true);
    hold_on_literals(tables::wide_comparisons(), "xz", true);
    hold_on_literals(tables::widenings(), "", true);
    hold_on_literals(tables::wide_conversions(), "", true);
    hold_on_literals(tables::narrowings(), "xy", true);
}

TEST_F(OpcodesOnDevices, Doubles) {
    hold(tables::doubles());
}
TEST_F(OpcodesOnDevices, WideIntegers) {
    hold_wide(tables::wide_integers());
    hold_wide(tables::wide_comparisons(), "xz");
}
TEST_F(OpcodesOnDevices, WideConversions) {
    hold_wide(tables::widenings());
    hold_wide(tables::wide_conversions());
    hold_wide(tables::narrowings(), "xy");
}

}  // namespace
}  // namespace tgsi2spv::difftest
