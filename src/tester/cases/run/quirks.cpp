#include "cases/run/quirks.h"

#include <algorithm>

#include "tgsi/tables/names.h"
#include "vulkan/instance.h"
#include "vulkan/version.h"

namespace tgsi2spv::difftest {

namespace {

bool uses(const tgsi::Program& program, std::initializer_list<tgsi::Opcode> opcodes) {
    return std::any_of(program.instructions.begin(), program.instructions.end(), [&](const tgsi::Instruction& i) {
        return std::find(opcodes.begin(), opcodes.end(), i.op) != opcodes.end();
    });
}

/// Whether an instruction needs derivatives, which LOD without a level does, too.
bool compares_lanes_of_quads(const tgsi::Program& program) {
    using tgsi::Opcode;
    return uses(program, {Opcode::DDX, Opcode::DDY, Opcode::DDX_FINE, Opcode::DDY_FINE, Opcode::TEX, Opcode::TXP,
                          Opcode::TXB, Opcode::TXB2, Opcode::TEX2, Opcode::LODQ, Opcode::SAMPLE, Opcode::SAMPLE_B,
                          Opcode::SAMPLE_C, Opcode::LOD});
}

bool is_gather(const tgsi::Instruction& instruction) {
    return instruction.op == tgsi::Opcode::TG4 || instruction.op == tgsi::Opcode::GATHER4;
}

/// Whether an instruction of the kind may use the sampler.
bool uses_sampler(const tgsi::Program& program, uint32_t index, bool (*of_kind)(const tgsi::Instruction&)) {
    return std::any_of(program.instructions.begin(), program.instructions.end(), [&](const tgsi::Instruction& i) {
        const auto sources = program.srcs(i);
        return of_kind(i) && std::any_of(sources.begin(), sources.end(), [&](const tgsi::Operand& o) {
                   return o.file == tgsi::File::Sampler &&
                          (o.index_is_relative || static_cast<uint32_t>(o.index) == index);
               });
    });
}

/// Whether this is a SAMPLE opcode with a sampler that is addressed indirectly and a view that is not.
bool differs_in_sampler_only(const tgsi::Program& program, const tgsi::Instruction& instruction) {
    const tgsi::Operand* sampler = nullptr;
    bool view_is_indexed = false;
    for (const tgsi::Operand& o : program.srcs(instruction)) {
        if (o.file == tgsi::File::Sampler) sampler = &o;
        if (o.file == tgsi::File::SamplerView || o.file == tgsi::File::Resource) view_is_indexed = o.index_is_relative;
    }
    const bool separate = tgsi::info(instruction.op).form == tgsi::Form::sample;
    return separate && sampler != nullptr && sampler->index_is_relative && !view_is_indexed;
}

/// Whether the instruction queries the size of a texture that is addressed indirectly, or is emulated with that size.
bool measures_by_lane(const tgsi::Program& program, const tgsi::Instruction& instruction) {
    using tgsi::File;
    using tgsi::Opcode;
    const auto sources = program.srcs(instruction);
    if (tgsi::info(instruction.op).family != tgsi::Family::texture ||
        std::none_of(sources.begin(), sources.end(), [](const tgsi::Operand& o) {
            return o.index_is_relative && (o.file == File::Sampler || o.file == File::SamplerView);
        }))
        return false;
    if (instruction.op == Opcode::TXQ || instruction.op == Opcode::SVIEWINFO || instruction.op == Opcode::TXF ||
        instruction.op == Opcode::SAMPLE_I)
        return true;
    if (instruction.target == tgsi::Target::Rect || instruction.target == tgsi::Target::ShadowRect) return true;
    const auto offsets = program.offsets(instruction);
    return std::any_of(offsets.begin(), offsets.end(),
                       [](const tgsi::Operand& o) { return o.file != File::Immediate; });
}

}  // namespace

Quirks quirks_of(std::string_view device_name, std::string_view driver_name) {
    Quirks q;
    const vulkan::Driver driver = vulkan::driver_of(device_name);
    const bool swiftshader = driver == vulkan::Driver::SwiftShader;
    q.demote_is_lost_in_loops = q.cube_gradients_are_not_projected = swiftshader;
    q.offsets_are_wrong_between_levels = q.gathers_mirror_the_footprint = swiftshader;
    q.level_queries_are_not_clamped = q.cube_borders_are_empty_in_compute = swiftshader;
    q.samplers_of_one_image_do_not_differ = q.storage_arrays_are_not_indexed = swiftshader;
    q.sizes_are_of_one_lanes_texture = swiftshader;
    const bool lavapipe = driver == vulkan::Driver::Lavapipe;
    q.four_offsets_read_texture_0 = q.cube_level_queries_are_not_projected = lavapipe;
    q.zero_signs_are_lost = lavapipe;
    q.tiny_maxima_are_minima = lavapipe && vulkan::version_of(driver_name) >= vulkan::Version{25};
    q.anisotropy_crashes = lavapipe;
    q.killed_lanes_load_zero = q.middles_round_to_zero = lavapipe;
    q.helper_query_crashes = q.selected_minus_one_is_negated_bool = lavapipe;
    q.cube_gradients_are_differences = driver == vulkan::Driver::Nvidia;
    return q;
}

void avoid(const Quirks& quirks, const tgsi::Program& program, std::span<const sampling::Message> messages,
           lower::Capabilities& capabilities) {
    using tgsi::Opcode;
    const bool kills = uses(program, {Opcode::KILL, Opcode::KILL_IF, Opcode::KIL, Opcode::KILP, Opcode::DEMOTE});
    if (kills && ((quirks.demote_is_lost_in_loops && uses(program, {Opcode::BGNLOOP})) ||
                  (quirks.killed_lanes_load_zero && compares_lanes_of_quads(program))))
        capabilities.demote = false;
    if (quirks.helper_query_crashes && uses(program, {Opcode::READ_HELPER})) capabilities.demote = false;
    if (quirks.storage_arrays_are_not_indexed)
        capabilities.storage_buffers = capabilities.storage_images =
            capabilities.storage_texel_buffers = {false, false};
    const auto try_textures_one_by_one = [&] {
        capabilities.sampled_images.non_uniform = capabilities.texel_buffers.non_uniform = false;
    };
    for (const tgsi::Instruction& i : program.instructions) {
        if (quirks.four_offsets_read_texture_0 && i.num_offsets == 4) capabilities.image_gather_extended = false;
        if (quirks.samplers_of_one_image_do_not_differ && differs_in_sampler_only(program, i))
            try_textures_one_by_one();
        if (quirks.sizes_are_of_one_lanes_texture && measures_by_lane(program, i)) try_textures_one_by_one();
    }
    for (const sampling::Message& m : messages) {
        if (quirks.four_offsets_read_texture_0 && m.offsets == sampling::Offsets::Ptp)
            capabilities.image_gather_extended = false;
        if (quirks.sizes_are_of_one_lanes_texture && m.handle.present() && m.offsets != sampling::Offsets::None)
            try_textures_one_by_one();
    }
}

namespace {

bool levels_of_a_cube(const reference::Texture& texture) {
    return tgsi::shape(texture.target).cube && texture.levels > 1;
}
bool computes_cube_gradients_wrongly(const Quirks& quirks) {
    return quirks.cube_gradients_are_not_projected || quirks.cube_gradients_are_differences;
}
constexpr const char* kCubeGradients = "cube levels selected by gradients, which this driver computes wrongly";
constexpr const char* kCubeBorders = "filtering across cube edges in COMP, where this driver has no borders";
constexpr const char* kUnclampedQueries =
    "level queries beyond the texture's last level, which this driver does not clamp";
constexpr const char* kCubeQueries =
    "level queries of cubes, for which this driver answers a different level than it samples";
constexpr const char* kScaledOffsets = "offsets while blending two levels, which this driver scales";
constexpr const char* kMirroredGathers =
    "gathers with MIRROR_CLAMP_TO_EDGE, for which this driver returns the texels in mirrored order";

constexpr const char* kAnisotropy = "anisotropy with 1D or cube textures, on which this driver crashes";

bool crashes_with_anisotropy(tgsi::Target target, const reference::SamplerState& state) {
    const tgsi::TargetShape shape = tgsi::shape(target);
    const bool line = !shape.buffer && shape.coords == 1;
    return state.max_anisotropy > 1 && (line || (shape.cube && state.min_filter != state.mag_filter));
}

bool mirrors_once(const reference::SamplerState& state) {
    return std::find(std::begin(state.wrap), std::end(state.wrap), reference::Wrap::MirrorClampToEdge) !=
           std::end(state.wrap);
}

}  // namespace

std::optional<std::string> unusable(const Quirks& quirks, const tgsi::Program& program,
                                    const reference::Inputs& inputs) {
    using tgsi::Opcode;
    const bool gradients = computes_cube_gradients_wrongly(quirks) && uses(program, {Opcode::TXD, Opcode::SAMPLE_D});
    const bool queries = quirks.cube_level_queries_are_not_projected && uses(program, {Opcode::LODQ, Opcode::LOD});
    const bool levels = quirks.level_queries_are_not_clamped && uses(program, {Opcode::LODQ, Opcode::LOD});
    const bool borders = quirks.cube_borders_are_empty_in_compute && program.stage == tgsi::Stage::Compute;
    const bool gathers = std::any_of(program.instructions.begin(), program.instructions.end(), is_gather);
    const auto samples_with_offset = [](const tgsi::Instruction& i) {
        return i.num_offsets != 0 && !is_gather(i) && i.op != Opcode::TXF;
    };
    for (const auto& [index, sampler] : inputs.samplers) {
        if (quirks.offsets_are_wrong_between_levels && sampler.mip_filter == reference::MipFilter::Linear &&
            uses_sampler(program, index, samples_with_offset))
            return kScaledOffsets;
        if (quirks.gathers_mirror_the_footprint && mirrors_once(sampler) && uses_sampler(program, index, is_gather))
            return kMirroredGathers;
    }
    for (const auto& [index, texture] : inputs.textures) {
        if (borders && tgsi::shape(texture.target).cube) {
            const auto sampler = inputs.samplers.find(index);
            const bool linear =
                sampler != inputs.samplers.end() && sampler->second.min_filter == reference::Filter::Linear;
            if (linear || gathers) return kCubeBorders;
        }
        const auto state = inputs.samplers.find(index);
        // The driver does clamp to the sampler's own limit.
        if (levels && state != inputs.samplers.end() && state->second.mip_filter != reference::MipFilter::None &&
            state->second.max_lod > static_cast<float>(texture.levels - 1))
            return kUnclampedQueries;
        if (quirks.anisotropy_crashes && state != inputs.samplers.end() &&
            crashes_with_anisotropy(texture.target, state->second))
            return kAnisotropy;
        if (gradients && levels_of_a_cube(texture)) return kCubeGradients;
        if (queries && tgsi::shape(texture.target).cube) return kCubeQueries;
    }
    return std::nullopt;
}

std::optional<std::string> unusable(const Quirks& quirks, const sampling::Message& message,
                                    const reference::Texture& texture, const reference::SamplerState& sampler) {
    const bool gather = message.cls == sampling::Class::Tld4;
    if (computes_cube_gradients_wrongly(quirks) && message.ddx[0].present() && levels_of_a_cube(texture))
        return kCubeGradients;
    if (quirks.cube_level_queries_are_not_projected && message.cls == sampling::Class::Sample3D &&
        message.sample == sampling::SampleOp::LOD && tgsi::shape(texture.target).cube)
        return kCubeQueries;
    if (quirks.level_queries_are_not_clamped && message.cls == sampling::Class::Sample3D &&
        message.sample == sampling::SampleOp::LOD && sampler.mip_filter != reference::MipFilter::None &&
        sampler.max_lod > static_cast<float>(texture.levels - 1))
        return kUnclampedQueries;
    if (quirks.offsets_are_wrong_between_levels && !gather && message.offsets != sampling::Offsets::None &&
        sampler.mip_filter == reference::MipFilter::Linear)
        return kScaledOffsets;
    if (quirks.gathers_mirror_the_footprint && gather && mirrors_once(sampler)) return kMirroredGathers;
    return std::nullopt;
}

}  // namespace tgsi2spv::difftest
