#include "draw/generated_scenes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <vector>

namespace tgsi2spv::test {
namespace {

using nlohmann::json;

/// A varying from VERT to FRAG, besides POSITION.
struct Varying {
    std::string semantic;
    bool color = false;
};

class SceneWriter {
  public:
    explicit SceneWriter(uint32_t seed) : random_(seed) {}

    std::string write() {
        choose_picture();
        choose_varyings();
        scene_["shaders"]["VERT"] = vertex_shader();
        if (patches_ && one_in(2)) scene_["shaders"]["TESS_CTRL"] = control_shader();
        if (patches_) scene_["shaders"]["TESS_EVAL"] = evaluation_shader();
        if (geometry_) scene_["shaders"]["GEOM"] = geometry_shader();
        scene_["shaders"]["FRAG"] = fragment_shader();
        choose_vertices();
        choose_state();
        choose_more_state();
        return scene_.dump(1);
    }

  private:
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_()) % n; }
    bool one_in(uint32_t n) { return below(n) == 0; }
    template <class T>
    T any(std::initializer_list<T> list) {
        return list.begin()[below(static_cast<uint32_t>(list.size()))];
    }
    std::string_view name(std::initializer_list<std::string_view> list) { return any(list); }
    /// A multiple of 1/16 in [low, high].
    double sixteenth(int low, int high) { return low + below(static_cast<uint32_t>(high - low) * 16 + 1) / 16.0; }

    /// `n` numbers, each from a call of `number`.
    template <class Number>
    static json numbers(uint32_t n, Number&& number) {
        json all = json::array();
        for (uint32_t i = 0; i < n; i++) all.push_back(number());
        return all;
    }

    bool is(std::string_view topology) const { return topology_ == topology; }
    bool draws_triangles() const { return topology_.starts_with("triangle"); }
    bool draws_lines() const { return topology_.starts_with("line"); }

    void choose_picture() {
        topology_ = name({"triangles", "triangles", "triangles", "triangle_strip", "triangle_fan", "points", "points",
                          "lines", "line_strip"});
        width_ = any({16, 16, 32, 19, 40});
        height_ = any({16, 16, 32, 23, 8});
        scene_["width"] = width_;
        scene_["height"] = height_;
        scene_["clear"] = {sixteenth(0, 1), sixteenth(0, 1), sixteenth(0, 1), sixteenth(0, 1)};  // 0 or 1 for integers
        patches_ = is("triangles") && one_in(6);
        geometry_ = !patches_ && one_in(6);
        integers_ = one_in(10);
        // lavapipe 22.3 interpolates LINEAR inputs of clipped primitives wrongly (docs/driver-bugs.md).
        linear_ = one_in(3);
        scene_["topology"] = patches_ ? "patches" : topology_;
        if (patches_) scene_["patch_vertices"] = 3;
    }

    void choose_varyings() {
        const auto add = [&](std::string semantic, bool color = false) {
            varyings_.push_back({std::move(semantic), color});
        };
        if (!one_in(4)) add("COLOR", true);
        if (one_in(4)) add("COLOR[1]", true);
        if (one_in(2)) add(fmt::format("GENERIC[{}]", below(10)));
        if (one_in(4)) add(fmt::format("GENERIC[{}]", 10 + below(40)));
        if (one_in(5)) add(fmt::format("TEXCOORD[{}]", below(8)));
        if (one_in(6)) add("FOG");
        if (varyings_.empty()) add("GENERIC[3]");
    }

    // ---- texts
    using Lines = std::vector<std::string>;

    static std::string joined(const std::array<std::string_view, 4>& words) {
        return fmt::format("{}", fmt::join(words, ", "));
    }
    static void add(Lines& to, std::string_view lines) {
        for (size_t at = 0; at <= lines.size(); at = std::min(lines.find('\n', at), lines.size()) + 1)
            to.emplace_back(lines.substr(at, lines.find('\n', at) - at));
    }
    template <class First, class... Rest>
    static void add(Lines& to, fmt::format_string<const First&, const Rest&...> lines, const First& first,
                    const Rest&... rest) {
        add(to, fmt::format(lines, first, rest...));
    }

    std::string swizzle() {
        std::string s = ".";
        for (int c = 0; c < 4; c++) s += "xyzw"[below(4)];
        return s;
    }

