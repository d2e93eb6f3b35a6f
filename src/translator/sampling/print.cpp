// Prints messages in the notation of their documents; messages of neither page (fetches, queries) are printed in the
// same style.
#include <fmt/format.h>

#include "sampling/ops.h"

namespace tgsi2spv::sampling {
namespace {

std::string value(const Message& message, Param param, bool scaled, char axis = 0) {
    std::string s = fmt::format("src{}.{}", param.source, "xyzw"[param.component & 3]);
    if (scaled && message.divisor.present())
        s += fmt::format("/src{}.{}", message.divisor.source, "xyzw"[message.divisor.component & 3]);
    // RECT is outside both classes: its coordinates are scaled.
    if (axis && message.surface.rect) s += axis == 'x' ? "/width" : "/height";
    return s;
}

struct List {
    std::string text;
    void add(std::string_view name, const std::string& what) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, what);
    }
    void add(std::string_view name, const Message& message, Param param) {
        if (param.present()) add(name, value(message, param, false));
    }
};

std::string surface_name(const Surface& surface) {
    static constexpr std::string_view kDims[] = {"BUFFER", "1D", "2D", "3D", "CUBE"};
    if (surface.rect) return "RECT";
    return fmt::format("{}{}{}", kDims[static_cast<size_t>(surface.dim)], surface.ms ? "_MSAA" : "",
                       surface.array ? "_ARRAY" : "");
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
std::string offsets(const Message& message) {
    if (!message.offsets_are_immediate) return message.offsets == Offsets::Ptp ? "registers" : "register";
    std::string s;
    for (int i = 0; i < (message.offsets == Offsets::Ptp ? 4 : 1); ++i) {
        s += i ? ", (" : "(";
        for (int axis = 0; axis < message.surface.offsets; ++axis)
            s += fmt::format("{}{}", axis ? ", " : "", message.immediate_offsets[i][axis]);
        s += ")";
    }
    return s;
}

void add_coordinates(List& list, const Message& message, const std::string_view (&names)[3]) {
    static constexpr std::string_view kGradients[3][2] = {{"dudx", "dudy"}, {"dvdx", "dvdy"}, {"drdx", "drdy"}};
    for (int c = 0; c < message.surface.coords; ++c) {
        if (!message.coord[c].present()) continue;
        list.add(names[c], value(message, message.coord[c], true, "xyz"[c]));
        if (!message.ddx[c].present()) continue;
        list.add(kGradients[c][0], value(message, message.ddx[c], false, "xyz"[c]));
        list.add(kGradients[c][1], value(message, message.ddy[c], false, "xyz"[c]));
    }
}

std::string common_tail(const Message& message) {
    std::string s;
    if (message.result_swizzle != 0xe4) s += fmt::format(", swizzle={}", swizzle(message.result_swizzle));
    if (message.half_parameters) s += ", parameters=HF";
    static constexpr std::string_view kResults[] = {"", ", dst=HF", ", dst=W", ", dst=UW"};
    s += kResults[static_cast<size_t>(message.result)];
    return s;
}

/// `{Ps, }TLD4.comp{.B}{.toff}{.DC} paramA, parameters in the order of Ra, Rb, wmsk`.
std::string print_tld4(const Message& message) {
    std::string s = message.sparse ? "Ps, TLD4" : "TLD4";
    if (message.component.present())
        s += fmt::format(".[{}]", value(message, message.component, false));
    else
        s += fmt::format(".{}", "RGBA"[message.immediate_component < 0 ? 0 : message.immediate_component & 3]);
    if (message.bindless) s += ".B";
    if (message.offsets != Offsets::None) s += message.offsets == Offsets::Aoffi ? ".AOFFI" : ".PTP";
    if (message.surface.shadow) s += ".DC";
    List list;
    list.add("a", message, message.layer);
    add_coordinates(list, message, {"s", "t", "r"});
    list.add("handle", message, message.handle);
    if (message.packed_offsets[0].present()) {
        list.add("toff1", message, message.packed_offsets[0]);
        list.add("toff2", message, message.packed_offsets[1]);
    } else if (message.offsets != Offsets::None) {
        list.add("toff", offsets(message));
    }
    if (message.reference.present()) list.add("ref", value(message, message.reference, true));
    const std::string_view shape = message.surface.dim == Dim::Cube ? "CUBE" : message.surface.rect ? "RECT" : "2D";
    return fmt::format("{} {}{}, {}, {:#x}{}", s, message.surface.array ? "ARRAY_" : "", shape, list.text,
                       message.channel_mask & 0xf, common_tail(message));
}

/// `op[.pixel_null_mask][.cps][.divS].Channels surface, parameters in the order of the table`.
std::string print_sample(const Message& message) {
    List list;
    if (message.reference.present()) list.add("ref", value(message, message.reference, true));
    list.add("bias", message, message.bias);
    list.add("lod", message, message.lod);
    add_coordinates(list, message, {"u", "v", "r"});
    // The layer is v of a 1D array, r of a 2D array, ai of a cube array.
    if (message.layer.present())
        list.add(message.surface.coords == 1 ? "v" : message.surface.coords == 2 ? "r" : "ai", message, message.layer);
    if (message.offsets != Offsets::None) list.add("aoffimmi", offsets(message));
    return fmt::format("{}{}{}{}{}{}.{} {}, {}{}", info(message.sample).name, message.sparse ? ".pixel_null_mask" : "",
                       message.cps_compensation ? ".cps" : "", message.non_uniform ? ".divS" : "",
                       message.non_uniform_surface ? ".divT" : "", message.bindless ? ".B" : "",
                       channels(message.channel_mask), surface_name(message.surface), list.text, common_tail(message));
}

std::string print_fetch(const Message& message) {
    List list;
    for (int c = 0; c < message.surface.coords; ++c)
        list.add(std::string_view("uvr").substr(c, 1), message, message.coord[c]);
    list.add(message.surface.dim == Dim::Cube ? "face" : "layer", message, message.layer);
    list.add("lod", message, message.lod);
    list.add("sample", message, message.sample_index);
    if (message.offsets != Offsets::None) list.add("offset", offsets(message));
    return fmt::format("fetch{}{}{}.{} {}, {}{}{}", message.sparse ? ".pixel_null_mask" : "",
                       message.non_uniform ? ".divS" : "", message.bindless ? ".B" : "", channels(message.channel_mask),
                       surface_name(message.surface), list.text, message.zero_outside ? ", zero outside" : "",
                       common_tail(message));
}

std::string print_query(const Message& message) {
    static constexpr std::string_view kOps[] = {"size", "samples", "view_info", "sample_position", "sample_info"};
    List list;
    list.add("lod", message, message.lod);
    list.add("sample", message, message.sample_index);
    return fmt::format("{}{}{}.{} {}{}{}{}", kOps[static_cast<size_t>(message.query)],
                       message.non_uniform ? ".divS" : "", message.bindless ? ".B" : "", channels(message.channel_mask),
                       message.render_target ? "render target" : surface_name(message.surface),
                       list.text.empty() ? "" : ", ", list.text, common_tail(message));
}

}  // namespace

std::string print(const Message& message) {
    switch (message.cls) {
        case Class::Tld4:
            return print_tld4(message);
        case Class::Sample3D:
            return print_sample(message);
        case Class::Fetch:
            return print_fetch(message);
        case Class::Query:
            return print_query(message);
    }
    return {};
}

}  // namespace tgsi2spv::sampling
