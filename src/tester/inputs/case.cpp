// Reads tgsi-run's JSON. Every value is checked as it is read, so that errors can name its path.
#include "inputs/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "inputs/enum_names.h"
#include "inputs/json.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

constexpr uint32_t kMaxLanes = 1u << 16;
constexpr uint32_t kMaxBase = 1u << 20;  // the largest base vertex or instance
constexpr uint32_t kMaxExtent = 1u << 14;
constexpr uint64_t kMaxWords = 1u << 26;  // of a level of a texture, or of a buffer
/// Floats that JSON has no numbers for, as `tgsi-run --float` prints them.
constexpr std::pair<std::string_view, uint32_t> kNamedWords[] = {
    {"inf", 0x7f800000}, {"-inf", 0xff800000}, {"nan", 0x7fc00000}};

/// Reads a case and keeps the first error. Every function returns false on an error, which ends the reading.
struct Reader {
    std::string error;

    bool fail(std::string_view path, std::string_view message) {
        if (error.empty()) error = path.empty() ? std::string(message) : fmt::format("{}: {}", path, message);
        return false;
    }

    bool expect(bool ok, const Json& j, std::string_view path, std::string_view kind) {
        return ok || fail(path, fmt::format("expected {}, found {}", kind, kind_of(j)));
    }

    static std::string kind_of(const Json& j) {
        if (j.is_string()) return fmt::format("the string \"{}\"", j.get_ref<const std::string&>().substr(0, 32));
        if (j.is_number()) return fmt::format("the number {}", json_line(j));
        if (j.is_boolean()) return j.get<bool>() ? "true" : "false";
        if (j.is_null()) return "null";
        return j.is_array() ? "an array" : "an object";
    }

