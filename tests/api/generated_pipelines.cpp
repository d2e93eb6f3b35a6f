// Texts of pipelines.
#include <algorithm>

#include "api/generated_texts.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv {
namespace {

using difftest::Random;
using Words = std::vector<std::string>;

constexpr std::string_view kVaryings[] = {"COLOR",      "COLOR[1]",   "BCOLOR",      "BCOLOR[1]",     "FOG",
                                          "GENERIC",    "GENERIC[1]", "GENERIC[7]",  "TEXCOORD",      "TEXCOORD[3]",
                                          "NORMAL",     "CLIPDIST",   "CLIPDIST[1]", "CULLDIST",      "PSIZE",
                                          "CLIPVERTEX", "EDGEFLAG",   "LAYER",       "VIEWPORT_INDEX"};
constexpr std::string_view kMasks[] = {"", "", ".x", ".xy", ".yw", ".xyz", ".w"};

constexpr std::string_view kOnlyWritten[] = {"LAYER", "VIEWPORT_INDEX"};
constexpr std::string_view kNeverInFragments[] = {"POSITION", "PSIZE", "BCOLOR", "BCOLOR[1]", "CLIPVERTEX", "EDGEFLAG"};

template <class List>
bool contains(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != std::end(list);
}

/// Puts `count` of the words, in any order, first, and drops the rest.
void keep_some(Words& words, size_t count, Random& random) {
    count = std::min(count, words.size());
    for (size_t i = 0; i < count; ++i) {
        const size_t other = i + random.below(words.size() - i);
        std::swap(words[i], words[other]);
    }
    words.resize(count);
}

struct Property {
    tgsi::Stage stage;
    std::string_view name;
    uint32_t most;
};
constexpr Property kProperties[] = {
    {tgsi::Stage::Vertex, "NUM_CLIPDIST_ENABLED", 4},
    {tgsi::Stage::Vertex, "NUM_CULLDIST_ENABLED", 3},
    {tgsi::Stage::Vertex, "LEGACY_MATH_RULES", 1},
    {tgsi::Stage::TessControl, "LEGACY_MATH_RULES", 1},
    {tgsi::Stage::TessEval, "TES_POINT_MODE", 1},
    {tgsi::Stage::TessEval, "TES_SPACING", 2},
    {tgsi::Stage::TessEval, "TES_VERTEX_ORDER_CW", 1},
    {tgsi::Stage::TessEval, "NUM_CLIPDIST_ENABLED", 4},
    {tgsi::Stage::Geometry, "GS_INVOCATIONS", 4},
    {tgsi::Stage::Geometry, "NUM_CLIPDIST_ENABLED", 4},
    {tgsi::Stage::Geometry, "NUM_CULLDIST_ENABLED", 3},
    {tgsi::Stage::Geometry, "LAYER_VIEWPORT_RELATIVE", 1},
    {tgsi::Stage::Fragment, "FS_COORD_ORIGIN", 1},
    {tgsi::Stage::Fragment, "FS_COORD_PIXEL_CENTER", 1},
    {tgsi::Stage::Fragment, "FS_COLOR0_WRITES_ALL_CBUFS", 1},
    {tgsi::Stage::Fragment, "FS_DEPTH_LAYOUT", 4},
    {tgsi::Stage::Fragment, "FS_EARLY_DEPTH_STENCIL", 1},
    {tgsi::Stage::Fragment, "FS_POST_DEPTH_COVERAGE", 1},
    {tgsi::Stage::Fragment, "FS_BLEND_EQUATION_ADVANCED", 7},
    {tgsi::Stage::Fragment, "LEGACY_MATH_RULES", 1},
};

constexpr std::string_view kSystemValues[] = {"SUBGROUP_SIZE", "SUBGROUP_INVOCATION", "SUBGROUP_EQ_MASK",
                                              "SUBGROUP_GE_MASK"};
constexpr std::string_view kVertexValues[] = {"VERTEXID",     "INSTANCEID", "BASEVERTEX",
                                              "BASEINSTANCE", "DRAWID",     "VERTEXID_NOBASE"};
constexpr std::string_view kControlValues[] = {"PRIM_ID", "VERTICESIN", "TESS_DEFAULT_OUTER_LEVEL",
                                               "TESS_DEFAULT_INNER_LEVEL"};
constexpr std::string_view kEvaluationValues[] = {"TESSCOORD", "PRIM_ID", "VERTICESIN", "TESSOUTER", "TESSINNER"};
constexpr std::string_view kGeometryValues[] = {"INVOCATIONID", "PRIM_ID"};
constexpr std::string_view kFragmentValues[] = {
    "FACE",     "SAMPLEID", "SAMPLEPOS", "SAMPLEMASK",    "HELPER_INVOCATION",
    "POSITION", "PRIM_ID",  "LAYER",     "VIEWPORT_INDEX"};

struct StageWriter : TextWriter {
    tgsi::Stage stage;

