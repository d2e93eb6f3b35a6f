// Refusals: the log names the value and the limit.
#include "renderer/state/problem.h"

#include <gtest/gtest.h>

namespace tgsi2spv::host {
namespace {

TEST(Problem, NamesTheValue) {
    EXPECT_EQ(describe({Problem::BadFormat, 171}), "format 171 was not offered");
    EXPECT_EQ(describe({Problem::NoResource, 12}), "resource 12 does not exist");
    EXPECT_EQ(describe({Problem::Incompatible, 12}), "12 is of another kind");
    EXPECT_EQ(describe(Problem::Incompatible), "resources of different kinds");
}

/// The renderer skips a command of a program that is right.
TEST(Problem, OnlyBadRequestsEndAProgram) {
    EXPECT_EQ(status_of(Problem::NoMemory), vk::Status::NoMemory);
    EXPECT_EQ(status_of(Problem::Unsupported), vk::Status::Unsupported);
    EXPECT_EQ(status_of(Problem::Incompatible), vk::Status::BadRequest);
    EXPECT_EQ(status_of({Problem::BadBox, 9, 8}), vk::Status::BadRequest);
    for (const auto status : {vk::Status::Done, vk::Status::BadRequest, vk::Status::Unsupported, vk::Status::NoMemory})
        EXPECT_EQ(status_of(problem_of(status)), status);
}

TEST(Problem, LevelsAndLayersExist) {
    EXPECT_EQ(check_range(0, 8, 9), Problem::None);
    EXPECT_EQ(describe(check_range(2, 9, 9)), "level or layer 9, where 9 exist");
    EXPECT_EQ(describe(check_range(3, 2, 9)), "level or layer 3, where 3 exist");
}

TEST(Problem, BoxesAreInsideTheirLevelAndConsistOfBlocks) {
    EXPECT_EQ(check_side(28, 4, 32), Problem::None);
    EXPECT_EQ(describe(check_side(28, 5, 32)), "the box ends at 33, the level at 32");
    EXPECT_EQ(describe(check_side(UINT32_MAX, 2, 32)), "the box ends at 4294967297, the level at 32");
    EXPECT_EQ(describe(check_side(4, 0, 32)), "the box ends at 0, the level at 32");
    EXPECT_EQ(check_side(28, 2, 30, 4), Problem::None);
    EXPECT_EQ(describe(check_side(24, 2, 30, 4)), "2 is not a multiple of 4");
    EXPECT_EQ(describe(check_side(2, 4, 30, 4)), "2 is not a multiple of 4");
}

TEST(Problem, RangesAreInsideTheirMemory) {
    EXPECT_EQ(check_bytes(56, 8, 64), Problem::None);
    EXPECT_EQ(check_bytes(64, 0, 64), Problem::None);
    EXPECT_EQ(describe(check_bytes(60, 8, 64)), "the range ends at 68, the memory at 64");
    EXPECT_EQ(describe(check_bytes(UINT64_MAX, 2, 64)), "the range ends at 18446744073709551615, the memory at 64");
}

}  // namespace
}  // namespace tgsi2spv::host
