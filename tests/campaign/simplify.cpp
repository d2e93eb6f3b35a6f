// Simpler inputs for a reduction.
#include "campaign/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tgsi/parse/parse.h"

namespace tgsi2spv::difftest {
namespace {

/// The numbers of the buffers that remain when every entry is removed that may go.
std::vector<uint32_t> buffers_left(const std::string& body) {
    Candidate candidate;
    std::vector<tgsi::Diagnostic> diagnostics;
    EXPECT_TRUE(tgsi::parse("COMP\nDCL SV[0], THREAD_ID\nDCL TEMP[0]\nDCL ADDR[0]\n" + body + "END\n", {},
                            candidate.program, diagnostics));
    for (const uint32_t n : {0u, 1u, 2u, 132u}) candidate.inputs.buffers[n] = {n};
    for (const Simplification& s : input_simplifications())
        for (size_t i = s.count(candidate, 1); s.name == std::string("entries") && i-- > 0;)
            if (auto smaller = s.edit(candidate, 1, i)) candidate = std::move(*smaller);
    std::vector<uint32_t> left;
    for (const auto& [number, words] : candidate.inputs.buffers) left.push_back(number);
    return left;
}

/// Memory that a case omits takes no writes; memory that no instruction uses may go.
TEST(Simplify, RemovesBuffersThatAreNotUsed) {
    using testing::ElementsAre;
    EXPECT_THAT(buffers_left("STORE BUFFER[2].x, SV[0].xxxx, SV[0]\n"), ElementsAre(2, 132));
    EXPECT_THAT(buffers_left("LOAD TEMP[0].x, BUFFER[1], SV[0].xxxx\nSTORE BUFFER[2].x, SV[0].xxxx, TEMP[0]\n"),
                ElementsAre(1, 2, 132));
    EXPECT_THAT(buffers_left("STORE BUFFER[ADDR[0].x].x, SV[0].xxxx, SV[0]\n"), ElementsAre(0, 1, 2, 132));
    EXPECT_THAT(buffers_left("LOAD TEMP[0].x, BUFFER[1], SV[0].xxxx\n"), ElementsAre());
}

}  // namespace
}  // namespace tgsi2spv::difftest
