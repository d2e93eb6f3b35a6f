// Lists of a draw's primitives that the CPU makes: with the last corner first, where the device takes flat values from
// the first one, to draw one primitive at a time, or without adjacent corners, which take geometryShader.
#pragma once

#include <volk.h>

#include <cstdint>
#include <vector>

#include "renderer/emulate/arguments.h"

namespace tgsi2spv::host {

struct Listing {
    VkPrimitiveTopology topology{};  ///< of the guest's draw
    bool last_provokes = false;
    bool rotates = false;         ///< the last corner comes first (rotate.h)
    bool one_by_one = false;      ///< each primitive is a draw
    bool drops_adjacent = false;  ///< corners that only GEOM would read

    uint32_t corners() const;
};

/// More vertices of a draw are not worth the memory and the time of lists.
inline constexpr uint64_t kMostListed = 1U << 22;

/// A draw of a list.
virgl::Draw draw_of_list(const virgl::Draw& command, const DrawArguments& a, const Listing& listing);

/// The primitive of a list, by its corners.
virgl::Primitive primitive_of_list(uint32_t corners);

/// Ends the batch of primitives that are drawn one by one, and waits for the one before: two are under way at most.
/// False: the device is lost.
bool submit_one_by_one(Host& host);

class PrimitiveLists {
  public:
    PrimitiveLists(const Listing& listing, const VertexNumbers& vertices);
    /// The next primitives: all, or a bounded number of those that are drawn one by one. False: there are none.
    bool next(std::vector<uint32_t>& list);

  private:
    Listing listing_;
    uint32_t corners_;
    Assembler assembler_;
};

}  // namespace tgsi2spv::host
