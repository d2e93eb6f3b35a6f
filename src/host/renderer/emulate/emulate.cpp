#include "renderer/emulate/emulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "renderer/emulate/arguments.h"
#include "renderer/emulate/assemble.h"
#include "renderer/emulate/emulate_piece.h"
#include "renderer/emulate/host_emulator.h"
#include "renderer/emulate/lists.h"
#include "renderer/record/program.h"
#include "renderer/record/stream_out.h"
#include "renderer/state/convert.h"
#include "renderer/state/reflected.h"

namespace tgsi2spv::host {
namespace {

constexpr uint64_t kMostVertices = 1ULL << 28;  ///< vertices of all draws of a command
constexpr uint64_t kLeastWork = 1ULL << 12;     ///< a small draw takes as long as one of so many vertices

const Shader* shader_of(const Bindings& context, virgl::Stage stage) {
    return context.stage(stage).shader.get();
}

/// As the library does for transform feedback.
bool is_valid(const Shader& shader, uint32_t output_count) {
    return std::ranges::all_of(shader.outputs, [&](const tgsi2spv_stream_output& o) {
        const uint32_t stride = shader.strides[o.buffer];
        return o.output < output_count && o.first_component + o.component_count <= 4 && o.offset <= stride &&
               o.component_count <= stride - o.offset && stride <= 0xffff;
    });
}

/// Empty: nothing is drawn.
std::optional<EmulatedDraw> reflect_draw(HostEmulator& host, const DrawInputs& inputs,
                                         const EmulationOptions& options) {
    const Bindings& context = *inputs.bindings;
    const VkPrimitiveTopology topology = inputs.topology;
    EmulatedDraw d{.inputs = &inputs,
                   .vert = shader_of(context, virgl::Stage::Vert),
                   .geom = shader_of(context, virgl::Stage::Geom)};
    if (!d.vert->program || (d.geom != nullptr && !d.geom->program)) return std::nullopt;
    d.input_slots = slots_of(inputs_of(d.vert->program));
    if (d.input_slots > virgl::kMaxVertexElements) return std::nullopt;
    if (shader_of(context, virgl::Stage::TessEval) != nullptr &&
        !reflect_patches(host, context, inputs.patch_vertices, d.patches))
        return std::nullopt;
    if (!is_valid(d.last(), slots_of(outputs_of(d.last().program)))) return std::nullopt;
    d.corners = d.tessellates() ? d.patches.mode.corners() : corners_of(topology);
    d.captured = captured_buffers(context, d.last());
    d.draws = !context.rasterizer->discard;
    d.last_provokes = !context.rasterizer->flatshade_first;
    d.options = options;
    if (d.geom == nullptr) {
        d.words = d.vertex_words = 4 * slots_of(outputs_of(d.last().program));
        d.lists = d.tessellates() ? to_vulkan(primitive_of_list(d.corners)) : class_of(topology);
        d.corners = corners_of(d.lists);  // the adjacent ones are for GEOM
        return d;
    }
    const Program& geom = d.geom->program;
    constexpr uint32_t kUnlessSet = 32;  // as the library
    d.vertex_words = 4 * slots_of(inputs_of(geom));
    d.words = 4 * (slots_of(outputs_of(geom)) + 1);
    d.invocations = std::max(property_of(geom, "GS_INVOCATIONS", 1), 1U);
    d.most_vertices = property_of(geom, "GS_MAX_OUTPUT_VERTICES", kUnlessSet);
    d.lists = class_of(to_vulkan(static_cast<virgl::Primitive>(property_of(geom, "GS_OUTPUT_PRIMITIVE", 0))));
    if (d.most_vertices == 0 || corners_of(d.lists) == 0) return std::nullopt;
    // Sizes of buffers are powers of two (grow).
    if (const uint32_t most = std::bit_floor(host.device->report().limits.maxStorageBufferRange);
        d.emitted_bytes() > most) {
        log_line(fmt::format("shader {} emits {} bytes for a primitive, where the device has {}; its draws are skipped",
                             d.geom->id, d.emitted_bytes(), most));
        return std::nullopt;
    }
    return d;
}

/// Primitives of a draw, a piece at a time.
class Pieces {
  public:
    Pieces(const EmulatedDraw& draw, VkPrimitiveTopology topology, const VertexNumbers& vertices)
        : corners_of_each_(draw.assembled_corners()),
          assembler_(topology, vertices, draw.last_provokes),
          adjacent_(!draw.tessellates() && corners_of(topology) != draw.corners),
          room_(assembly_room(draw)) {}

