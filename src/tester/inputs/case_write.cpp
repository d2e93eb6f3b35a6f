// Writes tgsi-run's JSON: cases, so that a failing one can be repeated alone, and results.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>

#include "inputs/case.h"
#include "inputs/enum_names.h"
#include "reference/numbers/packed.h"
#include "reference/numbers/wide_value.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using reference::Component;
using reference::Kind;

struct Writer {
    std::string out;

    template <class... A>
    void put(fmt::format_string<A...> format, A&&... args) {
        out += fmt::format(format, std::forward<A>(args)...);
    }
    void word(uint32_t w) { put("\"{:#010x}\"", w); }

    bool floats = false;  ///< words are followed by their values as floats
    /// JSON has no numbers for infinities and NaN.
    void value(uint32_t w) {
        put("\"value\": \"{:#010x}\"", w);
        const auto f = std::bit_cast<float>(w);
        if (floats) out += std::isfinite(f) ? fmt::format(", \"float\": {}", f) : fmt::format(", \"float\": \"{}\"", f);
    }

    /// Writes the separator before every entry of a list but the first.
    struct List {
        std::string_view separator;
        bool first = true;
    };
    void next(List& list) {
        if (!list.first) out += list.separator;
        list.first = false;
    }

    void words(const std::vector<uint32_t>& all) {
        out += '[';
        List list{","};
        for (auto w : all) next(list), word(w);
        out += ']';
    }
    void lanes(const std::vector<reference::Vec4>& all) {
        out += '[';
        List list{","};
        for (const auto& v : all) {
            next(list);
            put("[\"{:#010x}\",\"{:#010x}\",\"{:#010x}\",\"{:#010x}\"]", v[0], v[1], v[2], v[3]);
        }
        out += ']';
    }

    /// Writes `"field": {` … `}` with one entry of `map` per line, or nothing for an empty map.
    template <class Map, class Key, class Value>
    void object(std::string_view field, const Map& map, Key&& key, Value&& value) {
        if (map.empty()) return;
        put(",\n  \"{}\": {{", field);
        List list{","};
        for (const auto& [k, v] : map) {
            next(list);
            out += "\n    \"";
            key(k);
            out += "\": ";
            value(v);
        }
        out += '}';
    }

    void texture(const reference::Texture& t) {
        put("{{\"target\": \"{}\", \"format\": \"PIPE_FORMAT_{}\", \"width\": {}, \"height\": {}, \"depth\": {}, "
            "\"layers\": {}, \"levels\": {}, \"samples\": {}",
            tgsi::name(t.target), tgsi::format_info(t.format).name, t.width, t.height, t.depth, t.layers, t.levels,
            t.samples);
        if (!t.data.empty()) {
            out += ", \"data\": [";
            List list{","};
            for (const auto& level : t.data) next(list), words(level);
            out += ']';
        }
        out += '}';
    }

    void sampler(const reference::SamplerState& state) {
        put("{{\"wrap_s\": \"{}\", \"wrap_t\": \"{}\", \"wrap_r\": \"{}\", \"min_filter\": \"{}\", "
            "\"mag_filter\": \"{}\", \"mip_filter\": \"{}\"",
            name(state.wrap[0]), name(state.wrap[1]), name(state.wrap[2]), name_in(kFilters, state.min_filter),
            name_in(kFilters, state.mag_filter), name_in(kMipFilters, state.mip_filter));
        if (state.compare != reference::Compare::None) put(", \"compare\": \"{}\"", name(state.compare));
        // 9 digits preserve every float.
        put(", \"lod_bias\": {:.9g}, \"min_lod\": {:.9g}, \"max_lod\": {:.9g}, \"max_anisotropy\": {:.9g}, ",
            state.lod_bias, state.min_lod, state.max_lod, state.max_anisotropy);
        out += "\"border_color\": [";
        List list{", "};
        for (float c : state.border_color) next(list), word(std::bit_cast<uint32_t>(c));
        put("], \"unnormalized\": {}}}", state.unnormalized);
    }

    /// Writes the fields of a packed word, lowest bits first. If `lo` is above `hi`, the codes wrap around to 0.
    void fields(const Component& c) {
        const auto code = [&](uint32_t x) { put("\"{0:#0{1}x}\"", x, reference::bits_of_field(c) / 4 + 2); };
        out += '{', value(c.value), out += ", \"fields\": [";
        List list{", "};
        for (int i = 0; i < c.fields; i++) {
            next(list);
            const auto set = reference::field_of(c, i);
            out += "{\"lo\": ", code(set.first), out += ", \"hi\": ", code(set.last);
            if (set.others[0] != set.last || set.others[1] != set.last)
                out += ", \"or\": [", code(set.others[0]), out += ", ", code(set.others[1]), out += ']';
            out += '}';
        }
        out += "]}";
    }

