#include "renderer/emulate/emulate_piece.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

#include "renderer/emulate/assemble.h"
#include "renderer/emulate/fetch.h"
#include "renderer/emulate/host_emulator.h"
#include "renderer/emulate/lists.h"
#include "renderer/record/descriptors.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/pipeline.h"
#include "renderer/record/program.h"
#include "renderer/record/vertices.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kGroup = 64;  ///< invocations in a group of the library's compute shaders

}  // namespace

VkDescriptorBufferInfo whole(const std::shared_ptr<vk::Buffer>& buffer) {
    return {buffer->handle(), 0, VK_WHOLE_SIZE};
}

VkDescriptorBufferInfo range_of_words(const vk::Staging& staging, size_t words) {
    return {staging.buffer->handle(), staging.offset, 4 * words};
}

namespace {

std::shared_ptr<Resource> resource_of(std::shared_ptr<vk::Buffer> buffer) {
    auto resource = std::make_shared<Resource>();
    resource->buffer = std::move(buffer);
    return resource;
}

/// The vertices of an instance, counted from the first one, without repetition.
std::vector<uint32_t> listed_vertices(const DrawPiece& piece) {
    if (piece.records() / 16 > piece.vertices.size()) {
        std::vector<uint32_t> few(piece.vertices);
        std::ranges::sort(few);
        few.erase(std::unique(few.begin(), few.end()), few.end());
        for (uint32_t& v : few) v -= piece.low;
        return few;
    }
    std::vector<bool> has(piece.records());
    for (const uint32_t v : piece.vertices) has[v - piece.low] = true;
    std::vector<uint32_t> list;
    for (uint32_t v = 0; v < piece.records(); v++)
        if (has[v]) list.push_back(v);
    return list;
}

/// GEOM for each primitive of the piece.
bool run_geometry(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    Emulation& e = host.emulation;
    const auto primitives = static_cast<uint32_t>(piece.vertices.size() / draw.corners);
    const uint64_t lanes = uint64_t{primitives} * piece.instances;
    std::vector<uint32_t> places(piece.vertices);
    for (uint32_t& p : places) p -= piece.low;
    const vk::Staging vertices = stage_words(host, places);
    if (vertices.data == nullptr || !grow(host, e.emitted, lanes * draw.emitted_bytes()) ||
        !bind_parameters(host, context,
                         {piece.first_primitive, primitives, static_cast<uint32_t>(lanes), piece.records()}))
        return false;
    context.records[0] = whole(e.vertices);
    context.records[1] = whole(e.emitted);
    context.records[3] = range_of_words(vertices, places.size());
    return run_stage(host, context, draw, virgl::Stage::Geom, {vk::reads(e.vertices), vk::writes(e.emitted)},
                     (lanes * draw.invocations + kGroup - 1) / kGroup);
}

/// One more than the last stream that is captured, counted or drawn.
uint32_t streams_of(const EmulatedDraw& draw) {
    uint32_t last = 0;
    for (const tgsi2spv_stream_output& o : draw.last().outputs)
        if ((draw.captured >> o.buffer & 1) != 0) last = std::max(last, o.stream);
    for (const auto& run : draw.inputs->guest->active_queries) last = std::max(last, uint32_t{run->query.index});
    return std::min(last, 3U) + 1;
}

/// The vertex of a primitive that provokes, in the lists of shaders/host/emulate/primitives.comp.
enum class Provoking : uint32_t { First, Last, LastComesFirst };

uint64_t invocations_of(const EmulatedDraw& draw, const DrawPiece& piece) {
    return piece.vertices.size() / draw.corners * uint64_t{piece.instances} * draw.invocations;
}

/// Passes of the kernel that lists GEOM's primitives.
bool run_lists(HostEmulator& host, const EmulatedDraw& draw, const DrawPiece& piece,
               std::initializer_list<uint32_t> passes, Provoking provoking) {
    Emulation& e = host.emulation;
    const uint64_t invocations = invocations_of(draw, piece);
    const std::array<VkDescriptorBufferInfo, kKernelBuffers> buffers{whole(e.emitted), whole(e.counts), whole(e.list),
                                                                     whole(e.totals),  whole(e.totals), whole(e.totals),
                                                                     whole(e.totals)};
    const PrimitivesPush push{static_cast<uint32_t>(invocations), draw.most_vertices, draw.words, streams_of(draw),
                              static_cast<uint32_t>(provoking)};
    for (const uint32_t pass : passes) {
        host.stream.order({vk::reads(e.emitted), vk::writes(e.counts), vk::writes(e.list), vk::writes(e.totals)});
        if (pass == *passes.begin() && !bind_buffers(host, buffers)) return false;
        if (!run_kernel(host, Kernel::Primitives, {pass, corners_of(draw.lists)}, std::as_bytes(std::span(&push, 1)),
                        pass == 1 ? 1 : invocations))
            return false;
    }
    return true;
}

/// Lists the primitives that GEOM has emitted.
bool list_emitted(HostEmulator& host, const EmulatedDraw& draw, const DrawPiece& piece, Lists& lists) {
    Emulation& e = host.emulation;
    const uint64_t invocations = invocations_of(draw, piece), most = invocations * draw.most_vertices;
    if (!grow(host, e.counts, invocations * 4 * 4) || !grow(host, e.list, most * corners_of(draw.lists) * 4) ||
        !grow(host, e.totals, 64))
        return false;
    lists = {e.emitted, e.list, e.totals, whole(e.list), whole(e.totals), most};
    return run_lists(host, draw, piece, {0, 1, 2}, draw.last_provokes ? Provoking::Last : Provoking::First);
}

/// The records of the primitives, of all instances.
std::vector<uint32_t> assembled_records(const DrawPiece& piece) {
    std::vector<uint32_t> list;
    list.reserve(piece.vertices.size() * piece.instances);
    for (uint32_t i = 0; i < piece.instances; i++)
        for (const uint32_t v : piece.vertices) list.push_back(i * piece.records() + v - piece.low);
    return list;
}

/// Lists the assembled primitives themselves.
bool list_assembled(HostEmulator& host, const EmulatedDraw& draw, const DrawPiece& piece, Lists& lists) {
    Emulation& e = host.emulation;
    const std::vector<uint32_t> list = assembled_records(piece);
    const auto primitives = static_cast<uint32_t>(list.size() / draw.corners);
    const std::array<uint32_t, 8> totals{primitives};
    const vk::Staging staged = stage_words(host, list), counted = stage_words(host, totals);
    if (staged.data == nullptr || counted.data == nullptr) return false;
    lists = {e.vertices,
             staged.buffer,
             counted.buffer,
             range_of_words(staged, list.size()),
             range_of_words(counted, totals.size()),
             primitives};
    return true;
}

/// Bindings to draw records from: VERT copies them.
Bindings records_to_draw(HostEmulator& host, const Bindings& context, const EmulatedDraw& draw,
                         const std::shared_ptr<vk::Buffer>& records) {
    Bindings own = context;
    StageBindings& vert = own.stage(virgl::Stage::Vert);
    vert = {.shader = find_generated(host, draw.last(), 0)};
    vert.buffers[0] = {resource_of(records), 0, records->size()};
    for (const auto stage : {virgl::Stage::TessCtrl, virgl::Stage::TessEval, virgl::Stage::Geom})
        own.stage(stage).shader = nullptr;
    own.elements = std::make_shared<virgl::CreateVertexElements>();
    own.vertex_buffers.clear();
    own.index_buffer = nullptr;
    own.feedback = nullptr;
    return own;
}

/// A draw of lists, which are one by one if the primitives have to be.
DrawInputs draw_of_records(const EmulatedDraw& draw, const Bindings& own) {
    DrawInputs d{.guest = draw.inputs->guest, .bindings = &own, .topology = draw.lists, .counts_primitives = false};
    d.command.mode = primitive_of_list(corners_of(draw.lists));
    d.command.instance_count = 1;
    if (draw.options.one_by_one) d.one_by_one = corners_of(draw.lists);
    return d;
}

/// The totals of GEOM's primitives, for the CPU. False: the device is lost.
bool read_totals(HostState& host, const IndirectDraws& indirect, Bindings& own, virgl::Draw& command) {
    vk::Buffer& buffer = *indirect.arguments->buffer;
    if (!host.stream.wait(buffer.uses.last_batch)) return false;
    VkDrawIndexedIndirectCommand arguments{};
    std::memcpy(&arguments, buffer.mapped() + indirect.offset, sizeof arguments);
    command.count = arguments.indexCount;
    own.index_offset = arguments.firstIndex * own.index_size;
    return true;
}

/// Draws what GEOM has emitted.
bool draw_emitted(HostEmulator& host, const Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    Emulation& e = host.emulation;
    // What is captured has kept its order.
    const auto rotate = [&] { return run_lists(host, draw, piece, {2}, Provoking::LastComesFirst); };
    if (draw.options.rotates && !or_reclaim(host, rotate)) return false;
    Bindings own = records_to_draw(host, context, draw, e.emitted);
    own.index_buffer = resource_of(e.list);
    own.index_size = 4;
    own.index_offset = 0;
    DrawInputs d = draw_of_records(draw, own);
    const vk::Use uses[] = {vk::reads(e.emitted)};
    d.uses = uses;
    d.command.indexed = true;
    d.command.count = UINT32_MAX;  // as many as there are; the totals say how many are drawn
    d.indirect = IndirectDraws{.arguments = resource_of(e.totals), .offset = 8 * 4, .draws = 1, .stride = 20};
    if (draw.options.one_by_one) {
        if (!read_totals(host, *d.indirect, own, d.command)) return false;
        d.indirect.reset();
    }
    return draw_layers(host, draw, d);
}

/// Draws the assembled primitives, each of which has a number.
bool draw_numbered(HostEmulator& host, const Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    std::vector<uint32_t> list = assembled_records(piece);
    outline(list, draw.options.fill);
    if (draw.options.rotates) rotate_corners(list, draw.options.fill == virgl::FillMode::Line ? 2 : draw.corners);
    const auto primitives = static_cast<uint32_t>(piece.vertices.size() / draw.corners);
    const uint32_t listed = draw.options.fill == virgl::FillMode::Line ? 2 * draw.corners : draw.corners;  // of each
    std::vector<uint32_t> pairs;
    pairs.reserve(2 * list.size());
    for (uint32_t i = 0; i < list.size(); i++) {
        const uint32_t primitive = i / listed % primitives;
        const uint32_t number = draw.tessellates() ? piece.patches[primitive] : piece.first_primitive + primitive;
        pairs.insert(pairs.end(), {list[i], number});
    }
    // Primitives that are drawn one by one may take several batches, and staging memory lasts for one.
    const auto stage = [&]() -> vk::Staging {
        if (!draw.options.one_by_one) return stage_words(host, pairs);
        const auto buffer = host.stream.make_buffer(4 * pairs.size());
        return buffer == nullptr ? vk::Staging{} : vk::Staging{buffer, 0, buffer->mapped()};
    };
    const vk::Staging staged = or_reclaim(host, stage);
    if (staged.data == nullptr) return false;
    std::memcpy(staged.data, pairs.data(), 4 * pairs.size());
    Bindings own = records_to_draw(host, context, draw, host.emulation.vertices);
    own.stage(virgl::Stage::Vert).buffers[1] = {resource_of(staged.buffer), staged.offset, 4 * pairs.size()};
    DrawInputs d = draw_of_records(draw, own);
    const vk::Use uses[] = {vk::reads(host.emulation.vertices)};
    d.uses = uses;
    d.command.mode = outlined(d.command.mode, draw.options.fill);
    d.topology = to_vulkan(d.command.mode);
    if (draw.options.one_by_one) d.one_by_one = corners_of(d.topology);
    d.command.count = static_cast<uint32_t>(list.size());
    return draw_layers(host, draw, d);
}

Room room_of(const EmulatedDraw& draw, uint64_t bytes_of_primitive, uint64_t words_of_vertex) {
    constexpr uint64_t kMostBytes = 32U << 20;  // of the records of a stage
    constexpr uint64_t kMostPrimitives = 1U << 18, kMostDraws = 1U << 13;
    const uint64_t emitted = draw.geom == nullptr ? 1 : uint64_t{draw.invocations} * draw.most_vertices;
    const uint64_t most = draw.options.one_by_one ? std::max<uint64_t>(kMostDraws / emitted, 1) : kMostPrimitives;
    return {std::clamp<uint64_t>(kMostBytes / std::max<uint64_t>(bytes_of_primitive, 1), 1, most),
            kMostBytes / std::max<uint64_t>(4 * words_of_vertex, 4)};
}

}  // namespace