    /// `OUT[n] = ` something that depends on the vertex.
    std::string written(const std::string& out) {
        const uint32_t n = 1 + below(attributes_ - 1);
        const std::string in = fmt::format("IN[{}]", n);
        if (n == typed_) return fmt::format("{} {}, {}", signed_ ? "I2F" : "U2F", out, in);
        switch (below(5)) {
            case 0:
                return fmt::format("ADD {}, IMM[0], -{}", out, in);
            case 1:
                return fmt::format("MUL {}, {}, IMM[1]", out, in);
            case 2:
                return fmt::format("MOV {}, {}{}", out, in, swizzle());
            case 3:
                return fmt::format("MAD {}, {}, IMM[1], IMM[2]", out, in);
            default:
                return fmt::format("MOV {}, {}", out, in);
        }
    }

    Lines vertex_shader() {
        attributes_ = 2 + below(2);
        if (attributes_ == 3 && one_in(3)) {
            type_ = name({"uint", "sint", "uscaled", "sscaled", "fixed"});
            signed_ = type_[0] == 's';
            if (type_.ends_with("int")) typed_ = 2;
        }
        Lines declarations = {"VERT"}, code;
        uint32_t n = 0;
        const auto output = [&](const std::string& semantic, const auto& instruction) {
            add(declarations, "DCL OUT[{}], {}", n, semantic);
            code.push_back(instruction(fmt::format("OUT[{}]", n++)));
        };
        output("POSITION", [](const std::string& o) { return fmt::format("MOV {}, IN[0]", o); });
        for (const Varying& v : varyings_) {
            if (one_in(12)) continue;  // FRAG reads (0, 0, 0, 1)
            const bool numbered = !patches_ && one_in(10);
            output(v.semantic,
                   [&](const std::string& o) { return numbered ? "U2F " + o + ", SV[0].xxxx" : written(o); });
            reads_number_ = reads_number_ || numbered;
            if (v.color && one_in(2)) {
                const std::string back = "B" + v.semantic;
                output(back, [&](const std::string& o) { return written(o); });
                has_back_ = true;
            }
        }
        if (is("points") || one_in(8)) {
            psize_ = one_in(2);
            if (psize_)
                output("PSIZE",
                       [&](const std::string& o) { return fmt::format("MOV {}.x, IMM[3].{}", o, "xyzw"[below(4)]); });
        }
        if (!linear_ && one_in(6)) {
            clip_distances_ = true;
            add(declarations, "PROPERTY NUM_CLIPDIST_ENABLED {}", 1 + below(4));
            output("CLIPDIST", [&](const std::string& o) {
                return fmt::format("MAD {}, {}, IMM[1], IMM[2]", o, one_in(2) ? "IN[0]" : "IN[1]");
            });
        } else if (!linear_ && one_in(10)) {
            output("CLIPVERTEX", [&](const std::string& o) { return fmt::format("MAD {}, IN[0], IMM[1], IMM[2]", o); });
        }
        if (reads_number_) add(declarations, "DCL SV[0], VERTEXID");
        for (uint32_t i = 0; i < attributes_; i++) add(declarations, "DCL IN[{}]", i);
        add(declarations, "IMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}");
        const std::array<std::string_view, 4> factors = {factor(), factor(), factor(), factor()};
        add(declarations, "IMM[1] FLT32 {{{}}}", joined(factors));
        add(declarations, "IMM[2] FLT32 {0.25, 0.5, 0.125, 0.75}\nIMM[3] FLT32 {1.0, 4.0, 5.5, 9.0}");
        declarations.insert(declarations.end(), code.begin(), code.end());
        add(declarations, "END");
        outputs_ = n;
        return declarations;
    }
    std::string_view factor() { return name({"1.0", "0.5", "-1.0", "2.0", "0.75"}); }

    /// Declares inputs as VERT declares its outputs, and the same outputs.
    void hand_on(Lines& text, std::string_view output) {
        constexpr std::string_view kOutput = "DCL OUT";
        for (const json& line : scene_["shaders"]["VERT"]) {
            const auto declared = line.get<std::string>();
            if (declared.starts_with("PROPERTY NUM_CLIP")) text.push_back(declared);
            if (!declared.starts_with(kOutput)) continue;
            text.push_back(std::string(output) + declared.substr(kOutput.size()));
            text.push_back("DCL IN[]" + declared.substr(kOutput.size()));
        }
    }

