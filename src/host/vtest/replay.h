// Replays a recording into a renderer, and compares its readbacks with the recorded ones.
#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "process/log.h"
#include "process/stream.h"
#include "virgl/renderer.h"

namespace tgsi2spv::vtest {

struct Replayed {
    uint64_t calls = 0;                       ///< calls of the renderer
    uint64_t refused = 0, first_refused = 0;  ///< how many, and the number of the first, from 1
    uint64_t reads = 0;                       ///< compared
    uint64_t bytes = 0;                       ///< bytes in these reads
    uint64_t different = 0;                   ///< bytes that are not equal
    uint64_t clearly_different = 0;           ///< bytes that differ by more than 2
};

/// The first capability that a recording needs and a host does not offer, or an empty string.
std::string missing(const virgl::CapsV2& needed, const virgl::CapsV2& offered);

/// Logs a line per read that differs. The error is why the file cannot be replayed. `most_shared_bytes`: of all
/// resources together.
tl::expected<Replayed, std::string> replay(process::Stream& file, virgl::Renderer& renderer, process::Log& log,
                                           uint64_t most_shared_bytes = uint64_t{1} << 32);

}  // namespace tgsi2spv::vtest
