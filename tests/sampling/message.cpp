// Every texture opcode on every target: the expected messages are assembled from the rules of semantics for each target
// and for each opcode separately.
#include "sampling/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "sampling/build.h"

namespace tgsi2spv::sampling {
namespace {

using tgsi::Opcode;
using tgsi::Stage;
using tgsi::Target;

/// The table of semantics, "Textures", with the pages' names for the surfaces.
struct TargetRow {
    Target target;
    std::string surface;    ///< as 3D_SAMPLE and fetches print it
    std::string coords;     ///< as 3D_SAMPLE prints it
    std::string gradients;  ///< the same with the derivatives of sample_d
    std::string layer;
    std::string ref;     ///< the component of src0, or empty if src0 has none
    std::string gather;  ///< paramA and coordinates; empty if TLD4 does not support the target
    std::string fetch;   ///< coordinates and layer
    bool w_free;
};
const std::string kDx = "u=src0.x, dudx=src1.x, dudy=src2.x";
const std::string kDxy = kDx + ", v=src0.y, dvdx=src1.y, dvdy=src2.y";
const std::string kDxyz = kDxy + ", r=src0.z, drdx=src1.z, drdy=src2.z";
const std::string kDrect =
    "u=src0.x/width, dudx=src1.x/width, dudy=src2.x/width, v=src0.y/height, dvdx=src1.y/height, dvdy=src2.y/height";
const std::string kXy = "u=src0.x, v=src0.y", kXyz = "u=src0.x, v=src0.y, r=src0.z";
const std::string kRect = "u=src0.x/width, v=src0.y/height";
const std::vector<TargetRow> kTargets = {
    {Target::Buffer, "BUFFER", "", "", "", "", "", "u=src0.x", true},
    {Target::T1D, "1D", "u=src0.x", kDx, "", "", "", "u=src0.x", true},
    {Target::T2D, "2D", kXy, kDxy, "", "", "2D, s=src0.x, t=src0.y", kXy, true},
    {Target::T3D, "3D", kXyz, kDxyz, "", "", "", kXyz, true},
    {Target::Cube, "CUBE", kXyz, kDxyz, "", "", "CUBE, s=src0.x, t=src0.y, r=src0.z", kXy + ", face=src0.z", true},
    {Target::Rect, "RECT", kRect, kDrect, "", "", "RECT, s=src0.x/width, t=src0.y/height", kXy, true},
    {Target::Shadow1D, "1D", "u=src0.x", kDx, "", "z", "", "u=src0.x", true},
    {Target::Shadow2D, "2D", kXy, kDxy, "", "z", "2D, s=src0.x, t=src0.y", kXy, true},
    {Target::ShadowRect, "RECT", kRect, kDrect, "", "z", "RECT, s=src0.x/width, t=src0.y/height", kXy, true},
    {Target::T1DArray, "1D_ARRAY", "u=src0.x", kDx, "v=src0.y", "", "", "u=src0.x, layer=src0.y", true},
    {Target::T2DArray, "2D_ARRAY", kXy, kDxy, "r=src0.z", "", "ARRAY_2D, a=src0.z, s=src0.x, t=src0.y",
     kXy + ", layer=src0.z", true},
    {Target::Shadow1DArray, "1D_ARRAY", "u=src0.x", kDx, "v=src0.y", "z", "", "u=src0.x, layer=src0.y", true},
    {Target::Shadow2DArray, "2D_ARRAY", kXy, kDxy, "r=src0.z", "w", "ARRAY_2D, a=src0.z, s=src0.x, t=src0.y",
     kXy + ", layer=src0.z", false},
    {Target::ShadowCube, "CUBE", kXyz, kDxyz, "", "w", "CUBE, s=src0.x, t=src0.y, r=src0.z", "", false},
    {Target::T2DMS, "2D_MSAA", "", "", "", "", "", kXy, true},
    {Target::T2DArrayMS, "2D_MSAA_ARRAY", "", "", "", "", "", kXy + ", layer=src0.z", true},
    {Target::CubeArray, "CUBE_ARRAY", kXyz, kDxyz, "ai=src0.w", "",
     "ARRAY_CUBE, a=src0.w, s=src0.x, t=src0.y, r=src0.z", kXy + ", face=src0.z", false},
    {Target::ShadowCubeArray, "CUBE_ARRAY", kXyz, kDxyz, "ai=src0.w", "",
     "ARRAY_CUBE, a=src0.w, s=src0.x, t=src0.y, r=src0.z", "", false},
};

bool shadow(const TargetRow& t) {
    return tgsi::shape(t.target).shadow;
}
bool ms(const TargetRow& t) {
    return tgsi::shape(t.target).ms;
}

std::string join(const std::vector<std::string>& parts) {
    std::string s;
    for (const std::string& p : parts)
        if (!p.empty()) s += (s.empty() ? "" : ", ") + p;
    return s;
}

/// Returns the expected message of the opcode on the target; empty if it is refused.
std::string expected(Opcode op, const TargetRow& t) {
    const bool c = shadow(t), cube_array_shadow = t.target == Target::ShadowCubeArray, sampled = !t.coords.empty();
    const std::string ref = t.ref.empty() ? "" : "ref=src0." + t.ref;
    const std::string projected_ref = ref.empty() ? "" : ref + "/src0.w";
    auto message = [&](const std::string& name, const std::vector<std::string>& parts) {
        return name + ".RGBA " + t.surface + (join(parts).empty() ? "" : ", " + join(parts));
    };
    auto gather = [&](const std::string& head, const std::string& reference) {
        return t.gather.empty() ? "" : head + " " + join({t.gather, reference}) + ", 0xf";
    };
    switch (op) {
        case Opcode::TEX:
            if (!sampled || cube_array_shadow) return "";
            return message(c ? "sample_c" : "sample", {ref, t.coords, t.layer});
        case Opcode::TEX2:
            return c ? message("sample_c", {"ref=src1.x", t.coords, t.layer}) : "";
        case Opcode::TXP: {
            if (!sampled || !t.w_free) return "";
            std::string coords;  // each coordinate is divided, before RECT's scaling, but never the layer
            for (char x : t.coords) {
                coords += x;
                if (coords.ends_with("=src0." + std::string(1, x))) coords += "/src0.w";
            }
            return message(c ? "sample_c" : "sample", {projected_ref, coords, t.layer});
        }
        case Opcode::TXB:
            if (!sampled || !t.w_free) return "";
            return message(c ? "sample_b_c" : "sample_b", {ref, "bias=src0.w", t.coords, t.layer});
        case Opcode::TXL:
            if (!sampled || !t.w_free) return "";
            return message(c ? "sample_l_c" : "sample_l", {ref, "lod=src0.w", t.coords, t.layer});
        case Opcode::TXB2:
            if (!sampled) return "";
            if (cube_array_shadow) return message("sample_b_c", {"ref=src1.x", "bias=src1.y", t.coords, t.layer});
            return message(c ? "sample_b_c" : "sample_b", {ref, "bias=src1.x", t.coords, t.layer});
        case Opcode::TXL2:
            if (!sampled) return "";
            if (cube_array_shadow) return message("sample_l_c", {"ref=src1.x", "lod=src1.y", t.coords, t.layer});
            return message(c ? "sample_l_c" : "sample_l", {ref, "lod=src1.x", t.coords, t.layer});
        case Opcode::TEX_LZ:
            if (!sampled || cube_array_shadow) return "";
            return message(c ? "sample_c_lz" : "sample_lz", {ref, t.coords, t.layer});
        case Opcode::TXD:
            if (!sampled || cube_array_shadow) return "";
            return message(c ? "sample_d_c" : "sample_d", {ref, t.gradients, t.layer});
        case Opcode::LODQ:
        case Opcode::LOD:
            return sampled ? message("LOD", {t.coords}) : "";
        case Opcode::TXF:
            if (c) return "";
            return message("fetch", {t.fetch, t.target == Target::Buffer ? ""
                                              : ms(t)                    ? "sample=src0.w"
                                                                         : "lod=src0.w"});
        case Opcode::TXF_LZ:
            return c ? "" : message("fetch", {t.fetch, ms(t) ? "sample=src0.w" : ""});
        case Opcode::TXQ:
        case Opcode::SVIEWINFO:
            return message(op == Opcode::TXQ ? "size" : "view_info", {"lod=src0.x"});
        case Opcode::TXQS:
            return message("samples", {});
        case Opcode::TG4:
            if (c) return gather("TLD4.R.DC", cube_array_shadow ? "ref=src1.x" : ref);
            return gather("TLD4.[src1.x]", "");
        case Opcode::GATHER4:
            return gather("TLD4.R", "");
        // In the SAMPLE family, the opcode alone decides whether to compare, for any view.
        case Opcode::SAMPLE:
            return sampled ? message("sample", {t.coords, t.layer}) : "";
        case Opcode::SAMPLE_B:
            return sampled ? message("sample_b", {"bias=src3.x", t.coords, t.layer}) : "";
        case Opcode::SAMPLE_L:
            return sampled ? message("sample_l", {"lod=src3.x", t.coords, t.layer}) : "";
        case Opcode::SAMPLE_C:
        case Opcode::SAMPLE_C_LZ:
            if (!sampled || t.target == Target::T3D) return "";
            return message(op == Opcode::SAMPLE_C ? "sample_c" : "sample_c_lz", {"ref=src3.x", t.coords, t.layer});
        case Opcode::SAMPLE_D: {
            std::string gradients = t.gradients;
            for (char& x : gradients) x = x == '2' ? '4' : x == '1' ? '3' : x;
            return sampled ? message("sample_d", {gradients, t.layer}) : "";
        }
        case Opcode::SAMPLE_I:
        case Opcode::SAMPLE_I_MS:
            if (tgsi::shape(t.target).cube || ms(t) != (op == Opcode::SAMPLE_I_MS)) return "";
            return message("fetch", {t.fetch,
                                     t.target == Target::Buffer ? ""
                                     : ms(t)                    ? "sample=src2.x"
                                                                : "lod=src0.w",
                                     "zero outside"});
        case Opcode::SAMPLE_POS:
            return message("sample_position", {"sample=src1.x"});
        case Opcode::SAMPLE_INFO:
            return message("sample_info", {});
        default:
            return "";
    }
}

TEST(Message, EveryOpcodeOnEveryTarget) {
    int accepted = 0, refused = 0;
    for (int o = 0; o < tgsi::kOpcodeCount; ++o) {
        const Opcode op = static_cast<Opcode>(o);
        if (tgsi::info(op).family != tgsi::Family::texture || op == Opcode::SAMP2HND || op == Opcode::IMG2HND) continue;
        for (const TargetRow& t : kTargets) {
            Made made = make(op, t.target);
            const std::string want = expected(op, t), got = made.text();
            SCOPED_TRACE(fmt::format("{} {}", tgsi::info(op).mnemonic, tgsi::name(t.target)));
            if (want.empty()) {
                ++refused;
                EXPECT_EQ(got.substr(0, 9), "refused: ");
                EXPECT_GT(got.size(), 20u) << "a refusal says why";
                EXPECT_EQ(made.refusal.position, 77u);
            } else {
                ++accepted;
                EXPECT_EQ(got, want);
            }
        }
    }
    // The matrix has 28 opcodes and 18 targets; the loops must have visited all of it.
    EXPECT_EQ(accepted + refused, 28 * 18);
    EXPECT_GT(accepted, 300);
}

TEST(Message, NoTargetIsRefusedUnlessAViewDeclaresOne) {
    EXPECT_THAT(make(Opcode::TEX, Target::None).text(), testing::HasSubstr("names a target"));
    EXPECT_THAT(make(Opcode::TEX, Target::Unknown).text(), testing::HasSubstr("names a target"));
    EXPECT_THAT(make(Opcode::SAMPLE, Target::None).text(), testing::HasSubstr("names no target"));
    Made made = make(Opcode::TEX, Target::None);
    tgsi::Declaration d;
    d.file = tgsi::File::SamplerView;
    d.target = Target::T1D;
    made.program.declarations.push_back(d);
    EXPECT_EQ(made.text(), "sample.RGBA 1D, u=src0.x");
    made.instruction().op = Opcode::ADD;
    EXPECT_EQ(made.text(), "refused: ADD is not a texture operation");
}

TEST(Message, ViewsAreFoundByRegisterAndByTheArrayTheyBeginIn) {
    tgsi::Program p;
    auto declare = [&](tgsi::File file, int32_t first, int32_t last, Target target) {
        tgsi::Declaration d;
        d.file = file;
        d.first = first;
        d.last = last;
        d.target = target;
        p.declarations.push_back(d);
    };
    declare(tgsi::File::SamplerView, 4, 7, Target::Cube);
    declare(tgsi::File::SamplerView, 0, 0, Target::T1D);
    declare(tgsi::File::Resource, 5, 5, Target::T3D);
    declare(tgsi::File::SamplerView, 0, 0, Target::T2D);  // the last one wins
    Views views;
    gather_views(p, views);
    EXPECT_EQ(views.target(tgsi::File::SamplerView, 0), Target::T2D);
    EXPECT_EQ(views.target(tgsi::File::SamplerView, 6), Target::Cube);
    EXPECT_EQ(views.target(tgsi::File::Resource, 5), Target::T3D);
    EXPECT_EQ(views.target(tgsi::File::Resource, 4), Target::None);
    EXPECT_EQ(views.target(tgsi::File::SamplerView, -1), Target::None);
}

TEST(Message, ViewsOfAnIndexAreThoseOfItsArrayOrThoseThatItCanReach) {
    tgsi::Program p;
    auto declare = [&](tgsi::File file, int32_t first, int32_t last, Target target, uint16_t array_id) {
        tgsi::Declaration d;
        d.file = file;
        d.first = first;
        d.last = last;
        d.target = target;
        d.array_id = array_id;
        p.declarations.push_back(d);
    };
    declare(tgsi::File::SamplerView, 1, 2, Target::T2D, 0);
    declare(tgsi::File::SamplerView, 3, 4, Target::T3D, 7);
    declare(tgsi::File::Sampler, 3, 4, Target::None, 9);
    Views views;
    gather_views(p, views);
    tgsi::Operand o;
    o.file = tgsi::File::SamplerView;
    o.index_is_relative = true;
    EXPECT_EQ(views.target(o, o.file), Target::T2D);  // SVIEW[ADDR[0].x]
    o.index = -1;
    EXPECT_EQ(views.target(o, o.file), Target::T2D);
    o.index = 3;
    EXPECT_EQ(views.target(o, o.file), Target::T3D);
    o.index = 0;
    o.array_id = 7;
    EXPECT_EQ(views.target(o, o.file), Target::T3D);
    o.file = tgsi::File::Sampler;
    o.array_id = 9;
    EXPECT_EQ(views.target(o, tgsi::File::SamplerView), Target::T3D);
    o.index_is_relative = false;
    o.array_id = 0;
    EXPECT_EQ(views.target(o, tgsi::File::SamplerView), Target::None);
}

TEST(Message, ResourceDeclarationsAreViewsForTheSampleFamily) {
    Made made = make(Opcode::SAMPLE_I, Target::T2D);
    made.program.declarations[0].file = tgsi::File::Resource;
    made.src(1).file = tgsi::File::Resource;
    EXPECT_EQ(made.text(), "fetch.RGBA 2D, u=src0.x, v=src0.y, lod=src0.w, zero outside");
    made.src(1).file = tgsi::File::Temp;
    EXPECT_EQ(made.text(), "refused: SAMPLE_I needs a sampler view");
}

// semantics: "Implicit level outside FRAG: level 0".
TEST(Message, ImplicitLevelsOutsideFragmentAreZero) {
    EXPECT_EQ(make(Opcode::TEX, Target::T2D, Stage::Vertex).text(), "sample_lz.RGBA 2D, u=src0.x, v=src0.y");
    EXPECT_EQ(make(Opcode::TEX, Target::Shadow2D, Stage::Compute).text(),
              "sample_c_lz.RGBA 2D, ref=src0.z, u=src0.x, v=src0.y");
    EXPECT_EQ(make(Opcode::SAMPLE_C, Target::T2D, Stage::Geometry).text(),
              "sample_c_lz.RGBA 2D, ref=src3.x, u=src0.x, v=src0.y");
    EXPECT_EQ(make(Opcode::TXB, Target::T2D, Stage::Vertex).text(), "sample_l.RGBA 2D, lod=src0.w, u=src0.x, v=src0.y");
    Made lod = make(Opcode::LODQ, Target::T2D, Stage::Vertex);
    EXPECT_TRUE(lod.message()->lod_is_zero);
    EXPECT_FALSE(make(Opcode::LODQ, Target::T2D).message()->lod_is_zero);
    // Explicit levels and gradients mean the same in every stage.
    for (Opcode op : {Opcode::TXL, Opcode::TXD, Opcode::TEX_LZ, Opcode::TG4, Opcode::TXF})
        EXPECT_EQ(make(op, Target::T2D, Stage::Vertex).text(), make(op, Target::T2D).text());
}

// semantics: TG4, GATHER4.
TEST(Message, GatherComponents) {
    Made made = make(Opcode::TG4, Target::T2D);
    made.immediate(0, 1, 2, 5);
    made.src(1).file = tgsi::File::Immediate;
    made.src(1).index = 0;
    const std::string rest = " 2D, s=src0.x, t=src0.y, 0xf";
    EXPECT_EQ(made.text(), "TLD4.R" + rest);
    made.src(1).swizzle = 0xaa;
    EXPECT_EQ(made.text(), "TLD4.B" + rest);
    made.src(1).swizzle = 0xff;
    EXPECT_EQ(made.text(), "refused: the component of a gather must be 0 to 3");
    made.src(1).index_is_relative = true;
    EXPECT_EQ(made.text(), "TLD4.[src1.x]" + rest);
    // With two sources, the component is the first swizzle letter of the sampler, if one is written.
    auto without_source = [](Made m) {
        m.program.operands.erase(m.program.operands.begin() + 2);
        m.instruction().num_src = 2;
        return m;
    };
    Made two = without_source(made);
    two.src(1).swizzle = 0x55;
    two.src(1).swizzle_letters = 4;
    EXPECT_EQ(two.text(), "TLD4.G" + rest);
    two.src(1).swizzle_letters = 0;
    EXPECT_EQ(two.text(), "TLD4.R" + rest);
    EXPECT_EQ(without_source(make(Opcode::TG4, Target::ShadowCubeArray)).text().substr(0, 8), "refused:");
    // GATHER4: the sampler's first letter selects the component, after the view's swizzle.
    Made gather4 = make(Opcode::GATHER4, Target::T2D);
    gather4.src(2).swizzle = 0xff;
    gather4.src(1).swizzle = 0x1b;
    EXPECT_EQ(gather4.text(), "TLD4.A" + rest + ", swizzle=wzyx");
    EXPECT_TRUE(gather4.message()->swizzle_before_component);
}

TEST(Message, OffsetsImmediateAndNot) {
    auto with = [](Opcode op, Target target, std::vector<std::array<int32_t, 2>> values) {
        Made m = make(op, target);
        for (size_t i = 0; i < values.size(); ++i) {
            m.immediate(static_cast<uint32_t>(values[i][0]), static_cast<uint32_t>(values[i][1]));
            m.offset(tgsi::File::Immediate, static_cast<int32_t>(i));
        }
        return m;
    };
    EXPECT_EQ(with(Opcode::TEX, Target::T2D, {{7, -8}}).text(), "sample.RGBA 2D, u=src0.x, v=src0.y, aoffimmi=(7, -8)");
    EXPECT_EQ(with(Opcode::TEX, Target::T2D, {{8, 0}}).text(), "sample.RGBA 2D, u=src0.x, v=src0.y, aoffimmi=register");
    EXPECT_EQ(with(Opcode::TG4, Target::Shadow2D, {{31, -32}}).text(),
              "TLD4.R.AOFFI.DC 2D, s=src0.x, t=src0.y, toff=(31, -32), ref=src0.z, 0xf");
    Made wide = with(Opcode::TG4, Target::T2D, {{0, 32}});
    ASSERT_TRUE(wide.message());
    EXPECT_FALSE(wide.message()->offsets_are_immediate);
    EXPECT_EQ(with(Opcode::TG4, Target::Shadow2D, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}).text(),
              "TLD4.R.PTP.DC 2D, s=src0.x, t=src0.y, toff=(0, 1), (2, 3), (4, 5), (6, 7), ref=src0.z, 0xf");
    EXPECT_EQ(with(Opcode::TXF, Target::T2D, {{100, 0}}).text(),
              "fetch.RGBA 2D, u=src0.x, v=src0.y, lod=src0.w, offset=(100, 0)");
    // Combinations that no page has.
    EXPECT_THAT(with(Opcode::TG4, Target::T2D, {{0, 1}, {2, 3}}).text(), testing::HasSubstr("one or four offsets"));
    EXPECT_THAT(with(Opcode::TEX, Target::T2D, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}).text(),
                testing::HasSubstr("only a gather"));
    for (Target cube : {Target::Cube, Target::CubeArray}) {
        EXPECT_THAT(with(Opcode::TEX, cube, {{0, 0}}).text(), testing::HasSubstr("cubes take no offset"));
        EXPECT_THAT(with(Opcode::TG4, cube, {{0, 0}}).text(), testing::HasSubstr("cubes take no offset"));
        EXPECT_THAT(with(Opcode::TXF, cube, {{0, 0}}).text(), testing::HasSubstr("cubes take no offset"));
    }
    EXPECT_THAT(with(Opcode::TXF, Target::Buffer, {{0, 0}}).text(), testing::HasSubstr("BUFFER takes no offset"));
    EXPECT_THAT(with(Opcode::TXQ, Target::T2D, {{0, 0}}).text(), testing::HasSubstr("query takes no offset"));
    Made modified = with(Opcode::TEX, Target::T2D, {{2, -3}});
    modified.program.operands.back().negate = modified.program.operands.back().absolute = true;
    EXPECT_EQ(modified.text(), "sample.RGBA 2D, u=src0.x, v=src0.y, aoffimmi=(-2, -3)");
    // One register among the offsets makes all of them dynamic.
    Made dynamic = with(Opcode::TG4, Target::Shadow2D, {{9, 9}});
    dynamic.program.operands.back().file = tgsi::File::Temp;
    EXPECT_EQ(dynamic.text(), "TLD4.R.AOFFI.DC 2D, s=src0.x, t=src0.y, toff=register, ref=src0.z, 0xf");
    EXPECT_FALSE(dynamic.message()->offsets_are_immediate);
}

