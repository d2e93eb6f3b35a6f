// Prints messages in the notation of their documents; what neither page has (fetches, queries) is printed in the same
// style.
#include <fmt/format.h>

#include "sampling/ops.h"

namespace tgsi2spv::sampling {
namespace {

std::string value(const Message& m, Param p, bool scaled, char axis = 0) {
    std::string s = fmt::format("src{}.{}", p.source, "xyzw"[p.component & 3]);
    if (scaled && m.divisor.present()) s += fmt::format("/src{}.{}", m.divisor.source, "xyzw"[m.divisor.component & 3]);
    // RECT is outside both classes: its coordinates are scaled.
    if (axis && m.surface.rect) s += axis == 'x' ? "/width" : "/height";
    return s;
}

struct List {
    std::string text;
    void add(std::string_view name, const std::string& what) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, what);
    }
    void add(std::string_view name, const Message& m, Param p) {
        if (p.present()) add(name, value(m, p, false));
    }
};

std::string surface_name(const Surface& s) {
    static constexpr std::string_view kDims[] = {"BUFFER", "1D", "2D", "3D", "CUBE"};
    if (s.rect) return "RECT";
    return fmt::format("{}{}{}", kDims[static_cast<size_t>(s.dim)], s.ms ? "_MSAA" : "", s.array ? "_ARRAY" : "");
}

std::string channels(uint8_t mask) {
    std::string s;
    for (int c = 0; c < 4; ++c)
        if (mask >> c & 1) s += "RGBA"[c];
    return s;
}

std::string swizzle(uint8_t packed) {
    std::string s;
    for (int c = 0; c < 4; ++c) s += "xyzw"[packed >> (2 * c) & 3];
    return s;
}

/// Tuples in the text's form: (u, v) or (u, v), (u, v), ….
std::string offsets(const Message& m) {
    if (!m.offsets_are_immediate) return m.offsets == Offsets::Ptp ? "registers" : "register";
    std::string s;
    for (int i = 0; i < (m.offsets == Offsets::Ptp ? 4 : 1); ++i) {
        s += i ? ", (" : "(";
        for (int axis = 0; axis < m.surface.offsets; ++axis)
            s += fmt::format("{}{}", axis ? ", " : "", m.immediate_offsets[i][axis]);
        s += ")";
    }
    return s;
}

void add_coordinates(List& list, const Message& m, const std::string_view (&names)[3]) {
    static constexpr std::string_view kGradients[3][2] = {{"dudx", "dudy"}, {"dvdx", "dvdy"}, {"drdx", "drdy"}};
    for (int c = 0; c < m.surface.coords; ++c) {
        if (!m.coord[c].present()) continue;
        list.add(names[c], value(m, m.coord[c], true, "xyz"[c]));
        if (!m.ddx[c].present()) continue;
        list.add(kGradients[c][0], value(m, m.ddx[c], false, "xyz"[c]));
        list.add(kGradients[c][1], value(m, m.ddy[c], false, "xyz"[c]));
    }
}

std::string common_tail(const Message& m) {
    std::string s;
    if (m.result_swizzle != 0xe4) s += fmt::format(", swizzle={}", swizzle(m.result_swizzle));
    if (m.half_parameters) s += ", parameters=HF";
    static constexpr std::string_view kResults[] = {"", ", dst=HF", ", dst=W", ", dst=UW"};
    s += kResults[static_cast<size_t>(m.result)];
    return s;
}

