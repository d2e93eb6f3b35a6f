// The answers to a case.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/case/inputs.h"
#include "reference/numbers/output.h"

namespace tgsi2spv::reference {

/// A vertex that GEOM emitted: the OUT registers at that moment, those with a component of its stream.
struct Emitted {
    uint8_t stream = 0;
    uint32_t primitive = 0;  ///< number of earlier ENDPRIM (with a vertex) in its stream and lane
    std::map<int32_t, Components> outputs;
};

struct Result {
    std::string error;  ///< why nothing was executed (an opcode or stage that this judge lacks); empty: it was
    uint32_t error_position = 0;
    bool endless = false;  ///< the error is that it does not end: Options::most_instructions
    /// By OUT register, per lane; TESS_CTRL: PATCH registers, per patch. GEOM has `emitted` instead.
    std::map<int32_t, OutputLanes> outputs;
    std::map<RegisterKey, OutputLanes> vertex_outputs;  ///< TESS_CTRL: OUT[v][i], per patch
    /// GEOM, per lane: the vertices of its invocations, one invocation after another (INVOCATIONID 0 first). Each
    /// invocation starts its own primitives, so `primitive` rises from one invocation to the next.
    std::vector<std::vector<Emitted>> emitted;
    std::vector<bool> emitted_unknown;  ///< GEOM: the lane's vertices cannot be determined
    /// Components of OUT that some instruction writes; the others are undefined, not just unknown.
    std::map<int32_t, uint8_t> written;
    std::vector<bool> killed;          ///< FRAG
    std::vector<bool> killed_unknown;  ///< FRAG: whether it was killed cannot be known
    std::map<uint32_t, std::vector<Component>> buffers;
    std::map<uint32_t, std::vector<Component>> hwatomics;
    /// By IMAGE register and level; one entry for each component of the format, as in Texture.
    std::map<uint32_t, std::vector<std::vector<Component>>> images;
    uint64_t instructions = 0;  ///< executed, over all lanes
};

}  // namespace tgsi2spv::reference
