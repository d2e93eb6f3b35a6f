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
    bool restarts = false;                         ///< the guest's list has restarts, and the device's has not
    virgl::FillMode fill = virgl::FillMode::Fill;  ///< fill mode of polygons, if the device fills all
    bool drops_adjacent = false;                   ///< corners that only GEOM would read

    uint32_t corners() const;
    bool is_needed() const {
        return rotates || one_by_one || restarts || drops_adjacent || fill != virgl::FillMode::Fill;
    }
};

/// How the device has to be told to draw polygons as lines or points; Fill: it knows, or has to fill them.
virgl::FillMode listed_fill(const HostState& host, const Bindings& context, VkPrimitiveTopology topology);
/// The edges or corners of polygons of so many corners, in place of these. Each edge has the provoking vertex at the
/// same end as the polygon, if it has it at all.
void outline(std::vector<uint32_t>& list, virgl::FillMode fill);
/// The primitive of lists of polygons that are drawn so.
virgl::Primitive outlined(virgl::Primitive list, virgl::FillMode fill);
/// Whether lists have restarts in their indices, and the device has none for this topology.
bool has_list_restarts(HostState& host, const Bindings& context, const virgl::Draw& command,
                       VkPrimitiveTopology topology);

// Flat values on devices that take them from the first vertex of a primitive, where the guest wants the last one: in
// lists, the last corner comes first. Primitives turn as before.
/// Whether FRAG would read flat values of the wrong vertex.
bool has_wrong_flat_values(const HostState& host, const Bindings& context);
/// The last corner of each primitive becomes the first.
void rotate_corners(std::span<uint32_t> list, uint32_t corners);
/// The same question for a draw without other stages, of which lists are made. Not while outputs are
/// captured, which have an order, nor for stippled strips, whose pattern goes on from line to line.
bool rotates_primitives(const HostState& host, const Bindings& context, const virgl::Draw& command,
                        VkPrimitiveTopology topology);

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