    const Room& room() const { return room_; }
    bool refused() const { return refused_; }

    /// The next piece. False: it is the last one.
    bool fill(DrawPiece& piece) {
        piece.vertices.clear();
        piece.first_primitive = number_;
        while (waiting_ || next()) {
            waiting_ = false;
            const auto [low, high] = std::minmax_element(corners_.begin(), corners_.begin() + corners_of_each_);
            const bool first = piece.vertices.empty();
            const uint32_t lowest = first ? *low : std::min(piece.low, *low);
            const uint32_t highest = first ? *high : std::max(piece.high, *high);
            const bool fits = uint64_t{highest} - lowest < room_.records;
            if (!first && (!fits || piece.vertices.size() / corners_of_each_ >= room_.primitives)) {
                waiting_ = true;
                return true;
            }
            number_++;
            refused_ |= !fits;
            if (!fits) continue;
            piece.low = lowest;
            piece.high = highest;
            piece.vertices.insert(piece.vertices.end(), corners_.begin(), corners_.begin() + corners_of_each_);
        }
        return false;
    }

  private:
    /// Without GEOM, the adjacent vertices are left out.
    bool next() {
        if (!assembler_.next(corners_)) return false;
        if (adjacent_ && corners_of_each_ == 2) std::copy_n(corners_.begin() + 1, 2, corners_.begin());
        if (adjacent_ && corners_of_each_ == 3) corners_ = {corners_[0], corners_[2], corners_[4]};
        return true;
    }

