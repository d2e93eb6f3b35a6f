// Lists of a draw's primitives that the CPU makes: with the last corner first, where the device takes flat values from
// the first one; to draw one primitive at a time; of the edges or corners of polygons, where the device only fills
// them; without restarts, where it has none in lists; or without adjacent corners, which take geometryShader.
#pragma once

#include <volk.h>

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/emulate/arguments.h"
#include "virgl/protocol.h"

namespace tgsi2spv::host {

struct HostState;
struct HostEmulator;

struct ListOptions {
    VkPrimitiveTopology topology{};  ///< topology of the guest's draw
    bool last_provokes = false;
    bool rotates = false;                          ///< the last corner comes first
    bool one_by_one = false;                       ///< each primitive is a draw
    virgl::FillMode fill = virgl::FillMode::Fill;  ///< fill mode of polygons, if the device fills all
    bool drops_adjacent = false;                   ///< corners that only GEOM would read

    uint32_t corners() const;
    bool is_needed() const { return rotates || one_by_one || drops_adjacent || fill != virgl::FillMode::Fill; }
};

/// How the last draw of an emulated draw is made, whose primitives are lists.
struct EmulationOptions {
    bool from_records = false;  ///< VERT does not run again for the last draw, where no other stage follows it
    bool rotates = false;       ///< the last corner of a primitive comes first
    bool one_by_one = false;    ///< each primitive is a draw
    virgl::FillMode fill = virgl::FillMode::Fill;  ///< fill mode of polygons, if the device fills all
};

/// The edges or corners of polygons of so many corners, in place of these. Each edge has the provoking vertex at the
/// same end as the polygon, if it has it at all.
void outline(std::vector<uint32_t>& list, virgl::FillMode fill);
/// The primitive of lists of polygons that are drawn so.
virgl::Primitive outlined(virgl::Primitive list, virgl::FillMode fill);
/// Whether the indices have restarts. May wait for them.
bool has_restarts(HostState& host, const Bindings& context, const virgl::Draw& command);
/// The last corner of each primitive becomes the first, for flat values on devices that take them from there, where the
/// guest wants them from the last one. Primitives turn as before.
void rotate_corners(std::span<uint32_t> list, uint32_t corners);

/// More vertices of a draw are not worth the memory and the time of lists.
inline constexpr uint64_t kMostListed = 1U << 22;

/// A draw of a list.
virgl::Draw draw_of_list(const virgl::Draw& command, const DrawArguments& a, const ListOptions& options);

/// The primitive of a list, by its corners.
virgl::Primitive primitive_of_list(uint32_t corners);

/// Ends the batch of primitives that are drawn one by one, and waits for the one before: two are under way at most.
/// False: the device is lost.
bool submit_one_by_one(HostEmulator& host);

class PrimitiveLists {
  public:
    PrimitiveLists(const ListOptions& options, const VertexNumbers& vertices);
    /// The next primitives, of a bounded number of vertices. False: there are none.
    bool next(std::vector<uint32_t>& list);

  private:
    ListOptions options_;
    uint32_t corners_;
    Assembler assembler_;
};

}  // namespace tgsi2spv::host
