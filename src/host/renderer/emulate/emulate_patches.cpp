#include "renderer/emulate/emulate_piece.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "renderer/emulate/assemble.h"
#include "renderer/emulate/host_emulator.h"
#include "renderer/record/vertices.h"
#include "renderer/state/reflected.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kPointGroup = 64;          ///< invocations in a group of TESS_EVAL
constexpr uint64_t kMostPoints = 1ULL << 28;  ///< points of a whole draw

/// The word of a patch's record where an output without vertices begins.
std::optional<uint32_t> word_of(const Program& control, tgsi2spv_semantic semantic) {
    for (const tgsi2spv_register& r : outputs_of(control))
        if (r.semantic == semantic) return 4 * r.index;
    return std::nullopt;
}

/// TESS_CTRL for each patch of the piece.
bool run_control(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    Emulation& e = host.emulation;
    const auto patches = static_cast<uint32_t>(piece.vertices.size() / draw.patches.vertices);
    const uint32_t all = patches * piece.instances;
    std::vector<uint32_t> places(piece.vertices);
    for (uint32_t& p : places) p -= piece.low;
    const vk::Staging vertices = stage_words(host, places);
    if (vertices.data == nullptr || !grow(host, e.patches, all * uint64_t{4} * draw.patches.words) ||
        !bind_parameters(host, context,
                         {piece.first_primitive, patches, all, piece.records(), 0, draw.patches.vertices}))
        return false;
    context.records[0] = whole(e.vertices);
    context.records[1] = whole(e.patches);
    context.records[3] = range_of_words(vertices, places.size());
    return run_stage(host, context, draw, virgl::Stage::TessCtrl, {vk::reads(e.vertices), vk::writes(e.patches)}, all);
}

/// The patches of a piece, as TESS_EVAL and what follows it take them.
class Evaluator {
  public:
    Evaluator(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& patches)
        : host_(host), context_(context), draw_(draw), patches_(patches), room_(evaluation_room(draw)) {}

    /// False: no memory.
    bool add(uint32_t patch);
    bool flush();

  private:
    TessellationLevels levels_of(uint32_t patch) const;
    uint32_t add_points(uint32_t patch);
    bool evaluate();

    HostEmulator& host_;
    Bindings& context_;
    const EmulatedDraw& draw_;
    const DrawPiece& patches_;
    Room room_;
    Tessellated made_{};
    std::vector<uint32_t> points_{};  ///< points that wait for TESS_EVAL, four words each
    DrawPiece piece_{};               ///< their primitives
    bool submits_ = false;
};

TessellationLevels Evaluator::levels_of(uint32_t patch) const {
    const Patches& p = draw_.patches;
    TessellationLevels levels;
    const std::byte* const record = host_.emulation.patches->mapped() + size_t{4} * p.words * patch;
    if (p.outer) std::memcpy(levels.outer.data(), record + size_t{4} * *p.outer, sizeof levels.outer);
    if (p.inner) std::memcpy(levels.inner.data(), record + size_t{4} * *p.inner, sizeof levels.inner);
    return levels;
}

/// Returns the number of the first one.
uint32_t Evaluator::add_points(uint32_t patch) {
    const auto first = static_cast<uint32_t>(points_.size() / 4);
    for (const DomainPoint& p : made_.points)
        points_.insert(points_.end(), {std::bit_cast<uint32_t>(p.u), std::bit_cast<uint32_t>(p.v),
                                       std::bit_cast<uint32_t>(p.w), patch});
    return first;
}

bool Evaluator::add(uint32_t patch) {
    EmulatedCommand& command = *draw_.command;
    if (command.made_points > kMostPoints) {
        command.refused_patches = true;
        return true;
    }
    tessellate(draw_.patches.mode, levels_of(patch), made_);
    command.made_points += made_.points.size();
    if (made_.points.size() > room_.records) {
        command.refused_patches = true;
        return true;
    }
    const size_t most = draw_.corners * room_.primitives;
    for (size_t begin = 0; begin < made_.corners.size();) {
        const bool fits = (points_.size() / 4 + made_.points.size()) <= room_.records && piece_.vertices.size() < most;
        if (!fits && !flush()) return false;
        const size_t end = std::min(made_.corners.size(), begin + most - piece_.vertices.size());
        const uint32_t first = add_points(patch);
        const auto patches = static_cast<uint32_t>(patches_.vertices.size() / draw_.patches.vertices);
        piece_.patches.insert(piece_.patches.end(), (end - begin) / draw_.corners,
                              patches_.first_primitive + patch % patches);
        for (; begin < end; begin++) piece_.vertices.push_back(first + made_.corners[begin]);
    }
    return true;
}

