// Every shader of a corpus either becomes a module that the validator accepts silently, or is refused with a
// diagnostic. TGSI2SPV_CORPUS names the folder; with TGSI2SPV_FULL=1 the tests take all of it, otherwise a tenth that a
// hash of the path selects.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "api/convert.h"
#include "generated_rounds.h"
#include "ir/counted_memory.h"
#include "shader_files.h"
#include "spirv/patch_locations.h"

namespace tgsi2spv::api {
namespace {

using test::ShaderFile;

uint32_t hash(std::string_view name) {
    uint32_t h = 2'166'136'261u;  // FNV-1a
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16'777'619u;
    return h;
}

/// Returns the selected shaders, sorted by path.
std::vector<ShaderFile> corpus() {
    return test::corpus_shaders([](const std::string& path) { return is_full() || hash(path) % 10 == 0; });
}

struct Tally {
    int converted = 0;
    std::map<std::string, int> refused;  ///< by code and message

    std::string text() const {
        std::string out = fmt::format("{} converted\n", converted);
        for (const auto& [reason, n] : refused) out += fmt::format("{:6} refused: {}\n", n, reason);
        return out;
    }
};

/// Converts and validates all files. An invalid module or an unexplained refusal fails the test with the file's name;
/// hardly any may be refused.
Tally run(const std::vector<ShaderFile>& files, const Options& options, spv_target_env env) {
    Context context;
    spvtools::SpirvTools tools(env);
    std::string said;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
        said += message;
        said += '\n';
    });
    Tally tally;
    for (const ShaderFile& file : files) {
        if (!convert(context, file.text, options)) {
            const auto error = std::find_if(context.diagnostics.begin(), context.diagnostics.end(),
                                            [](const auto& d) { return d.severity == tgsi::Severity::Error; });
            if (error == context.diagnostics.end()) {
                ADD_FAILURE() << file.path << ": refused without a word";
                continue;
            }
            EXPECT_NE(error->code, "internal-error") << file.path << ": " << error->message;
            tally.refused[std::string(error->code.name()) + ": " + error->message]++;
            continue;
        }
        said.clear();
        const bool valid = tools.Validate(spirv::with_patch_locations_apart(context.words));
        EXPECT_TRUE(valid && said.empty()) << file.path << ": " << said;
        tally.converted++;
    }
    EXPECT_GE(static_cast<size_t>(tally.converted) * 10, files.size() * 9) << tally.text();
    return tally;
}

TEST(Corpus, ValidatesForEachTarget) {
    const std::vector<ShaderFile> files = corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    const std::pair<spirv::TargetEnv, spv_target_env> envs[] = {{spirv::TargetEnv::Vulkan10, SPV_ENV_VULKAN_1_0},
                                                                {spirv::TargetEnv::Vulkan11, SPV_ENV_VULKAN_1_1},
                                                                {spirv::TargetEnv::Vulkan12, SPV_ENV_VULKAN_1_2},
                                                                {spirv::TargetEnv::Vulkan13, SPV_ENV_VULKAN_1_3}};
    for (const auto& [env, tools_env] : envs) {
        Options options;
        options.emit.env = env;
        const Tally tally = run(files, options, tools_env);
        if (env == spirv::TargetEnv::Vulkan12) std::fputs(tally.text().c_str(), stdout);
    }
}

TEST(Corpus, ValidatesWithIoBuffersExactAndWithoutPasses) {
    const std::vector<ShaderFile> files = corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    Options options;
    options.lower.io_buffers = options.lower.exact = true;
    options.lower.max_iterations = 1'000;
    const Tally judged = run(files, options, SPV_ENV_VULKAN_1_2);
    options.optimise = false;
    options.emit.debug_names = options.emit.debug_lines = true;
    const Tally plain = run(files, options, SPV_ENV_VULKAN_1_2);
    EXPECT_EQ(judged.converted, plain.converted);
}

TEST(Corpus, ValidatesWithEveryState) {
    const std::vector<ShaderFile> files = corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    Options options;
    lower::State& s = options.lower.state;
    s.depth_range = s.flip_y = s.clip_enable = s.clamp_vertex_color = s.point_size = s.bgra_attributes = true;
    s.clip_planes = 6;
    s.alpha_test = s.two_sided = s.clamp_fragment_color = s.alpha_to_one = s.sample_mask = true;
    s.coord_origin = s.pixel_center = s.polygon_stipple = s.bgra_targets = true;
    s.sprites = lower::Sprites::Generic;
    const Tally all = run(files, options, SPV_ENV_VULKAN_1_2);
    options.lower.state = {};
    const Tally none = run(files, options, SPV_ENV_VULKAN_1_2);
    // Vulkan promises eight distances. Six clip planes leave only two of these for the shader's own.
    const auto crowded = all.refused.find("unsupported-capability: more than 8 user planes and cull distances");
    const int no_room = crowded == all.refused.end() ? 0 : crowded->second;
    EXPECT_LE(no_room, 1) << all.text();
    EXPECT_EQ(all.converted + no_room, none.converted) << all.text();
}

// Modules contain no dead code, no trivial phis and no duplicate types or constants, so an optimiser removes little.
TEST(Corpus, OptimiserTakesNoMoreThanATwentieth) {
    const std::vector<ShaderFile> files = corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    Context context;
    size_t ours = 0, left = 0;
    std::vector<uint32_t> shorter;
    for (const ShaderFile& file : files) {
        if (!convert(context, file.text, {})) continue;
        const std::vector<uint32_t> words = spirv::with_patch_locations_apart(context.words);
        spvtools::Optimizer optimiser(SPV_ENV_VULKAN_1_2);  // each optimiser runs once
        optimiser.RegisterPerformancePasses();              // spirv-opt -O
        ASSERT_TRUE(optimiser.Run(words.data(), words.size(), &shorter)) << file.path;
        ours += words.size();
        left += shorter.size();
    }
    std::printf("%zu words; %zu after the optimiser: %.4f\n", ours, left,
                static_cast<double>(ours) / static_cast<double>(left));
    EXPECT_GT(ours, 0u);
    EXPECT_LE(static_cast<double>(ours), 1.05 * static_cast<double>(left));
}

/// The most that a new context holds at any time of a conversion: 27 times the text of the whole corpus when this was
/// written, less in a sample with one of its few long texts.
TEST(Corpus, MemoryIsAtMostFortyTimesTheText) {
    const std::vector<ShaderFile> files = corpus();
    if (files.empty()) GTEST_SKIP() << "TGSI2SPV_CORPUS names no shaders";
    size_t text = 0, peak = 0;
    for (const ShaderFile& file : files) {
        ir::CountedMemory memory;
        {
            Context context(&memory);
            convert(context, file.text, Options{});
        }
        EXPECT_EQ(memory.bytes, 0u) << file.path;
        text += file.text.size();
        peak += memory.most_bytes;
    }
    EXPECT_LE(peak, 40 * text);
    EXPECT_GE(peak, 10 * text);  // all of it is counted
}

}  // namespace
}  // namespace tgsi2spv::api