    StageWriter(Random& r, tgsi::Stage of) : TextWriter{r}, stage(of) {
        line(tgsi::name(stage));
        for (const Property& p : kProperties) {
            if (p.stage != stage || !chance(12)) continue;
            const uint32_t value = random.below(p.most + 1);
            line("PROPERTY {} {}", p.name, value);
        }
    }

    std::string system_value() {
        if (chance(3)) return any(kSystemValues);
        switch (stage) {
            case tgsi::Stage::Vertex:
                return any(kVertexValues);
            case tgsi::Stage::TessControl:
                return any(kControlValues);
            case tgsi::Stage::TessEval:
                return any(kEvaluationValues);
            case tgsi::Stage::Geometry:
                return any(kGeometryValues);
            default:
                return any(kFragmentValues);
        }
    }
    /// Mostly a number up to 7, else `all`.
    size_t few(size_t all) { return chance(3) ? all : 1 + random.below(7); }
    /// Draws a few varyings after POSITION, seldom one of them twice.
    Words outputs(bool in_control = false) {
        Words words(std::begin(kVaryings), std::end(kVaryings));
        if (in_control) std::erase_if(words, [](const auto& w) { return contains(kOnlyWritten, w); });
        const uint32_t count = 1 + random.below(6);
        keep_some(words, count, random);
        words.insert(words.begin(), "POSITION");
        if (chance(12)) words.push_back(any(words));
        if (chance(6)) {  // so many that several must share a location
            const uint32_t more = 10 + random.below(10);
            for (uint32_t i = 0; i < more; ++i) words.push_back(fmt::format("GENERIC[{}]", 12 + i));
        }
        return words;
    }
    Words inputs(const Words& before) {
        Words words = before;
        std::erase_if(words, [](const auto& w) { return contains(kOnlyWritten, w); });
        keep_some(words, few(words.size()), random);
        return words;
    }
    /// Declares registers from 0 on; `dimension` is "[]" for those of vertices.
    void declare(std::string_view file, const Words& semantics, std::string_view dimension = "") {
        for (size_t i = 0; i < semantics.size(); ++i) line("DCL {}{}[{}], {}", file, dimension, i, semantics[i]);
    }
    /// Declares two registers from `first` on that an index may choose from.
    std::string declare_array(std::string_view file, size_t first, std::string_view dimension = "") {
        line("DCL {}{}[{}..{}], ARRAY(1), GENERIC[10]", file, dimension, first, first + 1);
        return fmt::format("[ADDR[0].x+{}](1)", first);
    }
    /// Declares the rest and computes TEMP[0] and TEMP[1] from the sources, to which it adds.
    void begin(Words& sources) {
        line(R"(DCL PRED[0]
DCL ADDR[0]
DCL TEMP[0..1]
IMM[0] UINT32 {{0, 1, 2, 3}}
DCL SV[1], {})",
             system_value());
        line("MOV PRED[0], {}", sources.back());
        line("UARL ADDR[0], {}\nMOV TEMP[0], {}", sources.front(), sources.back());
        if (chance(3)) sources.push_back("SV[1]");
        while (chance(3)) plain_instruction(sources);
        sources.push_back("TEMP[1]");
    }
    /// Seldom reads every input, some in part. `file` is "IN[0]" for those of vertices.
    void read_all(std::string_view file, size_t inputs) {
        constexpr std::string_view kSwizzles[] = {"", ".x", ".xyyy", ".yyyy", ".xyzz"};
        if (!chance(4)) return;
        for (size_t i = 0; i < inputs; ++i) line("ADD TEMP[0], TEMP[0], {}[{}]{}", file, i, any(kSwizzles));
    }
    /// Any opcode without resources or flow.
    void plain_instruction(const Words& sources) {
        const tgsi::OpcodeInfo* o = nullptr;
        do o = &tgsi::kOpcodes[random.below(tgsi::kOpcodeCount)];
        while (o->form != tgsi::Form::plain || o->num_dst != 1 || o->family == tgsi::Family::flow ||
               o->family == tgsi::Family::legacy || (o->stages & 1u << static_cast<unsigned>(stage)) == 0);
        const std::string mask = o->is_wide ? "" : any(kMasks);
        std::string words =
            fmt::format("{}{} TEMP[1]{}", o->mnemonic, o->can_saturate && chance(4) ? "_SAT" : "", mask);
        const std::string most[] = {"TEMP[0]", "TEMP[0].wzyx", "-TEMP[0]", "IMM[0]", any(sources)};
        for (int i = 0; i < o->num_src; ++i)
            words += ", " + (o->mnemonic == "FBFETCH" ? std::string("OUT[0]") : any(most));
        line(words);
    }
    /// Writes most outputs, some in part. `dimension` is "[SV[0].x]" for those of vertices.
    void write(const Words& semantics, const Words& sources, std::string_view dimension = "") {
        for (size_t i = 0; i < semantics.size(); ++i) {
            if (chance(10)) continue;
            const std::string_view predicate = chance(10) ? "(PRED[0].x) " : "";
            const std::string mask = semantics[i] == "POSITION" ? "" : any(kMasks);
            line("{}MOV OUT{}[{}]{}, {}", predicate, dimension, i, mask, any(sources));
        }
    }
    std::string end() {
        line("END");
        return std::move(text);
    }
};