    Lines control_shader() {
        Lines text = {"TESS_CTRL", "PROPERTY TCS_VERTICES_OUT 3"};
        hand_on(text, "DCL OUT[]");
        add(text, "DCL OUT[{}], TESSOUTER\nDCL OUT[{}], TESSINNER\nDCL SV[0], INVOCATIONID", outputs_, outputs_ + 1);
        const auto level = [&] { return name({"1.0", "1.5", "2.0", "2.75", "3.0"}); };
        const std::array<std::string_view, 4> levels = {level(), level(), level(), level()};
        add(text, "IMM[0] FLT32 {{{}}}", joined(levels));
        for (uint32_t o = 0; o < outputs_; o++) add(text, "MOV OUT[SV[0].x][{0}], IN[SV[0].x][{0}]", o);
        add(text, "MOV OUT[{}], IMM[0]\nMOV OUT[{}], IMM[0].wwww\nEND", outputs_, outputs_ + 1);
        return text;
    }

    /// Each output is affine in the place: it does not matter how the tessellator cuts the triangle.
    Lines evaluation_shader() {
        Lines text = {"TESS_EVAL", "PROPERTY TES_PRIM_MODE TRIANGLES",
                      fmt::format("PROPERTY TES_SPACING {}", below(3))};
        if (one_in(2)) add(text, "PROPERTY TES_VERTEX_ORDER_CW 1");
        hand_on(text, "DCL OUT");
        add(text, "DCL SV[0], TESSCOORD\nDCL TEMP[0]");
        for (uint32_t o = 0; o < outputs_; o++) {
            add(text,
                "MUL TEMP[0], IN[0][{0}], SV[0].xxxx\nMAD TEMP[0], IN[1][{0}], SV[0].yyyy, TEMP[0]\n"
                "MAD OUT[{0}], IN[2][{0}], SV[0].zzzz, TEMP[0]",
                o);
        }
        add(text, "END");
        return text;
    }

    /// Emits its primitives, unchanged or as another kind, perhaps a second time and smaller. Points may become
    /// squares.
    Lines geometry_shader() {
        const uint32_t vertices = draws_triangles() ? 3 : draws_lines() ? 2 : 1;
        constexpr std::array<std::string_view, 3> kIn = {"POINTS", "LINES", "TRIANGLES"};
        constexpr std::array<std::string_view, 3> kOut = {"POINTS", "LINE_STRIP", "TRIANGLE_STRIP"};
        uint32_t made = one_in(3) ? 1 + below(vertices) : vertices;
        const bool squares = vertices == 1 && one_in(2);
        if (squares) made = 3;
        const uint32_t emitted = squares ? 4 : vertices;
        const uint32_t copies = 1 + below(2);
        Lines text = {"GEOM", fmt::format("PROPERTY GS_INPUT_PRIMITIVE {}", kIn[vertices - 1]),
                      fmt::format("PROPERTY GS_OUTPUT_PRIMITIVE {}", kOut[made - 1]),
                      fmt::format("PROPERTY GS_MAX_OUTPUT_VERTICES {}", emitted * copies)};
        hand_on(text, "DCL OUT");
        add(text, "IMM[0] FLT32 {0.5, 0.5, 1.0, 1.0}\nIMM[1] UINT32 {0, 0, 0, 0}\nIMM[2] FLT32 {0.3, -0.3, 0.0, 0.0}");
        for (uint32_t copy = 0; copy < copies; copy++) {
            for (uint32_t v = 0; v < emitted; v++) {
                const uint32_t from = squares ? 0 : v;
                for (uint32_t o = 0; o < outputs_; o++) add(text, "MOV OUT[{1}], IN[{0}][{1}]", from, o);
                if (copy == 1) add(text, "MUL OUT[0], IN[{}][0], IMM[0]", from);
                constexpr std::array<std::string_view, 4> kCorners = {"xxzz", "yxzz", "xyzz", "yyzz"};
                if (squares) add(text, "ADD OUT[0], IN[0][0], IMM[2].{}", kCorners[v]);
                // The lines of a triangle would have any direction: instead, two along the axes.
                constexpr std::array<std::string_view, 3> kAlongAxes = {"xxzz", "yxzz", "yyzz"};
                if (vertices == 3 && made == 2) add(text, "ADD OUT[0], IN[0][0], IMM[2].{}", kAlongAxes[v]);
                add(text, "EMIT IMM[1].xxxx");
            }
            add(text, "ENDPRIM IMM[1].xxxx");
        }
        add(text, "END");
        return text;
    }