TEST(Message, MasksSwizzlesHandlesRenderTargets) {
    Made tex = make(Opcode::TEX, Target::T2D);
    tex.dst().write_mask = 0b1010;
    EXPECT_EQ(tex.text(), "sample.GA 2D, u=src0.x, v=src0.y");
    tex.dst().write_mask = 0;  // NULL[0]: the page requires one channel
    EXPECT_EQ(tex.text(), "sample.R 2D, u=src0.x, v=src0.y");
    tex.src(1).file = tgsi::File::Const;
    EXPECT_EQ(tex.text(), "sample.B.R 2D, u=src0.x, v=src0.y");
    Made sample = make(Opcode::SAMPLE, Target::T2D);
    sample.src(1).swizzle = 0x00;
    EXPECT_EQ(sample.text(), "sample.RGBA 2D, u=src0.x, v=src0.y, swizzle=xxxx");
    Made info = make(Opcode::SVIEWINFO, Target::T2D);
    info.src(1).swizzle = 0x00;  // ignored (semantics)
    EXPECT_EQ(info.text(), "view_info.RGBA 2D, lod=src0.x");
    Made pos = make(Opcode::SAMPLE_POS, Target::T2D);
    pos.src(0).file = tgsi::File::Temp;
    EXPECT_EQ(pos.text(), "sample_position.RGBA render target, sample=src1.x");
    Made count = make(Opcode::SAMPLE_INFO, Target::T2DMS);
    count.program.operands.pop_back();
    count.instruction().num_src = 1;
    EXPECT_EQ(count.text(), "sample_info.RGBA 2D_MSAA");
}

