#include "renderer/state/problem.h"

#include <fmt/format.h>

namespace tgsi2spv::host {

vk::Status status_of(const Problem& problem) {
    switch (problem.kind) {
        case Problem::None:
            return vk::Status::Done;
        case Problem::NoMemory:
            return vk::Status::NoMemory;
        case Problem::Unsupported:
            return vk::Status::Unsupported;
        default:
            return vk::Status::BadRequest;
    }
}

Problem problem_of(vk::Status status) {
    switch (status) {
        case vk::Status::Done:
            return Problem::None;
        case vk::Status::NoMemory:
            return Problem::NoMemory;
        case vk::Status::Unsupported:
            return Problem::Unsupported;
        case vk::Status::BadRequest:
            break;
    }
    return Problem::Incompatible;
}

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

std::string describe(const Problem& problem) {
    static constexpr const char* kTexts[] = {
#define PROBLEM(kind, text) text,
#include "renderer/state/problem.def"
#undef PROBLEM
    };
    if (problem.kind == Problem::Incompatible && problem.value == 0) return "resources of different kinds";
    return fmt::format(fmt::runtime(kTexts[problem.kind]), problem.value, problem.limit);
}

}  // namespace tgsi2spv::host
