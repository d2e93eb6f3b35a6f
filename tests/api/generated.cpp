// Generated texts and options, through the C API: each conversion gives a module that is valid for its environment and
// needs nothing that the device lacks, or an error that says where it is. The generator (src/tester/generate) writes
// programs whose answers are known; here operands, targets, types and options meet that no such program has.
// TGSI2SPV_GENERATED sets how many times each seed's share is repeated with further seeds (default: 1).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <spirv-tools/libspirv.hpp>

#include "api/generated_options.h"
#include "api/generated_texts.h"
#include "generated_rounds.h"
#include "spirv/patch_locations.h"

namespace tgsi2spv {
namespace {

using difftest::Random;

constexpr uint64_t kSeeds = 5;  ///< one for each type of a view

/// Converts texts, and checks the results.
class Generated : public testing::TestWithParam<uint64_t> {
  protected:
    Generated() {
        for (spvtools::SpirvTools& v : validators_)
            v.SetMessageConsumer([this](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
                (said_ += message) += '\n';
            });
    }

    /// Calls `test` with the seeds that are this test's.
    template <class Test>
    static void for_seeds(Test test) {
        for (uint32_t r = 0; r < generated_rounds(); ++r) test(GetParam() + r * kSeeds);
    }

    /// Whether the text was converted.
    bool convert_one(const std::string& text, const GeneratedOptions& options) {
        const Module module = context_.translate(text, options.options());
        const std::string wrong = module ? wrong_module(module, options) : wrong_refusal(&text);
        EXPECT_EQ(wrong, "") << options.text() << text;
        return static_cast<bool>(module);
    }

    /// Gives TESS_EVAL another TESS_CTRL, which the library writes.
    void use_own_stage(std::vector<std::string>& texts, Random& random) {
        if (texts.size() == 2) return;
        const uint32_t vertices = 1 + random.below(32);
        const Program program = context_.parse(texts[2]);
        if (!program || program.stage() != TGSI2SPV_STAGE_TESS_EVAL) return;
        const std::string own(context_.passthrough_tess_ctrl(program, vertices));
        if (context_.status() == TGSI2SPV_SUCCESS)
            texts[1] = own;
        else
            EXPECT_EQ(wrong_refusal(nullptr), "") << texts[2];
    }

    /// Returns how many of the stages were converted.
    size_t convert_linked(const std::vector<std::string>& texts, const GeneratedOptions& options) {
        std::string all = options.text();
        for (const std::string& text : texts) all += text;
        std::vector<Program> programs;
        for (const std::string& text : texts) {
            programs.push_back(context_.parse(text));
            if (programs.back()) continue;
            EXPECT_EQ(wrong_refusal(&text), "") << all;
            return 0;
        }
        std::vector<const Program*> stages;
        for (const Program& p : programs) stages.push_back(&p);
        const std::vector<const tgsi2spv_options*> each(texts.size(), &options.options());
        std::vector<Linkage> linkages(texts.size());
        if (!context_.link(stages, each, linkages)) {
            EXPECT_EQ(wrong_refusal(nullptr), "") << all;
            return 0;
        }
        size_t converted = 0;
        std::optional<Interface> written;  // by the stage before, if that was converted
        for (size_t i = 0; i < texts.size(); ++i) {
            auto linked = options.options();
            linked.linkage = linkages[i].get();
            const Module module = context_.convert(programs[i], linked);
            const std::string wrong = module ? wrong_module(module, options) : wrong_refusal(&texts[i]);
            EXPECT_EQ(wrong, "") << "stage " << i << '\n' << all;
            std::optional<Interface> outputs;
            if (module) {
                converted++;
                outputs = interface_of(module, true);
                const Interface inputs = interface_of(module, false);
                std::string bad = written ? unwritten(inputs, *written) : "";
                // clip_planes adds distances that no text writes.
                if (bad.empty() && written && i + 1 == texts.size() && !options.has_clip_planes())
                    bad = other_number(inputs, *written);
                EXPECT_EQ(bad, "") << "stage " << i << '\n' << all;
            }
            written = std::move(outputs);
        }
        return converted;
    }

