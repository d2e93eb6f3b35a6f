// What a device answered, held against what the judge permits.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/run.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::difftest {

/// One word outside the bounds, or a lane that should (not) have been killed, or something that is not there.
struct Mismatch {
    enum class What : uint8_t { Output, Buffer, Counter, Image, Killed, Absent, Short, Vertices, Primitive } what{};
    int32_t index = 0;  ///< OUT register, BUFFER or IMAGE index, first bracket of HWATOMIC
    /// TESS_CTRL: of OUT[v][i]; GEOM: number of the vertex that the lane emitted. Vertices: how many there should be
    /// (`got`: how many there are). Primitive: its stream or primitive is wrong. -1: none.
    int32_t vertex = -1;
    uint32_t lane = 0;      ///< memory: word
    uint8_t component = 0;  ///< Image: level
    reference::Component expected{};
    uint32_t got = 0;
    /// Two words that are bounded as one double: this component is the low one.
    bool pair = false;
    reference::Component expected_high = {};
    uint32_t got_high = 0;
};

struct Comparison {
    uint64_t words = 0;    ///< held against bounds, unknown ones included
    uint64_t unknown = 0;  ///< of these, permitted to be anything
    uint64_t wrong = 0;
    bool zeros_alike = false;                      ///< how it was held
    std::map<uint32_t, uint64_t> unknown_origins;  ///< of the unknown words: how many by reference::origin_of()
    std::vector<Mismatch> mismatches;              ///< the first few of the wrong ones
    bool passed() const { return wrong == 0; }
};

inline constexpr size_t kMismatchesKept = 8;

/// By OUT register: the components that some instruction writes.
using WrittenMasks = std::map<int32_t, uint8_t>;
WrittenMasks written_outputs(const tgsi::Program& program, const tgsi::Registers& registers);

/// By OUT register of GEOM: the components that go to each of the four streams.
using StreamMasks = std::map<int32_t, std::array<uint8_t, 4>>;
StreamMasks stream_outputs(const tgsi::Program& program);

/// Compares the first `lanes` lanes. Components outside `written` and outputs of killed lanes do not count; those of
/// killed lanes that need not have been are unknown. Where `streams` names a register of GEOM, a vertex has only what
/// goes to its own stream: the rest is undefined. `zeros_alike`: a zero of the other sign is as good, for devices that
/// lose signs of zero (quirks.h).
Comparison compare(const reference::Result& judged, const reference::Result& device, const WrittenMasks& written,
                   uint32_t lanes, const StreamMasks& streams = {}, bool zeros_alike = false);

/// `OUT[0] lane 3.x: got 0x3f800000 (1), permitted [0x3f000000 (0.5), 0x3f000001 (0.50000006)]`
std::string describe(const Mismatch& mismatch);

}  // namespace tgsi2spv::difftest
