// Levels of texture views that do not begin with the texture's first level.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kLevels = 5;

class LevelsOfViews : public Draws, public testing::WithParamInterface<const char*> {
  protected:
    void start() override {
        options_.device = GetParam();
        Draws::start();
    }
    /// Level n has n + 1 as blue.
    void make_levels(uint32_t handle, uint32_t target, uint32_t depth, uint32_t layers) {
        create({handle, target, kBgra, kBindSamplerView, kSize, kSize, depth, layers, kLevels - 1, 0});
        for (uint32_t level = 0; level < kLevels; level++) {
            const Box box{0, 0, 0, kSize >> level, kSize >> level, std::max(depth >> level, 1U) * layers};
            const std::vector<uint32_t> colors(size_t{box.width} * box.height * box.depth, level + 1);
            expect(renderer_->write({handle, level, 0, 0, box}, std::as_bytes(std::span(colors))), Outcome::Done,
                   Place::current());
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Devices, LevelsOfViews, testing::Values("llvmpipe", "SwiftShader"),
                         [](const auto& row) { return std::string(row.param); });

/// Of the levels that the view has, the coordinates' w is the one that is fetched.
TEST_P(LevelsOfViews, AreFetched) {
    struct Kind {
        const char* name;
        uint32_t target, depth, layers;
    };
    uint32_t handle = 40;
    run(scene());
    for (const Kind& kind : {Kind{"2D", 2, 1, 1}, Kind{"3D", 3, kSize, 1}, Kind{"2D_ARRAY", 7, 1, 3}}) {
        const uint32_t texture = handle++;
        make_levels(texture, kind.target, kind.depth, kind.layers);
        run(use(handle++, std::string("FRAG; DCL OUT[0], COLOR; DCL CONST[0]; DCL SAMP[0]; DCL SVIEW[0], ") +
                              kind.name + ", FLOAT; TXF OUT[0], CONST[0], SAMP[0], " + kind.name + "; END"));
        for (const auto& [first, last] : {std::pair{0U, 4U}, {1U, 4U}, {2U, 3U}, {4U, 4U}}) {
            const uint32_t layers = kind.layers > 1 ? (kind.layers - 1) << 16 : 0;
            run(object(O::SamplerView, {handle, texture, kBgra, layers, first | last << 8, kXyzw}) +
                command(Id::SetSamplerViews, {1, 0, handle}));
            handle++;
            for (uint32_t level = 0; level <= last - first; level++) {
                const uint32_t drawn = first_pixel(command(Id::SetConstantBuffer, {1, 0, 0, 0, 0, level}) + triangle());
                EXPECT_EQ(drawn & 0xff, first + level + 1) << kind.name << ", " << first << ", " << level;
            }
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::host