Room evaluation_room(const EmulatedDraw& draw) {
    return room_of(draw, draw.emitted_bytes(), draw.vertex_words);
}

Room assembly_room(const EmulatedDraw& draw) {
    const uint32_t words = draw.tessellates() ? draw.patches.vertex_words : draw.vertex_words;
    return room_of(draw, draw.tessellates() ? uint64_t{4} * draw.patches.words : draw.emitted_bytes(),
                   std::max(words, 4 * draw.input_slots));
}

ModuleState records_state(const Bindings& context, const EmulatedDraw& draw, virgl::Stage stage) {
    ModuleState s;
    const auto add = [&](const Shader* shader, virgl::Stage of) {
        const auto place = static_cast<size_t>(std::ranges::find(kGraphicsStages, of) - kGraphicsStages.begin());
        if (of == stage) s.records = static_cast<uint8_t>(1 + place);
        if (shader == nullptr) return;
        s.shaders[place] = shader->id;
        s.resources[place] = resources_in_shader(context.stage(of));
    };
    add(draw.vert, virgl::Stage::Vert);
    add(draw.tessellates() ? context.stage(virgl::Stage::TessCtrl).shader.get() : nullptr, virgl::Stage::TessCtrl);
    add(draw.patches.evaluation, virgl::Stage::TessEval);
    add(draw.geom, virgl::Stage::Geom);
    if (draw.tessellates() && s.shaders[1] == 0) s.patch_vertices = static_cast<uint8_t>(draw.patches.vertices);
    return s;
}

