// One piece of an emulated draw (emulate.h): its primitives fit in bounded memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "renderer/emulate/arguments.h"
#include "renderer/emulate/lists.h"
#include "renderer/emulate/tessellate.h"
#include "renderer/record/record.h"
#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct HostState;
struct HostEmulator;

/// The tessellation of a draw.
struct Patches {
    Shared<Shader> control{};            ///< generated if the guest has none
    const Shader* evaluation = nullptr;  ///< null: no tessellation
    TessellationMode mode{};
    uint32_t vertices = 0;                     ///< vertices of an assembled patch
    uint32_t vertex_words = 0;                 ///< words of VERT's records
    uint32_t control_vertices = 0, words = 0;  ///< TESS_CTRL: vertices of its patches, words of each
    std::optional<uint32_t> outer{}, inner{};  ///< words of the levels; empty: they are not written
};

/// The work for a command so far: it has limits, beyond which the rest is skipped.
struct EmulatedCommand {
    uint64_t made_points = 0;      ///< points that tessellation has made
    uint32_t made_primitives = 0;  ///< primitives that tessellation has made for the pieces of an instance
    uint64_t passes = 0;           ///< passes to layers and viewports
    bool refused_patches = false;  ///< the draw has lost patches for want of room
};

/// The facts that all pieces of a draw share.
struct EmulatedDraw {
    EmulatedCommand* command = nullptr;  ///< on emulate()'s stack
    const DrawInputs* inputs = nullptr;  ///< the guest's draw
    const Shader* vert = nullptr;
    Patches patches{};
    const Shader* geom = nullptr;  ///< null: none
    uint32_t corners = 0;          ///< corners of a primitive that is assembled, or that tessellation makes
    uint32_t vertex_words = 0;     ///< words of its vertices' records: VERT's, or TESS_EVAL's
    uint32_t input_slots = 0;      ///< attributes of VERT
    // GEOM, or the stage before if there is none.
    uint32_t invocations = 1, most_vertices = 0, words = 0;
    VkPrimitiveTopology lists = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;  ///< primitives that are captured and drawn last
    uint32_t captured = 0;                                         ///< bit n: buffer n
    bool last_provokes = false, draws = false;                     ///< draws: there is a last draw
    EmulationOptions options{};
    DrawArguments arguments{};

    bool tessellates() const { return patches.evaluation != nullptr; }
    /// Whether records are drawn; else the guest's VERT runs again.
    bool draws_records() const { return draws && (geom != nullptr || tessellates() || options.from_records); }
    const Shader& last() const { return geom != nullptr ? *geom : tessellates() ? *patches.evaluation : *vert; }
    uint64_t emitted_bytes() const { return uint64_t{4} * invocations * most_vertices * words; }
    uint32_t assembled_corners() const { return tessellates() ? patches.vertices : corners; }
};

/// The most that a piece may have.
struct Room {
    uint64_t primitives = 0, records = 0;
};
/// Room for assembled primitives with VERT's records, and for those after tessellation with TESS_EVAL's.
Room assembly_room(const EmulatedDraw& draw);
Room evaluation_room(const EmulatedDraw& draw);

/// Primitives as numbers of vertices, `corners` of each.
struct DrawPiece {
    std::vector<uint32_t> vertices;
    uint32_t low = 0, high = 0;  ///< least and greatest of these numbers
    uint32_t first_primitive = 0, first_instance = 0, instances = 1;
    std::vector<uint32_t> patches{};                     ///< the patch of each primitive that tessellation has made
    uint32_t records() const { return high - low + 1; }  ///< records of an instance
};

VkDescriptorBufferInfo whole(const std::shared_ptr<vk::Buffer>& buffer);
VkDescriptorBufferInfo range_of_words(const vk::Staging& staging, size_t words);

/// VERT for each vertex of the piece; its records have so many words. False: no memory.
bool run_vertices(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece,
                  uint32_t words);
/// A stage with records as a compute shader, with `context.records`. `uses`: in addition to the guest's.
bool run_stage(HostRecorder& host, Bindings& context, const EmulatedDraw& draw, virgl::Stage stage,
               std::vector<vk::Use> uses, uint64_t groups);
/// The primitives of a piece, whose vertices have their records. False: no memory.
bool run_primitives(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece);
/// The parameters of a module with records. False: no memory.
bool bind_parameters(HostState& host, Bindings& context, std::span<const uint32_t> words);
inline bool bind_parameters(HostState& host, Bindings& context, std::initializer_list<uint32_t> words) {
    return bind_parameters(host, context, std::span(words.begin(), words.size()));
}
/// A VERT that copies the records which `source` leaves, or for its patches, the TESS_CTRL of a guest that has none.
Shared<Shader> find_generated(HostEmulator& host, const Shader& source, uint32_t patch_vertices);
/// Makes the buffer at least so large; its contents are lost. It is zeroed, so unwritten outputs cannot leak another
/// client's data. False: no memory.
bool grow(HostState& host, std::shared_ptr<vk::Buffer>& buffer, uint64_t bytes);

/// False: no memory.
bool run_piece(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece);

/// The state of modules for a program whose stage leaves records.
ModuleState records_state(const Bindings& context, const EmulatedDraw& draw, virgl::Stage stage);

// Patches (emulate_patches.cpp): TESS_CTRL as a compute shader, the tessellator on the CPU, TESS_EVAL as a compute
// shader whose records are the vertices of what follows.
/// How such a program tessellates.
TessellationMode mode_of(const Program& evaluation);
/// The tessellation of a draw with a TESS_EVAL. False: the library refuses a shader.
bool reflect_patches(HostEmulator& host, const Bindings& context, uint32_t patch_vertices, Patches& patches);
/// A piece whose primitives are patches. False: no memory, or the device is lost.
bool run_patches(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece);

// Stream output, and what queries count of it (emulate_capture.cpp, shaders/host/emulate/capture.comp).
/// Lists of records that a piece has made.
struct Lists {
    std::shared_ptr<vk::Buffer> records, list, totals;
    VkDescriptorBufferInfo list_range{}, totals_range{};
    uint64_t most_primitives = 0;
};

/// Captures what `draw.captured` says, and counts for the queries that are active. False: no memory.
bool capture_lists(HostEmulator& host, const EmulatedDraw& draw, const Lists& lists);

// Layers and viewports that the stages select, on devices where no other stage can, or with one viewport (layers.cpp):
// a pass for each.
/// The last draw `d`, of records, in as many passes as it takes. False: no memory, or a refusal.
bool draw_layers(HostEmulator& host, const EmulatedDraw& draw, const DrawInputs& d);

}  // namespace tgsi2spv::host
