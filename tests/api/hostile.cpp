// Hostile texts from a guest: each ends in a module or in a clear refusal, and its peak memory stays in proportion to
// the text.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "api/requests.h"
#include "everything.h"
#include "ir/allocations.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

constexpr size_t kTextBytes = 400'000;

/// Counts the bytes that the library holds from its caller's allocator, now and at most.
struct Caller {
    size_t now = 0, most = 0;

    static void* allocate(void* user, size_t bytes, size_t alignment) {
        auto* c = static_cast<Caller*>(user);
        c->now += bytes;
        c->most = std::max(c->most, c->now);
        return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    }
    static void release(void* user, void* memory, size_t bytes, size_t) {
        static_cast<Caller*>(user)->now -= bytes;
        std::free(memory);
    }
};

struct End {
    tgsi2spv_status status{};
    std::string code;
    size_t peak = 0;
};

End end_of(const std::string& text, const tgsi2spv_options& options = everything) {
    Caller caller;
    auto allocator = make<tgsi2spv_allocator>();
    allocator.user = &caller;
    allocator.allocate = Caller::allocate;
    allocator.release = Caller::release;
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    End end;
    const size_t before = ir::allocated_bytes();
    ir::reset_peak();
    {
        Context context(info);
        (void)context.translate(text, options);
        end.status = context.status();
        if (context.diagnostic_count() > 0) end.code = context.diagnostic(0).code;
        EXPECT_TRUE(end.status == TGSI2SPV_SUCCESS || context.diagnostic_count() > 0);
        end.peak = ir::peak_bytes() - before + caller.most;
    }
    return end;
}

/// Each text of requests/hostile.txt, which has hundreds of thousands of bytes, ends as its row says.
TEST(Hostile, TextsEndWithinTheBudget) {
    std::vector<test::RequestCase> cases = test::read_requests("hostile.txt");
    EXPECT_GT(cases.size(), 30u);
    cases.push_back({"OneLine", {}, "FRAG\n" + std::string(kTextBytes, 'A'), {{"", "invalid-text", "", 0}}});
    cases.push_back({"Zeros", {}, std::string(kTextBytes, '\0'), {{"", "invalid-text", "", 0}}});
    const std::map<std::string, tgsi2spv_status> statuses = {{"module", TGSI2SPV_SUCCESS},
                                                             {"either", TGSI2SPV_ERROR_LIMIT},
                                                             {"limit", TGSI2SPV_ERROR_LIMIT},
                                                             {"invalid-text", TGSI2SPV_ERROR_INVALID_TEXT}};
    for (const test::RequestCase& c : cases) {
        SCOPED_TRACE(c.name);
        const End end = end_of(c.text);
        const test::RequestRow& row = c.rows.at(0);
        const bool module = end.status == TGSI2SPV_SUCCESS && row.outcome == "either";
        EXPECT_EQ(end.status, module ? TGSI2SPV_SUCCESS : statuses.at(row.outcome)) << end.code;
        EXPECT_TRUE(row.details.empty() || end.code == (module ? "" : row.details)) << end.code;
        EXPECT_LT(end.peak, 192 * c.text.size() + (4 << 20));
    }
}

/// Registers that are declared but not used cost little: at most the promised bytes.
TEST(Hostile, DeclaredRegistersCostWhatIsPromised) {
    std::string text = "FRAG\n";
    constexpr const char* kFiles[] = {"IN[0..65535], GENERIC[0], PERSPECTIVE",
                                      "OUT[0..65535], COLOR",
                                      "TEMP[0..65535]",
                                      "ADDR[0..65535]",
                                      "PRED[0..65535]",
                                      "CONST[0..65535]",
                                      "SV[0..65535], FACE",
                                      "SAMP[0..65535]",
                                      "SVIEW[0..65535], 2D, FLOAT",
                                      "BUFFER[0..65535]",
                                      "IMAGE[0..65535], 2D, PIPE_FORMAT_R32_UINT"};
    size_t registers = 0;
    for (const char* file : kFiles) {
        const std::string more = text + "DCL " + file + "\n";
        const End end = end_of(more + "BGNLOOP\nBRK\nENDLOOP\nEND\n");
        if (end.status != TGSI2SPV_SUCCESS) continue;  // a file that must not have as many
        text = more;
        registers += 65536;
        EXPECT_LT(end.peak, 192 * text.size() + (4 << 20) + 32 * registers) << file;
    }
    EXPECT_GE(registers, 4u * 65536);
}

/// An index may name every register of a declaration: memory that is cleared, records, outputs of one meaning.
TEST(Hostile, IndexedRegistersCostWhatIsPromised) {
    struct Case {
        uint32_t flags;
        const char* text;
    };
    constexpr const char* kMemory =
        "COMP\nDCL MEMORY[0..65535], SHARED\nDCL ADDR[0]\nDCL TEMP[0]\nLOAD TEMP[0], MEMORY[ADDR[0].x], TEMP[0]\nEND\n";
    constexpr const char* kLevels =
        "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL OUT[0..65535], TESSOUTER\nDCL ADDR[0]\nMOV OUT[ADDR[0].x], "
        "ADDR[0]\nEND\n";
    constexpr const char* kVaryings =
        "VERT\nDCL OUT[0..65535], GENERIC[0]\nDCL ADDR[0]\nMOV OUT[ADDR[0].x], ADDR[0]\nEND\n";
    constexpr const char* kPositions =
        "VERT\nDCL OUT[0..65535], POSITION\nDCL ADDR[0]\nMOV OUT[ADDR[0].x], ADDR[0]\nEND\n";
    for (const Case& c : {Case{TGSI2SPV_OPTION_ZERO_MEMORY, kMemory}, Case{TGSI2SPV_OPTION_ZERO_MEMORY, kLevels},
                          Case{TGSI2SPV_OPTION_RECORDS, kVaryings}, Case{0, kPositions}}) {
        tgsi2spv_options options = everything;
        options.flags = c.flags;
        EXPECT_LT(end_of(c.text, options).peak, (4U << 20) + 32U * 65536) << c.text;
    }
}

/// As many warnings as for a text, although each input would give one; and no pass-through shader of megabytes.
TEST(Hostile, ManyVaryingsGetFewWords) {
    Context context;
    const Program vertex = context.parse("VERT\nDCL OUT[0..128], GENERIC[0]\nDCL IN[0]\nMOV OUT[0], IN[0]\nEND\n");
    const Program fragment = context.parse(
        "FRAG\nDCL IN[0..99], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL ADDR[0]\nMOV OUT[0], "
        "IN[ADDR[0].x]\nEND\n");
    std::array<Linkage, 2> linkages;
    EXPECT_TRUE(context.link({&vertex, &fragment}, linkages, everything));
    EXPECT_EQ(context.diagnostic_count(), 20U);
    EXPECT_EQ(context.passthrough_records(vertex), "");
    EXPECT_EQ(std::string(context.diagnostic(0).code), "too-many-varyings");
}

}  // namespace
}  // namespace tgsi2spv