  private:
    /// A varying between two stages.
    struct Location {
        uint32_t components = 0;
        tgsi2spv_component_type type{};
    };
    struct Interface {
        std::map<std::pair<bool, uint32_t>, Location> locations;  ///< those of patches are separate
        std::map<uint32_t, uint32_t> distances;  ///< how many, by built-in variable (SPIR-V's number); not of vertices
    };

    static Interface interface_of(const Module& module, bool outputs) {
        Interface all;
        const uint32_t count = outputs ? module.info().output_count : module.info().input_count;
        for (uint32_t i = 0; i < count; ++i) {
            const tgsi2spv_variable v = outputs ? module.output(i) : module.input(i);
            constexpr uint32_t kClipDistance = 3, kCullDistance = 4;
            if (v.builtin == kClipDistance || v.builtin == kCullDistance) all.distances[v.builtin] = v.array_size;
            if (v.builtin != TGSI2SPV_NO_BUILTIN || v.stream != 0) continue;
            Location& l = all.locations[{v.patch != 0, v.location}];
            l.components |= ((1u << v.components) - 1) << v.component;
            l.type = v.type;
        }
        return all;
    }
    /// Vulkan, "Interface Matching": the inputs of a stage are outputs of the stage before, with the same type.
    static std::string unwritten(const Interface& read, const Interface& written) {
        for (const auto& [location, in] : read.locations) {
            const auto found = written.locations.find(location);
            const Location out = found == written.locations.end() ? Location{} : found->second;
            if ((in.components & ~out.components) != 0 || in.type != out.type)
                return fmt::format("location {}, components {:#x}, type {}: the stage before writes {:#x}, {}",
                                   location.second, in.components, in.type, out.components, out.type);
        }
        return {};
    }

    /// Drivers that keep all distances in one array find the cull distances after as many clip distances as there are.
    static std::string other_number(const Interface& read, const Interface& written) {
        for (const auto& [builtin, count] : read.distances)
            if (const auto found = written.distances.find(builtin);
                found != written.distances.end() && found->second != count)
                return fmt::format("{} of {}; the stage before writes {}", count, builtin, found->second);
        return {};
    }

    std::string wrong_module(const Module& module, const GeneratedOptions& options) {
        constexpr uint32_t kVersions[] = {0x10000, 0x10300, 0x10500, 0x10600};
        const uint32_t minor = options.minor_version();
        if (module.words()[1] != kVersions[minor]) return fmt::format("SPIR-V {:#x}", module.words()[1]);
        said_.clear();
        const bool valid = validators_[minor].Validate(spirv::with_patch_locations_apart(module.words()));
        if (!valid || !said_.empty()) return "spirv-val: " + said_;
        for (const char* feature : module.features())
            if (!options.has(feature)) return fmt::format("it needs {}, which the device lacks", feature);
        return {};
    }

    /// The mistake in the context's errors: about `text`, or about how texts are linked.
    std::string wrong_refusal(const std::string* text) {
        bool error = false;
        for (size_t i = 0; i < context_.diagnostic_count(); ++i) {
            const tgsi2spv_diagnostic d = context_.diagnostic(i);
            error = error || d.severity == TGSI2SPV_SEVERITY_ERROR;
            if (std::string_view(d.code).empty() || std::string_view(d.message).empty())
                return "an error without words";
            if (std::string_view(d.code) == "internal-error") return fmt::format("internal error: {}", d.message);
            if (text == nullptr) continue;
            const std::string_view before = std::string_view(*text).substr(0, std::min<size_t>(d.offset, text->size()));
            const auto line = 1 + std::ranges::count(before, '\n');
            const size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // rfind() finds -1 in the first line
            if (d.offset > text->size() || d.line != line || d.column != column || d.length == 0)
                return fmt::format("{}:{}: {}, which is not a place", d.line, d.column, d.message);
        }
        const tgsi2spv_status status = context_.status();
        // The caller chooses the captured outputs; here they are drawn.
        if (status == TGSI2SPV_ERROR_INVALID_ARGUMENT &&
            context_.diagnostic(0).code == std::string_view("bad-stream-output"))
            return {};
        if (status != TGSI2SPV_ERROR_INVALID_TEXT && status != TGSI2SPV_ERROR_UNSUPPORTED &&
            status != TGSI2SPV_ERROR_LIMIT)
            return tgsi2spv_status_string(status);
        return error ? std::string() : "refused without a reason";
    }

