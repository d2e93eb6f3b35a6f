// Runs the draws of draws/*.txt on each software device.
#include "draw/draws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <sstream>

#include "draw/linked.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

constexpr uint32_t kUntouched = 0xdeadbeef;  ///< what transform feedback leaves as it was

using lower::State;
constexpr std::pair<std::string_view, bool State::*> kStates[] = {
    {"sample_shading", &State::sample_shading},
    {"alpha_test", &State::alpha_test},
    {"two_sided", &State::two_sided},
    {"flat_shade", &State::flat_shade},
    {"depth_range", &State::depth_range},
    {"flip_y", &State::flip_y},
    {"clip_enable", &State::clip_enable},
    {"clamp_vertex_color", &State::clamp_vertex_color},
    {"bgra_attributes", &State::bgra_attributes},
    {"clamp_fragment_color", &State::clamp_fragment_color},
    {"alpha_to_one", &State::alpha_to_one},
    {"bgra_targets", &State::bgra_targets},
    {"point_size", &State::point_size},
    {"sample_mask", &State::sample_mask},
    {"coord_origin", &State::coord_origin},
    {"pixel_center", &State::pixel_center},
    {"polygon_stipple", &State::polygon_stipple}};
constexpr std::string_view kTypes[] = {"float", "uint", "sint", "uscaled", "sscaled", "fixed"};
constexpr VkFormat kFormats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_UINT,
                                 VK_FORMAT_R32G32B32A32_SINT};

/// The place of a word in a list.
template <class List>
uint32_t index_of(const List& list, std::string_view word) {
    for (size_t i = 0; i < std::size(list); i++)
        if (list[i] == word) return static_cast<uint32_t>(i);
    ADD_FAILURE() << "not known: " << word;
    return 0;
}

uint32_t word_of(double x, bool integer) {
    return integer ? static_cast<uint32_t>(static_cast<int64_t>(x)) : word(static_cast<float>(x));
}

/// What a line of the file says about a target, after the kind of the line.
struct Directive {
    std::istringstream words;
    std::string after;  ///< the colon
    explicit Directive(const std::string& text) {
        const size_t colon = std::min(text.find(':'), text.size());
        words.str(text.substr(0, colon));
        after = text.substr(std::min(colon + 1, text.size()));
    }
    template <class T = uint32_t>
    T next() {
        T value{};
        words >> value;
        return value;
    }
};

/// A variant of a draw, as the conversion and the harness take it.
struct Plan {
    api::Options options;
    lower::LinkLimits limits;
    lower::StreamOutputs streams;
    bool linked = true, calls = false, only_position = false;
    harness::Job job;
    struct Input {
        uint32_t location, format;
        std::vector<std::string> rows;
    };
    std::vector<Input> inputs;
    std::vector<std::pair<char, harness::SpecValue>> constants;  ///< by the stage's first letter
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows;  ///< of primitives
    std::vector<std::string> expectations, captures;
};

void read_constant(Plan& plan, const std::string& text, const Variables& variables) {
    Directive line(text);
    const char stage = line.next<std::string>()[0];
    const bool is_float = line.after.starts_with(" float ");
    std::string name;
    std::getline(line.words >> std::ws, name);
    uint32_t sampler = 0;
    if (std::isdigit(name.back()) != 0 && !name.ends_with("..1")) {
        sampler = static_cast<uint32_t>(name.back() - '0');
        name.resize(name.size() - 2);
    }
    for (uint32_t id = 0; id < lower::spec::kViewSwizzle + lower::spec::kStateSamplers; id++)
        if (lower::spec::name_of(id) == name) {
            id += sampler;
            const double value = evaluate(line.after.substr(is_float ? 7 : 1), variables)[0];
            plan.constants.push_back({stage, {id, word_of(value, !is_float)}});
            return;
        }
    ADD_FAILURE() << "no such constant: " << name;
}

void read_buffer(Plan& plan, const std::string& text, const Variables& variables) {
    Directive line(text);
    const uint32_t set = line.next(), binding = line.next(), words = line.next();
    const bool integer = line.next<std::string>() == "uint";
    harness::Buffer buffer;
    for (uint32_t i = 0; i < words; i++) {
        Variables more = variables;
        more["i"] = i;
        buffer.words.push_back(word_of(evaluate(line.after, more)[0], integer));
    }
    plan.job.descriptors.push_back(
        {set, binding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {static_cast<uint32_t>(plan.job.buffers.size())}, {}});
    plan.job.buffers.push_back(std::move(buffer));
}