Shared<Shader> find_generated(HostEmulator& host, const Shader& source, uint32_t patch_vertices) {
    constexpr size_t kMost = 1024;
    auto& generated = host.emulation.generated;
    const std::pair key(source.id, patch_vertices);
    if (const auto at = generated.find(key); at != generated.end()) return at->second;
    if (generated.size() >= kMost) generated.clear();
    auto shader = std::make_shared<Shader>();
    const std::string text(patch_vertices == 0 ? host.translator.passthrough_records(source.program)
                                               : host.translator.passthrough_tess_ctrl(source.program, patch_vertices));
    shader->id = host.shader_ids.next++;
    shader->stage = patch_vertices == 0 ? virgl::Stage::Vert : virgl::Stage::TessCtrl;
    shader->program = or_reclaim(host, [&] { return host.translator.parse(text); });
    if (!shader->program) {  // the next draw tries again
        log_line("no memory for a shader of an emulated draw, which is skipped");
        return shader;
    }
    dump_shader(host, shader->id, text);
    return generated.emplace(key, std::move(shader)).first->second;
}

bool grow(HostState& host, std::shared_ptr<vk::Buffer>& buffer, uint64_t bytes) {
    if (buffer != nullptr && buffer->size() >= bytes) return true;
    constexpr uint64_t kLeast = 64U << 10;
    buffer = vk::Buffer::create(*host.device, host.memory, std::bit_ceil(std::max(bytes, kLeast)));
    if (buffer != nullptr) std::memset(buffer->mapped(), 0, buffer->size());
    return buffer != nullptr;
}

