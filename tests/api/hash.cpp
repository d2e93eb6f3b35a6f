// Each member of the structs and lists of a request counts: a cache would otherwise answer with a module for another
// request, without anybody noticing.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/handles.h"
#include "api/library_texts.h"

namespace tgsi2spv {
namespace {

using Hash = std::optional<std::array<uint8_t, 16>>;

/// Expects hashes of requests that differ to differ.
class Distinct {
  public:
    void add(const tgsi2spv_options& options, const std::string& what) {
        const Hash hash = hash_of(kVertex, options);
        ASSERT_TRUE(hash) << what;
        EXPECT_TRUE(seen_.insert(hash).second) << what;
    }

  private:
    std::set<Hash> seen_;
};

/// Adds the options with each word of `object`, to which they point, increased by `step`.
template <class Struct>
void add_each_word(Distinct& distinct, const tgsi2spv_options& options, Struct& object, uint32_t step = 1) {
    for (size_t at = 0; at < sizeof object; at += 4) {
        const auto before = std::bit_cast<std::array<char, sizeof(Struct)>>(object);
        uint32_t word = 0;
        std::memcpy(&word, reinterpret_cast<char*>(&object) + at, 4);
        word += step;
        std::memcpy(reinterpret_cast<char*>(&object) + at, &word, 4);
        distinct.add(options, "word " + std::to_string(at / 4));
        std::memcpy(&object, before.data(), sizeof object);
    }
}

TEST(Hash, EachMemberOfAStreamOutputCounts) {
    Distinct distinct;
    auto table = make<tgsi2spv_stream_outputs>();
    auto options = default_options;
    options.stream_outputs = &table;
    distinct.add(options, "no output");
    tgsi2spv_stream_output output{0, 0, 1, 0, 0, 0};
    table.outputs = &output;
    table.output_count = 1;
    distinct.add(options, "one output");
    add_each_word(distinct, options, output);
    add_each_word(distinct, options, table.strides, 5);
}

TEST(Hash, EachMemberOfABindingAndOfPushConstantsCounts) {
    Distinct distinct;
    tgsi2spv_binding binding{};
    auto options = default_options;
    distinct.add(options, "nothing");
    options.bindings = &binding;
    options.binding_count = 1;
    distinct.add(options, "a binding");
    add_each_word(distinct, options, binding);
    tgsi2spv_push_constants push{};
    options = default_options;
    options.push_constants = &push;
    options.push_constant_count = 1;
    distinct.add(options, "push constants");
    add_each_word(distinct, options, push, 16);
}

TEST(Hash, EachWorkaroundCounts) {
    Distinct distinct;
    distinct.add(default_options, "nothing");
    for (uint32_t bit = 1; bit < TGSI2SPV_WORKAROUNDS; bit *= 2)
        for (uint32_t tgsi2spv_options::*member :
             {&tgsi2spv_options::workarounds_on, &tgsi2spv_options::workarounds_off}) {
            auto options = default_options;
            options.*member = bit;
            distinct.add(options, "workaround");
        }
}

/// Not only the set of members counts, but also each value.
TEST(Hash, EachValueOfAMemberCounts) {
    Distinct distinct;
    auto options = default_options;
    for (const uint32_t n : {0u, 1u, 2u, 3u, 0x100u, 0x10000u, 0xffff'ffffu}) {
        options.max_iterations = n;
        distinct.add(options, "max_iterations");
    }
    options = default_options;
    auto caps = make<tgsi2spv_device_caps>();
    options.device = &caps;
    for (const uint32_t n : {0u, 1u, 2u, 0xffff'ffffu}) {
        caps.max_push_constants_size = n;
        distinct.add(options, "max_push_constants_size");
    }
}

/// Without debug information, the name of the file is not in the module, so that files share one answer.
TEST(Hash, TheNameOfTheSourceCountsWhereItIsWritten) {
    const auto named = [](uint32_t debug, const char* name) {
        auto options = default_options;
        options.flags = debug;
        options.source_name = name;
        return hash_of(kVertex, options);
    };
    EXPECT_EQ(named(0, "a"), named(0, "b"));
    EXPECT_EQ(named(0, "a"), named(0, nullptr));
    EXPECT_NE(named(1, "a"), named(1, "b"));
    EXPECT_NE(named(1, "a"), named(1, nullptr));
}

/// Linkages by hand: the linker itself changes several members at once.
TEST(Hash, EachMemberOfALinkageCounts) {
    using lower::Linkage, lower::LinkedVarying;
    Distinct distinct;
    const auto add = [&](const std::string& what, const std::function<void(Linkage&)>& change) {
        tgsi2spv_linkage linkage{api::CallerMemory()};
        change(linkage.linkage);
        auto options = default_options;
        options.linkage = &linkage;
        distinct.add(options, what);
    };
    distinct.add(default_options, "no linkage");
    add("an empty linkage", [](Linkage&) {});
    {
        tgsi2spv_linkage linkage{api::CallerMemory()};
        linkage.stage = tgsi::Stage::Fragment;
        auto options = default_options;
        options.linkage = &linkage;
        distinct.add(options, "stage");
    }
    add("has_no_primitive", [](Linkage& l) { l.has_no_primitive = true; });
    add("num_clip", [](Linkage& l) { l.num_clip = 1; });
    add("num_cull", [](Linkage& l) { l.num_cull = 1; });
    constexpr LinkedVarying kVarying{tgsi::Semantic::Generic, 1, 2, 0, 1};
    std::vector<std::pair<std::string, LinkedVarying>> varyings(6, {"", kVarying});
    varyings[0].first = "a varying";
    varyings[1] = {"semantic", {tgsi::Semantic::Patch, 1, 2, 0, 1}};
    varyings[2] = {"index", {tgsi::Semantic::Generic, 2, 2, 0, 1}};
    varyings[3] = {"location", {tgsi::Semantic::Generic, 1, 3, 0, 1}};
    varyings[4] = {"component", {tgsi::Semantic::Generic, 1, 2, 1, 1}};
    varyings[5] = {"components", {tgsi::Semantic::Generic, 1, 2, 0, 2}};
    const std::pair<const char*, std::pmr::vector<LinkedVarying> Linkage::*> lists[] = {
        {"inputs", &Linkage::inputs},
        {"outputs", &Linkage::outputs},
        {"patch_inputs", &Linkage::patch_inputs},
        {"patch_outputs", &Linkage::patch_outputs}};
    for (const auto& [list, member] : lists)
        for (const auto& [what, varying] : varyings)
            add(std::string(list) + ": " + what, [m = member, &v = varying](Linkage& l) { (l.*m).push_back(v); });
}

/// The hashes of each stage with its linkage, in pipeline order.
std::vector<Hash> linked_hashes(const std::vector<std::string>& texts) {
    Context context;
    std::vector<Program> programs;
    std::vector<const Program*> all;
    programs.reserve(texts.size());
    for (const std::string& text : texts) {
        programs.push_back(context.parse(text));
        EXPECT_TRUE(programs.back()) << text;
        all.push_back(&programs.back());
    }
    std::vector<Linkage> linkages(texts.size());
    const std::vector<const tgsi2spv_options*> each(texts.size(), &everything);
    EXPECT_TRUE(context.link(all, each, linkages));
    std::vector<Hash> hashes;
    for (size_t i = 0; i < texts.size(); ++i) {
        auto options = default_options;
        options.linkage = linkages[i].get();
        hashes.push_back(hash_of(texts[i], options));
    }
    return hashes;
}

/// A stage whose own text stays the same is another module beside another neighbour.
TEST(Hash, TheNeighbourOfAStageCounts) {
    const auto control = [](const std::string& patches) {
        return R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
)" + patches + "END\n";
    };
    const std::string evaluation =
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], POSITION
DCL IN[1], PATCH[4]
DCL IN[2], PATCH[5]
DCL OUT[0], POSITION
ADD OUT[0], IN[1], IN[2]
END
)";
    const std::string before = R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)";
    const std::string four = "DCL OUT[1], PATCH[4]\nMOV OUT[1], IN[0][0]\n";
    const std::string five = "DCL OUT[1], PATCH[5]\nMOV OUT[1], IN[0][0]\n";
    const auto with_four = linked_hashes({before, control(four), evaluation});
    const auto with_five = linked_hashes({before, control(five), evaluation});
    EXPECT_EQ(with_four[0], with_five[0]);  // knows nothing of patches
    EXPECT_NE(with_four[2], with_five[2]);

    const auto vertex = [](const std::string& distances) {
        return R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], CULLDIST
MOV OUT[0], IN[0]
MOV OUT[1].)" + distances +
               ", IN[0]\nEND\n";
    };
    const std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], CULLDIST
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0].xxxx
EMIT IMM[0].xxxx
END
)";
    EXPECT_NE(linked_hashes({vertex("x"), geometry})[1], linked_hashes({vertex("xy"), geometry})[1]);
}

}  // namespace
}  // namespace tgsi2spv
