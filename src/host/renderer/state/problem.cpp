#include "renderer/state/problem.h"

#include <fmt/format.h>

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

std::string describe(const Problem& problem) {
    const auto [kind, value, limit] = problem;
    switch (kind) {
        case Problem::None:
            return "nothing is wrong";
        case Problem::HandleZero:
            return "handle 0";
        case Problem::HandleInUse:
            return fmt::format("handle {} is in use", value);
        case Problem::NoResource:
            return fmt::format("resource {} does not exist", value);
        case Problem::NoObject:
            return fmt::format("object {} does not exist", value);
        case Problem::WrongObject:
            return fmt::format("object {} is of another type", value);
        case Problem::NoContext:
            return fmt::format("context {} does not exist", value);
        case Problem::BadTarget:
            return fmt::format("texture target {} does not exist", value);
        case Problem::BadFormat:
            return fmt::format("format {} was not offered", value);
        case Problem::BadSize:
            return fmt::format("a size of {}, where {} is permitted", value, limit);
        case Problem::BadSamples:
            return fmt::format("{} samples, where {} are permitted", value, limit);
        case Problem::BadLevel:
            return fmt::format("level or layer {}, where {} exist", value, limit);
        case Problem::BadBox:
            return fmt::format("the box ends at {}, the level at {}", value, limit);
        case Problem::Misaligned:
            return fmt::format("{} is not a multiple of {}", value, limit);
        case Problem::BadStride:
            return fmt::format("a stride of {}, where {} is needed", value, limit);
        case Problem::BadRange:
            return fmt::format("the range ends at {}, the memory at {}", value, limit);
        case Problem::NoSharedMemory:
            return fmt::format("resource {} has no shared memory", value);
        case Problem::Text:
            return fmt::format("the text of shader {} is incomplete or out of order", value);
        case Problem::Incompatible:
            return value == 0 ? "resources of different kinds" : fmt::format("{} is of another kind", value);
        case Problem::NoMemory:
            return "out of memory";
        case Problem::Unsupported:
            return "not supported";
        case Problem::Budget:
            return fmt::format("the budget is used up: {} of {}", value, limit);
    }
    return "";
}

}  // namespace tgsi2spv::host