    /// Writes the ends of each gap; they are permitted, and nothing between them is.
    void gaps(const Component& c) {
        out += ", \"gaps\": [";
        List list{", "};
        for (size_t i = 0; i < c.gaps; i++)
            next(list), put("[\"{:#010x}\", \"{:#010x}\"]", c.words[2 * i], c.words[2 * i + 1]);
        out += ']';
    }

    /// Writes component `i` of adjacent words: the halves of a double may be bounded together even if neither is by
    /// itself.
    template <class Words>
    void component(const Words& words, size_t i, bool bounds) {
        const Component& c = words[i];
        if (!bounds && !floats) return word(c.value);
        if (!bounds) {
            out += '{', value(c.value), out += '}';
            return;
        }
        if (reference::is_free(c) && !(i + 1 < words.size() && reference::is_pair(c, words[i + 1]))) {
            out += "{\"unknown\": true, ", value(c.value), out += '}';
            return;
        }
        if (reference::is_packed(c)) return fields(c);
        const char* const nan = c.maybe_nan ? ", \"nan\": true" : "";
        switch (c.kind) {
            case Kind::Unknown:
                return;
            case Kind::Interval:
                out += '{', value(c.value);
                put(", \"lo\": \"{:#010x}\", \"hi\": \"{:#010x}\"", c.lo, c.hi);
                if (c.gaps != 0) gaps(c);
                put("{}}}", nan);
                return;
            case Kind::Words:
                break;
        }
        if (c.count == 1) {
            out += '{', value(c.value);
            put(", \"lo\": \"{0:#010x}\", \"hi\": \"{0:#010x}\"{1}}}", c.words[0], nan);
            return;
        }
        out += "{\"any\": [";
        List list{", "};
        for (uint8_t k = 0; k < c.count; k++) next(list), word(c.words[k]);
        out += "], ", value(c.value), put("{}}}", nan);
    }
};

}  // namespace

std::string write_inputs(const reference::Inputs& in, bool per_vertex) {
    Writer w;
    w.put("{{\n  \"{}\": {}", in.patches != 0 ? "patches" : "lanes", in.patches != 0 ? in.patches : in.lanes);
    const auto index = [&](auto i) { w.put("{}", i); };
    const auto named = [&](std::string_view file) { return [&w, file](auto i) { w.put("{}[{}]", file, i); }; };
    const auto words = [&](const auto& v) { w.words(v); };
    const auto lanes = [&](const auto& v) { w.lanes(v); };
    const auto textures = [&](const auto& v) { w.texture(v); };
    w.object(
        "inputs", in.inputs,
        [&](const reference::RegisterKey& k) {
            if (k.first != 0 || per_vertex)
                w.put("IN[{}][{}]", k.first, k.second);
            else
                w.put("IN[{}]", k.second);
        },
        lanes);
    w.object("system_values", in.system_values, named("SV"), lanes);
    w.object("constants", in.constants, index, words);
    w.object("buffers", in.buffers, named("BUFFER"), words);
    w.object("hwatomics", in.hwatomics, index, words);
    w.object("textures", in.textures, index, textures);
    w.object("views", in.views, index, [&](const reference::View& v) {
        w.put("{{\"texture\": {}, \"swizzle\": \"", v.texture);
        for (auto c : v.swizzle) w.out += "xyzw01"[c % 6];
        w.out += "\"}";
    });
    w.object("samplers", in.samplers, index, [&](const auto& v) { w.sampler(v); });
    w.object("images", in.images, named("IMAGE"), textures);
    if (in.base_vertex != 0) w.put(",\n  \"base_vertex\": {}", in.base_vertex);
    if (in.base_instance != 0) w.put(",\n  \"base_instance\": {}", in.base_instance);
    if (in.shared_words != reference::Inputs{}.shared_words) w.put(",\n  \"shared_words\": {}", in.shared_words);
    if (in.private_words != reference::Inputs{}.private_words) w.put(",\n  \"private_words\": {}", in.private_words);
    if (in.grid != std::array<uint32_t, 3>{1, 1, 1})
        w.put(",\n  \"grid\": [{}, {}, {}]", in.grid[0], in.grid[1], in.grid[2]);
    if (in.framebuffer_width != 64 || in.framebuffer_height != 64 || !in.framebuffer_colors.empty()) {
        w.put(",\n  \"framebuffer\": {{\"width\": {}, \"height\": {}", in.framebuffer_width, in.framebuffer_height);
        for (const auto& [target, pixels] : in.framebuffer_colors) {
            w.put(", \"COLOR[{}]\": ", target);
            w.words(pixels);
        }
        w.out += '}';
    }
    w.out += "\n}\n";
    return std::move(w.out);
}

