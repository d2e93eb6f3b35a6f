// Reads the runs of cases.
#include "reference/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "reference/texture_bench.h"
#include "texts/number.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::reference {
namespace {

using test::first_word;
using test::Number;
using test::parse_number;
using test::split;

template <class T>
struct Setting {
    const char* name;
    T Options::*member;
};
constexpr Setting<bool> kBools[] = {
    {"exact", &Options::exact},
    {"preserves_nan_inf_zero", &Options::preserves_nan_inf_zero},
    {"functions_keep_nan", &Options::functions_keep_nan},
    {"round_to_even", &Options::round_to_even},
    {"round_to_even_64", &Options::round_to_even_64},
    {"doubles_as_single", &Options::doubles_as_single},
    {"fast_values", &Options::fast_values},
    {"rounding_filters", &Options::rounding_filters},
    {"border_swizzle_from_image", &Options::border_swizzle_from_image},
};
constexpr Setting<uint32_t> kNumbers[] = {
    {"sub_texel_bits", &Options::sub_texel_bits},
    {"mipmap_bits", &Options::mipmap_bits},
    {"subgroup_size", &Options::subgroup_size},
    {"max_iterations", &Options::max_iterations},
};
constexpr Setting<uint64_t> kLimits[] = {
    {"max_steps", &Options::max_steps},
    {"most_instructions", &Options::most_instructions},
};
const std::pair<const char*, uint32_t Inputs::*> kMembers[] = {
    {"lanes", &Inputs::lanes},
    {"shared_words", &Inputs::shared_words},
    {"private_words", &Inputs::private_words},
    {"patches", &Inputs::patches},
    {"base_vertex", &Inputs::base_vertex},
    {"base_instance", &Inputs::base_instance},
    {"framebuffer_width", &Inputs::framebuffer_width},
    {"framebuffer_height", &Inputs::framebuffer_height},
};
constexpr const char *kWraps[] = {"repeat",         "edge",  "border",       "mirror",
                                  "mirror_to_edge", "clamp", "mirror_clamp", "mirror_to_border"},
                     *kMips[] = {"none", "nearest", "linear"},
                     *kCompares[] = {"never",    "less",   "equal",  "lequal", "greater",
                                     "notequal", "gequal", "always", "none"};

template <class E, size_t n>
bool choose(const char* const (&names)[n], const std::string& name, E& to) {
    const auto* found = std::ranges::find(names, name);
    to = static_cast<E>(found - names);
    return found != std::end(names);
}

class Reader {
  public:
    explicit Reader(const test::Case& of) : of_(of) {}
    std::vector<Run> read() {
        for (const auto& [line, number] : of_.lines)
            if (is_code(first_word(line).first)) run_.text += line + "\n";
        bool is_after_answers = false;
        for (const auto& [line, number] : of_.lines) {
            number_ = number;
            const auto [word, rest] = first_word(line);
            if (is_code(word))
                is_after_answers = !run_.expected.empty();
            else if (is_after_answers)
                wrong("not before the hole");
            else
                take(word, rest);
        }
        finish();
        if (all_.empty()) of_.wrong(of_.id.line, "no answers");
        return std::move(all_);
    }

  private:
    const test::Case& of_;
    std::vector<Run> all_;
    Run run_;
    int number_ = 0;  ///< of the line

    void wrong(const std::string& why) const { of_.wrong(number_, why); }

    static bool is_code(const std::string& word) {
        static constexpr std::string_view kOthers[] = {":",       "->",       "IN",      "SV",     "BUFFER",
                                                       "CONST",   "HWATOMIC", "RGLOBAL", "RINPUT", "COLOR",
                                                       "texture", "image",    "sampler", "view",   "set"};
        return std::ranges::find(kOthers, word.substr(0, word.find('['))) == std::end(kOthers);
    }
    void take(const std::string& word, const std::string& rest) {
        if (word == ":") {
            take_row(rest);
        } else if (word == "->") {
            Expectation e{number_, first_word(rest).first, {}};
            for (const std::string& part : split(rest.substr(e.name.size()), '|'))
                e.tokens.push_back(test::words_of(part));
            if (e.tokens.empty()) e.tokens.emplace_back();
            run_.expected.push_back(std::move(e));
        } else {
            if (!run_.expected.empty()) finish();
            take_input(word, rest);
        }
    }
    void take_row(const std::string& row) {
        const size_t arrow = row.find("->");
        if (arrow == std::string::npos) return wrong("no row");
        if (run_.expected.empty() || !run_.expected.back().name.empty()) {
            finish();
            std::erase_if(run_.inputs.inputs, [](const auto& in) { return in.first.first == 0; });
        }
        int32_t r = 0;
        for (const std::string& part : split(row.substr(0, arrow), '|'))
            if (!test::words_of(part).empty()) run_.inputs.inputs[{0, r++}].push_back(register_of(part));
        Expectation e{number_, "", {}};
        for (const std::string& part : split(row.substr(arrow + 2), '|')) e.tokens.push_back(test::words_of(part));
        run_.expected.push_back(std::move(e));
        run_.inputs.lanes = static_cast<uint32_t>(run_.expected.size());
    }

