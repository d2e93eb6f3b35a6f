// An instruction costs no more in a long text than in a short one, however the text becomes long. The tests count work
// instead of measuring time: instructions and arguments in the IR (every pass visits them a bounded number of times),
// words, and bytes allocated.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "api/convert.h"
#include "bench/scaling_texts.h"
#include "ir/counted_memory.h"

namespace tgsi2spv::api {
namespace {

/// Per instruction of the text.
struct Work {
    double operations = 0, arguments = 0, words = 0, bytes = 0;
};

/// The permitted work per instruction: a tenth more than was measured when this was written. Lower is better.
struct Limit {
    std::string_view name;
    Work work;
};
constexpr Limit kLimits[] = {
    {"straight", {3.3, 8.8, 20.9, 720}},  {"branches", {3, 5.8, 17.3, 680}},
    {"breaks", {2.6, 4.7, 16.8, 670}},    {"loops", {2.6, 4.2, 15.7, 700}},
    {"indirect", {11.5, 22, 74.3, 1670}}, {"registers", {3.3, 8.8, 20.9, 760}},
    {"constants", {3.3, 8.8, 27.2, 950}}, {"round_constants", {3.3, 8.8, 27.2, 950}},
    {"phis", {4.7, 11.2, 33.6, 1090}},    {"labels", {2.5, 4.4, 18.4, 700}},
    {"exits", {3, 4.4, 15.7, 730}},       {"subroutines", {2.5, 3.3, 18.4, 660}},
    {"fog", {6.1, 12.8, 44.4, 1160}},     {"images", {12.1, 20.4, 52.8, 1700}},
};

Work work_of(const std::string& text, bool io_buffers) {
    Options options;
    options.lower.io_buffers = io_buffers;
    options.limits.text_bytes = 64u << 20;
    options.passes.verify = false;  // the verifier has tables of its own
    ir::CountedMemory memory;
    Context context(&memory);
    EXPECT_TRUE(convert(context, text, options)) << (context.diagnostics.empty() ? "" : context.diagnostics[0].message);
    Work work{.words = static_cast<double>(context.words.size()), .bytes = static_cast<double>(memory.most_bytes)};
    for (const ir::Function& f : context.module.functions) {
        work.operations += static_cast<double>(f.instructions.size());
        work.arguments += static_cast<double>(f.args.size());
    }
    const auto instructions = static_cast<double>(context.program.instructions.size());
    return {work.operations / instructions, work.arguments / instructions, work.words / instructions,
            work.bytes / instructions};
}

TEST(Linear, NoInstructionTakesMoreInALongText) {
    for (const bench::ScalingText& text : bench::scaling_texts()) {
        const auto* limit = std::ranges::find(kLimits, std::string_view(text.name), &Limit::name);
        ASSERT_NE(limit, std::end(kLimits)) << text.name;
        for (const int n : {20'000, 100'000}) {
            SCOPED_TRACE(std::string(text.name) + " " + std::to_string(n));
            const Work work = work_of(text.make(std::min(n, text.most)), text.io_buffers);
            EXPECT_LE(work.operations, limit->work.operations);
            EXPECT_LE(work.arguments, limit->work.arguments);
            EXPECT_LE(work.words, limit->work.words);
            EXPECT_LE(work.bytes, limit->work.bytes);
            // Less shows that the text lost its meaning: code that nothing reads is not even lowered.
            EXPECT_GE(work.words, 0.8 * limit->work.words);
            EXPECT_GE(work.bytes, 0.5 * limit->work.bytes);
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::api