    /// Reads a word: "0x…", or a number, which is a float.
    bool word(const Json& j, std::string_view path, uint32_t& out) {
        if (j.is_number()) {
            const double d = j.get<double>();
            const auto f = static_cast<float>(d);
            if (std::isinf(f)) return fail(path, fmt::format("{} is out of range for a 32-bit float", json_line(j)));
            out = std::bit_cast<uint32_t>(f);
            return true;
        }
        if (j.is_string()) {
            const auto& s = j.get_ref<const std::string&>();
            for (const auto& [name, bits] : kNamedWords) {
                if (s != name) continue;
                out = bits;
                return true;
            }
            if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
                const auto [end, code] = std::from_chars(s.data() + 2, s.data() + s.size(), out, 16);
                if (code == std::errc() && end == s.data() + s.size()) return true;
                if (code == std::errc::result_out_of_range)
                    return fail(path, fmt::format("{} has more than 32 bits", s.substr(0, 32)));
            }
        }
        return fail(path, "expected a word (\"0x3f800000\" or a number), found " + kind_of(j));
    }

    bool words(const Json& j, std::string_view path, std::vector<uint32_t>& out) {
        if (!expect(j.is_array(), j, path, "an array of words")) return false;
        if (j.size() > kMaxWords) return fail(path, fmt::format("more than {} words", kMaxWords));
        out.resize(j.size());
        for (size_t i = 0; i < j.size(); i++)
            if (!word(j[i], fmt::format("{}[{}]", path, i), out[i])) return false;
        return true;
    }

    bool integer(const Json& j, std::string_view path, uint32_t low, uint32_t high, uint32_t& out) {
        const bool ok = j.is_number_unsigned() && j.get<uint64_t>() >= low && j.get<uint64_t>() <= high;
        if (!expect(ok, j, path, fmt::format("an integer from {} to {}", low, high))) return false;
        out = j.get<uint32_t>();
        return true;
    }

    bool number(const Json& j, std::string_view path, float& out) {
        if (!expect(j.is_number(), j, path, "a number")) return false;
        out = static_cast<float>(j.get<double>());
        if (!std::isfinite(out)) return fail(path, fmt::format("{} is out of range for a 32-bit float", json_line(j)));
        return true;
    }

    bool boolean(const Json& j, std::string_view path, bool& out) {
        if (!expect(j.is_boolean(), j, path, "true or false")) return false;
        out = j.get<bool>();
        return true;
    }

    template <class E, size_t N>
    bool choice(const Json& j, std::string_view path, const EnumName<E> (&names)[N], E& out) {
        std::string all;
        for (const auto& n : names) {
            if (j.is_string() && j.get_ref<const std::string&>() == n.text) {
                out = n.value;
                return true;
            }
            all += fmt::format("{}{}", all.empty() ? "" : ", ", n.text);
        }
        return fail(path, fmt::format("expected one of {}, found {}", all, kind_of(j)));
    }

    /// Reads an object's key: `FILE[i]`, or a bare index if `file` is empty.
    bool index_key(const std::string& key, std::string_view file, std::string_view path, uint32_t& out) {
        std::string_view digits = key;
        if (!file.empty() && digits.starts_with(file) && digits.ends_with("]") && digits.size() > file.size() + 2 &&
            digits[file.size()] == '[')
            digits = digits.substr(file.size() + 1, digits.size() - file.size() - 2);
        else if (!file.empty())
            return fail(path, fmt::format("expected a key such as \"{}[0]\", found \"{}\"", file, key));
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
        if (code == std::errc() && end == digits.data() + digits.size() && out < (1u << 16)) return true;
        return fail(path, fmt::format("expected an index as the key, found \"{}\"", key));
    }

    bool four_words(const Json& j, std::string_view path, reference::Vec4& out) {
        if (!expect(j.is_array(), j, path, "4 words")) return false;
        if (j.size() != 4) return fail(path, fmt::format("expected 4 words, found {}", j.size()));
        for (size_t c = 0; c < 4; c++)
            if (!word(j[c], fmt::format("{}[{}]", path, c), out[c])) return false;
        return true;
    }

    /// An array of lanes, or four words that are the same for all lanes.
    bool lanes(const Json& j, std::string_view path, uint32_t count, std::vector<reference::Vec4>& out) {
        if (!expect(j.is_array(), j, path, "an array of lanes")) return false;
        out.resize(count);
        if (j.size() == 4 && !j[0].is_array()) {
            reference::Vec4 same{};
            if (!four_words(j, path, same)) return false;
            std::ranges::fill(out, same);
            return true;
        }
        if (j.size() != count && !j.empty() && !j[0].is_array())
            return fail(path,
                        fmt::format("expected four words, or {} lanes of four words, found {} words", count, j.size()));
        if (j.size() != count) return fail(path, fmt::format("expected {} lanes, found {}", count, j.size()));
        for (uint32_t lane = 0; lane < count; lane++)
            if (!four_words(j[lane], fmt::format("{}[{}]", path, lane), out[lane])) return false;
        return true;
    }

    bool registers(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "inputs", "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            const auto path = "inputs." + key;
            std::string_view rest = key;
            int32_t numbers[2] = {};
            int count = 0;
            if (!rest.starts_with("IN[")) return fail(path, "expected a key such as \"IN[0]\" or \"IN[2][0]\"");
            rest.remove_prefix(2);
            while (count < 2 && rest.starts_with("[")) {
                const auto [end, code] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), numbers[count]);
                const auto used = static_cast<size_t>(end - rest.data());
                if (code != std::errc() || used >= rest.size() || *end != ']' || numbers[count] < 0) break;
                rest.remove_prefix(used + 1);
                count++;
            }
            if (count == 0 || !rest.empty()) return fail(path, "expected a key such as \"IN[0]\" or \"IN[2][0]\"");
            const auto at =
                count == 1 ? reference::RegisterKey{0, numbers[0]} : reference::RegisterKey{numbers[0], numbers[1]};
            if (!lanes(value, path, in.lanes, in.inputs[at])) return false;
        }
        return true;
    }

    bool system_values(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "system_values", "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            uint32_t index = 0;
            const auto path = "system_values." + key;
            if (!index_key(key, "SV", path, index)) return false;
            if (!lanes(value, path, in.lanes, in.system_values[static_cast<int32_t>(index)])) return false;
        }
        return true;
    }

    /// An array of words, or of registers with four words each.
    bool constant_words(const Json& j, const std::string& path, std::vector<uint32_t>& out) {
        if (!j.is_array() || j.empty() || !j[0].is_array()) return words(j, path, out);
        if (j.size() > kMaxWords / 4) return fail(path, fmt::format("more than {} words", kMaxWords));
        for (size_t i = 0; i < j.size(); i++) {
            reference::Vec4 one{};
            if (!four_words(j[i], fmt::format("{}[{}]", path, i), one)) return false;
            out.insert(out.end(), one.begin(), one.end());
        }
        return true;
    }

    bool constants(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "constants", "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            uint32_t index = 0;
            const auto path = "constants." + key;
            if (!index_key(key, key.starts_with("CONST") ? "CONST" : "", path, index)) return false;
            const auto [at, is_new] = in.constants.try_emplace(index);
            if (!is_new) return fail(path, fmt::format("the buffer {} is given twice", index));
            if (!constant_words(value, path, at->second)) return false;
        }
        return true;
    }

    bool word_lists(const Json& j, std::string_view field, std::string_view file,
                    std::map<uint32_t, std::vector<uint32_t>>& out) {
        if (!expect(j.is_object(), j, field, "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            uint32_t index = 0;
            const auto path = fmt::format("{}.{}", field, key);
            if (!index_key(key, file, path, index) || !words(value, path, out[index])) return false;
        }
        return true;
    }

    bool texture(const Json& j, const std::string& path, reference::Texture& t) {
        if (!expect(j.is_object(), j, path, "an object")) return false;
        const Json* data = nullptr;
        bool has_target = false, has_format = false;
        for (const auto& [key, value] : j.items()) {
            const auto at = path + "." + key;
            if (key == "target") {
                if (!expect(value.is_string(), value, at, "a texture target")) return false;
                const auto target = tgsi::target_from_name(value.get_ref<const std::string&>());
                if (!target) return fail(at, "expected a texture target such as \"2D\", found " + kind_of(value));
                t.target = *target;
                has_target = true;
            } else if (key == "format") {
                if (!expect(value.is_string(), value, at, "a PIPE_FORMAT name")) return false;
                const auto format = tgsi::format_from_name(value.get_ref<const std::string&>());
                if (!format || *format == 0)
                    return fail(at,
                                "expected a format such as \"PIPE_FORMAT_R8G8B8A8_UNORM\", found " + kind_of(value));
                t.format = *format;
                has_format = true;
            } else if (key == "width") {
                const bool buffer = j.contains("target") && j["target"] == "BUFFER";
                if (!integer(value, at, 1, buffer ? 1u << 26 : kMaxExtent, t.width)) return false;
            } else if (key == "height") {
                if (!integer(value, at, 1, kMaxExtent, t.height)) return false;
            } else if (key == "depth") {
                if (!integer(value, at, 1, 2048, t.depth)) return false;
            } else if (key == "layers") {
                if (!integer(value, at, 1, 2048, t.layers)) return false;
            } else if (key == "levels") {
                if (!integer(value, at, 1, 15, t.levels)) return false;
            } else if (key == "samples") {
                if (!integer(value, at, 1, 64, t.samples)) return false;
            } else if (key == "data") {
                data = &value;
            } else {
                return fail(at, "unknown field");
            }
        }
        if (!has_target) return fail(path, "missing field \"target\"");
        if (!has_format) return fail(path, "missing field \"format\"");
        return check_shape(path, t) && (data == nullptr || texels(*data, path + ".data", t));
    }

    /// Returns the words of a level. The product of the largest sizes has 58 bits.
    static uint64_t words_of_level(const reference::Texture& texture, uint32_t level) {
        const auto& info = tgsi::format_info(texture.format);
        const bool single = info.numeric == tgsi::Numeric::Depth || info.numeric == tgsi::Numeric::Stencil;
        return uint64_t{std::max(1u, texture.width >> level)} * std::max(1u, texture.height >> level) *
               std::max(1u, texture.depth >> level) * texture.layers * texture.samples * (single ? 1 : info.components);
    }

    bool check_shape(const std::string& path, const reference::Texture& texture) {
        const auto shape = tgsi::shape(texture.target);
        if (shape.cube && (texture.layers % 6 != 0 || (!shape.array && texture.layers != 6)))
            return fail(path + ".layers", shape.array ? "the number of layers of a cube array must be a multiple of 6"
                                                      : "a cube must have 6 layers");
        if (shape.cube && texture.width != texture.height)
            return fail(path + ".height", "the faces of a cube must be square");
        if (!shape.cube && !shape.array && texture.layers != 1)
            return fail(path + ".layers", "only array targets can have several layers");
        if ((shape.buffer || (shape.coords == 1 && !shape.buffer)) && texture.height != 1)
            return fail(path + ".height", "this target can have only one row");
        if ((shape.coords != 3 || shape.cube) && texture.depth != 1)
            return fail(path + ".depth", "only 3D textures can have a depth above 1");
        if (!shape.ms && texture.samples != 1)
            return fail(path + ".samples", "only multisampled targets can have several samples");
        if (!std::has_single_bit(texture.samples))
            return fail(path + ".samples", "the number of samples must be a power of two");
        const auto largest = std::max({texture.width, texture.height, texture.depth});
        const auto most = shape.rect || shape.ms || shape.buffer ? 1 : std::bit_width(largest);
        if (texture.levels > static_cast<uint32_t>(most))
            return fail(path + ".levels", fmt::format("expected at most {} for this size and target", most));
        // A texture without data is as large as one with data: engines allocate it.
        if (const uint64_t size = words_of_level(texture, 0); size > kMaxWords)
            return fail(path, fmt::format("the texture has {} words, more than {}", size, kMaxWords));
        return true;
    }

    bool texels(const Json& j, const std::string& path, reference::Texture& texture) {
        if (!expect(j.is_array(), j, path, "an array of levels")) return false;
        if (j.size() != texture.levels)
            return fail(path, fmt::format("expected {} levels, found {}", texture.levels, j.size()));
        texture.data.resize(texture.levels);
        for (uint32_t level = 0; level < texture.levels; level++) {
            const uint64_t expected = words_of_level(texture, level);
            const auto at = fmt::format("{}[{}]", path, level);
            if (!words(j[level], at, texture.data[level])) return false;
            if (texture.data[level].size() != expected)
                return fail(at, fmt::format("expected {} words, found {}", expected, texture.data[level].size()));
        }
        return true;
    }

    bool textures(const Json& j, std::string_view field, std::string_view file,
                  std::map<uint32_t, reference::Texture>& out) {
        if (!expect(j.is_object(), j, field, "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            uint32_t index = 0;
            const auto path = fmt::format("{}.{}", field, key);
            if (!index_key(key, file, path, index) || !texture(value, path, out[index])) return false;
        }
        return true;
    }

    bool views(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "views", "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            uint32_t index = 0;
            const auto path = "views." + key;
            if (!index_key(key, "", path, index) || !expect(value.is_object(), value, path, "an object")) return false;
            auto& view = in.views[index];
            view.texture = index;
            for (const auto& [field, v] : value.items()) {
                const auto at = path + "." + field;
                if (field == "texture") {
                    if (!integer(v, at, 0, 0xffff, view.texture)) return false;
                } else if (field == "swizzle") {
                    constexpr std::string_view kLetters = "xyzw01";
                    const std::string s = v.is_string() ? v.get<std::string>() : std::string();
                    if (s.size() != 4 || s.find_first_not_of(kLetters) != std::string::npos)
                        return fail(at, "expected a string of four of 'xyzw01', found " + kind_of(v));
                    for (size_t c = 0; c < 4; c++) view.swizzle[c] = static_cast<uint8_t>(kLetters.find(s[c]));
                } else {
                    return fail(at, "unknown field");
                }
            }
        }
        return true;
    }

    bool sampler(const Json& j, const std::string& path, reference::SamplerState& state) {
        if (!expect(j.is_object(), j, path, "an object")) return false;
        for (const auto& [key, v] : j.items()) {
            const auto at = path + "." + key;
            bool ok = true;
            if (key == "wrap_s") {
                ok = choice(v, at, kWraps, state.wrap[0]);
            } else if (key == "wrap_t") {
                ok = choice(v, at, kWraps, state.wrap[1]);
            } else if (key == "wrap_r") {
                ok = choice(v, at, kWraps, state.wrap[2]);
            } else if (key == "min_filter") {
                ok = choice(v, at, kFilters, state.min_filter);
            } else if (key == "mag_filter") {
                ok = choice(v, at, kFilters, state.mag_filter);
            } else if (key == "mip_filter") {
                ok = choice(v, at, kMipFilters, state.mip_filter);
            } else if (key == "compare") {
                ok = choice(v, at, kCompares, state.compare);
            } else if (key == "lod_bias") {
                ok = number(v, at, state.lod_bias);
            } else if (key == "min_lod") {
                ok = number(v, at, state.min_lod);
            } else if (key == "max_lod") {
                ok = number(v, at, state.max_lod);
            } else if (key == "max_anisotropy") {
                ok = number(v, at, state.max_anisotropy) &&
                     expect(state.max_anisotropy >= 1, v, at, "a number of at least 1");
            } else if (key == "unnormalized") {
                ok = boolean(v, at, state.unnormalized);
            } else if (key == "border_color") {
                if (!expect(v.is_array() && v.size() == 4, v, at, "4 words")) return false;
                for (size_t c = 0; c < 4 && ok; c++) {
                    uint32_t w = 0;
                    ok = word(v[c], fmt::format("{}[{}]", at, c), w);
                    state.border_color[c] = std::bit_cast<float>(w);
                }
            } else {
                return fail(at, "unknown field");
            }
            if (!ok) return false;
        }
        return true;
    }

    bool samplers(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "samplers", "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            uint32_t index = 0;
            const auto path = "samplers." + key;
            if (!index_key(key, "", path, index) || !sampler(value, path, in.samplers[index])) return false;
        }
        return true;
    }

    bool framebuffer(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "framebuffer", "an object")) return false;
        for (const auto& [key, value] : j.items()) {
            const auto at = "framebuffer." + key;
            if (key == "width") {
                if (!integer(value, at, 1, kMaxExtent, in.framebuffer_width)) return false;
            } else if (key == "height") {
                if (!integer(value, at, 1, kMaxExtent, in.framebuffer_height)) return false;
            } else if (key.starts_with("COLOR[")) {
                uint32_t index = 0;
                if (!index_key(key, "COLOR", at, index) || !words(value, at, in.framebuffer_colors[index]))
                    return false;
            } else {
                return fail(at, "unknown field");
            }
        }
        return true;
    }

    bool grid(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_array() && j.size() == 3, j, "grid", "[x, y, z]")) return false;
        for (size_t i = 0; i < 3; i++)
            if (!integer(j[i], fmt::format("grid[{}]", i), 1, 65535, in.grid[i])) return false;
        return true;
    }

    bool whole(const Json& j, reference::Inputs& in) {
        if (!expect(j.is_object(), j, "the case", "an object")) return false;
        // The number of lanes comes first, since the rest is checked against it.
        if (j.contains("lanes") && !integer(j["lanes"], "lanes", 1, kMaxLanes, in.lanes)) return false;
        if (j.contains("patches") && !integer(j["patches"], "patches", 1, kMaxLanes, in.patches)) return false;
        if (in.patches != 0) in.lanes = in.patches;
        for (const auto& [key, value] : j.items()) {
            bool ok = true;
            if (key == "lanes" || key == "patches") continue;
            if (key == "inputs") {
                ok = registers(value, in);
            } else if (key == "system_values") {
                ok = system_values(value, in);
            } else if (key == "constants") {
                ok = constants(value, in);
            } else if (key == "buffers") {
                ok = word_lists(value, key, "BUFFER", in.buffers);
            } else if (key == "hwatomics") {
                ok = word_lists(value, key, "", in.hwatomics);
            } else if (key == "textures") {
                ok = textures(value, key, "", in.textures);
            } else if (key == "images") {
                ok = textures(value, key, "IMAGE", in.images);
            } else if (key == "views") {
                ok = views(value, in);
            } else if (key == "samplers") {
                ok = samplers(value, in);
            } else if (key == "framebuffer") {
                ok = framebuffer(value, in);
            } else if (key == "grid") {
                ok = grid(value, in);
            } else if (key == "base_vertex") {
                ok = integer(value, key, 0, kMaxBase, in.base_vertex);
            } else if (key == "base_instance") {
                ok = integer(value, key, 0, kMaxBase, in.base_instance);
            } else if (key == "shared_words") {
                ok = integer(value, key, 0, 1u << 20, in.shared_words);
            } else if (key == "private_words") {
                ok = integer(value, key, 0, 1u << 20, in.private_words);
            } else {
                return fail(key, "unknown field");
            }
            if (!ok) return false;
        }
        for (const auto& [index, view] : in.views)
            if (!in.textures.contains(view.texture))
                return fail(fmt::format("views.{}.texture", index),
                            fmt::format("texture {} does not exist", view.texture));
        return true;
    }
};

}  // namespace

tl::expected<reference::Inputs, std::string> read_inputs(std::string_view text) {
    const auto json = read_json(text);
    if (!json) return tl::unexpected<std::string>("not valid JSON: " + json.error());
    Reader reader;
    reference::Inputs inputs;
    if (!reader.whole(*json, inputs)) return tl::unexpected<std::string>(std::move(reader.error));
    return inputs;
}

std::string_view name(reference::Wrap wrap) {
    return name_in(kWraps, wrap);
}

std::string_view name(reference::Compare compare) {
    return compare == reference::Compare::None ? "NONE" : name_in(kCompares, compare);
}

}  // namespace tgsi2spv::difftest
