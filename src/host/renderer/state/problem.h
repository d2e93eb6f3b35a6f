// Why a request of the guest is refused: code compares the kind, the log shows the value and the limit.
#pragma once

#include <cstdint>
#include <string>

#include "vk/status.h"

namespace tgsi2spv::host {

struct [[nodiscard]] Problem {
    enum Kind : uint8_t {
#define PROBLEM(kind, text) kind,
#include "renderer/state/problem.def"
#undef PROBLEM
    };

    constexpr Problem(Kind k, uint64_t v = 0, uint64_t l = 0) : kind(k), value(v), limit(l) {}
    explicit operator bool() const {
        return kind != None;
    }
    friend constexpr bool operator==(const Problem& problem, Kind other) {
        return problem.kind == other;
    }

    Kind kind;
    uint64_t value, limit;
};

/// Whose fault a problem is: only a bad request ends the program that made it.
vk::Status status_of(const Problem& problem);
/// The problem of a request to the device whose place and sizes have been checked.
Problem problem_of(vk::Status status);

/// Levels or layers first..last of `count`.
Problem check_range(uint32_t first, uint32_t last, uint32_t count);

/// Places start .. start + size - 1 of a side of a level, in blocks of `unit`; only the last block may be partial.
Problem check_side(uint32_t start, uint32_t size, uint32_t whole, uint32_t unit = 1);

/// Bytes offset .. offset + bytes - 1 of memory.
Problem check_bytes(uint64_t offset, uint64_t bytes, uint64_t memory_bytes);

/// A clause: "resource 12 does not exist".
std::string describe(const Problem& problem);

}  // namespace tgsi2spv::host
