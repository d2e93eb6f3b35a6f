// Any number of threads may convert at the same time, with one context each: there is no shared state. The thread
// sanitizer watches.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "api/convert.h"
#include "everything.h"
#include "shader_files.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

std::vector<std::string> examples() {
    std::vector<std::string> texts;
    for (test::ShaderFile& file : test::own_shaders()) texts.push_back(std::move(file.text));
    texts.emplace_back("FRAG\nDCL OUT[0], COLOR\n  0: ADDD OUT[0], IN[0], IN[1]\n");  // errors with hints, too
    return texts;
}

struct Answer {
    std::pmr::vector<uint32_t> words;
    size_t diagnostics = 0;
    bool operator==(const Answer&) const = default;
};

std::vector<Answer> convert_all(const std::vector<std::string>& texts, size_t first) {
    std::vector<Answer> answers(texts.size());
    api::Context context;
    for (size_t n = 0; n < texts.size(); n++) {
        const size_t i = (first + n) % texts.size();
        const bool ok = api::convert(context, texts[i], {});
        answers[i] = {ok ? context.words : std::pmr::vector<uint32_t>(), context.diagnostics.size()};
    }
    return answers;
}

TEST(Threads, ConvertConcurrentlyToTheSameWords) {
    const auto texts = examples();
    ASSERT_GT(texts.size(), 3u);
    const auto expected = convert_all(texts, 0);
    for (size_t i = 0; i < texts.size(); i++) EXPECT_EQ(expected[i].words.empty(), i + 1 == texts.size()) << texts[i];
    constexpr size_t kThreads = 8;
    std::vector<int> other(kThreads);  // rounds with different results
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; t++)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 4; round++) other[t] += convert_all(texts, t) != expected;
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(other, std::vector<int>(kThreads));
}

/// Programs may be shared, contexts may not.
TEST(Threads, SharePrograms) {
    const auto texts = examples();
    Context parser;
    std::vector<Program> programs;
    for (const std::string& text : texts)
        if (Program p = parser.parse(text)) programs.push_back(std::move(p));
    ASSERT_GT(programs.size(), 50u);
    const auto copied = [](const Module& module) {
        const auto words = module.words();
        return std::vector<uint32_t>(words.begin(), words.end());
    };
    // Returns everything that a context makes, in order: first from the programs, then from the texts.
    const auto convert_all = [&] {
        std::vector<std::vector<uint32_t>> answers;
        Context context;
        for (const Program& p : programs) answers.push_back(copied(context.convert(p, everything)));
        for (const std::string& text : texts) answers.push_back(copied(context.translate(text, everything)));
        return answers;
    };
    const auto expected = convert_all();
    for (size_t i = 0; i < programs.size(); i++) EXPECT_FALSE(expected[i].empty()) << i;
    constexpr size_t kThreads = 4;
    std::vector<int> other(kThreads);  // rounds with different results
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; t++)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 2; round++) other[t] += convert_all() != expected;
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(other, std::vector<int>(kThreads));
}

}  // namespace
}  // namespace tgsi2spv