// Modifiers that no opcode can set follow the same rules.
TEST(Message, ModifiersOfThePages) {
    for (auto [op, cps] : {std::pair(SampleOp::sample, true),
                           {SampleOp::sample_b, true},
                           {SampleOp::sample_c, true},
                           {SampleOp::sample_b_c, true},
                           {SampleOp::LOD, true},
                           {SampleOp::sample_l, false},
                           {SampleOp::sample_d, false},
                           {SampleOp::sample_lz, false},
                           {SampleOp::sample_c_lz, false},
                           {SampleOp::sample_l_c, false},
                           {SampleOp::sample_d_c, false}}) {
        Message m;
        m.sample = op;
        m.surface.shadow = op == SampleOp::sample_c || op == SampleOp::sample_b_c || op == SampleOp::sample_l_c ||
                           op == SampleOp::sample_d_c || op == SampleOp::sample_c_lz;
        EXPECT_EQ(why_illegal(m), "");
        m.cps_compensation = true;
        EXPECT_EQ(why_illegal(m).empty(), cps) << print(m);
    }
    Message m = *make(Opcode::TEX, Target::T2D).message();
    m.sparse = m.non_uniform = m.cps_compensation = true;
    EXPECT_EQ(print(m), "sample.pixel_null_mask.cps.divS.RGBA 2D, u=src0.x, v=src0.y");
    EXPECT_EQ(why_illegal(m), "");
    m.channel_mask = 0;
    EXPECT_NE(why_illegal(m), "");
    Message gather = *make(Opcode::TG4, Target::T2D).message();
    gather.sparse = true;
    EXPECT_EQ(print(gather), "Ps, TLD4.[src1.x] 2D, s=src0.x, t=src0.y, 0xf");
    gather.cps_compensation = true;
    EXPECT_NE(why_illegal(gather), "");
    gather = *make(Opcode::TG4, Target::T2D).message();
    gather.offsets = Offsets::Aoffi;
    gather.offsets_are_immediate = true;
    gather.immediate_offsets[0][0] = 31;
    EXPECT_EQ(why_illegal(gather), "");
    gather.immediate_offsets[0][0] = 32;
    EXPECT_THAT(why_illegal(gather), testing::HasSubstr("-32 to 31"));
    m = *make(Opcode::TEX, Target::T2D).message();
    m.offsets = Offsets::Aoffi;
    m.offsets_are_immediate = true;
    m.immediate_offsets[0][1] = -9;
    EXPECT_THAT(why_illegal(m), testing::HasSubstr("-8 to 7"));
    Message volume;
    volume.surface.dim = Dim::D3;
    EXPECT_EQ(why_illegal(volume), "");
    volume.surface.shadow = true;
    EXPECT_NE(why_illegal(volume), "");
}

}  // namespace
}  // namespace tgsi2spv::sampling