/// SAMP[2]: texel (x, y) of 4 x 4 is (10 y + x, 0.5, -1, 2).
void add_texture(harness::Job& job) {
    harness::Image image;
    image.width = image.height = 4;
    Pixels texels;
    for (int i = 0; i < 16; i++) texels.push_back({static_cast<float>(10 * (i / 4) + i % 4), 0.5f, -1, 2});
    image.data.emplace_back(texels.size() * sizeof(Pixel));
    std::memcpy(image.data[0].data(), texels.data(), image.data[0].size());
    job.images = {image};
    job.views.emplace_back();
    job.samplers.emplace_back();
    job.descriptors.push_back({1, 34, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {0}, {0}});
}

void read_rows(Plan& plan, const std::string& text) {
    Directive line(text);
    for (std::string column; line.words >> column;) plan.columns.push_back(column);
    for (const std::string& row : split(line.after, '|')) {
        std::istringstream in(row);
        plan.rows.emplace_back();
        for (double value = 0; in >> value;) plan.rows.back().push_back(value);
    }
}

/// Directives of the job.
bool read_job(Plan& plan, const std::string& kind, Directive& line) {
    harness::Job& job = plan.job;
    if (kind == "vertices")
        job.vertex_count = line.next();
    else if (kind == "first")
        job.first_vertex = line.next(), job.first_instance = line.next();
    else if (kind == "instances")
        job.instance_count = line.next();
    else if (kind == "indices")
        for (uint32_t i = 0; line.words >> i;) job.indices.push_back(i);
    else if (kind == "points")
        job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    else if (kind == "samples")
        job.samples = line.next();
    else if (kind == "layers")
        job.layers = line.next();
    else if (kind == "texture")
        add_texture(job);
    else if (kind == "multiview")
        job.multiview = true;
    else if (kind == "viewport")
        job.viewport_width = job.viewport_height = line.next();
    else if (kind == "right_viewport")
        job.more_viewports = {{kSize / 2, 0, kSize / 2, kSize, 0, 1}};
    else if (kind == "depth_stencil")
        job.depth = harness::DepthAttachment{.stencil = static_cast<uint8_t>(line.next())};
    else if (kind == "targets")
        job.attachments.resize(line.next());
    else if (kind == "clear")
        for (const float c = line.next<float>(); auto& a : job.attachments) a.clear = {.float32 = {c, c, c, c}};
    else
        return false;
    return true;
}

/// Directives of the conversion.
bool read_option(Plan& plan, const std::string& kind, Directive& line) {
    lower::Options& lower = plan.options.lower;
    if (kind == "state")
        for (std::string name; line.words >> name;) {
            const auto* found = std::ranges::find(kStates, name, &std::pair<std::string_view, bool State::*>::first);
            if (found == std::end(kStates))
                ADD_FAILURE() << "no such state: " << name;
            else
                lower.state.*found->second = true;
        }
    else if (kind == "clip_planes")
        lower.state.clip_planes = static_cast<uint8_t>(line.next());
    else if (kind == "unnormalized")
        lower.state.unnormalized = line.next();
    else if (kind == "compare_in_shader")
        lower.state.compare_in_shader = line.next();
    else if (kind == "swizzled_views")
        lower.state.swizzled_views = line.next();
    else if (kind == "sprites")
        lower.state.sprites = lower::Sprites::Generic;
    else if (kind == "draws_points")
        lower.draws_points = true;
    else if (kind == "attribute") {
        const uint32_t n = line.next();
        lower.state.attributes[n] = static_cast<lower::NumericType>(index_of(kTypes, line.next<std::string>()));
    } else if (kind == "target") {
        const uint32_t n = line.next(), type = index_of(kTypes, line.next<std::string>());
        lower.state.targets[n] = static_cast<lower::NumericType>(type);
        plan.job.attachments[n].format = kFormats[type];
    } else if (kind == "clamped")
        lower.bounds.registers = lower::OutOfRange::Clamp;
    else if (kind == "oldest")
        lower.dialect = tgsi::Dialect::Oldest;
    else if (kind == "newest")
        lower.dialect = tgsi::Dialect::Newest;
    else if (kind == "no_draw_parameters")
        plan.options.capabilities.draw_parameters = false;
    else if (kind == "fragment_input")
        plan.limits.fragment_input = line.next();
    else if (kind == "alone")
        plan.linked = false;
    else if (kind == "calls")
        plan.calls = true;
    else if (kind == "only_position")
        plan.only_position = true;
    else
        return false;
    return true;
}