    /// Longer than a screen: one draw after another, in the order of the text.
    Lines fragment_shader() {
        Lines text = {"FRAG"}, code;
        if (one_in(4)) add(text, "PROPERTY FS_COORD_ORIGIN LOWER_LEFT");
        if (one_in(4)) add(text, "PROPERTY FS_COORD_PIXEL_CENTER INTEGER");
        std::vector<std::string> inputs, interpolated;
        const auto declare = [&](const std::string& what) {
            inputs.push_back(fmt::format("IN[{}]", inputs.size()));
            add(text, "DCL {}, {}", inputs.back(), what);
            return inputs.back();
        };
        const std::string_view linear = linear_ ? "LINEAR" : "PERSPECTIVE";
        for (const Varying& v : varyings_) {
            std::string_view how = v.color ? name({"COLOR", "COLOR", "PERSPECTIVE", linear, "CONSTANT", ""})
                                           : name({"PERSPECTIVE", "PERSPECTIVE", linear, "CONSTANT", ""});
            if (how.empty() || how == "CONSTANT") how = patches_ ? "PERSPECTIVE" : how;
            if (integers_ && !patches_) how = "CONSTANT";  // rounding to integers leaves little known
            const bool centroid = !how.empty() && one_in(10);
            const std::string in =
                declare(v.semantic + (how.empty() ? "" : ", ") + std::string(how) + (centroid ? ", CENTROID" : ""));
            if (how == "PERSPECTIVE" || how == "LINEAR") interpolated.push_back(in);
        }
        const std::vector<std::string> vectors = inputs;
        // The rest has few components.
        std::vector<std::string> scalars;
        if (!integers_) {
            const auto scalar = [&](const std::string& what, std::initializer_list<std::string_view> components) {
                const std::string in = declare(what);
                scalars.push_back(in + std::string(name(components)));
            };
            if (one_in(5)) scalar("POSITION, LINEAR", {".xxxx", ".yyyy", ".zzzz", ".wwww", ".xyxy"});
            if (one_in(5)) scalar("FACE, CONSTANT", {".xxxx"});
            if (is("points") && one_in(2)) scalar("PCOORD, PERSPECTIVE", {".xxxx", ".yyyy", ".xyxy"});
        }
        add(text, "DCL OUT[0], COLOR");
        dual_source_ = !integers_ && one_in(8);
        if (dual_source_) add(text, "DCL OUT[1], COLOR[1]");
        add(text, "DCL TEMP[0..2]");
        add(text, "IMM[0] FLT32 {{0.5, 0.25, 0.0625, {}}}", integers_ ? 40.0 : 1.0);
        add(text, "IMM[1] UINT32 {0, 0, 0, 0}");
        const auto operand = [&](const std::string& in) { return in + (one_in(2) ? swizzle() : ""); };
        const std::string& first = vectors[below(static_cast<uint32_t>(vectors.size()))];
        code.push_back("MOV TEMP[0], " + operand(first));
        for (const std::string& in : vectors) {
            switch (below(5)) {
                case 0:
                    add(code, "ADD TEMP[0], TEMP[0], {}", operand(in));
                    break;
                case 1:
                    add(code, "MUL TEMP[0], TEMP[0], {}", operand(in));
                    break;
                case 2: {
                    const char by = "xyz"[below(3)];
                    add(code, "LRP TEMP[0], IMM[0].{0}{0}{0}{0}, {1}, TEMP[0]", by, operand(in));
                    break;
                }
                case 3:
                    add(code, "MAX TEMP[0], TEMP[0], |{}|", operand(in));
                    break;
                default:
                    add(code, "MAD TEMP[0], {}, IMM[0].xyxy, TEMP[0]", operand(in));
            }
        }
        if (one_in(8)) {
            add(text, "DCL IN[{}], PRIMID, CONSTANT", inputs.size());
            add(code, "U2F TEMP[1].x, IN[{}].xxxx", inputs.size());
            add(code, "MAD TEMP[0].y, TEMP[1].xxxx, IMM[0].yyyy, TEMP[0]");
        }
        if (!integers_ && !patches_ && draws_triangles() && one_in(6)) {
            add(code, "{} TEMP[1], {}", name({"DDX", "DDY"}), vectors[0]);
            add(code, "MAD TEMP[0], TEMP[1], IMM[0].xxxx, TEMP[0]");
        }
        // Only of a polygon is it known how an input changes within a pixel.
        evaluates_ = !integers_ && draws_triangles() && !geometry_ && !interpolated.empty() && one_in(4);
        if (evaluates_) {
            const std::string& in = interpolated[below(static_cast<uint32_t>(interpolated.size()))];
            const std::array<std::string, 4> ways = {
                "INTERP_CENTROID TEMP[1], " + in, "INTERP_SAMPLE TEMP[1], " + in + ", IMM[1]",
                "INTERP_OFFSET TEMP[1], " + in + ", IMM[0].yzzz", "INTERP_OFFSET TEMP[1], " + in + ", -IMM[0].zxxx"};
            code.push_back(ways[below(ways.size())]);
            add(code, "MAD TEMP[0], TEMP[1], IMM[0].xxxx, TEMP[0]");
        }
        if (!integers_ && one_in(8)) {
            add(text, "DCL SV[0], FACE");
            add(code, "AND TEMP[1].x, SV[0].xxxx, IMM[0].yyyy\nADD TEMP[0].z, TEMP[0], TEMP[1].xxxx");
        }
        for (const std::string& in : scalars)
            add(code, "MAD TEMP[0].{}, {}, IMM[0].zzzz, TEMP[0]", name({"x", "yz", "xyz", "w"}), in);
        if (one_in(5)) {
            add(text, "DCL CONST[0][0..1]");
            add(code, "MUL TEMP[0], TEMP[0], CONST[0][{}]", below(2));
            scene_["constants"]["FRAG"]["0"] = numbers(8, [&] { return sixteenth(0, 2); });
            if (one_in(3)) scene_["layout"]["push_constants"]["0"] = 16 * below(3);
        }
        if (!integers_ && one_in(4)) {
            sampled_ = static_cast<int>(below(4));
            add(text, "DCL SAMP[{}]", sampled_);
            compares_ = one_in(3);
            add(code, "TEX TEMP[1], {}, SAMP[{}], {}", operand(vectors[0]), sampled_, compares_ ? "SHADOW2D" : "2D");
            add(code, "LRP TEMP[0], IMM[0].xxxx, TEMP[0], TEMP[1]");
            choose_texture();
        }
        if (!integers_ && one_in(8)) {
            add(code, "ADD TEMP[1], TEMP[0], -IMM[0].xxxx");
            add(code, "KILL_IF TEMP[1].{0}{0}{0}{0}", "xyzw"[below(4)]);
        }
        if (!integers_ && one_in(8)) kill_in_loop(code);
        if (integers_) {
            sint_ = one_in(2);
            add(code, "MUL TEMP[0], {}TEMP[0]{}, IMM[0].wwww", sint_ ? "" : "|", sint_ ? "" : "|");
            add(code, "{} OUT[0], TEMP[0]", sint_ ? "F2I" : "F2U");
        } else {
            add(code, "MOV{} OUT[0], TEMP[0]", one_in(4) ? "_SAT" : "");
        }
        if (dual_source_) add(code, "MOV OUT[1], {}", operand(vectors[0]));
        add(code, "END");
        text.insert(text.end(), code.begin(), code.end());
        return text;
    }

