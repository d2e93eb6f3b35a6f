// Reads of memory instructions where an index, a length or a sample decides, run on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::OutOfRange;

const std::string kHead =
    R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[7]
DCL ADDR[0]
DCL CONST[0]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 4, 8, 12}
UARL ADDR[0].x, IN[0].xxxx
)";

Lowered lower_body(std::string_view declarations, std::string_view body, const lower::Options& options = {},
                   const lower::Capabilities& capabilities = {}) {
    std::string text = kHead;
    text.insert(text.find("IMM[0]"), declarations);
    Lowered l = lower_text(text.append(body).append("\nEND\n"), options, capabilities);
    EXPECT_TRUE(l.ok) << l.error << "\n" << body;
    return l;
}

Words run_body(const Lowered& l, const Words& in, const Surroundings& surroundings) {
    if (!l.ok) return {};
    const Evaluation e = evaluate(l.module, {{0, in}}, surroundings);
    EXPECT_EQ(e.error, "");
    EXPECT_THAT(e.undefined, testing::IsEmpty());
    const auto out = e.outputs.find(7);
    return out == e.outputs.end() ? Words{} : out->second;
}

const lower::Capabilities kIndexing{.storage_buffers = {true, true}, .storage_images = {true, true}};

TEST(LowerMemoryRun, ClampedWordsOfAnEmptyBufferAreItsFirst) {
    lower::Options clamp;
    clamp.bounds.buffers = OutOfRange::Clamp;
    const Lowered l = lower_body("DCL BUFFER[0]\n", "LOAD OUT[0], BUFFER[0], IN[0].xxxx", clamp);
    EXPECT_EQ(run_body(l, all(8), {}), Words{});  // a word further back would be undefined
    EXPECT_EQ(run_body(l, all(8), {.buffers = {{0, {5, 6, 7}}}}), all(7));
    EXPECT_EQ(run_body(l, all(0), {.buffers = {{0, {5, 6, 7}}}}), (Words{5, 6, 7, 7}));
}

TEST(LowerMemoryRun, TheSizeOfABufferThatIsNotDeclaredIsZero) {
    const Surroundings buffers{.buffers = {{1, {1, 2, 3}}, {2, {1, 2, 3, 4, 5}}}};
    for (const lower::Capabilities& device : {kIndexing, lower::Capabilities{}}) {
        const Lowered l = lower_body("DCL BUFFER[1..2]\n", "RESQ OUT[0], BUFFER[ADDR[0].x]", {}, device);
        EXPECT_EQ(run_body(l, all(1), buffers)[0], 12u);
        EXPECT_EQ(run_body(l, all(2), buffers)[0], 20u);
        for (const uint32_t outside : {0u, 3u, kAllOnes}) EXPECT_EQ(run_body(l, all(outside), buffers)[0], 0u);
    }
}

/// A device that has no NonUniform reads the descriptor of one lane for all lanes, and no software device does that.
TEST(LowerMemoryRun, EveryAccessByADivergentIndexSaysSo) {
    constexpr std::string_view kBody =
        "LOAD TEMP[0].x, BUFFER[ADDR[0].x], IN[0].yyyy\nSTORE BUFFER[ADDR[0].x].x, IN[0].yyyy, TEMP[0]\n"
        "ATOMUADD TEMP[1].x, BUFFER[ADDR[0].x], IN[0].yyyy, IMM[0].yyyy\nRESQ TEMP[2].x, BUFFER[ADDR[0].x]\n"
        "MOV OUT[0], TEMP[2]";
    const auto marks = [](const Lowered& l, ir::Op op) {
        std::vector<bool> found;
        for (const ir::Instruction& i : l.module.functions[0].instructions)
            if (i.op == op && l.module.variables[i.aux].kind == ir::VariableKind::StorageBuffer)
                found.push_back(i.aux2 != 0);
        return found;
    };
    const auto expect = [&](const Lowered& l, bool divergent) {
        for (const ir::Op op : {ir::Op::Load, ir::Op::Store, ir::Op::Atomic, ir::Op::ArrayLength})
            EXPECT_THAT(marks(l, op), testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(divergent)))
                << ir::info(op).name;
    };
    expect(lower_body("DCL BUFFER[0..1]\n", kBody, {}, kIndexing), true);
    std::string uniform(kBody);
    for (size_t at = 0; (at = uniform.find("ADDR", at)) != std::string::npos;) uniform.replace(at, 4, "CONST");
    expect(lower_body("DCL BUFFER[0..1]\n", uniform, {}, kIndexing), false);
}

/// An image of 4 x 2 texels with 4 samples; a texel is (x, y, sample, 1).
ImageAnswer of_multisampled(const ImageAccess& a) {
    if (a.op == ir::Op::ImageQuerySize) return {{4, 2}};
    if (a.op == ir::Op::ImageQuerySamples) return {all(4)};
    const Words at = a.arg(a.at.coordinate), sample = a.arg(a.at.sample);
    EXPECT_TRUE(at[0] < 4 && at[1] < 2 && sample[0] < 4) << "a device leaves this undefined";
    return {{at[0], at[1], sample[0], 1}};
}

