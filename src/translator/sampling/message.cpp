// Turns instructions into messages. Semantics, "Textures", says where each parameter comes from: the table of targets
// and the lines below it.
#include "sampling/message.h"

#include "tgsi/tables/names.h"

namespace tgsi2spv::sampling {
namespace {

using tgsi::File;
using tgsi::Instruction;
using tgsi::Opcode;
using tgsi::Operand;
using tgsi::Program;
using tgsi::Target;

/// Reads one instruction; the first step that refuses sets `reason`.
struct Reading {
    const Program& program;
    const Views& views;
    const Instruction& instruction;
    std::span<const Operand> sources;
    Target target = Target::None;
    Message m;
    std::string reason;

    bool refuse(std::string why) {
        if (reason.empty()) reason = std::move(why);
        return false;
    }
    bool refuse_target() {
        return refuse(std::string(tgsi::info(instruction.op).mnemonic) + " does not take the target " +
                      std::string(tgsi::name(target)));
    }
    /// SHADOW2D_ARRAY and SHADOWCUBE have their reference in src0.w; CUBEARRAY has its layer there.
    bool w_is_taken() const {
        return m.layer == Param{0, 3} || m.reference == Param{0, 3} || target == Target::ShadowCubeArray;
    }
};

/// Spatial coordinates first, then the layer, then the reference (from z on).
void place_coordinates(Reading& reading, bool with_reference) {
    Message& m = reading.m;
    uint8_t next = 0;
    for (; next < m.surface.coords; ++next) m.coord[next] = {0, next};
    if (m.surface.array) m.layer = {0, next++};
    if (!with_reference) return;
    // One-dimensional references are in z, like two-dimensional ones, so y stays unused.
    if (next < 2) next = 2;
    if (next < 4) m.reference = {0, next};
}

/// The value of an operand's component, if the text alone determines it.
std::optional<int32_t> immediate_word(const Program& program, const Operand& operand, int c) {
    if (operand.file != File::Immediate || operand.index_is_relative || operand.dim_is_relative || operand.has_dim)
        return {};
    if (operand.index < 0 || static_cast<size_t>(operand.index) >= program.immediates.size()) return {};
    uint32_t w = program.immediates[static_cast<size_t>(operand.index)].words[operand.component(c)];
    if (operand.absolute && w >> 31 != 0) w = 0u - w;
    return static_cast<int32_t>(operand.negate ? 0u - w : w);
}

bool read_offsets(Reading& reading) {
    const std::span<const Operand> offsets = reading.program.offsets(reading.instruction);
    Message& m = reading.m;
    if (offsets.empty()) return true;
    if (offsets.size() == 1)
        m.offsets = Offsets::Aoffi;
    else if (offsets.size() == 4 && m.cls == Class::Tld4)
        m.offsets = Offsets::Ptp;
    else
        return reading.refuse(m.cls == Class::Tld4 ? "a gather takes one or four offsets"
                                                   : "only a gather takes more than one offset");
    m.offsets_are_immediate = true;
    for (size_t i = 0; i < offsets.size(); ++i)
        for (int axis = 0; axis < m.surface.offsets; ++axis) {
            const std::optional<int32_t> value = immediate_word(reading.program, offsets[i], axis);
            if (!value) {
                m.offsets_are_immediate = false;
                continue;
            }
            m.immediate_offsets[i][axis] = *value;
            // Real shaders have immediates that do not fit a page's field (six bits of TLD4, four of 3D_SAMPLE): such
            // offsets are treated as if they came from a register.
            const int32_t least = m.cls == Class::Tld4 ? -32 : m.cls == Class::Sample3D ? -8 : INT32_MIN;
            if (*value < least || *value > -(least + 1)) m.offsets_are_immediate = false;
        }
    if (!m.offsets_are_immediate)
        for (auto& offset : m.immediate_offsets)
            for (int32_t& axis : offset) axis = 0;
    return true;
}

/// The operand that names both texture and sampler; it is the last one.
void bind_combined(Reading& reading) {
    const uint8_t last = static_cast<uint8_t>(reading.sources.size() - 1);
    reading.m.texture_source = reading.m.sampler_source = last;
    reading.m.bindless = reading.sources[last].file != File::Sampler;
}

void bind_view(Reading& reading, uint8_t view, uint8_t sampler) {
    reading.m.separate = true;
    reading.m.texture_source = view;
    reading.m.sampler_source = sampler;
    reading.m.result_swizzle = reading.sources[view].swizzle;
}

/// Sampling of BUFFER and MSAA is impossible (semantics, the two texture pages: outside the class).
bool filterable(Reading& reading) {
    return (reading.m.surface.dim != Dim::Buffer && !reading.m.surface.ms) || reading.refuse_target();
}

enum class Level : uint8_t { Implicit, Bias, Explicit, Gradients, Zero };

void choose_op(Reading& reading, Level level) {
    Message& m = reading.m;
    m.cls = Class::Sample3D;
    if (level == Level::Implicit && reading.program.stage != tgsi::Stage::Fragment) level = Level::Zero;
    if (level == Level::Bias && reading.program.stage != tgsi::Stage::Fragment) {
        m.lod = m.bias;
        m.bias = {};
        level = Level::Explicit;
    }
    static constexpr SampleOp kPlain[] = {SampleOp::sample, SampleOp::sample_b, SampleOp::sample_l, SampleOp::sample_d,
                                          SampleOp::sample_lz};
    static constexpr SampleOp kCompare[] = {SampleOp::sample_c, SampleOp::sample_b_c, SampleOp::sample_l_c,
                                            SampleOp::sample_d_c, SampleOp::sample_c_lz};
    m.sample = (m.surface.shadow ? kCompare : kPlain)[static_cast<size_t>(level)];
    m.lod_is_zero = level == Level::Zero;
}

void place_gradients(Reading& reading, uint8_t ddx, uint8_t ddy) {
    for (uint8_t c = 0; c < reading.m.surface.gradients; ++c) {
        reading.m.ddx[c] = {ddx, c};
        reading.m.ddy[c] = {ddy, c};
    }
}

void read_lod_query(Reading& reading) {
    Message& m = reading.m;
    m.surface.shadow = false;  // the level does not depend on a comparison
    place_coordinates(reading, false);
    m.layer = {};
    m.cls = Class::Sample3D;
    m.sample = SampleOp::LOD;
    m.lod_is_zero = reading.program.stage != tgsi::Stage::Fragment;
}

bool read_tex(Reading& reading) {
    Message& m = reading.m;
    bind_combined(reading);
    if (!filterable(reading)) return false;
    const Opcode op = reading.instruction.op;
    if (op == Opcode::LODQ) {
        read_lod_query(reading);
        return true;
    }
    place_coordinates(reading, m.surface.shadow);
    const bool cube_array_shadow = reading.target == Target::ShadowCubeArray;
    Level level = Level::Implicit;
    switch (op) {
        case Opcode::TEX:
            if (cube_array_shadow)
                return reading.refuse("TEX has no room for the reference of SHADOWCUBEARRAY; use TEX2");
            break;
        case Opcode::TEX2:
            if (!m.surface.shadow)
                return reading.refuse("TEX2 takes only comparison targets, not " +
                                      std::string(tgsi::name(reading.target)));
            m.reference = {1, 0};
            break;
        case Opcode::TXP:
            if (reading.w_is_taken())
                return reading.refuse("TXP divides by src0.w, which holds the layer or the reference of " +
                                      std::string(tgsi::name(reading.target)));
            m.divisor = {0, 3};
            break;
        case Opcode::TXB:
        case Opcode::TXL:
            if (reading.w_is_taken())
                return reading.refuse(
                    std::string(tgsi::info(op).mnemonic) + " reads src0.w, which holds the layer or the reference of " +
                    std::string(tgsi::name(reading.target)) + "; use " + std::string(tgsi::info(op).mnemonic) + "2");
            (op == Opcode::TXB ? m.bias : m.lod) = {0, 3};
            level = op == Opcode::TXB ? Level::Bias : Level::Explicit;
            break;
        case Opcode::TXB2:
        case Opcode::TXL2:
            if (cube_array_shadow) m.reference = {1, 0};
            (op == Opcode::TXB2 ? m.bias : m.lod) = {1, static_cast<uint8_t>(cube_array_shadow ? 1 : 0)};
            level = op == Opcode::TXB2 ? Level::Bias : Level::Explicit;
            break;
        case Opcode::TEX_LZ:
            if (cube_array_shadow) return reading.refuse("TEX_LZ has no room for the reference of SHADOWCUBEARRAY");
            level = Level::Zero;
            break;
        case Opcode::TXD:
            if (cube_array_shadow) return reading.refuse("TXD has no room for the reference of SHADOWCUBEARRAY");
            place_gradients(reading, 1, 2);
            level = Level::Gradients;
            break;
        default:
            return reading.refuse_target();
    }
    choose_op(reading, level);
    return true;
}

/// Integer coordinates; cubes are treated as arrays of faces (semantics: TXF).
void place_texel(Reading& reading) {
    Message& m = reading.m;
    m.cls = Class::Fetch;
    if (m.surface.dim == Dim::Cube) {
        m.surface.coords = 2;
        m.layer = {0, 2};
    }
    for (uint8_t c = 0; c < m.surface.coords; ++c) m.coord[c] = {0, c};
    if (m.surface.array && m.surface.dim != Dim::Cube) m.layer = {0, m.surface.coords};
}

bool read_fetch(Reading& reading) {
    Message& m = reading.m;
    bind_combined(reading);
    m.sampler_source = 0xff;
    if (m.surface.shadow) return reading.refuse_target();
    place_texel(reading);
    if (m.surface.ms)
        m.sample_index = {0, 3};
    else if (m.surface.dim != Dim::Buffer && reading.instruction.op == Opcode::TXF)
        m.lod = {0, 3};
    m.lod_is_zero = !m.lod.present();
    return true;
}

bool read_gather(Reading& reading) {
    Message& m = reading.m;
    m.cls = Class::Tld4;
    m.lod_is_zero = true;
    bind_combined(reading);
    place_coordinates(reading, m.surface.shadow);
    const Operand& sampler = reading.sources[m.texture_source];
    const bool has_component = reading.sources.size() > 2;
    if (reading.target == Target::ShadowCubeArray) {
        if (!has_component) return reading.refuse("SHADOWCUBEARRAY needs its reference in a second source");
        m.reference = {1, 0};
    }
    if (m.surface.shadow) return true;
    if (!has_component) {
        // A bindless handle's swizzle selects the handle's words, not a component.
        m.immediate_component =
            static_cast<int8_t>(!m.bindless && sampler.swizzle_letters != 0 ? sampler.component(0) : 0);
        return true;
    }
    if (const std::optional<int32_t> value = immediate_word(reading.program, reading.sources[1], 0)) {
        if (*value < 0 || *value > 3) return reading.refuse("the component of a gather must be 0 to 3");
        m.immediate_component = static_cast<int8_t>(*value);
    } else {
        m.component = {1, 0};
    }
    return true;
}

bool read_query(Reading& reading) {
    Message& m = reading.m;
    m.cls = Class::Query;
    bind_combined(reading);
    m.sampler_source = 0xff;
    if (reading.instruction.op == Opcode::TXQS) {
        m.query = QueryOp::Samples;
        return true;
    }
    m.query = QueryOp::Size;
    m.lod = {0, 0};
    return true;
}

/// SAMPLE_POS and SAMPLE_INFO of a view or of the render target (any TEMP).
bool read_sample_query(Reading& reading) {
    Message& m = reading.m;
    m.cls = Class::Query;
    m.query = reading.instruction.op == Opcode::SAMPLE_POS ? QueryOp::SamplePosition : QueryOp::SampleInfo;
    bind_view(reading, 0, 0xff);
    m.render_target = reading.sources[0].file == File::Temp;
    if (m.query == QueryOp::SamplePosition) m.sample_index = {1, 0};
    return true;
}

bool read_view_info(Reading& reading) {
    Message& m = reading.m;
    bind_view(reading, 1, 0xff);
    m.result_swizzle = 0xe4;
    m.cls = Class::Query;
    m.query = QueryOp::ViewInfo;
    m.lod = {0, 0};
    return true;
}

/// SAMPLE_I and SAMPLE_I_MS.
bool read_sample_texel(Reading& reading) {
    Message& m = reading.m;
    if (m.surface.dim == Dim::Cube || m.surface.ms != (reading.instruction.op == Opcode::SAMPLE_I_MS))
        return reading.refuse_target();
    bind_view(reading, 1, 0xff);
    place_texel(reading);
    m.zero_outside = true;
    if (m.surface.ms)
        m.sample_index = {2, 0};
    else if (m.surface.dim != Dim::Buffer)
        m.lod = {0, 3};
    m.lod_is_zero = !m.lod.present();
    return true;
}

bool read_gather4(Reading& reading) {
    Message& m = reading.m;
    m.cls = Class::Tld4;
    m.lod_is_zero = true;
    m.swizzle_before_component = true;
    m.immediate_component = static_cast<int8_t>(reading.sources[2].component(0));
    place_coordinates(reading, false);
    return true;
}

bool read_sample(Reading& reading) {
    Message& m = reading.m;
    const Opcode op = reading.instruction.op;
    m.surface.shadow = op == Opcode::SAMPLE_C || op == Opcode::SAMPLE_C_LZ;
    if (op == Opcode::SVIEWINFO) return read_view_info(reading);
    if (op == Opcode::SAMPLE_I || op == Opcode::SAMPLE_I_MS) return read_sample_texel(reading);
    bind_view(reading, 1, 2);
    if (op == Opcode::GATHER4) return read_gather4(reading);
    if (!filterable(reading)) return false;
    if (op == Opcode::LOD) {
        read_lod_query(reading);
        return true;
    }
    place_coordinates(reading, false);
    Level level = Level::Implicit;
    switch (op) {
        case Opcode::SAMPLE_B:
            m.bias = {3, 0};
            level = Level::Bias;
            break;
        case Opcode::SAMPLE_L:
            m.lod = {3, 0};
            level = Level::Explicit;
            break;
        case Opcode::SAMPLE_C:
            m.reference = {3, 0};
            break;
        case Opcode::SAMPLE_C_LZ:
            m.reference = {3, 0};
            level = Level::Zero;
            break;
        case Opcode::SAMPLE_D:
            place_gradients(reading, 3, 4);
            level = Level::Gradients;
            break;
        default:
            break;
    }
    choose_op(reading, level);
    return true;
}

/// The source that is the texture operand; 0xff if the opcode is not a texture operation.
uint8_t texture_operand(Opcode op, size_t sources) {
    switch (op) {
        case Opcode::SAMPLE:
        case Opcode::SAMPLE_B:
        case Opcode::SAMPLE_C:
        case Opcode::SAMPLE_C_LZ:
        case Opcode::SAMPLE_L:
        case Opcode::SAMPLE_D:
        case Opcode::SAMPLE_I:
        case Opcode::SAMPLE_I_MS:
        case Opcode::GATHER4:
        case Opcode::LOD:
        case Opcode::SVIEWINFO:
            return 1;
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            return 0;
        default:
            return static_cast<uint8_t>(sources - 1);
    }
}

bool read(Reading& reading) {
    const Opcode op = reading.instruction.op;
    const tgsi::OpcodeInfo& row = tgsi::info(op);
    if (row.family != tgsi::Family::texture || op == Opcode::SAMP2HND || op == Opcode::IMG2HND)
        return reading.refuse(std::string(row.mnemonic) + " is not a texture operation");
    const size_t least = op == Opcode::SAMPLE_INFO ? 1 : op == Opcode::TG4 ? 2 : row.num_src;
    if (reading.sources.size() < least || reading.sources.size() > row.num_src)
        return reading.refuse(std::string(row.mnemonic) + " has the wrong number of sources");

    const bool sample_family = row.form == tgsi::Form::sample;
    const Operand& texture = reading.sources[texture_operand(op, reading.sources.size())];
    const bool render_target = (op == Opcode::SAMPLE_POS || op == Opcode::SAMPLE_INFO) && texture.file == File::Temp;
    if (sample_family && !render_target && texture.file != File::SamplerView && texture.file != File::Resource)
        return reading.refuse(std::string(row.mnemonic) + " needs a sampler view");
    reading.target = reading.instruction.target;
    if (reading.target == Target::None)
        reading.target = render_target   ? Target::T2DMS
                         : sample_family ? reading.views.target(texture, texture.file)
                                         : reading.views.target(texture, File::SamplerView);
    if (reading.target == Target::None || reading.target == Target::Unknown)
        return reading.refuse(sample_family
                                  ? "the sampler view's declaration names no target"
                                  : "neither the instruction nor a sampler view's declaration names a target");
    reading.m.surface = surface(reading.target);

    bool done = false;
    switch (op) {
        case Opcode::TXF:
        case Opcode::TXF_LZ:
            done = read_fetch(reading);
            break;
        case Opcode::TXQ:
        case Opcode::TXQS:
            done = read_query(reading);
            break;
        case Opcode::TG4:
            done = read_gather(reading);
            break;
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            done = read_sample_query(reading);
            break;
        default:
            done = sample_family ? read_sample(reading) : read_tex(reading);
    }
    if (!done || !read_offsets(reading)) return false;

    reading.m.channel_mask = 0;
    for (const Operand& d : reading.program.dsts(reading.instruction)) reading.m.channel_mask |= d.write_mask & 0xf;
    if (reading.m.channel_mask == 0) reading.m.channel_mask = 1;  // 3D_SAMPLE: at least one channel must be enabled
    std::string why = why_illegal(reading.m);
    return why.empty() || reading.refuse(std::move(why));
}

}  // namespace

std::optional<Message> message_of(const Program& program, const Views& views, const Instruction& instruction,
                                  Refusal& refusal) {
    Reading r{program, views, instruction, program.srcs(instruction), Target::None, {}, {}};
    if (read(r)) return r.m;
    refusal = {std::move(r.reason), instruction.position};
    return std::nullopt;
}

std::optional<Message> message_of(const Program& program, const Instruction& instruction, Refusal& refusal) {
    Views views;
    gather_views(program, views);
    return message_of(program, views, instruction, refusal);
}

}  // namespace tgsi2spv::sampling
