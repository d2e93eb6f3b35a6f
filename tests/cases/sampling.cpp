// The sampling matrix: its list matches the pages, the text and the message of a form mean the same, and a few forms of
// each kind run on the devices. `tgsi-difftest --sampling` runs all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <iostream>
#include <set>

#include "cases/judge.h"
#include "cases/judge_sampling.h"
#include "cases/sampling/case.h"
#include "harness/devices.h"

namespace tgsi2spv::difftest {
namespace {

using sampling::Class;
using sampling::SampleOp;

TEST(SamplingForms, EveryOpOnEverySurfaceOnce) {
    std::set<std::string> names;
    std::set<std::pair<int, int>> pairs;
    for (const Form& f : sampling_forms()) {
        EXPECT_TRUE(names.insert(f.name).second) << f.name;
        EXPECT_EQ(why_illegal(f.message), f.impossible) << f.name;
        const auto& s = f.message.surface;
        if (f.message.cls == Class::Sample3D)
            pairs.insert({static_cast<int>(f.message.sample), 2 * static_cast<int>(s.dim) + (s.array ? 1 : 0)});
    }
    EXPECT_EQ(pairs.size(), 11u * 7u);
    for (const char* name : {"sample_b_c.pixel_null_mask 2D_ARRAY", "LOD.cps 3D", "sample_d_c CUBE_ARRAY",
                             "sample_l.divS 1D_ARRAY", "sample_c 3D", "Ps, TLD4.A.PTP ARRAY_2D", "TLD4.R.B.DC CUBE",
                             "sample_lz 2D, Dst UW", "sample_d 3D, aoffimmi 0x8f1"})
        EXPECT_EQ(names.count(name), 1u) << name;
    for (const char* name : {"sample_l.cps 2D", "LOD 2D, aoffimmi 0x72d", "sample CUBE, aoffimmi 0x72d",
                             "sample_c 2D, Dst W", "TLD4.R.PTP CUBE"})
        EXPECT_EQ(names.count(name), 0u) << name;
}

TEST(SamplingForms, AFormThatTextReachesIsThatText) {
    api::Context context;
    uint32_t lines = 0;
    for (const Form& f : sampling_forms()) {
        if (f.line.empty()) continue;
        ++lines;
        const auto states = states_of(f);
        SamplingCase c{.form = f, .states = std::span(states).first(1)};
        ASSERT_EQ(prepare(c, context, 1), "") << f.name;
        sampling::Refusal refusal;
        const auto m = sampling::message_of(context.program, context.program.instructions[0], refusal);
        ASSERT_TRUE(m) << f.name << ": " << refusal.reason;
        EXPECT_EQ(m->cls, f.message.cls) << f.name;
        if (m->cls == Class::Sample3D) {
            EXPECT_EQ(m->sample, f.message.sample) << f.name;
        } else if (!m->surface.shadow) {
            EXPECT_EQ(m->immediate_component, f.message.immediate_component) << f.name;
        }
        EXPECT_EQ(m->surface.dim, f.message.surface.dim) << f.name;
        EXPECT_EQ(m->surface.array, f.message.surface.array) << f.name;
        EXPECT_EQ(m->channel_mask, f.message.channel_mask) << f.name;
        EXPECT_EQ(m->offsets, f.message.offsets) << f.name;
        EXPECT_EQ(m->immediate_offsets[0][0], f.message.immediate_offsets[0][0]) << f.name;
        EXPECT_EQ(m->immediate_offsets[3][1], f.message.immediate_offsets[3][1]) << f.name;
    }
    EXPECT_GT(lines, 250u);
}

TEST(SamplingForms, StatesAreEveryKindFilterAndWrapMode) {
    std::set<std::string> of_2d, of_compare;
    for (const Form& f : sampling_forms()) {
        if (f.name == "sample 2D")
            for (const auto& s : states_of(f)) of_2d.insert(describe(s));
        if (f.name == "sample_c 2D")
            for (const auto& s : states_of(f)) of_compare.insert(describe(s));
    }
    EXPECT_EQ(of_2d.size(), 2u * 2u * 5u + 3u * 5u);
    EXPECT_EQ(of_compare.size(), 10u);
}

TEST(SamplingCase, HalvesAreNeighboursOfPermittedWords) {
    const auto permitted = [](float lo, float hi) {
        PermittedWord p;
        p.half = true;
        p.value = reference::interval(lo, hi, lo);
        return p;
    };
    EXPECT_TRUE(permits(permitted(1.0f, 1.0f), 0x3c00));
    EXPECT_FALSE(permits(permitted(1.0f, 1.0f), 0x3c01));
    EXPECT_FALSE(permits(permitted(1.0f, 1.0f), 0x3bff));
    const float between = 1.0f + 0x1p-12f;  // either neighbour
    EXPECT_TRUE(permits(permitted(between, between), 0x3c00));
    EXPECT_TRUE(permits(permitted(between, between), 0x3c01));
    EXPECT_FALSE(permits(permitted(between, between), 0x3c02));
    EXPECT_FALSE(permits(permitted(1.0f, 1.0f), 0x13c00));  // the high half is 0
    EXPECT_TRUE(permits(permitted(-2.0f, -1.0f), 0xbe00));
    EXPECT_FALSE(permits(permitted(-2.0f, -1.0f), 0xbbfe));
    EXPECT_TRUE(permits(permitted(0x1p-20f, 0x1p-20f), 0));  // flushed
}

TEST(SamplingMatrix, FormsOfEachSortAgreeWithTheDevices) {
    const auto devices = test::installed_devices();
    ASSERT_FALSE(devices.empty());
    struct Row {
        const char* filter;
        bool runs;
    };
    static constexpr Row kRows[] = {
        {"sample_b 1D_ARRAY, Dst UW", true},
        {"sample_d_c CUBE_ARRAY", true},
        {"sample_lz 3D, parameters HF", true},
        {"TLD4.B.PTP Rb 2D", true},
        {"TLD4.R.B.DC CUBE", true},
        {"sample_l.divS.divS 1D", true},
        {"LOD.cps 1D_ARRAY", false},
        {"sample_c.pixel_null_mask CUBE_ARRAY", false},
    };
    auto workplace = open_workplace(devices, true);
    ASSERT_TRUE(workplace) << workplace.error();
    CaseSources sources;
    sources.sampling = true;
    const auto all = list_cases(sources, {});
    ASSERT_TRUE(all) << all.error();
    for (const Row& row : kRows) {
        // Takes the first form whose name contains the filter.
        std::string form;
        uint32_t passed = 0, translated = 0;
        for (const CaseSpec& spec : *all) {
            if (form.empty() && spec.name.find(row.filter) != std::string::npos) form = spec.name;
            if (spec.name != form) continue;
            const auto made = make_case(spec, {}, *workplace);
            for (size_t d = 0; d < devices.size(); ++d) {
                const auto r = judge_case(made, d, {}, *workplace);
                EXPECT_FALSE(is_failure(r.status)) << id_of(spec) << " on " << r.device << ": " << r.message;
                passed += r.status == Status::Pass;
                translated += r.translated;
            }
        }
        if (!test::named_devices().empty()) continue;  // other devices can do other things
        EXPECT_EQ(passed > 0, row.runs) << row.filter;
        EXPECT_EQ(translated > 0, !row.runs) << row.filter;
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