std::string vertex(Random& random, Words& outputs) {
    StageWriter w(random, tgsi::Stage::Vertex);
    outputs = w.outputs();
    w.line("DCL IN[0..2]");
    w.declare("OUT", outputs);
    const std::string array = w.chance(4) ? w.declare_array("OUT", outputs.size()) : "";
    Words sources = {"IN[0]", "IN[ADDR[0].x]", "IN[1].yxwz"};
    w.begin(sources);
    w.write(outputs, sources);
    if (!array.empty()) w.line("MOV OUT{}, IN[0]", array);
    if (w.chance(5)) {
        w.line("IF IN[2].xxxx\nRET\nENDIF");
        w.write(outputs, {"IN[1]"});
    }
    return w.end();
}

std::string geometry(Random& random, Words& varyings) {
    StageWriter w(random, tgsi::Stage::Geometry);
    constexpr std::string_view kInput[] = {"POINTS", "LINES", "TRIANGLES"};
    constexpr std::string_view kOutput[] = {"POINTS", "POINTS", "LINE_STRIP", "TRIANGLE_STRIP"};
    const uint32_t vertices = 1 + random.below(3);
    w.line("PROPERTY GS_INPUT_PRIMITIVE {}", kInput[vertices - 1]);
    w.line("PROPERTY GS_OUTPUT_PRIMITIVE {}\nPROPERTY GS_MAX_OUTPUT_VERTICES 3", w.any(kOutput));
    const Words inputs = w.inputs(varyings);
    varyings = w.outputs();
    w.declare("IN", inputs, "[]");
    for (size_t i = 0; i < varyings.size(); ++i) {
        const uint32_t stream = w.chance(12) ? 1 : 0;
        const std::string streams = i > 0 && w.chance(5) ? fmt::format(", STREAM({0}, {0}, {0}, {0})", stream) : "";
        w.line("DCL OUT[{}], {}{}", i, varyings[i], streams);
    }
    Words sources = {"IN[ADDR[0].x][0]"};
    if (w.chance(4)) sources.push_back("IN[0]" + w.declare_array("IN", inputs.size(), "[]"));
    for (int i = 0; i < 3; ++i) {
        const uint32_t of = random.below(vertices), input = random.below(inputs.size());
        sources.push_back(fmt::format("IN[{}][{}]", of, input));
    }
    w.begin(sources);
    w.read_all("IN[0]", inputs.size());
    const uint32_t emitted = 1 + random.below(3);
    constexpr std::string_view kEmits[] = {"EMIT IMM[0].xxxx", "EMIT IMM[0].xxxx", "(PRED[0].x) EMIT IMM[0].xxxx"};
    for (uint32_t i = 0; i < emitted; ++i) {
        w.write(varyings, sources);
        w.line(w.chance(16) ? "EMIT IMM[0].yyyy" : w.any(kEmits));
    }
    w.line("ENDPRIM IMM[0].xxxx");
    return w.end();
}

