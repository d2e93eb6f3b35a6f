// The caller's allocator: all memory whose size the guest's text determines comes from it, and any allocation may fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory_resource>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "api/library_texts.h"
#include "api/memory.h"
#include "api/requests.h"
#include "bench/scaling_texts.h"
#include "ir/allocations.h"
#include "places.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

namespace fs = std::filesystem;

/// Records each block in a header before it. Allocation number `failing` fails. Uses nothing from operator new.
struct Blocks {
    struct Header {
        uint64_t mark = 0;
        size_t bytes = 0, alignment = 0, offset = 0;
    };
    static constexpr uint64_t kMark = 0x1d0e'57ab'11c0'ffee;
    size_t count = 0, failing = 0, bytes = 0, live = 0;
    bool wrong = false;
    std::thread::id thread{};  ///< the only thread that may call, unless it is the default id

    static void* allocate(void* user, size_t bytes, size_t alignment) {
        auto& b = *static_cast<Blocks*>(user);
        b.look();
        if (++b.count == b.failing) return nullptr;
        b.wrong = b.wrong || bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0;
        const size_t most = std::max(alignment, alignof(Header)), offset = (sizeof(Header) + most - 1) / most * most;
        auto* whole = static_cast<unsigned char*>(std::aligned_alloc(most, offset + (bytes + most - 1) / most * most));
        ++b.live;
        b.bytes += bytes;
        *header(whole + offset) = {kMark, bytes, alignment, offset};
        return whole + offset;
    }
    static void release(void* user, void* memory, size_t bytes, size_t alignment) {
        auto& b = *static_cast<Blocks*>(user);
        b.look();
        Header* const h = header(memory);
        if (h->mark != kMark || h->bytes != bytes || h->alignment != alignment) {
            b.wrong = true;
            return;
        }
        h->mark = 0;
        --b.live;
        std::free(static_cast<unsigned char*>(memory) - h->offset);
    }
    static Header* header(void* memory) {
        return reinterpret_cast<Header*>(static_cast<unsigned char*>(memory) - sizeof(Header));
    }
    void look() { wrong = wrong || (thread != std::thread::id() && thread != std::this_thread::get_id()); }

    tgsi2spv_allocator allocator() {
        auto a = make<tgsi2spv_allocator>();
        a.user = this;
        a.allocate = allocate;
        a.release = release;
        return a;
    }
};

std::string read_example(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
std::string example(const char* name) {
    return read_example(test::source_path("shaders/" + std::string(name)));
}
std::vector<std::string> examples() {
    std::vector<std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(test::source_path("shaders")))
        if (entry.path().extension() == ".tgsi") texts.push_back(read_example(entry.path()));
    std::sort(texts.begin(), texts.end());
    return texts;
}

/// Calls the library; a call that runs out of memory is repeated once, and must then succeed.
struct Caller {
    Blocks& blocks;
    size_t ran_out = 0;

    template <class Call>
    void operator()(Call&& call) {
        tgsi2spv_status status = call();
        if (status == TGSI2SPV_ERROR_OUT_OF_MEMORY) {
            ++ran_out;
            status = call();
        }
        EXPECT_EQ(status, TGSI2SPV_SUCCESS) << blocks.failing;
    }
};

/// Does everything that the library can do with one shader or with the shaders of a pipeline. Returns how often memory
/// ran out.
size_t use(Blocks& blocks, std::span<const std::string> texts, const tgsi2spv_options& options) {
    const auto allocator = blocks.allocator();
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    Caller call{blocks};
    tgsi2spv_context* context = nullptr;
    tgsi2spv_program* programs[6] = {};
    tgsi2spv_linkage* linkages[6] = {};
    const tgsi2spv_options* each[6];
    std::ranges::fill(each, &options);
    const char* made = nullptr;
    size_t bytes = 0;
    call([&] { return tgsi2spv_context_create(&info, &context); });
    for (size_t i = 0; i < texts.size(); ++i)
        call([&] { return tgsi2spv_program_parse(context, texts[i].data(), texts[i].size(), nullptr, &programs[i]); });
    if (texts.size() > 1)
        call([&] { return tgsi2spv_linkage_create(context, programs, texts.size(), each, linkages); });
    for (size_t i = 0; i < texts.size(); ++i) {
        tgsi2spv_options of_stage = options;
        of_stage.linkage = linkages[i];
        const tgsi2spv_module* module = nullptr;
        call([&] { return tgsi2spv_program_convert(context, programs[i], &of_stage, &module); });
        call([&] { return tgsi2spv_module_write_json(module, context, &made, &bytes); });
        if (i % 2 == 0) {  // taken, the context makes another for the next call
            tgsi2spv_module* own = nullptr;
            call([&] { return tgsi2spv_context_take_module(context, &own); });
            tgsi2spv_module_destroy(own);
        }
        if (tgsi2spv_program_stage(programs[i]) == TGSI2SPV_STAGE_TESS_EVAL)
            call([&] { return tgsi2spv_program_passthrough_tess_ctrl(context, programs[i], 3, &made, &bytes); });
        tgsi2spv_hash hash;
        call([&] { return tgsi2spv_text_hash(texts[i].data(), texts[i].size(), nullptr, &of_stage, &hash); });
        call(
            [&] { return tgsi2spv_translate(context, texts[i].data(), texts[i].size(), nullptr, &of_stage, nullptr); });
    }
    for (tgsi2spv_linkage* linkage : linkages) tgsi2spv_linkage_destroy(linkage);
    for (tgsi2spv_program* program : programs) tgsi2spv_program_destroy(program);
    tgsi2spv_context_destroy(context);
    return call.ran_out;
}