/// `{Ps, }TLD4.comp{.B}{.toff}{.DC} paramA, parameters in the order of Ra, Rb, wmsk`.
std::string print_tld4(const Message& m) {
    std::string s = m.sparse ? "Ps, TLD4" : "TLD4";
    if (m.component.present())
        s += fmt::format(".[{}]", value(m, m.component, false));
    else
        s += fmt::format(".{}", "RGBA"[m.immediate_component < 0 ? 0 : m.immediate_component & 3]);
    if (m.bindless) s += ".B";
    if (m.offsets != Offsets::None) s += m.offsets == Offsets::Aoffi ? ".AOFFI" : ".PTP";
    if (m.surface.shadow) s += ".DC";
    List list;
    list.add("a", m, m.layer);
    add_coordinates(list, m, {"s", "t", "r"});
    list.add("handle", m, m.handle);
    if (m.packed_offsets[0].present()) {
        list.add("toff1", m, m.packed_offsets[0]);
        list.add("toff2", m, m.packed_offsets[1]);
    } else if (m.offsets != Offsets::None) {
        list.add("toff", offsets(m));
    }
    if (m.reference.present()) list.add("ref", value(m, m.reference, true));
    const std::string_view shape = m.surface.dim == Dim::Cube ? "CUBE" : m.surface.rect ? "RECT" : "2D";
    return fmt::format("{} {}{}, {}, {:#x}{}", s, m.surface.array ? "ARRAY_" : "", shape, list.text,
                       m.channel_mask & 0xf, common_tail(m));
}

/// `op[.pixel_null_mask][.cps][.divS].Channels surface, parameters in the order of the table`.
std::string print_sample(const Message& m) {
    List list;
    if (m.reference.present()) list.add("ref", value(m, m.reference, true));
    list.add("bias", m, m.bias);
    list.add("lod", m, m.lod);
    add_coordinates(list, m, {"u", "v", "r"});
    // The layer is v of a 1D array, r of a 2D array, ai of a cube array.
    if (m.layer.present()) list.add(m.surface.coords == 1 ? "v" : m.surface.coords == 2 ? "r" : "ai", m, m.layer);
    if (m.offsets != Offsets::None) list.add("aoffimmi", offsets(m));
    return fmt::format("{}{}{}{}{}{}.{} {}, {}{}", info(m.sample).name, m.sparse ? ".pixel_null_mask" : "",
                       m.cps_compensation ? ".cps" : "", m.non_uniform ? ".divS" : "",
                       m.non_uniform_surface ? ".divT" : "", m.bindless ? ".B" : "", channels(m.channel_mask),
                       surface_name(m.surface), list.text, common_tail(m));
}

std::string print_fetch(const Message& m) {
    List list;
    for (int c = 0; c < m.surface.coords; ++c) list.add(std::string_view("uvr").substr(c, 1), m, m.coord[c]);
    list.add(m.surface.dim == Dim::Cube ? "face" : "layer", m, m.layer);
    list.add("lod", m, m.lod);
    list.add("sample", m, m.sample_index);
    if (m.offsets != Offsets::None) list.add("offset", offsets(m));
    return fmt::format("fetch{}{}{}.{} {}, {}{}{}", m.sparse ? ".pixel_null_mask" : "", m.non_uniform ? ".divS" : "",
                       m.bindless ? ".B" : "", channels(m.channel_mask), surface_name(m.surface), list.text,
                       m.zero_outside ? ", zero outside" : "", common_tail(m));
}

std::string print_query(const Message& m) {
    static constexpr std::string_view kOps[] = {"size", "samples", "view_info", "sample_position", "sample_info"};
    List list;
    list.add("lod", m, m.lod);
    list.add("sample", m, m.sample_index);
    return fmt::format("{}{}{}.{} {}{}{}{}", kOps[static_cast<size_t>(m.query)], m.non_uniform ? ".divS" : "",
                       m.bindless ? ".B" : "", channels(m.channel_mask),
                       m.render_target ? "render target" : surface_name(m.surface), list.text.empty() ? "" : ", ",
                       list.text, common_tail(m));
}

}  // namespace

std::string print(const Message& m) {
    switch (m.cls) {
        case Class::Tld4:
            return print_tld4(m);
        case Class::Sample3D:
            return print_sample(m);
        case Class::Fetch:
            return print_fetch(m);
        case Class::Query:
            return print_query(m);
    }
    return {};
}

}  // namespace tgsi2spv::sampling