std::string control(Random& random, Words& varyings) {
    StageWriter w(random, tgsi::Stage::TessControl);
    const Words inputs = w.inputs(varyings);
    varyings = w.outputs(true);
    const size_t patch = varyings.size();
    w.line("PROPERTY TCS_VERTICES_OUT 3\nDCL SV[0], INVOCATIONID");
    w.declare("IN", inputs, "[]");
    w.declare("OUT", varyings, "[]");
    w.line("DCL OUT[{}], TESSOUTER\nDCL OUT[{}], TESSINNER\nDCL OUT[{}..{}], PATCH[0]", patch, patch + 1, patch + 2,
           patch + 4);
    const std::string array = w.chance(4) ? w.declare_array("OUT", patch + 5, "[]") : "";
    Words sources = {"IN[1][ADDR[0].x]"};
    if (w.chance(4)) sources.push_back("IN[0]" + w.declare_array("IN", inputs.size(), "[]"));
    for (int i = 0; i < 3; ++i) {
        const uint32_t input = random.below(inputs.size());
        sources.push_back(fmt::format("IN[SV[0].x][{}]", input));
    }
    w.begin(sources);
    w.read_all("IN[0]", inputs.size());
    w.write(varyings, sources, "[SV[0].x]");
    if (!array.empty()) w.line("MOV OUT[SV[0].x]{}, TEMP[0]", array);
    for (int i = 0; i < 4; ++i) {
        const size_t output = patch + random.below(5);
        const std::string mask = w.any(kMasks);
        w.line("MOV OUT[{}]{}, {}", output, mask, w.any(sources));
    }
    if (w.chance(3)) {
        const uint32_t of_neighbour = random.below(patch);
        w.line("BARRIER\nMOV OUT[{}], OUT[1][{}]", patch + 2, of_neighbour);
    }
    return w.end();
}

std::string evaluation(Random& random, Words& varyings) {
    StageWriter w(random, tgsi::Stage::TessEval);
    const Words inputs = w.inputs(varyings);
    varyings = w.outputs();
    const size_t patch = inputs.size();
    constexpr std::string_view kModes[] = {"TRIANGLES", "QUADS", "LINES"};
    w.line("PROPERTY TES_PRIM_MODE {}", w.any(kModes));
    w.declare("IN", inputs, "[]");
    const uint32_t of_control = random.below(3);
    if (w.chance(3))
        w.line("DCL IN[{}], TESSINNER", patch);
    else
        w.line("DCL IN[{}], PATCH[{}]", patch, of_control);
    w.line("DCL IN[{}], TESSOUTER", patch + 1);
    w.declare("OUT", varyings);
    Words sources;
    if (w.chance(4)) sources.push_back("IN[1]" + w.declare_array("IN", patch + 2, "[]"));
    for (size_t i = 0; i < 2; ++i) {
        const uint32_t of = random.below(3), input = random.below(inputs.size());
        sources.push_back(fmt::format("IN[{}]", patch + i));
        sources.push_back(fmt::format("IN[{}][{}]", of, input));
    }
    w.begin(sources);
    w.read_all("IN[0]", inputs.size());
    w.write(varyings, sources);
    return w.end();
}