void read_directive(Plan& plan, const std::string& text, const Variables& variables) {
    const size_t space = std::min(text.find(' '), text.size());
    const std::string kind = text.substr(0, space), rest = text.substr(std::min(space + 1, text.size()));
    Directive line(rest);
    if (kind == "constant")
        read_constant(plan, rest, variables);
    else if (kind == "buffer")
        read_buffer(plan, rest, variables);
    else if (kind == "rows")
        read_rows(plan, rest);
    else if (kind == "expect")
        plan.expectations.push_back(rest);
    else if (kind == "in") {
        const uint32_t location = line.next();
        const auto type = line.next<std::string>();
        plan.inputs.push_back({location, type.empty() ? 0 : index_of(kTypes, type), split(line.after, '|')});
    } else if (kind == "strides")
        for (uint32_t& stride : plan.streams.strides) stride = line.next();
    else if (kind == "stream") {  // register, first component, components, buffer, offset, stream
        uint32_t n[6];
        for (uint32_t& value : n) value = line.next();
        plan.streams.outputs.push_back({n[0], static_cast<uint8_t>(n[1]), static_cast<uint8_t>(n[2]),
                                        static_cast<uint8_t>(n[3]), n[4], static_cast<uint8_t>(n[5])});
    } else if (kind == "capture") {  // words: expected ones
        plan.job.captures.push_back(static_cast<uint32_t>(plan.job.buffers.size()));
        plan.job.buffers.push_back({std::vector<uint32_t>(line.next(), kUntouched), true});
        plan.captures.push_back(line.after);
    } else if (!read_job(plan, kind, line) && !read_option(plan, kind, line))
        ADD_FAILURE() << "no such directive: " << text;
}

class Draws : public LinkedDrawing, public testing::WithParamInterface<CaseId> {
  protected:
    static void add_inputs(Plan& plan, const Variables& variables) {
        harness::Job& job = plan.job;
        const auto per = static_cast<uint32_t>(plan.rows.empty() ? 0 : 3);
        if (per != 0) job.vertex_count = per * static_cast<uint32_t>(plan.rows.size());
        const uint32_t count = job.first_vertex + job.vertex_count;
        for (const Plan::Input& in : plan.inputs) {
            Pixels values(count);
            for (uint32_t v = 0; v < count; v++) {
                Variables more = variables;
                more["v"] = per == 0 ? v : v % per;
                if (per != 0) add_row(plan, v / per, more);
                const Four four = evaluate(in.rows[v % in.rows.size()], more);
                for (size_t c = 0; c < 4; c++) values[v][c] = std::bit_cast<float>(word_of(four[c], in.format != 0));
            }
            job.attributes.push_back(attribute(in.location, values));
            job.attributes.back().format = kFormats[in.format];
        }
    }
    static void add_row(const Plan& plan, size_t n, Variables& variables) {
        variables["n"] = static_cast<double>(n);
        for (size_t c = 0; c < plan.columns.size(); c++) variables[plan.columns[c]] = plan.rows[n][c];
    }