TEST(ContextMemory, NothingIsKeptAfterATrim) {
    Blocks blocks;
    auto allocator = blocks.allocator();
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    Context context(info);
    ASSERT_TRUE(context);
    const size_t empty = blocks.live;
    const std::string text = R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";
    std::vector<uint32_t> words;
    for (int turn = 0; turn < 3; ++turn) {
        const tgsi2spv_module* module = nullptr;
        auto made = make<tgsi2spv_module_info>();
        ASSERT_EQ(tgsi2spv_translate(context.get(), text.data(), text.size(), nullptr, nullptr, &module),
                  TGSI2SPV_SUCCESS);
        ASSERT_EQ(tgsi2spv_module_get_info(module, &made), TGSI2SPV_SUCCESS);
        const std::vector<uint32_t> now(made.words, made.words + made.word_count);
        EXPECT_TRUE(turn == 0 || now == words);
        words = now;
        EXPECT_GT(blocks.live, empty);
        context.trim();
        EXPECT_EQ(blocks.live, empty);
        EXPECT_EQ(context.diagnostic_count(), 0u);
    }
    tgsi2spv_context_trim(nullptr);
}

/// The sets of options to convert with, by number.
constexpr uint32_t kWays = 4;
tgsi2spv_options way(uint32_t number) {
    auto options = everything;
    if (number == 1) {
        options.flags |= TGSI2SPV_OPTION_DEBUG;
        options.source_name = "a.tgsi";
    }
    if (number == 2) options.flags = TGSI2SPV_OPTION_UNOPTIMISED | TGSI2SPV_OPTION_EXACT;
    if (number == 3) {
        options.flags |= TGSI2SPV_OPTION_SEPARATE_SAMPLERS;
        options.max_iterations = 1000;
        options.bounds_registers = options.bounds_buffers = TGSI2SPV_OUT_OF_RANGE_CLAMP;
    }
    return options;
}

/// The texts of requests/memory.txt with these names.
std::vector<std::string> texts_of(std::initializer_list<std::string_view> names) {
    const std::vector<test::RequestCase> all = test::read_requests("memory.txt");
    std::vector<std::string> texts;
    for (const std::string_view name : names)
        for (const test::RequestCase& request : all)
            if (request.name == name) texts.push_back(request.text);
    EXPECT_EQ(texts.size(), names.size());
    return texts;
}
std::vector<std::string> pipeline(bool tessellated) {
    return tessellated ? texts_of({"vertex", "control", "evaluation", "fragment"}) : texts_of({"vertex", "fragment"});
}

/// Texts that take rare paths through the library, and calls, warnings, registers in memory.
std::vector<std::string> odd_texts() {
    std::vector<std::string> texts = texts_of({"registers", "views", "branches"});
    for (const bench::ScalingText& scaling : bench::scaling_texts())
        if (!scaling.io_buffers) texts.push_back(scaling.make(300));  // the library has no such option
    return texts;
}

/// Checks that nothing comes from operator new, and that every block of the caller's allocator is released correctly.
void expect_callers_alone(std::span<const std::string> texts, const tgsi2spv_options& options) {
    Blocks blocks;
    const size_t before = ir::allocations();
    EXPECT_EQ(use(blocks, texts, options), 0u);
    EXPECT_EQ(ir::allocations() - before, 0u) << texts[0];
    EXPECT_GT(blocks.bytes, texts[0].size());
    EXPECT_EQ(blocks.live, 0u) << texts[0];
    EXPECT_FALSE(blocks.wrong) << texts[0];
}

TEST(Memory, ComesFromTheCallerAlone) {
    const std::vector<std::string> texts = examples();
    ASSERT_GT(texts.size(), 30u);
    for (uint32_t w = 0; w < kWays; ++w)
        for (const std::string& text : texts) expect_callers_alone({&text, 1}, way(w));
    for (const std::string& text : odd_texts()) expect_callers_alone({&text, 1}, way(0));
    for (const bool tessellated : {false, true}) expect_callers_alone(pipeline(tessellated), way(0));
}