/// TESS_EVAL for each point.
bool Evaluator::evaluate() {
    Emulation& e = host_.emulation;
    const auto points = static_cast<uint32_t>(points_.size() / 4);
    const auto patches = static_cast<uint32_t>(patches_.vertices.size() / draw_.patches.vertices);
    const vk::Staging staged = stage_words(host_, points_);
    if (staged.data == nullptr || !grow(host_, e.vertices, uint64_t{4} * draw_.vertex_words * points) ||
        !bind_parameters(host_, context_,
                         {patches_.first_primitive, patches, points, 0, 0, draw_.patches.control_vertices}))
        return false;
    context_.records[0] = whole(e.patches);
    context_.records[1] = whole(e.vertices);
    context_.records[3] = range_of_words(staged, points_.size());
    return run_stage(host_, context_, draw_, virgl::Stage::TessEval, {vk::reads(e.patches), vk::writes(e.vertices)},
                     (points + kPointGroup - 1) / kPointGroup);
}

bool Evaluator::flush() {
    if (piece_.vertices.empty()) return true;
    if (std::exchange(submits_, true)) host_.stream.submit();  // a large draw does not fill one command buffer
    uint32_t& made = draw_.command->made_primitives;
    piece_.first_primitive = made;
    piece_.high = static_cast<uint32_t>(points_.size() / 4) - 1;
    made += static_cast<uint32_t>(piece_.vertices.size() / draw_.corners);
    const bool done = or_reclaim(host_, [&] { return evaluate(); }) && run_primitives(host_, context_, draw_, piece_);
    host_.stream.end_scope();
    piece_ = {};
    points_.clear();
    return done;
}

}  // namespace

TessellationMode mode_of(const Program& evaluation) {
    constexpr uint32_t kOdd = 0, kEven = 1, kEqual = 2;  // PIPE_TESS_SPACING
    const auto primitive = static_cast<virgl::Primitive>(property_of(evaluation, "TES_PRIM_MODE", 0));
    const uint32_t spacing = property_of(evaluation, "TES_SPACING", kEqual);
    return {.domain = primitive == virgl::Primitive::Lines   ? Domain::Isolines
                      : primitive == virgl::Primitive::Quads ? Domain::Quads
                                                             : Domain::Triangles,
            .spacing = spacing == kOdd    ? Spacing::FractionalOdd
                       : spacing == kEven ? Spacing::FractionalEven
                                          : Spacing::Equal,
            .points = property_of(evaluation, "TES_POINT_MODE", 0) != 0,
            .clockwise = property_of(evaluation, "TES_VERTEX_ORDER_CW", 0) != 0};
}

bool reflect_patches(HostEmulator& host, const Bindings& context, uint32_t patch_vertices, Patches& p) {
    p = {.control = context.stage(virgl::Stage::TessCtrl).shader,
         .evaluation = context.stage(virgl::Stage::TessEval).shader.get(),
         .vertices = patch_vertices};
    if (!p.evaluation->program || patch_vertices > kMostCorners) return false;
    if (p.control == nullptr) p.control = find_generated(host, *p.evaluation, patch_vertices);
    if (!p.control->program) return false;
    const Program& control = p.control->program;
    p.mode = mode_of(p.evaluation->program);
    p.vertex_words = 4 * slots_of(inputs_of(control));
    p.control_vertices =
        property_of(control, "TCS_VERTICES_OUT", 1);  // the library refuses arrays of outputs without it
    if (p.control_vertices == 0 || p.control_vertices > kMostCorners) return false;
    p.words = 4 * slots_of(outputs_of(control)) * p.control_vertices;
    p.outer = word_of(control, TGSI2SPV_SEMANTIC_TESS_OUTER);
    p.inner = word_of(control, TGSI2SPV_SEMANTIC_TESS_INNER);
    return true;
}

bool run_patches(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece) {
    const Patches& p = draw.patches;
    const auto run = [&] { return run_vertices(host, context, draw, piece, p.vertex_words); };
    const auto control = [&] { return run_control(host, context, draw, piece); };
    if (!or_reclaim(host, run) || !or_reclaim(host, control) ||
        !host.stream.wait(host.emulation.patches->uses.last_batch))
        return false;
    Evaluator evaluator(host, context, draw, piece);
    const auto patches = static_cast<uint32_t>(piece.vertices.size() / p.vertices);
    for (uint32_t i = 0; i < piece.instances; i++) {
        if (piece.first_primitive == 0) draw.command->made_primitives = 0;
        for (uint32_t k = 0; k < patches; k++)
            if (!evaluator.add(i * patches + k)) return false;
        // GEOM counts the primitives of each instance.
        if (draw.geom != nullptr && !evaluator.flush()) return false;
    }
    return evaluator.flush();
}

}  // namespace tgsi2spv::host
