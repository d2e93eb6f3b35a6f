// An instruction costs no more in a long text than in a short one, whatever makes the text long. The tests count work
// instead of measuring time: instructions and arguments in the IR (every pass visits them a bounded number of times),
// words, and bytes allocated.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "api/convert.h"
#include "bench/scaling_texts.h"
#include "ir/allocations.h"

namespace tgsi2spv::api {
namespace {

/// Per instruction of the text.
struct Work {
    double operations = 0, arguments = 0, words = 0, bytes = 0;
};

/// The permitted work per instruction: a tenth more than was measured when this was written. Lower is better.
struct Most {
    std::string_view name;
    Work work;
};
constexpr Most kMost[] = {
    {"straight", {1.3, 3.4, 0.7, 400}},   {"branches", {2.6, 4.6, 16.1, 650}},
    {"breaks", {2.7, 4.2, 16.2, 680}},    {"loops", {3.8, 8.4, 16.8, 1040}},
    {"indirect", {11.6, 22, 72.1, 1660}}, {"registers", {3.3, 8.8, 21, 740}},
    {"constants", {3.3, 8.8, 1.5, 575}},  {"round_constants", {3.3, 8.8, 1.5, 575}},
    {"phis", {4.7, 11.3, 33.1, 1050}},    {"labels", {2.5, 4.4, 18.4, 690}},
    {"exits", {3.1, 4.4, 15.8, 735}},     {"subroutines", {2.5, 3.3, 18.5, 670}},
    {"fog", {6.2, 12.8, 44.4, 1170}},
};

Work work_of(const std::string& text, bool io_buffers) {
    Options options;
    options.lower.io_buffers = io_buffers;
    options.limits.text_bytes = 64u << 20;
    options.passes.verify = false;  // the verifier has tables of its own
    Context context;
    const size_t before = ir::allocated_bytes();
    ir::reset_peak();
    EXPECT_TRUE(convert(context, text, options)) << (context.diagnostics.empty() ? "" : context.diagnostics[0].message);
    Work work{.words = static_cast<double>(context.words.size()),
              .bytes = static_cast<double>(ir::peak_bytes() - before)};
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
        const auto* most = std::ranges::find(kMost, std::string_view(text.name), &Most::name);
        ASSERT_NE(most, std::end(kMost)) << text.name;
        for (const int n : {20'000, 100'000}) {
            SCOPED_TRACE(std::string(text.name) + " " + std::to_string(n));
            const Work work = work_of(text.make(std::min(n, text.most)), text.io_buffers);
            EXPECT_LE(work.operations, most->work.operations);
            EXPECT_LE(work.arguments, most->work.arguments);
            EXPECT_LE(work.words, most->work.words);
            EXPECT_LE(work.bytes, most->work.bytes);
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::api
