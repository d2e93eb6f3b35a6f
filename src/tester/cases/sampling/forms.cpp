#include "cases/sampling/forms.h"

#include <fmt/format.h>

#include <functional>

#include "sampling/ops.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using sampling::Class;
using sampling::Message;
using sampling::Offsets;
using sampling::ResultType;
using sampling::SampleOp;
using tgsi::Target;

/// A surface of the pages, as TGSI targets without and with comparison. None: there is no such target.
struct SurfaceRow {
    const char* name;
    Target plain, shadow;
};
constexpr SurfaceRow kSurfaces[] = {
    {"1D", Target::T1D, Target::Shadow1D},
    {"1D_ARRAY", Target::T1DArray, Target::Shadow1DArray},
    {"2D", Target::T2D, Target::Shadow2D},
    {"2D_ARRAY", Target::T2DArray, Target::Shadow2DArray},
    {"3D", Target::T3D, Target::None},
    {"CUBE", Target::Cube, Target::ShadowCube},
    {"CUBE_ARRAY", Target::CubeArray, Target::ShadowCubeArray},
};

void by_lane(Form& form, bool sampler, bool texture) {
    form.message.separate = true;
    form.message.non_uniform = form.sampler_by_lane = sampler;
    form.message.non_uniform_surface = form.texture_by_lane = texture;
}

void immediate(Message& message, int i, int32_t u, int32_t v, int32_t r) {
    message.offsets_are_immediate = true;
    const int32_t all[] = {u, v, r};
    for (int axis = 0; axis < message.surface.offsets; ++axis) message.immediate_offsets[i][axis] = all[axis];
}

/// A modifier of the plain form. `by_text`: a line of TGSI can express it.
struct Modifier {
    const char* prefix;  ///< follows the op in the page's notation
    const char* suffix;  ///< follows the surface
    bool by_text;
    void (*apply)(Form&);
};

void all_channels_but_one(Form& form) {
    form.message.channel_mask = 0xd;
}

constexpr Modifier kSampleModifiers[] = {
    {"", "", true, [](Form&) {}},
    {".GA", "", true, [](Form& f) { f.message.channel_mask = 0xa; }},
    {"", ", aoffimmi 0x72d", true,
     [](Form& f) {
         f.message.offsets = Offsets::Aoffi;
         immediate(f.message, 0, 7, 2, -3);
     }},
    {"", ", aoffimmi 0x8f1", true,
     [](Form& f) {
         f.message.offsets = Offsets::Aoffi;
         immediate(f.message, 0, -8, -1, 1);
     }},
    {".pixel_null_mask", "", false, [](Form& f) { f.message.sparse = true; }},
    {".cps", "", false, [](Form& f) { f.message.cps_compensation = true; }},
    {".divS", "", false, [](Form& f) { by_lane(f, true, false); }},
    {".divS.divS", "", false, [](Form& f) { by_lane(f, true, true); }},
    {"", ", parameters HF", false, [](Form& f) { f.message.half_parameters = true; }},
    {"", ", Dst HF", false, [](Form& f) { f.message.result = ResultType::Half; }},
    {"", ", Dst W", false, [](Form& f) { f.message.result = ResultType::Int16; }},
    {"", ", Dst UW", false, [](Form& f) { f.message.result = ResultType::Uint16; }},
    {"", ", one parameter", false, [](Form& f) { place_parameters(f.message, false, 1); }},
    {"", ", two parameters", false, [](Form& f) { place_parameters(f.message, false, 2); }},
    {".pixel_null_mask.cps.divS.RBA", ", aoffimmi 0x120, parameters HF, Dst HF", false,
     [](Form& f) {
         f.message.sparse = f.message.cps_compensation = f.message.half_parameters = true;
         f.message.result = ResultType::Half;
         f.message.offsets = Offsets::Aoffi;
         immediate(f.message, 0, 1, 2, 0);
         by_lane(f, true, false);
         all_channels_but_one(f);
     }},
};

/// Returns the form's line. The coordinates, the layer and (if it fits) the reference are in IN[0], the rest in IN[1]
/// and IN[2].
std::string sample_line(const sampling::SampleOpInfo& op, const Message& message, Target target) {
    const bool far = target == Target::ShadowCubeArray;  // there is no room for the reference in src0
    const bool full = far || target == Target::Shadow2DArray || target == Target::CubeArray ||
                      target == Target::ShadowCube;  // w is in use
    std::string head;
    switch (op.op) {
        case SampleOp::sample:
        case SampleOp::sample_c:
            head = far ? "TEX2 {0}, IN[0], IN[1]" : "TEX {0}, IN[0]";
            break;
        case SampleOp::sample_b:
        case SampleOp::sample_b_c:
            head = full ? "TXB2 {0}, IN[0], IN[1]" : "TXB {0}, IN[0]";
            break;
        case SampleOp::sample_l:
        case SampleOp::sample_l_c:
            head = full ? "TXL2 {0}, IN[0], IN[1]" : "TXL {0}, IN[0]";
            break;
        case SampleOp::sample_d:
        case SampleOp::sample_d_c:
            if (far) return {};
            head = "TXD {0}, IN[0], IN[1], IN[2]";
            break;
        case SampleOp::LOD:
            head = "LODQ {0}, IN[0]";
            break;
        case SampleOp::sample_lz:
        case SampleOp::sample_c_lz:
            if (far) return {};
            head = "TEX_LZ {0}, IN[0]";
            break;
    }
    return fmt::format("{}, SAMP[{{1}}], {}{}", head, tgsi::name(target),
                       message.offsets == Offsets::None ? "" : ", IMM[0].xyz");
}