std::string fragment(Random& random, const Words& varyings) {
    StageWriter w(random, tgsi::Stage::Fragment);
    Words inputs = varyings;
    std::erase_if(inputs, [](const auto& word) { return contains(kNeverInFragments, word); });
    constexpr std::string_view kOthers[] = {"COLOR",    "GENERIC[3]", "FACE",       "PRIM_ID",
                                            "POSITION", "PCOORD",     "TEXCOORD[1]"};
    for (int i = 0; i < 2; ++i)
        if (const std::string other = w.any(kOthers); !contains(inputs, other)) inputs.push_back(other);
    keep_some(inputs, w.few(inputs.size()), random);

    constexpr std::string_view kInterpolations[] = {"PERSPECTIVE", "PERSPECTIVE", "LINEAR", "CONSTANT", "COLOR"};
    constexpr std::string_view kLocations[] = {"", "", "", "", ", CENTROID", ", SAMPLE"};
    for (size_t i = 0; i < inputs.size(); ++i) {
        const std::string how = w.any(kInterpolations);
        w.line("DCL IN[{}], {}, {}{}", i, inputs[i], how, w.any(kLocations));
    }
    const Words outputs[] = {{"COLOR"},
                             {"COLOR", "COLOR[1]"},
                             {"COLOR", "POSITION"},
                             {"COLOR", "STENCIL", "SAMPLEMASK"},
                             {"COLOR[2]", "COLOR"}};
    const Words& written = outputs[random.below(std::size(outputs))];
    w.declare("OUT", written);
    constexpr std::string_view kSwizzles[] = {"", ".xxxx", ".wzyx"};
    Words sources;
    if (w.chance(4)) sources.push_back("IN" + w.declare_array("IN", inputs.size()));
    if (w.chance(3)) sources.push_back("IN[ADDR[0].x]");
    for (int i = 0; i < 4; ++i) {
        const uint32_t input = random.below(inputs.size());
        sources.push_back(fmt::format("IN[{}]{}", input, w.any(kSwizzles)));
    }
    w.begin(sources);
    w.read_all("IN", inputs.size());
    for (int i = 0; i < 3; ++i) w.line("ADD TEMP[0], TEMP[0], {}", w.any(sources));
    if (w.chance(3)) {
        constexpr std::string_view kOps[] = {"INTERP_CENTROID TEMP[1], ", "INTERP_OFFSET TEMP[1].xw, ",
                                             "INTERP_SAMPLE TEMP[1], "};
        const std::string op = w.any(kOps);
        const std::string source = w.chance(3) ? "IN[ADDR[0].x]" : fmt::format("IN[{}]", inputs.size() - 1);
        w.line("{}{}{}\nADD TEMP[0], TEMP[0], TEMP[1]", op, source, op.starts_with("INTERP_C") ? "" : ", TEMP[0]");
    }
    if (w.chance(3)) w.line("KILL_IF TEMP[0]");
    w.write(written, {"TEMP[0]"});
    return w.end();
}

}  // namespace

std::vector<std::string> pipeline_texts(Random& random) {
    Words varyings;
    std::vector<std::string> texts{vertex(random, varyings)};
    const uint32_t between = random.below(4);  // tessellation, GEOM, both or neither
    if (between % 2 == 1) {
        texts.push_back(control(random, varyings));
        texts.push_back(evaluation(random, varyings));
    }
    if (between >= 2) texts.push_back(geometry(random, varyings));
    texts.push_back(fragment(random, varyings));
    return texts;
}

}  // namespace tgsi2spv