    /// The rounds compare a component with -0.25, 0 and 0.25; the fragment leaves in the first that is above it.
    void kill_in_loop(Lines& code) {
        const char c = "xyzw"[below(4)];
        add(code, "MOV TEMP[2], -IMM[0].xxxx\nBGNLOOP\nADD TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy");
        add(code, "FSLT TEMP[2].y, TEMP[0].{0}{0}{0}{0}, TEMP[2].xxxx", c);
        add(code,
            "UIF TEMP[2].yyyy\nKILL\nENDIF\nFSGE TEMP[2].z, TEMP[2].xxxx, IMM[0].yyyy\nUIF "
            "TEMP[2].zzzz\nBRK\nENDIF\nENDLOOP");
    }

    void choose_texture() {
        const uint32_t width = 1 + below(4), height = 1 + below(4);
        scene_["textures"]["FRAG"][std::to_string(sampled_)] = {
            {"width", width},
            {"height", height},
            {"filter", name({"nearest", "linear"})},
            {"wrap", name({"repeat", "clamp"})},
            {"data", numbers(4 * width * height, [&] { return sixteenth(0, 1); })}};
        if (one_in(3)) scene_["layout"]["separate_samplers"] = true;
    }

    // ---- vertices
    void choose_vertices() {
        const uint32_t n = (draws_triangles() ? 3 : 2) * (1 + below(3));
        json positions = json::array();
        // Both drivers evaluate INTERP_OFFSET in perspective wrongly (docs/driver-bugs.md).
        const bool perspective = !evaluates_ && one_in(3);
        double x = 0, y = 0;
        for (uint32_t v = 0; v < n; v++) {
            // Lines along an axis are certain, others are not.
            const bool keep_x = draws_lines() && v % 2 == 1,
                       keep_y = draws_lines() && v % 2 == 0 && v != 0 && is("line_strip");
            if (!keep_x) x = between_pixels(width_);
            if (!keep_y) y = between_pixels(height_);
            const double w = perspective ? any({0.5, 1.0, 2.0, 4.0}) : 1;
            const double z = !linear_ && one_in(8) ? sixteenth(-1, 1) : sixteenth(0, 1);
            positions.push_back({(x * 2 / width_ - 1) * w, (y * 2 / height_ - 1) * w, z * w, w});
        }
        json all = json::array({positions});
        for (uint32_t a = 1; a < attributes_; a++) {
            all.push_back(numbers(4 * n, [&] { return number_of(a); }));
        }
        scene_["vertices"] = all;
        if (patches_ || !one_in(4)) return;
        const bool restarts = (is("line_strip") || is("triangle_strip") || is("triangle_fan")) && one_in(2);
        json indices = json::array();
        const uint32_t count = n + below(6);
        int last = -1;
        for (uint32_t i = 0; i < count; i++) {
            last = restarts && one_in(5) ? -1 : next_index(i, last, n);
            indices.push_back(last);
        }
        scene_["indices"] = indices;
        if (restarts) scene_["primitive_restart"] = true;
    }
    /// The next of `n` vertices after `last`, which is -1 at the beginning of a strip. Vertices of different lines are
    /// not along an axis.
    int next_index(uint32_t i, int last, uint32_t n) {
        const int most = static_cast<int>(n) - 1;
        if (is("lines") && i % 2 == 1) return last ^ 1;
        if (!is("line_strip") || last < 0) return static_cast<int>(below(n));
        if (last == 0 || last == most) return last == 0 ? 1 : most - 1;
        return last + (one_in(2) ? 1 : -1);
    }
    /// A component of an attribute.
    json number_of(uint32_t attribute) {
        if (type_.empty() || attribute != 2) return sixteenth(-1, 2);
        if (type_ == "fixed") return static_cast<int>(below(32) * 4096) - 32768;
        return static_cast<int>(below(3)) - (signed_ ? 1 : 0);
    }
    /// A window coordinate that is neither a pixel's centre nor an edge.
    double between_pixels(int size) { return below(static_cast<uint32_t>(size)) + (1 + 2 * below(8)) / 16.0; }