TEST(LowerMemoryRun, SamplesThatDoNotExistAreOutside) {
    constexpr std::string_view kDeclaration = "DCL IMAGE[0], 2D_MSAA, PIPE_FORMAT_R32G32B32A32_UINT, WR\n";
    const auto read = [&](const Words& at, OutOfRange policy) {
        lower::Options options;
        options.bounds.images = policy;
        const auto load = [&] { return lower_body(kDeclaration, "LOAD OUT[0], IMAGE[0], IN[0], 2D_MSAA", options); };
        const Words asked = run_body(load(), at, {.image = of_multisampled});
        options.state.image_samples[0] = 4;
        EXPECT_EQ(run_body(load(), at, {.image = of_multisampled}), asked);
        EXPECT_EQ(count(load().module, ir::Op::ImageQuerySamples), 0u);
        return asked;
    };
    for (const OutOfRange policy : {OutOfRange::Zero, OutOfRange::Clamp})
        for (const uint32_t sample : {0u, 3u}) EXPECT_EQ(read({2, 1, 9, sample}, policy), (Words{2, 1, sample, 1}));
    for (const uint32_t sample : {4u, 100u, kAllOnes})
        EXPECT_EQ(read({2, 1, 0, sample}, OutOfRange::Zero), Words{}) << sample;
    EXPECT_EQ(read({2, 1, 0, 4}, OutOfRange::Clamp), (Words{2, 1, 3, 1}));
    EXPECT_EQ(read({9, 1, 0, 100}, OutOfRange::Clamp), (Words{3, 1, 3, 1}));
    EXPECT_EQ(read({2, kAllOnes, 0, kAllOnes}, OutOfRange::Clamp), (Words{2, 0, 0, 1}));
}

/// One descriptor has one type: the uses of any register that an index may select count for all.
TEST(LowerMemoryRun, IndexedImagesShareOneType) {
    for (const char* atomic : {"IMAGE[0]", "IMAGE[1]"}) {
        const Lowered l = lower_body(
            "DCL IMAGE[0..1], 2D, PIPE_FORMAT_NONE, WR\n",
            "ATOMUADD TEMP[0].x, " + std::string(atomic) +
                ", IN[0], IMM[0].yyyy, 2D\nLOAD TEMP[1], IMAGE[ADDR[0].x], IN[0], 2D\nADD OUT[0], TEMP[0], TEMP[1]",
            {}, kIndexing);
        const auto is_image = [](const ir::Variable& v) { return v.kind == ir::VariableKind::StorageImage; };
        ASSERT_EQ(std::ranges::count_if(l.module.variables, is_image), 1) << atomic;
        const ir::Variable& image = *std::ranges::find_if(l.module.variables, is_image);
        EXPECT_EQ(image.image.sampled, ir::Scalar::U32) << atomic;
        EXPECT_EQ(image.array[0], 2u) << atomic;
    }
}

// ---- the requirements of all instructions together on a variable

std::vector<ir::Variable> buffers(const Lowered& l) {
    std::vector<ir::Variable> found;
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::StorageBuffer) found.push_back(v);
    return found;
}

TEST(LowerMemoryRun, UsesThroughAnIndexCountForTheWholeArray) {
    const auto array = [](std::string_view body) {
        const auto found = buffers(lower_body("DCL BUFFER[0..1]\n", body, {}, kIndexing));
        EXPECT_EQ(found.size(), 1u) << body;
        return found.empty() ? ir::Variable{} : found[0];
    };
    const std::string load = "LOAD TEMP[0], BUFFER[ADDR[0].x], IN[0].yyyy\nMOV OUT[0], TEMP[0]",
                      store = "STORE BUFFER[ADDR[0].x].x, IN[0].yyyy, IN[0]\nMOV OUT[0], IN[0]";
    ir::Variable v = array(load);
    EXPECT_TRUE(!v.non_readable && v.non_writable && v.unwritten && !v.restricted);
    v = array(store);
    EXPECT_TRUE(v.non_readable && !v.non_writable && !v.unwritten && !v.restricted);
    // Together with uses by number.
    v = array("LOAD TEMP[0], BUFFER[1], IN[0].yyyy, COHERENT\n" + store);
    EXPECT_TRUE(!v.non_readable && !v.non_writable && v.coherent && !v.is_volatile);
    v = array("STORE BUFFER[0].x, IN[0].yyyy, IN[0], VOLATILE\n" + load);
    EXPECT_TRUE(!v.non_readable && !v.non_writable && !v.coherent && v.is_volatile);
}

/// Words and floats are two views of one descriptor: the decorations of one are needed on the other as well.
TEST(LowerMemoryRun, BothViewsOfABufferAreVolatileOrCoherent) {
    lower::Capabilities floats;
    floats.buffer_float32_atomic_add = true;
    for (const auto& [word, is_volatile] : {std::pair("VOLATILE", true), {"COHERENT", false}}) {
        const std::string add = "ATOMFADD TEMP[0].x, BUFFER[0], IN[0].yyyy, IN[0].zzzz",
                          store = "STORE RES[0].x, IN[0].yyyy, IN[0]";
        const std::string marked = std::string(", ") + word;
        for (const std::string& body : {add + "\n" + store + marked, add + marked + "\n" + store,
                                        store + marked + "\n" + add, store + "\n" + add + marked}) {
            const auto found = buffers(lower_body("DCL BUFFER[0]\nDCL RES[0], BUFFER, WR, RAW\n", body, {}, floats));
            ASSERT_EQ(found.size(), 2u) << body;
            for (const ir::Variable& v : found) {
                EXPECT_EQ(v.is_volatile, is_volatile) << body;
                EXPECT_EQ(v.coherent, !is_volatile) << body;
            }
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::test