void add_samples(std::vector<Form>& forms) {
    for (const sampling::SampleOpInfo& op : sampling::kSampleOps)
        for (const SurfaceRow& s : kSurfaces)
            for (const Modifier& modifier : kSampleModifiers) {
                Form f;
                f.name = fmt::format("{}{} {}{}", op.name, modifier.prefix, s.name, modifier.suffix);
                f.target = op.compares ? s.shadow : s.plain;
                if (f.target == Target::None) {
                    if (*modifier.prefix != 0 || *modifier.suffix != 0) continue;
                    f.target = s.plain;
                    f.message.surface = sampling::surface(s.plain);
                    f.message.surface.shadow = true;
                    f.message.sample = op.op;
                    f.impossible = why_illegal(f.message);
                    forms.push_back(std::move(f));
                    continue;
                }
                f.message.sample = op.op;
                f.message.surface = sampling::surface(f.target);
                place_parameters(f.message);
                const Message whole = f.message;
                modifier.apply(f);
                const bool nothing_left_out = *modifier.prefix == 0 && modifier.suffix[0] == ',' && f.message == whole;
                if (nothing_left_out || !why_illegal(f.message).empty()) continue;  // the page does not have this form
                if (op.op == SampleOp::LOD) f.message.channel_mask &= 3;            // B and A are undefined
                if (f.message.channel_mask == 0) continue;
                if (modifier.by_text) f.line = sample_line(op, f.message, f.target);
                forms.push_back(std::move(f));
            }
}

struct GatherRow {
    const char* suffix;  ///< follows the component
    bool by_text;
    void (*apply)(Form&);
};
constexpr GatherRow kGatherModifiers[] = {
    {"", true, [](Form& f) { place_parameters(f.message); }},
    {".AOFFI", true,
     [](Form& f) {
         f.message.offsets = Offsets::Aoffi;
         immediate(f.message, 0, 5, -7, 0);
         place_parameters(f.message);
     }},
    {".AOFFI Rb", false,
     [](Form& f) {
         f.message.offsets = Offsets::Aoffi;
         place_parameters(f.message, true);
     }},
    {".PTP", true,
     [](Form& f) {
         f.message.offsets = Offsets::Ptp;
         immediate(f.message, 0, -8, 7, 0), immediate(f.message, 1, 3, 0, 0);
         immediate(f.message, 2, 0, -2, 0), immediate(f.message, 3, 31, -32, 0);
         place_parameters(f.message);
     }},
    {".PTP Rb", false,
     [](Form& f) {
         f.message.offsets = Offsets::Ptp;
         place_parameters(f.message, true);
     }},
    {".B", false,
     [](Form& f) {
         f.message.bindless = f.message.separate = true;
         place_parameters(f.message);
     }},
};

void add_gathers(std::vector<Form>& forms) {
    struct Shape {
        const char* name;
        Target plain, shadow;
    };
    static constexpr Shape kShapes[] = {{"2D", Target::T2D, Target::Shadow2D},
                                        {"CUBE", Target::Cube, Target::ShadowCube},
                                        {"ARRAY_2D", Target::T2DArray, Target::Shadow2DArray},
                                        {"ARRAY_CUBE", Target::CubeArray, Target::ShadowCubeArray}};
    for (const Shape& s : kShapes)
        for (const bool compares : {false, true})
            for (int component = 0; component < (compares ? 1 : 4); ++component)
                for (const GatherRow& row : kGatherModifiers)
                    for (const bool sparse : {false, true})
                        for (const uint8_t mask : {uint8_t{0xf}, uint8_t{0x6}}) {
                            if (mask != 0xf && component != 0) continue;
                            Form f;
                            f.name = fmt::format("{}TLD4.{}{}{} {}{}", sparse ? "Ps, " : "", "RGBA"[component],
                                                 row.suffix, compares ? ".DC" : "", s.name, mask == 0xf ? "" : ", 0x6");
                            f.target = compares ? s.shadow : s.plain;
                            f.message.cls = Class::Tld4;
                            f.message.lod_is_zero = true;
                            f.message.immediate_component = static_cast<int8_t>(component);
                            f.message.surface = sampling::surface(f.target);
                            f.message.sparse = sparse;
                            f.message.channel_mask = mask;
                            row.apply(f);
                            if (!why_illegal(f.message).empty()) continue;
                            if (row.by_text && !sparse) {
                                const bool far = f.target == Target::ShadowCubeArray;
                                const char* middle = far ? "IN[1], " : "IMM[5].xxxx, ";
                                const char* offsets = f.message.offsets == Offsets::Aoffi ? ", IMM[0].xyz"
                                                      : f.message.offsets == Offsets::Ptp
                                                          ? ", IMM[0].xyz, IMM[1].xyz, IMM[2].xyz, IMM[3].xyz"
                                                          : "";
                                f.line = fmt::format("TG4 {{0}}, IN[0], {}SAMP[{{1}}], {}{}", middle,
                                                     tgsi::name(f.target), offsets);
                            }
                            forms.push_back(std::move(f));
                        }
}

}  // namespace

std::vector<Form> sampling_forms() {
    std::vector<Form> forms;
    add_samples(forms);
    add_gathers(forms);
    return forms;
}

}  // namespace tgsi2spv::difftest
