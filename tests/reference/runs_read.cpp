// Reads files of runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "places.h"
#include "reference/runs.h"
#include "reference/texture_bench.h"
#include "row_file.h"
#include "tgsi/names.h"
#include "tgsi/resource_numbers.h"

namespace tgsi2spv::reference {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}
std::vector<std::string> tokens_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}
void replace_all(std::string& text, const std::string& name, const std::string& by) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
        text.replace(at, name.size(), by);
}

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
    Reader(const std::string& folder, const std::string& file)
        : rows_(std::filesystem::path(test::source_path(folder)) / (file + ".txt")) {}
    std::vector<Case> read() {
        for (std::string line; rows_.next(line);) take(line);
        end_rule();
        return std::move(all_);
    }

  private:
    test::RowFile rows_;
    std::vector<Case> all_;
    Case head_, rule_;
    bool in_head_ = false;
    bool has_run_ = false;  ///< since the rule or the last `with`
    std::string with_;
    std::map<std::string, std::string> defined_;

    void wrong(const std::string& why) const { rows_.wrong(why); }
    Case& current() { return in_head_ ? head_ : rule_; }

    void take(const std::string& line) {
        const size_t space = line.find(' ');
        const std::string word = line.substr(0, space), rest = space == std::string::npos ? "" : line.substr(space + 1);
        if (word == "head" || word == "rule") {
            end_rule();
            with_.clear();
            in_head_ = word == "head";
            if (in_head_) head_ = {};
            rule_ = head_;
            rule_.name = rest;
        } else if (word == "def") {
            const size_t end = rest.find(' ');
            defined_[rest.substr(0, end)] = rest.substr(end + 1);
        } else if (word == "with") {
            finish();
            if (!with_.empty() && !has_run_) wrong("the text above has no answers");
            has_run_ = false;
            with_ = rest;
        } else if (word == ":") {
            take_row(rest);
        } else if (word == "->") {
            Expectation e{rows_.line, tokens_of(rest).at(0), {}};
            for (const std::string& part : split(rest.substr(e.name.size()), '|')) e.tokens.push_back(tokens_of(part));
            if (e.tokens.empty()) e.tokens.emplace_back();
            rule_.expected.push_back(std::move(e));
        } else if (!take_input(word, rest)) {
            if (!rule_.expected.empty()) wrong("code after expectations");
            current().text += line + "\n";
        }
    }
    void take_row(const std::string& row) {
        const size_t arrow = row.find("->");
        if (arrow == std::string::npos) return wrong("no row");
        if (rule_.expected.empty() || !rule_.expected.back().name.empty()) {
            finish();
            std::erase_if(rule_.inputs.inputs, [](const auto& in) { return in.first.first == 0; });
        }
        int32_t r = 0;
        for (const std::string& part : split(row.substr(0, arrow), '|'))
            if (!tokens_of(part).empty()) rule_.inputs.inputs[{0, r++}].push_back(register_of(part));
        Expectation e{rows_.line, "", {}};
        for (const std::string& part : split(row.substr(arrow + 2), '|')) e.tokens.push_back(tokens_of(part));
        rule_.expected.push_back(std::move(e));
        rule_.inputs.lanes = static_cast<uint32_t>(rule_.expected.size());
    }

    std::vector<uint32_t> words_of(const std::string& text) {
        std::vector<uint32_t> words;
        for (std::string token : tokens_of(text)) {
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
        current().inputs.lanes = static_cast<uint32_t>(lanes.size());
    }
    /// Whether the line is an input. One after expectations begins a new run.
    bool take_input(const std::string& word, const std::string& rest) {
        const size_t bracket = word.find('[');
        const std::string kind = word.substr(0, bracket);
        static const std::vector<std::string> kKinds{"IN",      "SV",     "BUFFER", "CONST",   "HWATOMIC",
                                                     "RGLOBAL", "RINPUT", "COLOR",  "texture", "image",
                                                     "sampler", "view",   "set"};
        if (std::ranges::find(kKinds, kind) == kKinds.end()) return false;
        if (!in_head_ && !rule_.expected.empty()) finish();
        Inputs& in = current().inputs;
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
        if (kind == "sampler") take_sampler(tokens_of(rest), in.samplers[i]);
        if (kind == "view") take_view(tokens_of(rest), in.views[i]);
        if (kind == "set") take_setting(tokens_of(rest));
        return true;
    }
    void take_setting(const std::vector<std::string>& tokens) {
        Case& of = current();
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
        const auto tokens = tokens_of(text.substr(0, equals));
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
    /// Ends the run whose expectations were read.
    void finish() {
        if (!rule_.expected.empty()) {
            Case of = rule_;
            of.line = of.expected[0].line;
            replace_all(of.text, "$", with_);
            for (auto name = defined_.rbegin(); name != defined_.rend(); ++name)  // longer names first
                replace_all(of.text, "@" + name->first, name->second);
            replace_all(of.text, "; ", "\n");
            all_.push_back(std::move(of));
            has_run_ = true;
        }
        rule_.expected.clear();
    }
    void end_rule() {
        finish();
        if (!rule_.name.empty() && !has_run_) wrong("the rule above has no answers");
        has_run_ = false;
    }
};

}  // namespace

bool parse_number(const std::string& text, Number& n) {
    if (const size_t colon = text.find(':'); colon != std::string::npos) {
        const double quotient = std::strtod(text.c_str(), nullptr) / std::strtod(text.c_str() + colon + 1, nullptr);
        n = {as_word(static_cast<float>(quotient)), false};
        return true;
    }
    const bool hex = text.find("0x") != std::string::npos,
               wide = (!hex || text.find('p') != text.npos) && text.ends_with('d');
    const bool is_float = hex ? text.find('p') != std::string::npos : text.find_first_of(".nfe^") != std::string::npos;
    char* end = nullptr;
    double x = 0;
    if (const size_t power = text.find("2^"); power != std::string::npos)
        x = std::ldexp(power == 1 ? -1 : 1, static_cast<int>(std::strtol(text.c_str() + power + 2, &end, 10)));
    else if (is_float || wide)
        x = std::strtod(text.c_str(), &end);
    if (wide)
        n = {std::bit_cast<uint64_t>(x), true};
    else if (is_float)
        n = {hex || text.find('^') != text.npos ? as_word(static_cast<float>(x))
                                                : as_word(std::strtof(text.c_str(), &end)),
             false};
    else
        n = {text.starts_with('-') ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                   : std::strtoull(text.c_str(), &end, 0),
             text.ends_with('q')};
    if (!n.is_wide) n.bits = static_cast<uint32_t>(n.bits);
    return !text.empty() && end == text.c_str() + text.size() - n.is_wide;
}

std::vector<std::string> case_files(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path(folder)))
        if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}
std::vector<Case> read_cases(const std::string& folder, const std::string& file) {
    return Reader(folder, file).read();
}

}  // namespace tgsi2spv::reference
