// The fixed locations of varyings and PATCH data.
#include "lower/variables/locations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

/// The location of the only variable of a kind that is no builtin.
uint32_t location(const std::string& text, ir::VariableKind kind, bool patch) {
    const Lowered l = lower_text(text);
    EXPECT_TRUE(l.ok) << l.error;
    for (const ir::Variable& v : l.module.variables) {
        if (v.kind != kind || v.builtin != ir::BuiltIn::None) continue;
        EXPECT_EQ(v.patch, patch) << text;
        return v.location;
    }
    ADD_FAILURE() << text;
    return lower::kLocations;
}

TEST(LowerLocations, BothStagesHaveTheSame) {
    for (const std::string semantic :
         {"GENERIC[0]", "GENERIC[9]", "GENERIC[40]", "COLOR", "COLOR[1]", "BCOLOR", "BCOLOR[1]", "FOG", "TEXCOORD",
          "TEXCOORD[7]", "NORMAL", "PATCH", "PATCH[7]", "PATCH[29]", "PATCH[30]", "PATCH[31]"}) {
        const bool patch = semantic.starts_with("PATCH");
        const std::string out = patch ? "TESS_CTRL\nDCL CONST[0]\n" : "VERT\nDCL IN[0]\n",
                          in = patch ? "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL OUT[0], POSITION\nDCL IN[0], "
                                     : "FRAG\nDCL OUT[0], COLOR\nDCL IN[0], ";
        const uint32_t written =
            location(out + "DCL OUT[0], " + semantic + "\nMOV OUT[0], " + (patch ? "CONST" : "IN") + "[0]\nEND\n",
                     ir::VariableKind::Output, patch);
        EXPECT_EQ(location(in + semantic + (patch ? "" : ", PERSPECTIVE") + "\nMOV OUT[0], IN[0]\nEND\n",
                           ir::VariableKind::Input, patch),
                  written)
            << semantic;
        EXPECT_LT(written, lower::kLocations) << semantic;
    }
    EXPECT_FALSE(lower::patch_location(32));
}

TEST(LowerLocations, SemanticsUsedTogetherHaveDifferentLocations) {
    using lower::varying_location;
    using tgsi::Semantic;
    std::vector<uint32_t> taken;
    auto take = [&](Semantic s, uint32_t first, uint32_t last) {
        for (uint32_t i = first; i <= last; ++i) taken.push_back(*varying_location(s, i));
    };
    auto all_differ = [&] {
        std::ranges::sort(taken);
        return std::ranges::adjacent_find(taken) == taken.end();
    };
    // The legacy colours, fog and texture coordinates beside seventeen varyings.
    for (const Semantic semantic : {Semantic::Color, Semantic::BColor}) take(semantic, 0, 1);
    take(Semantic::Fog, 0, 0);
    take(Semantic::TexCoord, 0, 7);
    take(Semantic::Generic, 0, 16);
    EXPECT_TRUE(all_differ());
    // They leave room for POSITION and PSIZE; those without back colours also for eight distances.
    EXPECT_EQ(taken.back(), 29u);
    EXPECT_EQ(varying_location(Semantic::Color, 0), 27u);
    // Producers without TEXCOORD number user varyings from 9: all 32 of them fit.
    taken.clear();
    take(Semantic::Generic, 9, 40);
    EXPECT_TRUE(all_differ());
    EXPECT_FALSE(varying_location(Semantic::Color, 2));
    EXPECT_FALSE(varying_location(Semantic::Position, 0));
}

}  // namespace
}  // namespace tgsi2spv::test