    uint32_t corners_of_each_;
    Assembler assembler_;
    bool adjacent_;
    Room room_;
    Corners corners_{};
    uint32_t number_ = 0;
    bool waiting_ = false, refused_ = false;
};

uint64_t least_work(const EmulatedDraw& draw) {
    return draw.options.one_by_one ? 1 : kLeastWork;
}

/// Runs the pieces of one draw. `spare`: vertices for which the command has time beyond the draw's. False: no memory.
bool run_pieces(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, VkPrimitiveTopology topology,
                const VertexNumbers& vertices, uint64_t& spare) {
    const uint32_t instances = draw.arguments.instances;
    Pieces pieces(draw, topology, vertices);
    DrawPiece piece;
    bool more = pieces.fill(piece), ends_early = false;
    // Indices far apart make small pieces, of which there may be as many as vertices.
    const auto has_time = [&](uint64_t size) {
        const uint64_t work = size < kLeastWork ? least_work(draw) : 0;
        ends_early = work > spare;
        if (!ends_early) spare -= work;
        return !ends_early;
    };
    if (!more && !piece.vertices.empty()) {
        // All of an instance fits: so may several.
        const uint64_t primitives = piece.vertices.size() / draw.assembled_corners();
        const uint64_t together =
            std::min({std::max<uint64_t>(pieces.room().primitives / primitives, 1),
                      std::max<uint64_t>(pieces.room().records / piece.records(), 1), uint64_t{instances}});
        for (uint32_t i = 0; i < instances; i += static_cast<uint32_t>(together)) {
            if (instances - i > together && !has_time(piece.vertices.size() * together)) break;
            piece.first_instance = i;
            piece.instances = static_cast<uint32_t>(std::min<uint64_t>(together, instances - i));
            if (!run_piece(host, context, draw, piece)) return false;
            host.stream.end_scope();
            if (instances - i > together) host.stream.submit();
        }
    }
    for (uint32_t i = 0; more && !ends_early && i < instances; i++) {
        Pieces again(draw, topology, vertices);
        piece.first_instance = i;
        for (bool left = true; left;) {
            left = again.fill(piece);
            if (left && !has_time(piece.vertices.size())) break;
            if (!run_piece(host, context, draw, piece)) return false;
            host.stream.end_scope();
            if (left) host.stream.submit();  // a large draw does not fill one command buffer
        }
    }
    if (pieces.refused() || ends_early)
        log_line("a primitive whose indices are too far apart for this device's emulated stages is not drawn");
    return true;
}

/// Unsupported: the library refuses a stage that leaves records.
Problem check_programs(HostRecorder& host, const Bindings& context, const EmulatedDraw& draw) {
    const auto check = [&](bool exists, virgl::Stage stage) -> Problem {
        if (!exists) return Problem::None;
        const ModuleState state = records_state(context, draw, stage);
        const auto program = or_reclaim(host, [&] { return find_program(host, context, state); });
        return program == nullptr ? Problem::NoMemory : program->failed ? Problem::Unsupported : Problem::None;
    };
    for (const auto& [exists, stage] :
         {std::pair(true, virgl::Stage::Vert), std::pair(draw.tessellates(), virgl::Stage::TessCtrl),
          std::pair(draw.tessellates(), virgl::Stage::TessEval), std::pair(draw.geom != nullptr, virgl::Stage::Geom)})
        if (const Problem p = check(exists, stage)) return p;
    return Problem::None;
}

}  // namespace

uint32_t corners_before(const Program& geom) {
    const auto input = static_cast<virgl::Primitive>(property_of(geom, "GS_INPUT_PRIMITIVE", 0));
    return corners_of(to_vulkan(input == virgl::Primitive::LineLoop ? virgl::Primitive::Lines : input));
}

uint32_t largest_patch(const vulkan::DeviceReport& report) {
    return report.features.tessellationShader != 0 ? std::min(report.limits.maxTessellationPatchSize, kMostCorners)
                                                   : kMostCorners;
}

void count_generated(HostState& host, const DrawInputs& d, bool outlined) {
    if (!d.counts_primitives || corners_of(d.topology) == 0) return;
    const auto counts = [&](const auto& run) {
        return run->query.type == virgl::QueryType::PrimitivesGenerated && run->query.index == 0 &&
               (outlined || run->counted.empty());
    };
    if (std::ranges::none_of(d.guest->active_queries, counts)) return;
    uint64_t sum = 0, left = kMostVertices;  // that are looked at
    const auto count = [&](const DrawArguments& a) -> Problem {
        if (a.count > left) return Problem::None;
        const auto numbers = numbers_of(host, *d.bindings, d.command, a);
        if (!numbers) return Problem::NoMemory;
        if (numbers->count == 0) return Problem::None;
        left -= a.count;  // its indices were copied
        sum += count_primitives(d.topology, *numbers) * a.instances;
        return Problem::None;
    };
    if (for_each_draw(host, d.command, count) != Problem::None)
        return log_line("no memory for a query: its result lacks some primitives");
    for (const auto& run : d.guest->active_queries)
        if (counts(run)) run->sum += sum;
}

Problem emulate(HostEmulator& host, const DrawInputs& d, const EmulationOptions& options) {
    Emulation& e = host.emulation;
    if (std::exchange(e.owner, host.client) != host.client)
        e.inputs = e.vertices = e.patches = e.emitted = e.counts = e.list = e.totals = nullptr;
    auto draw = reflect_draw(host, d, options);
    if (!draw || draw->corners == 0) return Problem::None;
    if (const Problem p = check_programs(host, *d.bindings, *draw))
        return p == Problem::Unsupported ? Problem::None : p;
    EmulatedCommand command;
    draw->command = &command;
    Bindings own = *d.bindings;
    const uint64_t emitted = draw->geom == nullptr ? 1 : uint64_t{draw->invocations} * draw->most_vertices;
    const uint64_t most = options.one_by_one ? kMostListed / emitted : kMostVertices;
    const uint64_t least = least_work(*draw);
    constexpr uint32_t kMany = 64;  // draws in a batch
    uint64_t left = most;
    uint32_t drawn = 0;
    bool skips = false;
    const auto emulate = [&](const DrawArguments& a) -> Problem {
        // GEOM takes the primitives of tessellation instance by instance.
        const uint64_t pieces = draw->tessellates() && draw->geom != nullptr ? a.instances : 1;
        const uint64_t count = count_of(own, a), work = std::max(count * a.instances, least * pieces);
        skips |= work > left;
        if (count == 0 || work > left) return Problem::None;
        left -= work;  // its indices are copied
        auto numbers = numbers_of(host, own, d.command, a);
        if (!numbers) return Problem::NoMemory;
        if (draw->tessellates()) numbers->of_patch = draw->patches.vertices;
        draw->arguments = a;
        if (!run_pieces(host, own, *draw, d.topology, *numbers, left)) return Problem::NoMemory;
        if (++drawn % kMany == 0) host.stream.submit();  // nor do many small ones
        if (std::exchange(command.refused_patches, false))
            log_line("patches with more points than emulated stages have room for are not drawn");
        return Problem::None;
    };
    const Problem problem = for_each_draw(host, d.command, emulate);
    if (skips)
        log_line(fmt::format("draws of more than {} vertices need what the device lacks; they are skipped", most));
    return problem;
}

}  // namespace tgsi2spv::host
