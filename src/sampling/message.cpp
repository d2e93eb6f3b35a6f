// Turns instructions into messages. Semantics, "Textures", says where each parameter comes from: the table of targets
// and the lines below it.
#include "sampling/message.h"

#include "tgsi/names.h"

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
void place_coordinates(Reading& r, bool with_reference) {
    Message& m = r.m;
    uint8_t next = 0;
    for (; next < m.surface.coords; ++next) m.coord[next] = {0, next};
    if (m.surface.array) m.layer = {0, next++};
    if (!with_reference) return;
    // One-dimensional references are in z, like two-dimensional ones, so y stays unused.
    if (next < 2) next = 2;
    if (next < 4) m.reference = {0, next};
}

/// The value of an operand's component, if the text alone determines it.
std::optional<int32_t> immediate_word(const Program& program, const Operand& o, int c) {
    if (o.file != File::Immediate || o.index_is_relative || o.dim_is_relative || o.has_dim) return {};
    if (o.index < 0 || static_cast<size_t>(o.index) >= program.immediates.size()) return {};
    uint32_t w = program.immediates[static_cast<size_t>(o.index)].words[o.component(c)];
    if (o.absolute && w >> 31 != 0) w = 0u - w;
    return static_cast<int32_t>(o.negate ? 0u - w : w);
}