bool bind_parameters(HostState& host, Bindings& context, std::span<const uint32_t> words) {
    const vk::Staging staging = stage_words(host, words);
    if (staging.data == nullptr) return false;
    context.records[2] = range_of_words(staging, words.size());
    return true;
}

bool run_vertices(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece,
                  uint32_t words) {
    Emulation& e = host.emulation;
    const DrawArguments& a = draw.arguments;
    if (!flush_clears(host)) return false;
    const std::vector<uint32_t> list = listed_vertices(piece);
    const vk::Staging staged = stage_words(host, list);
    const auto listed = static_cast<uint32_t>(list.size()), invocations = listed * piece.instances;
    const uint32_t first = piece.low + static_cast<uint32_t>(a.bias);
    if (staged.data == nullptr || !grow(host, e.vertices, uint64_t{4} * words * piece.records() * piece.instances))
        return false;
    auto attributes = find_in_place(host, context, first, piece.records(), draw.input_slots);
    if (!attributes)
        attributes = fetch_attributes(host, context,
                                      {.list = range_of_words(staged, listed),
                                       .listed = listed,
                                       .invocations = invocations,
                                       .first = first,
                                       .base_instance = a.first_instance,
                                       .first_instance = piece.first_instance},
                                      draw.input_slots);
    if (!attributes) return false;
    std::vector<uint32_t> parameters{first,
                                     a.first_instance + piece.first_instance,
                                     invocations,
                                     piece.records(),
                                     0,
                                     a.indexed ? static_cast<uint32_t>(a.bias) : a.first,
                                     a.first_instance,
                                     listed,
                                     a.draw_id,
                                     attributes->words_of_invocation,
                                     attributes->words_of_vertex};
    parameters.insert(parameters.end(), attributes->places.begin(), attributes->places.end());
    if (!bind_parameters(host, context, parameters)) return false;
    context.records = {attributes->range, whole(e.vertices), context.records[2], range_of_words(staged, listed)};
    return run_stage(host, context, draw, virgl::Stage::Vert, {vk::reads(attributes->buffer), vk::writes(e.vertices)},
                     (uint64_t{invocations} + kGroup - 1) / kGroup);
}

