// Damaged shaders: with any damage, the conversion neither crashes nor makes an invalid module. The tests damage the
// project's shaders and those that TGSI2SPV_CORPUS names; TGSI2SPV_MUTATIONS sets the number of damaged texts to try.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>
#include <spirv-tools/libspirv.hpp>

#include "api/convert.h"
#include "shader_files.h"

namespace tgsi2spv::api {
namespace {

using Random = std::mt19937;  // the same numbers on every machine; standard distributions differ, so none is used

std::vector<std::string> small_shaders() {
    std::vector<std::string> texts;
    for (test::ShaderFile& file : test::all_shaders()) {
        const bool wanted = file.text.starts_with("VERT") || file.text.starts_with("FRAG");
        if (wanted && file.text.size() < 6'000) texts.push_back(std::move(file.text));
    }
    return texts;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    return lines;
}

/// Splits a line into names, numbers and single characters.
std::vector<std::string> tokens_of(const std::string& line) {
    std::vector<std::string> tokens;
    for (size_t at = 0; at < line.size();) {
        size_t end = at + 1;
        const auto is_word = [&](size_t i) {
            return std::isalnum(static_cast<unsigned char>(line[i])) || line[i] == '_';
        };
        if (is_word(at))
            while (end < line.size() && is_word(end)) end++;
        tokens.push_back(line.substr(at, end - at));
        at = end;
    }
    return tokens;
}

/// Damages a text once, as a careless or hostile author might. Words come from `donor`, so that they are meaningful.
std::string damage(const std::string& text, const std::string& donor, Random& random) {
    std::vector<std::string> lines = lines_of(text);
    const std::vector<std::string> donor_lines = lines_of(donor);
    const auto below = [&](size_t n) { return random() % n; };
    const auto any_line = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())); };
    switch (below(7)) {
        case 0:
            lines.erase(any_line());
            break;
        case 1: {
            const std::string line = *any_line();
            lines.insert(any_line(), line);
            break;
        }
        case 2:
            std::iter_swap(any_line(), any_line());
            break;
        case 3:
            lines.insert(any_line(), donor_lines[below(donor_lines.size())]);
            break;
        default: {
            const auto line = any_line();
            std::vector<std::string> tokens = tokens_of(*line);
            const std::vector<std::string> words = tokens_of(donor_lines[below(donor_lines.size())]);
            std::string& token = tokens[below(tokens.size())];
            const bool is_number = std::isdigit(static_cast<unsigned char>(token[0])) != 0;
            static constexpr const char* kNumbers[] = {"0", "1", "2", "31", "33", "65535", "-1", "4294967295"};
            token = is_number ? kNumbers[below(std::size(kNumbers))] : words[below(words.size())];
            line->clear();
            for (const std::string& t : tokens) *line += t;
            break;
        }
    }
    std::string out;
    for (const std::string& line : lines) out += line;
    return out;
}

TEST(Mutations, AcceptedTextsGiveValidModules) {
    const std::vector<std::string> shaders = small_shaders();
    ASSERT_GT(shaders.size(), 30u);
    const char* wanted = std::getenv("TGSI2SPV_MUTATIONS");
    const int count = wanted != nullptr ? std::atoi(wanted) : 2'000;
    Random random(2);
    Context context;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string said;
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    int accepted = 0;
    for (int i = 0; i < count && !HasFailure(); ++i) {
        std::string text = shaders[random() % shaders.size()];
        const size_t times = 1 + random() % 3;
        for (size_t k = 0; k < times && !text.empty(); ++k)
            text = damage(text, shaders[random() % shaders.size()], random);
        Options options;
        options.lower.io_buffers = i % 3 == 1;
        options.lower.max_iterations = i % 4 == 1 ? 100 : 0;
        options.optimise = i % 5 != 0;
        if (!convert(context, text, options)) {
            ASSERT_FALSE(context.diagnostics.empty()) << text;
            for (const tgsi::Diagnostic& d : context.diagnostics)
                EXPECT_NE(d.code, "internal-error") << i << ": " << d.message << "\n" << text;
            continue;
        }
        said.clear();
        EXPECT_TRUE(tools.Validate(context.words.data(), context.words.size()) && said.empty())
            << i << ": " << said << "\n"
            << text;
        accepted++;
    }
    EXPECT_GT(accepted, count / 10);
    fmt::print("{} of {} accepted\n", accepted, count);
}

}  // namespace
}  // namespace tgsi2spv::api