/// Fails each allocation in turn, until a run makes fewer allocations.
void run_out_everywhere(std::span<const std::string> texts, const tgsi2spv_options& options) {
    for (size_t n = 1;; ++n) {
        Blocks blocks;
        blocks.failing = n;
        const size_t ran_out = use(blocks, texts, options);
        EXPECT_EQ(blocks.live, 0u) << n;
        EXPECT_FALSE(blocks.wrong) << n;
        if (blocks.count < n) {
            EXPECT_EQ(ran_out, 0u);
            EXPECT_GT(n, 50u);
            return;
        }
        EXPECT_EQ(ran_out, 1u) << n;
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Memory, AnyAllocationOfTheCallerMayFail) {
    uint32_t w = 0;
    for (const char* name : {"vert/lighting.tgsi", "frag/shadows.tgsi", "frag/handles.tgsi", "geom/billboard.tgsi",
                             "comp/histogram.tgsi", "comp/image-copy.tgsi"}) {
        const std::string text = example(name);
        run_out_everywhere({&text, 1}, way(w++ % kWays));
    }
    const std::vector<std::string> odd = odd_texts();
    for (size_t i = 0; i < 3; ++i) run_out_everywhere({&odd[i], 1}, way(0));
    run_out_everywhere(pipeline(false), way(0));
    run_out_everywhere(pipeline(true), way(1));
}

TEST(Memory, AnyAllocationOfDiagnosticsMayFail) {
    // Only diagnostics allocate from operator new.
    constexpr std::string_view kWrong = R"(FRAG
ADDD TEMP[0], TEMP[1]
MOV OUT[0], TEMP[-1]
END
)";
    size_t count = 0;
    for (size_t n = 1;; ++n) {
        Blocks blocks;
        const auto allocator = blocks.allocator();
        auto info = make<tgsi2spv_context_info>();
        info.allocator = &allocator;
        {
            Context context(info);
            const size_t before = ir::allocations();
            ir::fail_allocation(n);
            Program program = context.parse(kWrong);
            ir::fail_allocation(0);
            count = ir::allocations() - before;
            EXPECT_FALSE(program);
            EXPECT_EQ(context.status(), n <= count ? TGSI2SPV_ERROR_OUT_OF_MEMORY : TGSI2SPV_ERROR_INVALID_TEXT) << n;
            EXPECT_TRUE(context.convert(context.parse(kFragment))) << n;
        }
        EXPECT_EQ(blocks.live, 0u) << n;
        if (n > count) break;
    }
    EXPECT_GT(count, 1u);
}

TEST(Memory, ThreadsDoNotShareIt) {
    const std::vector<std::string> texts = examples();
    Blocks shared, of_thread[2];
    const auto allocator = shared.allocator();
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    Context parser(info);
    std::vector<Program> programs;
    for (const std::string& text : texts) programs.push_back(parser.parse(text));
    const size_t count = shared.count;
    std::vector<std::thread> threads;
    for (Blocks& blocks : of_thread)
        threads.emplace_back([&] {
            blocks.thread = std::this_thread::get_id();
            const auto own = blocks.allocator();
            auto own_info = make<tgsi2spv_context_info>();
            own_info.allocator = &own;
            Context context(own_info);
            for (size_t i = 0; i < texts.size(); ++i) {
                EXPECT_TRUE(context.convert(programs[i], everything)) << texts[i];
                EXPECT_TRUE(context.convert(context.parse(texts[i]), everything)) << texts[i];
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const Blocks& blocks : of_thread) {
        EXPECT_GT(blocks.count, texts.size());
        EXPECT_EQ(blocks.live, 0u);
        EXPECT_FALSE(blocks.wrong);
    }
    EXPECT_EQ(of_thread[0].count, of_thread[1].count);
    // Converting the programs on the threads allocates nothing from the allocator that the programs came from.
    EXPECT_EQ(shared.count, count);
    parser = Context();  // programs outlive the context that parsed them
    programs.clear();
    EXPECT_EQ(shared.live, 0u);
    EXPECT_FALSE(shared.wrong);
}

TEST(Memory, IsKeptFromCallToCall) {
    Blocks blocks;
    const auto allocator = blocks.allocator();
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    Context context(info);
    for (const std::string& text : examples()) {
        const Program program = context.parse(text);
        const auto convert = [&] {
            return tgsi2spv_program_convert(context.get(), program.get(), &everything, nullptr);
        };
        ASSERT_EQ(convert(), TGSI2SPV_SUCCESS) << text;
        ASSERT_EQ(convert(), TGSI2SPV_SUCCESS) << text;
        const size_t count = blocks.count;
        ASSERT_EQ(convert(), TGSI2SPV_SUCCESS) << text;
        EXPECT_EQ(blocks.count, count) << text;
    }
}

}  // namespace
}  // namespace tgsi2spv
