// Compares a device's answers with the judge's bounds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/case/result.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest {

/// One word outside the bounds, a lane that should (not) have been killed, or a missing item.
struct Mismatch {
    enum class What : uint8_t { Output, Buffer, Counter, Image, Killed, Absent, Short, Vertices, Primitive } what{};
    int32_t index = 0;  ///< OUT register, BUFFER or IMAGE index, first bracket of HWATOMIC
    /// TESS_CTRL: v of OUT[v][i]. GEOM: number of the vertex that the lane emitted. Vertices: expected number of
    /// vertices (`got`: actual number). Primitive: number of the vertex whose stream or primitive is wrong. -1: none.
    int32_t vertex = -1;
    uint32_t lane = 0;      ///< memory: index of the word
    uint8_t component = 0;  ///< Image: the level
    reference::Component expected{};
    uint32_t got = 0;
    /// The two words are bounded together as one double; this component is its low word.
    bool pair = false;
    reference::Component expected_high = {};
    uint32_t got_high = 0;
};

struct Comparison {
    uint64_t words = 0;    ///< compared with bounds, including unknown ones
    uint64_t unknown = 0;  ///< words that may be anything; among `words`
    uint64_t wide = 0;     ///< words that are known, but is_wide()
    uint64_t wrong = 0;
    bool zeros_alike = false;                      ///< the comparison's `zeros_alike`
    std::map<uint32_t, uint64_t> unknown_origins;  ///< number of unknown words by reference::origin_of()
    std::vector<Mismatch> mismatches;              ///< the first few wrong words
    bool passed() const { return wrong == 0; }
};

inline constexpr size_t kMismatchesKept = 8;

/// An interval of more words than there are floats within a factor of 2 says little; the words in its gaps do not
/// count.
bool is_wide(const reference::Component& permitted);

/// By OUT register of GEOM: masks of the components that go to each of the four streams.
using StreamMasks = std::map<int32_t, std::array<uint8_t, 4>>;
StreamMasks stream_outputs(const tgsi::Program& program);

/// Compares the first `lanes` lanes. Components outside `judged.written` and outputs of killed lanes are not compared.
/// If the judge does not know whether a lane is killed and the device killed it, its outputs count as unknown. If
/// `streams` names a register of GEOM, only the components of the vertex's own stream are compared: the others are
/// undefined. `zeros_alike` accepts a zero of either sign where one is permitted, for devices that lose signs of zero
/// (quirks.h).
Comparison compare(const reference::Result& judged, const reference::Result& device, uint32_t lanes,
                   const StreamMasks& streams = {}, bool zeros_alike = false);

/// Puts the judge's bounds around each of the device's words. The device's killed lanes and emitted vertices stay.
void take_bounds(reference::Result& device, const reference::Result& judged);

/// Returns the mask of the wrong components of a register, among those of `mask`. The halves of a double that is
/// bounded as a whole are both right or both wrong.
uint8_t wrong_components(const std::array<reference::Component, 4>& permitted,
                         const std::array<reference::Component, 4>& got, uint8_t mask, bool zeros_alike);

/// Returns `OUT[0] lane 3.x: got 0x3f800000 (1), permitted [0x3f000000 (0.5), 0x3f000001 (0.50000006)]`.
std::string describe(const Mismatch& mismatch);

}  // namespace tgsi2spv::difftest