bool read_offsets(Reading& r) {
    const std::span<const Operand> offsets = r.program.offsets(r.instruction);
    Message& m = r.m;
    if (offsets.empty()) return true;
    if (offsets.size() == 1)
        m.offsets = Offsets::Aoffi;
    else if (offsets.size() == 4 && m.cls == Class::Tld4)
        m.offsets = Offsets::Ptp;
    else
        return r.refuse(m.cls == Class::Tld4 ? "a gather takes one or four offsets"
                                             : "only a gather takes more than one offset");
    m.offsets_are_immediate = true;
    for (size_t i = 0; i < offsets.size(); ++i)
        for (int axis = 0; axis < m.surface.offsets; ++axis) {
            const std::optional<int32_t> value = immediate_word(r.program, offsets[i], axis);
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
void bind_combined(Reading& r) {
    const uint8_t last = static_cast<uint8_t>(r.sources.size() - 1);
    r.m.texture_source = r.m.sampler_source = last;
    r.m.bindless = r.sources[last].file != File::Sampler;
}

void bind_view(Reading& r, uint8_t view, uint8_t sampler) {
    r.m.separate = true;
    r.m.texture_source = view;
    r.m.sampler_source = sampler;
    r.m.result_swizzle = r.sources[view].swizzle;
}

/// Sampling of BUFFER and MSAA is impossible (semantics, the two texture pages: outside the class).
bool filterable(Reading& r) {
    return (r.m.surface.dim != Dim::Buffer && !r.m.surface.ms) || r.refuse_target();
}

enum class Level : uint8_t { Implicit, Bias, Explicit, Gradients, Zero };

void choose_op(Reading& r, Level level) {
    Message& m = r.m;
    m.cls = Class::Sample3D;
    if (level == Level::Implicit && r.program.stage != tgsi::Stage::Fragment) level = Level::Zero;
    if (level == Level::Bias && r.program.stage != tgsi::Stage::Fragment) {
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

void place_gradients(Reading& r, uint8_t ddx, uint8_t ddy) {
    for (uint8_t c = 0; c < r.m.surface.gradients; ++c) {
        r.m.ddx[c] = {ddx, c};
        r.m.ddy[c] = {ddy, c};
    }
}

void read_lod_query(Reading& r) {
    Message& m = r.m;
    m.surface.shadow = false;  // the level does not depend on a comparison
    place_coordinates(r, false);
    m.layer = {};
    m.cls = Class::Sample3D;
    m.sample = SampleOp::LOD;
    m.lod_is_zero = r.program.stage != tgsi::Stage::Fragment;
}

bool read_tex(Reading& r) {
    Message& m = r.m;
    bind_combined(r);
    if (!filterable(r)) return false;
    const Opcode op = r.instruction.op;
    if (op == Opcode::LODQ) {
        read_lod_query(r);
        return true;
    }
    place_coordinates(r, m.surface.shadow);
    const bool cube_array_shadow = r.target == Target::ShadowCubeArray;
    Level level = Level::Implicit;
    switch (op) {
        case Opcode::TEX:
            if (cube_array_shadow) return r.refuse("TEX has no room for the reference of SHADOWCUBEARRAY; use TEX2");
            break;
        case Opcode::TEX2:
            if (!m.surface.shadow)
                return r.refuse("TEX2 takes only comparison targets, not " + std::string(tgsi::name(r.target)));
            m.reference = {1, 0};
            break;
        case Opcode::TXP:
            if (r.w_is_taken())
                return r.refuse("TXP divides by src0.w, which holds the layer or the reference of " +
                                std::string(tgsi::name(r.target)));
            m.divisor = {0, 3};
            break;
        case Opcode::TXB:
        case Opcode::TXL:
            if (r.w_is_taken())
                return r.refuse(
                    std::string(tgsi::info(op).mnemonic) + " reads src0.w, which holds the layer or the reference of " +
                    std::string(tgsi::name(r.target)) + "; use " + std::string(tgsi::info(op).mnemonic) + "2");
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
            if (cube_array_shadow) return r.refuse("TEX_LZ has no room for the reference of SHADOWCUBEARRAY");
            level = Level::Zero;
            break;
        case Opcode::TXD:
            if (cube_array_shadow) return r.refuse("TXD has no room for the reference of SHADOWCUBEARRAY");
            place_gradients(r, 1, 2);
            level = Level::Gradients;
            break;
        default:
            return r.refuse_target();
    }
    choose_op(r, level);
    return true;
}

/// Integer coordinates; cubes are treated as arrays of faces (semantics: TXF).
void place_texel(Reading& r) {
    Message& m = r.m;
    m.cls = Class::Fetch;
    if (m.surface.dim == Dim::Cube) {
        m.surface.coords = 2;
        m.layer = {0, 2};
    }
    for (uint8_t c = 0; c < m.surface.coords; ++c) m.coord[c] = {0, c};
    if (m.surface.array && m.surface.dim != Dim::Cube) m.layer = {0, m.surface.coords};
}

bool read_fetch(Reading& r) {
    Message& m = r.m;
    bind_combined(r);
    m.sampler_source = 0xff;
    if (m.surface.shadow) return r.refuse_target();
    place_texel(r);
    if (m.surface.ms)
        m.sample_index = {0, 3};
    else if (m.surface.dim != Dim::Buffer && r.instruction.op == Opcode::TXF)
        m.lod = {0, 3};
    m.lod_is_zero = !m.lod.present();
    return true;
}

bool read_gather(Reading& r) {
    Message& m = r.m;
    m.cls = Class::Tld4;
    m.lod_is_zero = true;
    bind_combined(r);
    place_coordinates(r, m.surface.shadow);
    const Operand& sampler = r.sources[m.texture_source];
    const bool has_component = r.sources.size() > 2;
    if (r.target == Target::ShadowCubeArray) {
        if (!has_component) return r.refuse("SHADOWCUBEARRAY needs its reference in a second source");
        m.reference = {1, 0};
    }
    if (m.surface.shadow) return true;
    if (!has_component) {
        // A bindless handle's swizzle selects the handle's words, not a component.
        m.immediate_component =
            static_cast<int8_t>(!m.bindless && sampler.swizzle_letters != 0 ? sampler.component(0) : 0);
        return true;
    }
    if (const std::optional<int32_t> value = immediate_word(r.program, r.sources[1], 0)) {
        if (*value < 0 || *value > 3) return r.refuse("the component of a gather must be 0 to 3");
        m.immediate_component = static_cast<int8_t>(*value);
    } else {
        m.component = {1, 0};
    }
    return true;
}

bool read_query(Reading& r) {
    Message& m = r.m;
    m.cls = Class::Query;
    bind_combined(r);
    m.sampler_source = 0xff;
    if (r.instruction.op == Opcode::TXQS) {
        m.query = QueryOp::Samples;
        return true;
    }
    m.query = QueryOp::Size;
    m.lod = {0, 0};
    return true;
}

/// SAMPLE_POS and SAMPLE_INFO of a view or of the render target (any TEMP).
bool read_sample_query(Reading& r) {
    Message& m = r.m;
    m.cls = Class::Query;
    m.query = r.instruction.op == Opcode::SAMPLE_POS ? QueryOp::SamplePosition : QueryOp::SampleInfo;
    bind_view(r, 0, 0xff);
    m.render_target = r.sources[0].file == File::Temp;
    if (m.query == QueryOp::SamplePosition) m.sample_index = {1, 0};
    return true;
}

bool read_sample(Reading& r) {
    Message& m = r.m;
    const Opcode op = r.instruction.op;
    m.surface.shadow = op == Opcode::SAMPLE_C || op == Opcode::SAMPLE_C_LZ;
    if (op == Opcode::SVIEWINFO) {
        bind_view(r, 1, 0xff);
        m.result_swizzle = 0xe4;
        m.cls = Class::Query;
        m.query = QueryOp::ViewInfo;
        m.lod = {0, 0};
        return true;
    }
    if (op == Opcode::SAMPLE_I || op == Opcode::SAMPLE_I_MS) {
        if (m.surface.dim == Dim::Cube || m.surface.ms != (op == Opcode::SAMPLE_I_MS)) return r.refuse_target();
        bind_view(r, 1, 0xff);
        place_texel(r);
        m.zero_outside = true;
        if (m.surface.ms)
            m.sample_index = {2, 0};
        else if (m.surface.dim != Dim::Buffer)
            m.lod = {0, 3};
        m.lod_is_zero = !m.lod.present();
        return true;
    }
    bind_view(r, 1, 2);
    if (op == Opcode::GATHER4) {
        m.cls = Class::Tld4;
        m.lod_is_zero = true;
        m.swizzle_before_component = true;
        m.immediate_component = static_cast<int8_t>(r.sources[2].component(0));
        place_coordinates(r, false);
        return true;
    }
    if (!filterable(r)) return false;
    if (op == Opcode::LOD) {
        read_lod_query(r);
        return true;
    }
    place_coordinates(r, false);
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
            place_gradients(r, 3, 4);
            level = Level::Gradients;
            break;
        default:
            break;
    }
    choose_op(r, level);
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

bool read(Reading& r) {
    const Opcode op = r.instruction.op;
    const tgsi::OpcodeInfo& row = tgsi::info(op);
    if (row.family != tgsi::Family::texture || op == Opcode::SAMP2HND || op == Opcode::IMG2HND)
        return r.refuse(std::string(row.mnemonic) + " is not a texture operation");
    const size_t least = op == Opcode::SAMPLE_INFO ? 1 : op == Opcode::TG4 ? 2 : row.num_src;
    if (r.sources.size() < least || r.sources.size() > row.num_src)
        return r.refuse(std::string(row.mnemonic) + " has the wrong number of sources");

    const bool sample_family = row.form == tgsi::Form::sample;
    const Operand& texture = r.sources[texture_operand(op, r.sources.size())];
    const bool render_target = (op == Opcode::SAMPLE_POS || op == Opcode::SAMPLE_INFO) && texture.file == File::Temp;
    if (sample_family && !render_target && texture.file != File::SamplerView && texture.file != File::Resource)
        return r.refuse(std::string(row.mnemonic) + " needs a sampler view");
    r.target = r.instruction.target;
    if (r.target == Target::None)
        r.target = render_target   ? Target::T2DMS
                   : sample_family ? r.views.target(texture, texture.file)
                                   : r.views.target(texture, File::SamplerView);
    if (r.target == Target::None || r.target == Target::Unknown)
        return r.refuse(sample_family ? "the sampler view's declaration names no target"
                                      : "neither the instruction nor a sampler view's declaration names a target");
    r.m.surface = surface(r.target);

    bool done = false;
    switch (op) {
        case Opcode::TXF:
        case Opcode::TXF_LZ:
            done = read_fetch(r);
            break;
        case Opcode::TXQ:
        case Opcode::TXQS:
            done = read_query(r);
            break;
        case Opcode::TG4:
            done = read_gather(r);
            break;
        case Opcode::SAMPLE_POS:
        case Opcode::SAMPLE_INFO:
            done = read_sample_query(r);
            break;
        default:
            done = sample_family ? read_sample(r) : read_tex(r);
    }
    if (!done || !read_offsets(r)) return false;

    r.m.channel_mask = 0;
    for (const Operand& d : r.program.dsts(r.instruction)) r.m.channel_mask |= d.write_mask & 0xf;
    if (r.m.channel_mask == 0) r.m.channel_mask = 1;  // 3D_SAMPLE: at least one channel must be enabled
    std::string why = why_illegal(r.m);
    return why.empty() || r.refuse(std::move(why));
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