    std::vector<uint32_t> words_of(const std::string& text) {
        std::vector<uint32_t> words;
        for (std::string token : test::words_of(text)) {
            size_t times = 1;
            if (const size_t x = token.find('x');
                x != std::string::npos && x > 0 && std::isdigit(token[0]) && !token.starts_with("0x")) {
                times = std::strtoul(token.c_str(), nullptr, 10);
                token.erase(0, x + 1);
            }
            Number n;
            if (!parse_number(token, n)) wrong("no number: " + token);
            for (; times > 0; --times) {
                words.push_back(static_cast<uint32_t>(n.bits));
                if (n.is_wide) words.push_back(static_cast<uint32_t>(n.bits >> 32));
            }
        }
        return words;
    }
    Vec4 register_of(const std::string& text) {
        const auto words = words_of(text);
        Vec4 v{};
        if (words.size() > 4) wrong("a register has four words");
        for (size_t c = 0; c < 4; ++c)
            if (words.size() == 1 || c < words.size()) v[c] = words[words.size() == 1 ? 0 : c];
        return v;
    }
    void take_lanes(const std::string& word, const std::string& rest, std::vector<Vec4>& lanes) {
        const size_t dot = word.find('.');
        if (rest.find('|') != std::string::npos) {
            lanes.clear();
            for (const std::string& part : split(rest, '|')) lanes.push_back(register_of(part));
        } else {
            const auto words = words_of(rest);
            lanes.resize(words.size());
            for (size_t lane = 0; lane < words.size(); ++lane)
                if (dot == std::string::npos)
                    lanes[lane].fill(words[lane]);
                else
                    lanes[lane][std::string("xyzw").find(word[dot + 1])] = words[lane];
        }
        run_.inputs.lanes = static_cast<uint32_t>(lanes.size());
    }
    void take_input(const std::string& word, const std::string& rest) {
        const size_t bracket = word.find('[');
        const std::string kind = word.substr(0, bracket);
        Inputs& in = run_.inputs;
        uint32_t i = 0;
        int32_t vertex = 0;
        if (bracket != std::string::npos) i = static_cast<uint32_t>(std::strtoul(&word[bracket + 1], nullptr, 10));
        if (const size_t second = word.find("]["); second != std::string::npos)
            vertex = static_cast<int32_t>(std::exchange(i, std::strtoul(&word[second + 2], nullptr, 10)));
        const auto r = static_cast<int32_t>(i);
        if (kind == "IN") take_lanes(word, rest, in.inputs[{vertex, r}]);
        if (kind == "SV") take_lanes(word, rest, in.system_values[r]);
        if (kind == "BUFFER") in.buffers[i] = words_of(rest);
        if (kind == "RGLOBAL") in.buffers[tgsi::kGlobalMemory] = words_of(rest);
        if (kind == "RINPUT") in.buffers[tgsi::kInputMemory] = words_of(rest);
        if (kind == "CONST") in.constants[i] = words_of(rest);
        if (kind == "HWATOMIC") in.hwatomics[i] = words_of(rest);
        if (kind == "COLOR") in.framebuffer_colors[i] = words_of(rest);
        if (kind == "texture") take_texture(rest, in.textures[i]);
        if (kind == "image") take_texture(rest, in.images[i]);
        if (kind == "sampler") take_sampler(test::words_of(rest), in.samplers[i]);
        if (kind == "view") take_view(test::words_of(rest), in.views[i]);
        if (kind == "set") take_setting(test::words_of(rest));
    }
    void take_setting(const std::vector<std::string>& tokens) {
        Run& of = run_;
        const std::string& name = tokens.at(0);
        const uint64_t value = std::strtoull(tokens.at(1).c_str(), nullptr, 10);
        bool known = true;
        if (name == "grid")
            for (size_t i = 0; i < 3; ++i) of.inputs.grid[i] = static_cast<uint32_t>(std::stoul(tokens.at(i + 1)));
        else if (name == "max_sampler_lod_bias")
            of.options.max_sampler_lod_bias = static_cast<float>(value);
        else if (name == "edition")
            of.options.dialect = tokens[1] == "oldest"   ? tgsi::Dialect::Oldest
                                 : tokens[1] == "middle" ? tgsi::Dialect::Middle
                                 : tokens[1] == "newest" ? tgsi::Dialect::Newest
                                                         : tgsi::Dialect::Auto;
        else
            known = false;
        const auto set = [&](const auto& table, auto& object) {
            for (const auto& [key, member] : table)
                if (name == key)
                    object.*member = static_cast<std::decay_t<decltype(object.*member)>>(value), known = true;
        };
        set(kBools, of.options), set(kNumbers, of.options), set(kLimits, of.options), set(kMembers, of.inputs);
        if (!known) wrong("no such setting: " + name);
    }
    void take_texture(const std::string& text, Texture& t) {
        const size_t equals = text.find('=');
        const auto tokens = test::words_of(text.substr(0, equals));
        uint32_t size[3] = {1, 1, 1}, layers = 1, levels = 1, samples = 1;
        std::string format = "R32G32B32A32_FLOAT";
        const auto sizes = split(tokens.at(1), 'x');
        for (size_t i = 0; i < sizes.size(); ++i) size[i] = static_cast<uint32_t>(std::stoul(sizes[i]));
        for (size_t i = 2; i < tokens.size(); ++i) {
            uint32_t* number = tokens[i] == "layers"    ? &layers
                               : tokens[i] == "levels"  ? &levels
                               : tokens[i] == "samples" ? &samples
                                                        : nullptr;
            if (number != nullptr)
                *number = static_cast<uint32_t>(std::stoul(tokens.at(++i)));
            else
                format = tokens[i];
        }
        if (!tgsi::target_from_name(tokens[0]) || !tgsi::format_from_name(format)) return wrong("no such texture");
        t = numbered(*tgsi::target_from_name(tokens[0]), size[0], size[1], size[2], layers, levels, format);
        t.samples = samples;
        if (equals == std::string::npos) return;
        const auto parts = split(text.substr(equals + 1), '|');
        for (size_t level = 0; level < t.data.size(); ++level) {
            const auto words = words_of(parts.at(std::min(level, parts.size() - 1)));
            if (words.size() == 1)
                t.data[level].assign(t.data[level].size() * samples, words[0]);
            else
                t.data[level] = words;
        }
    }
    void take_sampler(const std::vector<std::string>& tokens, SamplerState& s) {
        for (size_t i = 0; i + 1 < tokens.size(); i += 2) {
            const std::string &name = tokens[i], &value = tokens[i + 1];
            bool known = true;
            const bool linear = value == "linear";
            const auto number = [&] { return as_number(words_of(value).at(0)); };
            if (name == "wrap") {
                known = choose(kWraps, value, s.wrap[0]);
                s.wrap[1] = s.wrap[2] = s.wrap[0];
            } else if (name == "wrap_s")
                known = choose(kWraps, value, s.wrap[0]);
            else if (name == "filter" || name == "min_filter" || name == "mag_filter") {
                known = linear || value == "nearest";
                for (Filter* filter : {&s.min_filter, &s.mag_filter})
                    if (name != (filter == &s.min_filter ? "mag_filter" : "min_filter"))
                        *filter = linear ? Filter::Linear : Filter::Nearest;
            } else if (name == "mip")
                known = choose(kMips, value, s.mip_filter);
            else if (name == "compare")
                known = choose(kCompares, value, s.compare);
            else if (name == "lod_bias")
                s.lod_bias = number();
            else if (name == "min_lod")
                s.min_lod = number();
            else if (name == "max_lod")
                s.max_lod = number();
            else if (name == "anisotropy")
                s.max_anisotropy = number();
            else if (name == "border") {
                const auto words = split(value, ',');
                for (size_t c = 0; c < 4; ++c)
                    s.border_color[c] = as_number(words_of(words[std::min(c, words.size() - 1)]).at(0));
            } else
                known = false;
            if (!known) wrong("no such state: " + name + " " + value);
        }
    }
    void take_view(const std::vector<std::string>& tokens, View& view) {
        view.texture = static_cast<uint32_t>(std::stoul(tokens.at(0)));
        for (size_t c = 0; c < 4; ++c)
            view.swizzle[c] = static_cast<uint8_t>(std::string("xyzw01").find(tokens.at(1).at(c)));
    }
    /// Ends the run whose answers were read.
    void finish() {
        if (run_.expected.empty()) return;
        run_.line = run_.expected[0].line;
        all_.push_back(run_);
        run_.expected.clear();
    }
};

}  // namespace

std::vector<Run> runs_of(const test::Case& of) {
    return Reader(of).read();
}

}  // namespace tgsi2spv::reference