namespace {

/// Writes a result, a method for each part of it.
struct ResultWriter {
    const reference::Result& result;
    const WriteOptions& options;
    Writer w{};

    size_t shown(size_t lanes) const { return options.lanes == 0 ? lanes : std::min<size_t>(lanes, options.lanes); }

    /// Whether some instruction writes the component. Results of a device do not contain this: all their components
    /// count as written.
    bool written_here(int32_t reg, size_t component) const {
        if (result.written.empty()) return true;
        const auto mask = result.written.find(reg);
        return mask != result.written.end() && (mask->second >> component & 1) != 0;
    }

    void vector_of(int32_t reg, const std::array<Component, 4>& components) {
        w.out += '[';
        Writer::List list{","};
        auto shown_words = components;
        for (size_t c = 0; c < 4; c++)
            if (!written_here(reg, c)) shown_words[c] = reference::exact(uint32_t{0});
        for (size_t c = 0; c < 4; c++) w.next(list), w.component(shown_words, c, options.bounds);
        w.out += ']';
    }

    void lanes_of(int32_t reg, const reference::OutputLanes& lanes) {
        w.out += '[';
        Writer::List list{","};
        for (size_t lane = 0; lane < shown(lanes.size()); lane++) {
            w.next(list);
            vector_of(reg, lanes[lane]);
        }
        w.out += ']';
    }

    void outputs() {
        w.out += "\"outputs\": {";
        Writer::List registers{","};
        for (const auto& [key, patches] : result.vertex_outputs) {
            w.next(registers);
            w.put("\n    \"OUT[{}][{}]\": ", key.first, key.second);
            lanes_of(key.second, patches);
        }
        for (const auto& [reg, lanes] : result.outputs) {
            w.next(registers);
            w.put("\n    \"OUT[{}]\": ", reg);
            lanes_of(reg, lanes);
        }
        w.out += '}';
    }

    void vertices_of(size_t lane) {
        w.out += "\n    [";
        Writer::List vertices{","};
        for (const auto& vertex : result.emitted[lane]) {
            w.next(vertices);
            w.put("\n      {{\"stream\": {}, \"primitive\": {}, \"outputs\": {{", vertex.stream, vertex.primitive);
            Writer::List outputs{", "};
            for (const auto& [reg, components] : vertex.outputs) {
                w.next(outputs);
                w.put("\"OUT[{}]\": ", reg);
                vector_of(reg, components);
            }
            w.out += "}}";
        }
        w.out += ']';
    }

    void emitted() {
        w.out += ",\n  \"emitted\": [";
        Writer::List lanes{","};
        for (size_t lane = 0; lane < shown(result.emitted.size()); lane++) {
            w.next(lanes);
            if (options.bounds && lane < result.emitted_unknown.size() && result.emitted_unknown[lane])
                w.out += "\n    {\"unknown\": true}";
            else
                vertices_of(lane);
        }
        w.out += ']';
    }

    void killed() {
        w.out += ",\n  \"killed\": [";
        Writer::List list{", "};
        for (size_t lane = 0; lane < shown(result.killed.size()); lane++) {
            w.next(list);
            const bool unknown = lane < result.killed_unknown.size() && result.killed_unknown[lane];
            w.out += unknown && options.bounds ? "{\"unknown\": true}" : result.killed[lane] ? "true" : "false";
        }
        w.out += ']';
    }

    void words(const std::vector<Component>& all) {
        w.out += '[';
        Writer::List list{","};
        for (size_t i = 0; i < all.size(); i++) w.next(list), w.component(all, i, options.bounds);
        w.out += ']';
    }

    void memory() {
        const auto words_of = [&](const std::vector<Component>& all) { words(all); };
        w.object(
            "buffers", result.buffers, [&](uint32_t i) { w.put("BUFFER[{}]", i); }, words_of);
        w.object(
            "hwatomics", result.hwatomics, [&](uint32_t i) { w.put("{}", i); }, words_of);
        w.object(
            "images", result.images, [&](uint32_t i) { w.put("IMAGE[{}]", i); },
            [&](const std::vector<std::vector<Component>>& levels) {
                w.out += '[';
                Writer::List list{","};
                for (const auto& level : levels) w.next(list), words(level);
                w.out += ']';
            });
    }
};

}  // namespace

std::string write_result(const reference::Result& result, const WriteOptions& options) {
    ResultWriter writer{result, options};
    writer.w.floats = options.floats;
    writer.w.out += "{\n  ";
    writer.outputs();
    if (!result.emitted.empty()) writer.emitted();
    if (options.killed) writer.killed();
    writer.memory();
    writer.w.out += "\n}\n";
    return std::move(writer.w.out);
}

}  // namespace tgsi2spv::difftest