bool run_stage(HostRecorder& host, Bindings& context, const EmulatedDraw& draw, virgl::Stage stage,
               std::vector<vk::Use> uses, uint64_t groups) {
    const auto program = find_program(host, context, records_state(context, draw, stage));
    if (program == nullptr || program->failed) return false;
    host.stream.end_scope();
    const auto pipeline = find_compute_pipeline(host, context, *program, {kGroup, 1, 1});
    if (pipeline == nullptr || pipeline->handle == VK_NULL_HANDLE) return false;
    add_resources(context, *program, uses);
    host.stream.order(uses);
    const VkCommandBuffer commands = host.stream.commands();
    bind_pipeline(host, VK_PIPELINE_BIND_POINT_COMPUTE, program, pipeline);
    BoundSets sets;
    if (!bind_resources(host, context, program, VK_PIPELINE_BIND_POINT_COMPUTE, sets)) return false;
    const auto rows = rows_of(host, groups);
    vkCmdDispatch(commands, rows[0], rows[1], 1);
    return true;
}

bool run_primitives(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    Lists lists;
    // GEOM may store, so it does not run once more where there is no room for the lists.
    const auto run = [&] { return draw.geom == nullptr || run_geometry(host, context, draw, piece); };
    const auto list = [&] {
        return draw.geom != nullptr ? list_emitted(host, draw, piece, lists) : list_assembled(host, draw, piece, lists);
    };
    const auto capture = [&] { return capture_lists(host, draw, lists); };
    if (!or_reclaim(host, run) || !or_reclaim(host, list) || !or_reclaim(host, capture)) return false;
    if (!draw.draws_records()) return true;
    return draw.geom != nullptr ? draw_emitted(host, context, draw, piece) : draw_numbered(host, context, draw, piece);
}

bool run_piece(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    if (piece.vertices.empty()) return true;
    if (draw.tessellates()) return run_patches(host, context, draw, piece);
    const auto run = [&] { return run_vertices(host, context, draw, piece, draw.vertex_words); };
    return or_reclaim(host, run) && run_primitives(host, context, draw, piece);
}

}  // namespace tgsi2spv::host
