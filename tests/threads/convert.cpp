// Any number of threads may convert at once, a context each: there is no shared state. The thread sanitizer watches.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "api/convert.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

std::vector<std::string> examples() {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TGSI2SPV_SOURCE_DIR "/shaders")) {
        if (entry.path().extension() != ".tgsi") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    texts.emplace_back("FRAG\nDCL OUT[0], COLOR\n  0: ADDD OUT[0], IN[0], IN[1]\n");  // errors, with hints, too
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

TEST(Threads, ConvertAtOnceAndAlike) {
    const auto texts = examples();
    ASSERT_GT(texts.size(), 3u);
    const auto expected = convert_all(texts, 0);
    constexpr size_t kThreads = 8;
    std::vector<std::vector<Answer>> answers(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; t++)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 4; round++) answers[t] = convert_all(texts, t);
        });
    for (auto& thread : threads) thread.join();
    for (const auto& a : answers) EXPECT_EQ(a, expected);
}

/// Programs and a cache are shared, contexts are not.
TEST(Threads, ShareProgramsAndACache) {
    const auto texts = examples();
    Context parser;
    std::vector<Program> programs;
    for (const std::string& text : texts)
        if (Program p = parser.parse(text)) programs.push_back(std::move(p));
    ASSERT_GT(programs.size(), 50u);
    const std::string folder = testing::TempDir() + "tgsi2spv-threads-" + std::to_string(getpid());
    const Cache cache(folder.c_str());
    ASSERT_TRUE(cache);
    constexpr size_t kThreads = 4;
    std::vector<std::vector<size_t>> sizes(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; t++)
        threads.emplace_back([&, t] {
            Context context;
            for (const Program& p : programs) sizes[t].push_back(context.convert(p).words().size());
            for (const std::string& text : texts)
                sizes[t].push_back(context.translate(text, default_options, &cache).words().size());
        });
    for (auto& thread : threads) thread.join();
    for (const auto& s : sizes) EXPECT_EQ(s, sizes[0]);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tgsi2spv