    /// `target [layer n] [.components] [near x]: formula`
    static void check_pixels(const Plan& plan, const Variables& variables, const std::string& text,
                             const harness::Outputs& out) {
        Directive line(text);
        const auto target = line.next<std::string>();
        const bool depth = target == "depth", stencil = target == "stencil";
        const size_t number = depth || stencil ? plan.job.attachments.size() + stencil : std::stoul(target);
        const bool integer = !depth && !stencil && plan.job.attachments[number].format != kFormats[0];
        size_t layer = 0, components = depth || stencil ? 1 : 4;
        double tolerance = 0;
        for (std::string word; line.words >> word;) {
            if (word == "layer")
                line.words >> layer;
            else if (word == "near")
                line.words >> tolerance;
            else if (word == ".x")
                components = 1;
            else
                ADD_FAILURE() << "no such word: " << word << " of " << text;
        }
        const size_t stride = stencil ? 1 : depth ? 4 : 16;
        const auto& bytes = out.attachments[number];
        ASSERT_EQ(bytes.size(), stride * plan.job.layers * kSize * kSize);
        for (uint32_t i = 0; i < kSize * kSize && (plan.rows.empty() || i < plan.rows.size()); i++) {
            Variables more = variables;
            more["x"] = i % kSize;
            more["y"] = i / kSize;
            if (!plan.rows.empty()) add_row(plan, i, more);
            const Four expected = evaluate(line.after, more);
            for (size_t c = 0; c < components; c++) {
                if (std::isnan(expected[c])) continue;
                const uint8_t* at = &bytes[(layer * kSize * kSize + i) * stride + (stencil ? 0 : 4 * c)];
                uint32_t got = *at;
                if (!stencil) std::memcpy(&got, at, 4);
                const uint32_t wanted = stencil ? static_cast<uint32_t>(expected[c]) : word_of(expected[c], integer);
                const float a = std::bit_cast<float>(got), b = std::bit_cast<float>(wanted);
                const bool floats = !stencil && !integer;
                ASSERT_TRUE(floats ? std::abs(a - b) <= tolerance : got == wanted)
                    << text << "\nat " << i % kSize << ", " << i / kSize << ", component " << c << ": "
                    << (floats ? fmt::format("{}, not {}", a, b) : fmt::format("{:#x}, not {:#x}", got, wanted));
            }
        }
    }
    /// Words that are floats, or _ where the buffer keeps what it had.
    static void check_capture(const std::string& expected, const std::vector<uint32_t>& got) {
        std::vector<uint32_t> all;
        std::istringstream in(expected);
        for (std::string x; in >> x;) all.push_back(x == "_" ? kUntouched : word(std::stof(x)));
        EXPECT_LE(all.size(), got.size()) << expected;
        all.resize(got.size(), kUntouched);
        EXPECT_EQ(got, all);
    }
    /// Whether a module calls functions of its own, and whether Position is its only built-in variable.
    static void check_module(const Plan& plan, std::span<const uint32_t> words) {
        constexpr uint32_t kFunctionCall = 57, kDecorate = 71, kBuiltIn = 11;
        bool calls = false, only_position = true;
        for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
            const uint32_t op = words[at] & 0xffff, last = words[at + (words[at] >> 16) - 1];
            calls |= op == kFunctionCall;
            only_position &= op != kDecorate || words[at + 2] != kBuiltIn || last == 0;
        }
        EXPECT_TRUE(calls || !plan.calls);
        EXPECT_TRUE(only_position || !plan.only_position);
    }

    void draw_it(const Case& of) {
        const Draw draw = draw_of(of);
        Plan plan;
        plan.options.lower.convert_depth_range = false;
        plan.job.attachments.resize(1);
        for (const std::string& text : draw.directives) read_directive(plan, text, of.variables);
        add_inputs(plan, of.variables);
        std::vector<std::vector<uint32_t>> words;
        if (plan.linked)
            words = convert_all(draw.shaders, plan.streams.outputs.empty() ? nullptr : &plan.streams, plan.limits,
                                plan.options);
        else
            for (const std::string& shader : draw.shaders) words.push_back(convert(shader, plan.options));
        use_stages(plan.job, draw.shaders, words, plan.constants);
        run(plan.job, [&](const harness::Outputs& out) {
            for (const std::string& text : plan.expectations) check_pixels(plan, of.variables, text, out);
            for (size_t i = 0; i < plan.captures.size(); i++)
                check_capture(plan.captures[i], out.buffers[plan.job.captures[i]]);
        });
        EXPECT_TRUE(!plan.expectations.empty() || !plan.captures.empty());
        check_module(plan, words[1 % words.size()]);
    }

    static void use_stages(harness::Job& job, const std::vector<std::string>& texts,
                           const std::vector<std::vector<uint32_t>>& words,
                           const std::vector<std::pair<char, harness::SpecValue>>& constants) {
        for (size_t i = 0; i < texts.size(); i++) {
            harness::Shader& stage = texts[i].starts_with("VERT")        ? job.vertex
                                     : texts[i].starts_with("TESS_CTRL") ? job.tess_control
                                     : texts[i].starts_with("TESS_EVAL") ? job.tess_eval
                                     : texts[i].starts_with("GEOM")      ? job.geometry
                                                                         : job.fragment;
            stage.words = words[i];
            for (const auto& [of, value] : constants)
                if (texts[i][0] == of) stage.constants.push_back(value);
        }
        if (!job.tess_eval.words.empty()) {
            job.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
            job.patch_control_points = 3;
        }
        job.width = job.height = kSize;
        if (job.viewport_width == 1) job.viewport_width = job.viewport_height = kSize;
        if (job.fragment.words.empty()) job.attachments.clear();
    }
};

TEST_P(Draws, AreAsTheirFileSays) {
    for (const Case& of : expand(GetParam())) {
        const auto trace = of.trace();
        draw_it(of);
    }
}

auto draws_of(const std::string& file) {
    return testing::ValuesIn(cases_of("tests/draw/draws/" + file + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(States, Draws, draws_of("states"), test_name);
INSTANTIATE_TEST_SUITE_P(Inputs, Draws, draws_of("inputs"), test_name);
INSTANTIATE_TEST_SUITE_P(Outputs, Draws, draws_of("outputs"), test_name);
INSTANTIATE_TEST_SUITE_P(Linked, Draws, draws_of("linked"), test_name);
INSTANTIATE_TEST_SUITE_P(Reports, Draws, draws_of("reports"), test_name);
INSTANTIATE_TEST_SUITE_P(VertexRegisters, Draws, draws_of("vertex_registers"), test_name);

}  // namespace
}  // namespace tgsi2spv::test
