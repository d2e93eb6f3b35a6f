#include "renderer/state/problem.h"

#include <fmt/format.h>

#include <iterator>

namespace tgsi2spv::host {

Problem check_range(uint32_t first, uint32_t last, uint32_t count) {
    if (last < first) return {Problem::BadLevel, first, uint64_t{last} + 1};
    if (last >= count) return {Problem::BadLevel, last, count};
    return Problem::None;
}

Problem check_side(uint32_t start, uint32_t size, uint32_t whole, uint32_t unit) {
    if (size == 0) return {Problem::BadBox, 0, whole};
    if (start >= whole || size > whole - start) return {Problem::BadBox, uint64_t{start} + size, whole};
    if (start % unit != 0) return {Problem::Misaligned, start, unit};
    if (size % unit != 0 && start + size != whole) return {Problem::Misaligned, size, unit};
    return Problem::None;
}

Problem check_bytes(uint64_t offset, uint64_t bytes, uint64_t memory_bytes) {
    if (offset <= memory_bytes && bytes <= memory_bytes - offset) return Problem::None;
    return {Problem::BadRange, bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes, memory_bytes};
}

namespace {

/// In the order of Problem::Kind, with the value and the limit.
constexpr const char* kTexts[] = {
    "nothing is wrong",
    "handle 0",
    "handle {} is in use",
    "resource {} does not exist",
    "object {} does not exist",
    "object {} is of another type",
    "context {} does not exist",
    "texture target {} does not exist",
    "format {} was not offered",
    "a size of {}, where {} is permitted",
    "{} samples, where {} are permitted",
    "level or layer {}, where {} exist",
    "the box ends at {}, the level at {}",
    "{} is not a multiple of {}",
    "a stride of {}, where {} is needed",
    "the range ends at {}, the memory at {}",
    "resource {} has no shared memory",
    "the text of shader {} is incomplete or out of order",
    "{} is of another kind",
    "out of memory",
    "not supported",
    "the budget is used up: {} of {}",
};
static_assert(std::size(kTexts) == Problem::Budget + 1);

}  // namespace

std::string describe(const Problem& problem) {
    if (problem.kind == Problem::Incompatible && problem.value == 0) return "resources of different kinds";
    return fmt::format(fmt::runtime(kTexts[problem.kind]), problem.value, problem.limit);
}

}  // namespace tgsi2spv::host
