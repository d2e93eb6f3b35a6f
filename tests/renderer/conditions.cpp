// Render conditions, on lavapipe.
#include "queries.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;

Buffer condition(uint32_t skip_where, ConditionMode mode = ConditionMode::Wait) {
    return command(Id::SetRenderCondition, {kQuery, skip_where, static_cast<uint32_t>(mode)});
}

class Conditions : public Queries {
  protected:
    /// A query that sees a triangle, or none.
    static Buffer asked(bool visible) {
        const Buffer area = visible ? Buffer{} : command(Id::SetScissorState, {0, 0, 0});
        return query(QueryType::OcclusionPredicate) + area + begin() + triangle() + end() + whole_target();
    }
    static Buffer green() { return clear(0, 1, 0, 1); }
};

TEST_F(Conditions, DecideAboutDraws) {
    for (const bool visible : {false, true})
        for (const uint32_t skip_where : {0u, 1u})
            for (const bool later : {false, true}) {
                start();
                run(scene() + asked(visible) + green());
                if (later) pixels();  // the host has the result
                run(condition(skip_where) + triangle() + triangle());
                const bool drawn = visible == (skip_where == 0);
                EXPECT_THAT(pixels(), Each(drawn ? kDrawn : kGreen)) << visible << skip_where << later;
            }
}

TEST_F(Conditions, DecideInTheCommandBufferOfTheirQuery) {
    for (const bool visible : {false, true}) {
        start();
        EXPECT_THAT(pixels_after(scene() + asked(visible) + green() + condition(1) + triangle()),
                    Each(visible ? kGreen : kDrawn));
    }
}

TEST_F(Conditions, TakeTheSumOfAllScopes) {
    // The second scope sees nothing, and so the newest number alone would decide wrongly.
    const Buffer nothing = command(Id::SetScissorState, {0, 0, 0});
    const Buffer next_scope = command(Id::TextureBarrier, {0});
    EXPECT_THAT(pixels_after(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + next_scope +
                             nothing + triangle() + end() + whole_target() + green() + condition(0) + triangle()),
                Each(kDrawn));
}

TEST_F(Conditions, OfQueriesWithoutDrawsAreFalse) {
    EXPECT_THAT(
        pixels_after(scene() + query(QueryType::OcclusionCounter) + begin() + end() + condition(0) + triangle()),
        Each(kGreen));
}

TEST_F(Conditions, DecideAboutClears) {
    EXPECT_THAT(pixels_after(scene() + asked(false) + green() + condition(0) + clear(0, 0, 0, 0)), Each(kGreen));
    for (const uint32_t obeys : {1u, 0u}) {
        EXPECT_THAT(pixels_after(command(Id::ClearSurface, {obeys | 4 << 1, 7, 0, 0, 0, 0, 0, 0, kSize, kSize})),
                    Each(obeys != 0 ? kGreen : 0));
    }
}

TEST_F(Conditions, DecideAboutBlitsThatObey) {
    constexpr uint32_t kCopy = 3;
    create({kCopy, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
    run(scene() + asked(false) + green() + condition(0));
    for (const uint32_t obeys : {1u, 0u}) {
        EXPECT_THAT(pixels_after(blit(kBlitColor | obeys << 11, {}, {kCopy, kBgra})), Each(obeys != 0 ? kGreen : 0));
    }
}

TEST_F(Conditions, DecideAboutDispatches) {
    constexpr uint32_t kWords = 8;
    const char* const text =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 1; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL BUFFER[0]; IMM[0] UINT32 {0, 7, 0, 0}; STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy; END";
    const Buffer compute = use(70, text) + command(Id::SetShaderBuffers, {5, 0, 0, 4, kWords}) +
                           command(Id::LaunchGrid, {1, 1, 1, 1, 1, 1, 0, 0});
    for (const bool visible : {false, true}) {
        start();
        make_buffer(kWords, kBindShaderBuffer, {9});
        run(scene() + asked(visible) + condition(0) + compute);
        EXPECT_EQ(words_of(kWords, 1)[0], visible ? 7u : 9u);
    }
}

TEST_F(Conditions, ThatDoNotWaitDrawUntilTheResultIsThere) {
    EXPECT_THAT(pixels_after(scene() + asked(false) + green() + condition(0, ConditionMode::NoWait) + triangle()),
                Each(kDrawn))
        << "the query is in the same command buffer";
    EXPECT_THAT(pixels_after(condition(0, ConditionMode::ByRegionNoWait) + clear(0, 0, 0, 0) + triangle()),
                Each(kDrawn))
        << "neither is the target cleared";
}

TEST_F(Conditions, TakeTheNewestResult) {
    const Buffer nothing = command(Id::SetScissorState, {0, 0, 0});
    EXPECT_THAT(pixels_after(scene() + asked(true) + condition(0) + triangle() + green() + nothing + begin() +
                             triangle() + end() + whole_target() + triangle()),
                Each(kGreen));
}

TEST_F(Conditions, OutliveTheirQuery) {
    EXPECT_THAT(pixels_after(scene() + asked(false) + green() + condition(0) +
                             command(Id::DestroyObject, {kQuery}, static_cast<uint32_t>(O::Query)) + triangle()),
                Each(kGreen));
}

TEST_F(Conditions, OfQueriesThatHaveNotEndedAreOff) {
    EXPECT_THAT(pixels_after(scene() + query(QueryType::OcclusionCounter) + condition(0) + begin() + triangle() +
                             whole_target() + triangle() + end()),
                Each(kDrawn));
}

TEST_F(Conditions, NameAQuery) {
    for (const uint32_t wrong : {99u, 5u}) {
        start();
        refuse(scene() + command(Id::SetRenderCondition, {wrong, 0, 0}));
    }
}

TEST_F(Conditions, DecideWhatIsCaptured) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(12, 9));
    const Buffer capture = use(70, kVert, {1, 2, 0, 0, 0, 2 << 10, 0}) + capture_to(kTargetObject, kCaptured, 0, 48);
    run(scene() + asked(false) + capture + condition(0) + triangle() + condition(1) + triangle());
    const auto words = words_of(kCaptured, 12);
    EXPECT_EQ(words[0], bits(-1));
    EXPECT_THAT(std::span(words).subspan(6), Each(9u));
}

}  // namespace
}  // namespace tgsi2spv::host