    // ---- state
    void choose_state() {
        json state = json::object();
        const auto set = [&](const char* member, uint32_t n, const auto& value) {
            if (one_in(n)) state[member] = value;
        };
        set("alpha_test", 4, json{{"func", below(8)}, {"ref", sixteenth(0, 1)}});
        set("alpha_to_one", 6, !one_in(4));
        set("two_sided", has_back_ ? 2 : 8, !one_in(4));
        if (!patches_) set("flat_shade", 5, true);
        set("depth_range", 4, !one_in(3));
        set("flip_y", 4, !one_in(4));
        set("coord_origin", 4, !one_in(4));
        set("pixel_center", 4, !one_in(4));
        if (!patches_) set("clamp_vertex_color", 4, !one_in(4));  // not affine
        set("clamp_fragment_color", 4, !one_in(4));
        set("sample_mask", 10, below(4));
        set("bgra_attributes", 8, below(1u << attributes_) & ~1u);
        set("bgra_targets", 8, below(2));
        if (clip_distances_) set("clip_enable", 2, below(16));
        if (!linear_ && !state.contains("clip_enable") && one_in(5)) {
            json planes = json::array();
            const uint32_t count = 1 + below(3);
            for (uint32_t p = 0; p < count; p++)
                planes.push_back({factor_number(), factor_number(), factor_number(), sixteenth(0, 1)});
            state["clip_planes"] = planes;
        }
        if (one_in(6)) {
            state["polygon_stipple"] = numbers(1 + below(8), [&] { return fmt::format("{:08x}", random_()); });
        }
        if (is("points") || one_in(8)) {
            if (one_in(2)) {
                state["point_size"] = any({1, 3, 8, 11});
                set("point_size_per_vertex", 2, psize_);
            }
            set("sprites", 2,
                json{{"semantic", name({"GENERIC", "TEXCOORD"})}, {"mask", random_()}, {"lower_left", below(2) == 0}});
        }
        if (dual_source_) state["dual_source"] = true;
        if (integers_) state["target"] = sint_ ? "sint" : "uint";
        if (!type_.empty()) state["attributes"]["2"] = type_;
        if (sampled_ >= 0) {
            const std::string n = std::to_string(sampled_);
            set("unnormalized", 5, 1u << sampled_);
            if (compares_) state["compare_in_shader"][n] = below(8);
            if (one_in(3)) state["swizzled_views"][n] = swizzled();
        }
        if (!state.empty()) scene_["state"] = state;
        if (integers_) return;
        if (dual_source_)
            scene_["blend"] = {{"source", name({"one", "src_alpha", "src1_color", "src1_alpha"})},
                               {"target", name({"zero", "one", "inv_src1_color", "inv_src1_alpha", "inv_src_alpha"})}};
        else if (one_in(5))
            scene_["blend"] = {{"source", name({"one", "src_alpha", "inv_src_alpha"})},
                               {"target", name({"zero", "one", "src_alpha", "inv_src_alpha"})}};
    }
    /// Drawn last, so that it changes no other choice of a seed.
    void choose_more_state() {
        json state = scene_.value("state", json::object());
        if (one_in(6)) state["widened_attributes"] = below(1u << attributes_) & ~1u;
        for (uint32_t a = 0; a < attributes_; a++)
            if ((type_.empty() || a != 2) && one_in(8)) state["attributes"][std::to_string(a)] = "double";
        if (!dual_source_ && !integers_ && one_in(10)) state["alpha_target"] = true;
        if (sampled_ >= 0 && one_in(3)) state["gl_clamp"] = 1u << sampled_;
        if (sampled_ >= 0 && one_in(3)) state["mirror"] = 1u << sampled_;
        if (!state.empty()) scene_["state"] = state;
    }
    std::string swizzled() {
        std::string s;
        for (int c = 0; c < 4; c++) s += "xyzw01"[below(6)];
        return s;
    }
    double factor_number() { return any({0.0, 1.0, -1.0, 0.5}); }

    std::mt19937 random_;
    json scene_;
    std::string topology_, type_;
    uint32_t typed_ = ~0u;  ///< the attribute of integers that VERT converts
    int sampled_ = -1;
    int width_ = 16, height_ = 16;
    std::vector<Varying> varyings_;
    uint32_t attributes_ = 2, outputs_ = 0;
    bool patches_ = false, geometry_ = false, linear_ = false, has_back_ = false, psize_ = false,
         clip_distances_ = false, reads_number_ = false, compares_ = false, dual_source_ = false;
    bool evaluates_ = false;                ///< FRAG has INTERP_*
    bool integers_ = false, sint_ = false;  ///< the target
    bool signed_ = false;                   ///< attribute 2
};

}  // namespace

std::string generated_scene(uint32_t seed) {
    return SceneWriter(seed).write();
}

}  // namespace tgsi2spv::test