    Context context_;
    std::string said_;
    std::array<spvtools::SpirvTools, 4> validators_{
        spvtools::SpirvTools(SPV_ENV_VULKAN_1_0), spvtools::SpirvTools(SPV_ENV_VULKAN_1_1),
        spvtools::SpirvTools(SPV_ENV_VULKAN_1_2), spvtools::SpirvTools(SPV_ENV_VULKAN_1_3)};
};

/// Counts conversions by their subject.
struct Tally {
    struct Count {
        size_t converted = 0, tried = 0;
    };
    std::map<std::string_view, Count> counts{};

    void add(std::string_view what, size_t converted, size_t tried = 1) {
        counts[what].converted += converted;
        counts[what].tried += tried;
    }
    /// A test that sees only refusals cannot fail.
    void expect_share(double least) const {
        Count all;
        for (const auto& [what, count] : counts) {
            all.converted += count.converted;
            all.tried += count.tried;
            EXPECT_GT(count.converted, 0u) << what;
        }
        fmt::print("{} of {} converted\n", all.converted, all.tried);
        EXPECT_GE(static_cast<double>(all.converted), least * static_cast<double>(all.tried));
    }
};

/// Each case has a seed of its own, so that it can be repeated alone.
Random random_of(uint64_t seed, uint64_t number) {
    constexpr uint64_t kMaxCases = 1u << 20;
    return Random(seed * kMaxCases + number);
}

/// Calls `test` with a number, an opcode and one of `count` others, several times for each pair.
template <class Test>
void for_opcodes(tgsi::Family family, uint64_t count, Test test) {
    constexpr uint64_t kRepeats = 3;
    uint64_t number = 0;
    for (size_t op = 0; op < tgsi::kOpcodeCount; ++op) {
        if (tgsi::kOpcodes[op].family != family) continue;
        for (uint64_t i = 0; i < kRepeats * count; ++i) test(number++, static_cast<tgsi::Opcode>(op), i % count);
    }
}

TEST_P(Generated, TextureInstructionsAreConvertedOrRefused) {
    constexpr std::string_view kTypes[] = {"FLOAT", "UNORM", "SINT", "UINT", "SNORM"};
    Tally tally;
    for_seeds([&](uint64_t seed) {
        for_opcodes(tgsi::Family::texture, tgsi::kTargetCount - 1, [&](uint64_t number, tgsi::Opcode op, uint64_t of) {
            SCOPED_TRACE(fmt::format("seed {}, case {}", seed, number));
            Random random = random_of(seed, number);
            const GeneratedOptions options(random);
            const auto target = static_cast<tgsi::Target>(1 + of);
            const std::string text = texture_text(random, op, target, kTypes[(seed + number) % std::size(kTypes)]);
            tally.add(tgsi::info(op).mnemonic, convert_one(text, options) ? 1 : 0);
        });
    });
    tally.expect_share(0.4);
}

TEST_P(Generated, MemoryInstructionsAreConvertedOrRefused) {
    Tally tally;
    for_seeds([&](uint64_t seed) {
        for_opcodes(tgsi::Family::memory, std::size(kMemories), [&](uint64_t number, tgsi::Opcode op, uint64_t of) {
            SCOPED_TRACE(fmt::format("seed {}, case {}", seed, number));
            Random random = random_of(seed, number);
            const GeneratedOptions options(random);
            const std::string text = memory_text(random, op, kMemories[of]);
            tally.add(tgsi::info(op).mnemonic, convert_one(text, options) ? 1 : 0);
        });
    });
    tally.expect_share(0.4);
}

TEST_P(Generated, LinkedStagesAreConvertedOrRefused) {
    constexpr uint64_t kPipelines = 150;
    Tally tally;
    for_seeds([&](uint64_t seed) {
        for (uint64_t number = 0; number < kPipelines; ++number) {
            SCOPED_TRACE(fmt::format("seed {}, case {}", seed, number));
            Random random = random_of(seed, number);
            const GeneratedOptions options(random, 2);
            std::vector<std::string> texts = pipeline_texts(random);
            if (random.below(3) == 0) use_own_stage(texts, random);
            tally.add("stages", convert_linked(texts, options), texts.size());
        }
    });
    tally.expect_share(0.6);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Generated, testing::Range<uint64_t>(0, kSeeds));

}  // namespace
}  // namespace tgsi2spv
