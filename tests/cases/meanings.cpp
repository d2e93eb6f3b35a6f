// The rules of tests/meanings, on the devices.
#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/devices.h"

namespace tgsi2spv::difftest {
namespace {

using meanings::Row;
using meanings::Rule;

struct MeaningsOnDevices : OnDevices {
    void hold(const Rule& rule, vulkan::Device& device) {
        reference::Inputs inputs;
        inputs.lanes = static_cast<uint32_t>(rule.rows.size());
        for (const Row& row : rule.rows)
            for (size_t i = 0; i < row.in.size(); i++) inputs.inputs[{0, static_cast<int32_t>(i)}].push_back(row.in[i]);
        const auto r = run(device, rule.text, inputs);
        ASSERT_TRUE(r) << r.error().message;
        for (uint32_t lane = 0; lane < inputs.lanes; lane++) judge(rule.rows[lane], *r, lane);
    }
    static void judge(const Row& row, const reference::Result& r, uint32_t lane) {
        SCOPED_TRACE("line " + std::to_string(row.line));
        EXPECT_EQ(!r.killed.empty() && r.killed[lane], row.killed);
        for (size_t o = 0; o < row.out.size(); o++)
            for (size_t c = 0; c < 4; c++) {
                const uint32_t got = r.outputs.at(static_cast<int32_t>(o))[lane][c].value;
                EXPECT_TRUE(meanings::permitted(row.out[o][c], got)) << "OUT[" << o << "]."
                                                                     << "xyzw"[c] << " is 0x" << std::hex << got;
            }
    }
};

TEST_F(MeaningsOnDevices, AreThoseOfTheRules) {
    for (const std::string& file : meanings::files())
        for (const Rule& rule : meanings::rules(file))
            for (auto& device : devices) {
                const std::string name = device->report().info.name;
                if (std::ranges::any_of(rule.wrong_on,
                                        [&](const auto& w) { return name.find(w.first) != std::string::npos; }))
                    continue;
                SCOPED_TRACE(file + ": " + rule.name + " on " + name);
                hold(rule, *device);
            }
}

}  // namespace
}  // namespace tgsi2spv::difftest
