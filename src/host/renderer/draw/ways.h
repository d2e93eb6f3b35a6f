// The ways of a draw as a table. A row says what the device lacks, which draws need it, and how these are drawn. Rows
// stand in the order in which they are tried, each with the reason for its place. Choosing one is pure: a row that
// facts cannot decide has a Look, which the caller takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "renderer/draw/facts.h"
#include "renderer/emulate/lists.h"
#include "vk/device.h"

namespace tgsi2spv::host {

enum class Way : uint8_t {
    Emulate,  ///< compute shaders leave records, which are drawn
    Apart,    ///< one draw captures, and another one is seen; each goes its own way
    Outline,  ///< lists of other primitives than the guest's
    List,     ///< lists of the guest's primitives
    Align,    ///< from aligned copies of the vertices
    Faces,    ///< one face of the polygons after the other
    Device,   ///< the guest's draw itself
};

/// A question about a draw that its facts cannot answer. The answer takes time (compiling, or a wait), so it is asked
/// last.
enum class Look : uint8_t {
    None,
    Program,   ///< the library refuses the stages on this device
    Indices,   ///< they have restarts
    Vertices,  ///< some are not where the device can fetch them
};

struct DeviceFacts {
    const vulkan::DeviceReport& report;
    const vk::Extras& extras;
};

struct WayRow {
    const char* name;      ///< the kind of draw
    const char* document;  ///< the first cell of its row in docs/host-design.md
    Way way{};
    /// Whether the device lacks something that such draws need. No draw on other devices asks for more.
    bool (*lacks)(const DeviceFacts& device);
    /// Whether the draw needs it.
    bool (*needs)(const DrawFacts& draw, const DeviceFacts& device);
    Look look = Look::None;
    bool from_records = false;            ///< Emulate: VERT does not run again for the last draw
    bool ListOptions::*option = nullptr;  ///< List: how
};

/// All rows, in their order.
std::span<const WayRow> way_rows();

/// The rows that a device may need.
class Ways {
  public:
    explicit Ways(const DeviceFacts& device);

    /// The row of a draw that the device's own stages cannot do. Null: they can. `look`: answers a Look.
    const WayRow* of_stages(const DrawFacts& draw, const auto& look) const { return find(stages_, draw, look); }
    /// The row of a draw that the device's own stages do.
    const WayRow& of_primitives(const DrawFacts& draw, const auto& look) const {
        return *find(primitives_, draw, look);
    }
    /// How primitives are listed. They need not be, if all options are off.
    ListOptions list_options(const DrawFacts& draw) const;
    EmulationOptions emulation_options(const DrawFacts& draw, const WayRow& row) const;
    /// Whether FRAG reads its target in a draw that has too many primitives for it.
    bool blends_out_of_order(const DrawFacts& draw) const;

  private:
    using Rows = std::array<const WayRow*, 24>;
    const WayRow* find(const Rows& rows, const DrawFacts& draw, const auto& look) const {
        for (const WayRow* const* row = rows.data(); *row != nullptr; row++)
            if ((*row)->needs(draw, device_) && ((*row)->look == Look::None || look((*row)->look))) return *row;
        return nullptr;
    }

    DeviceFacts device_;
    Rows stages_{}, primitives_{};  ///< null after the last
};

}  // namespace tgsi2spv::host
