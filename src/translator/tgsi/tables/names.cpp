#include "tgsi/tables/names.h"

#include <array>

#include "tgsi/tables/keywords.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

/// Printed spellings in the order of the enumeration, then the aliases, which are only read.
template <size_t Count, size_t Aliases = 0>
struct Names {
    std::array<std::string_view, Count> printed;
    std::array<Spelling, Aliases> aliases{};

    /// The words that are read: every printed spelling that is not empty, and the aliases.
    static constexpr size_t kSlots = std::bit_ceil(2 * (Count + Aliases));
    template <size_t Parts = 4>
    constexpr WordTable<Parts, Count + Aliases, kSlots> table() const {
        std::array<Spelling, Count + Aliases> all{};
        for (size_t i = 0; i < Count; ++i) all[i] = {printed[i], static_cast<uint16_t>(i)};
        for (size_t i = 0; i < Aliases; ++i) all[Count + i] = aliases[i];
        return WordTable<Parts, Count + Aliases, kSlots>(all);
    }
};

constexpr Names<kStageCount> kStages{{"VERT", "TESS_CTRL", "TESS_EVAL", "GEOM", "FRAG", "COMP"}};

constexpr Names<kFileCount> kFiles{kFileNames};

constexpr uint16_t id(Semantic s) {
    return static_cast<uint16_t>(s);
}
constexpr Names<kSemanticCount, 1> kSemantics{{"",
                                               "POSITION",
                                               "COLOR",
                                               "BCOLOR",
                                               "FOG",
                                               "PSIZE",
                                               "GENERIC",
                                               "NORMAL",
                                               "FACE",
                                               "EDGEFLAG",
                                               "PRIM_ID",
                                               "INSTANCEID",
                                               "VERTEXID",
                                               "STENCIL",
                                               "CLIPDIST",
                                               "CLIPVERTEX",
                                               "GRID_SIZE",
                                               "BLOCK_ID",
                                               "BLOCK_SIZE",
                                               "THREAD_ID",
                                               "TEXCOORD",
                                               "PCOORD",
                                               "VIEWPORT_INDEX",
                                               "LAYER",
                                               "CULLDIST",
                                               "SAMPLEID",
                                               "SAMPLEPOS",
                                               "SAMPLEMASK",
                                               "INVOCATIONID",
                                               "VERTEXID_NOBASE",
                                               "BASEVERTEX",
                                               "PATCH",
                                               "TESSCOORD",
                                               "TESSOUTER",
                                               "TESSINNER",
                                               "VERTICESIN",
                                               "HELPER_INVOCATION",
                                               "BASEINSTANCE",
                                               "DRAWID",
                                               "WORK_DIM",
                                               "SUBGROUP_SIZE",
                                               "SUBGROUP_INVOCATION",
                                               "SUBGROUP_EQ_MASK",
                                               "SUBGROUP_GE_MASK",
                                               "SUBGROUP_GT_MASK",
                                               "SUBGROUP_LE_MASK",
                                               "SUBGROUP_LT_MASK",
                                               "VIEWPORT_MASK",
                                               "TESS_DEFAULT_OUTER_LEVEL",
                                               "TESS_DEFAULT_INNER_LEVEL",
                                               "VIEW_INDEX"},
                                              {{{"PRIMID", id(Semantic::PrimId)}}}};

constexpr Names<5> kInterpolations{{"", "CONSTANT", "LINEAR", "PERSPECTIVE", "COLOR"}};
constexpr Names<3> kLocations{{"CENTER", "CENTROID", "SAMPLE"}};

constexpr uint16_t id(Target t) {
    return static_cast<uint16_t>(t);
}
constexpr Names<kTargetCount, 8> kTargets{{"",
                                           "BUFFER",
                                           "1D",
                                           "2D",
                                           "3D",
                                           "CUBE",
                                           "RECT",
                                           "SHADOW1D",
                                           "SHADOW2D",
                                           "SHADOWRECT",
                                           "1D_ARRAY",
                                           "2D_ARRAY",
                                           "SHADOW1D_ARRAY",
                                           "SHADOW2D_ARRAY",
                                           "SHADOWCUBE",
                                           "2D_MSAA",
                                           "2D_ARRAY_MSAA",
                                           "CUBEARRAY",
                                           "SHADOWCUBEARRAY",
                                           "UNKNOWN"},
                                          {{{"1DARRAY", id(Target::T1DArray)},
                                            {"2DARRAY", id(Target::T2DArray)},
                                            {"SHADOW1DARRAY", id(Target::Shadow1DArray)},
                                            {"SHADOW2DARRAY", id(Target::Shadow2DArray)},
                                            {"CUBE_ARRAY", id(Target::CubeArray)},
                                            {"SHADOWCUBE_ARRAY", id(Target::ShadowCubeArray)},
                                            {"2DMS", id(Target::T2DMS)},
                                            {"2DMSARRAY", id(Target::T2DArrayMS)}}}};

constexpr Names<6> kReturnTypes{{"", "UNORM", "SNORM", "SINT", "UINT", "FLOAT"}};
constexpr Names<6> kImmediateTypes{{"FLT32", "UINT32", "INT32", "FLT64", "UINT64", "INT64"}};

constexpr uint16_t id(Property p) {
    return static_cast<uint16_t>(p);
}
constexpr Names<kPropertyCount, 3> kProperties{{"GS_INPUT_PRIMITIVE",
                                                "GS_OUTPUT_PRIMITIVE",
                                                "GS_MAX_OUTPUT_VERTICES",
                                                "GS_INVOCATIONS",
                                                "FS_COORD_ORIGIN",
                                                "FS_COORD_PIXEL_CENTER",
                                                "FS_COLOR0_WRITES_ALL_CBUFS",
                                                "FS_DEPTH_LAYOUT",
                                                "FS_EARLY_DEPTH_STENCIL",
                                                "FS_POST_DEPTH_COVERAGE",
                                                "FS_BLEND_EQUATION_ADVANCED",
                                                "VS_PROHIBIT_UCPS",
                                                "VS_WINDOW_SPACE_POSITION",
                                                "TCS_VERTICES_OUT",
                                                "TES_PRIM_MODE",
                                                "TES_SPACING",
                                                "TES_VERTEX_ORDER_CW",
                                                "TES_POINT_MODE",
                                                "NUM_CLIPDIST_ENABLED",
                                                "NUM_CULLDIST_ENABLED",
                                                "NEXT_SHADER",
                                                "CS_FIXED_BLOCK_WIDTH",
                                                "CS_FIXED_BLOCK_HEIGHT",
                                                "CS_FIXED_BLOCK_DEPTH",
                                                "LEGACY_MATH_RULES",
                                                "LAYER_VIEWPORT_RELATIVE",
                                                "SEPARABLE_PROGRAM",
                                                "VS_BLIT_SGPRS_AMD",
                                                "CS_USER_DATA_COMPONENTS_AMD",
                                                "CS_LOCAL_SIZE",
                                                "NUM_VIEWS"},
                                               {{{"MUL_ZERO_WINS", id(Property::LegacyMathRules)},
                                                 {"VS_POSITION_WINDOW_SPACE", id(Property::VsWindowSpacePosition)},
                                                 {"FS_COLOR0_WRITE_ALL_CBUFS", id(Property::FsColor0WritesAllCbufs)}}}};

constexpr Names<15> kPrimitives{{"POINTS", "LINES", "LINE_LOOP", "LINE_STRIP", "TRIANGLES", "TRIANGLE_STRIP",
                                 "TRIANGLE_FAN", "QUADS", "QUAD_STRIP", "POLYGON", "LINES_ADJACENCY",
                                 "LINE_STRIP_ADJACENCY", "TRIANGLES_ADJACENCY", "TRIANGLE_STRIP_ADJACENCY", "PATCHES"}};

constexpr auto kStageTable = kStages.table();
constexpr auto kFileTable = kFiles.table<1>();
constexpr auto kSemanticTable = kSemantics.table<3>();
constexpr auto kInterpolationTable = kInterpolations.table<2>();
constexpr auto kLocationTable = kLocations.table();
constexpr auto kTargetTable = kTargets.table<2>();
constexpr auto kReturnTypeTable = kReturnTypes.table();
constexpr auto kImmediateTypeTable = kImmediateTypes.table<1>();
constexpr auto kPropertyTable = kProperties.table();
constexpr auto kPrimitiveTable = kPrimitives.table();

template <class Enum, class Table>
std::optional<Enum> find(const Table& table, std::string_view word) {
    const uint16_t value = word.empty() ? Table::kNone : table.find(word);
    if (value == Table::kNone) return std::nullopt;
    return static_cast<Enum>(value);
}

template <class Enum, class Table>
std::optional<Enum> find(const Table& table, std::string_view word, const char* text_end) {
    const uint16_t value = word.empty() ? Table::kNone : table.find(word, text_end);
    if (value == Table::kNone) return std::nullopt;
    return static_cast<Enum>(value);
}

template <class Enum, class Names>
std::string_view printed(const Names& names, Enum value) {
    const auto i = static_cast<size_t>(value);
    return i < names.printed.size() ? names.printed[i] : std::string_view{};
}

}  // namespace

std::string_view name(Stage v) {
    return printed(kStages, v);
}
std::string_view name(File v) {
    return printed(kFiles, v);
}
std::string_view name(Semantic v) {
    return printed(kSemantics, v);
}
std::string_view name(Interpolation v) {
    return printed(kInterpolations, v);
}
std::string_view name(Location v) {
    return printed(kLocations, v);
}
std::string_view name(Target v) {
    return printed(kTargets, v);
}
std::string_view name(ReturnType v) {
    return printed(kReturnTypes, v);
}
std::string_view name(ImmediateType v) {
    return printed(kImmediateTypes, v);
}
std::string_view name(Property v) {
    return printed(kProperties, v);
}
std::string_view name(Primitive v) {
    return printed(kPrimitives, v);
}

std::optional<Stage> stage_from_name(std::string_view word) {
    return find<Stage>(kStageTable, word);
}
std::optional<File> file_from_name(std::string_view word) {
    return find<File>(kFileTable, word);
}
std::optional<Semantic> semantic_from_name(std::string_view word) {
    return find<Semantic>(kSemanticTable, word);
}
std::optional<Interpolation> interpolation_from_name(std::string_view word) {
    return find<Interpolation>(kInterpolationTable, word);
}
std::optional<Location> location_from_name(std::string_view word) {
    return find<Location>(kLocationTable, word);
}
std::optional<Target> target_from_name(std::string_view word) {
    return find<Target>(kTargetTable, word);
}
std::optional<ReturnType> return_type_from_name(std::string_view word) {
    return find<ReturnType>(kReturnTypeTable, word);
}
std::optional<ImmediateType> immediate_type_from_name(std::string_view word) {
    return find<ImmediateType>(kImmediateTypeTable, word);
}
std::optional<Property> property_from_name(std::string_view word) {
    return find<Property>(kPropertyTable, word);
}
std::optional<Primitive> primitive_from_name(std::string_view word) {
    return find<Primitive>(kPrimitiveTable, word);
}

std::optional<Stage> stage_from_word(std::string_view word, const char* text_end) {
    return find<Stage>(kStageTable, word, text_end);
}
std::optional<File> file_from_word(std::string_view word, const char* text_end) {
    return find<File>(kFileTable, word, text_end);
}
std::optional<Semantic> semantic_from_word(std::string_view word, const char* text_end) {
    return find<Semantic>(kSemanticTable, word, text_end);
}
std::optional<Interpolation> interpolation_from_word(std::string_view word, const char* text_end) {
    return find<Interpolation>(kInterpolationTable, word, text_end);
}
std::optional<Target> target_from_word(std::string_view word, const char* text_end) {
    return find<Target>(kTargetTable, word, text_end);
}
std::optional<ImmediateType> immediate_type_from_word(std::string_view word, const char* text_end) {
    return find<ImmediateType>(kImmediateTypeTable, word, text_end);
}
std::optional<Property> property_from_word(std::string_view word, const char* text_end) {
    return find<Property>(kPropertyTable, word, text_end);
}

TargetShape shape(Target target) {
    TargetShape s;
    switch (target) {
        case Target::None:
        case Target::Unknown:
            return s;
        case Target::Buffer:
            s.coords = 1;
            s.buffer = true;
            return s;
        case Target::T1D:
        case Target::T1DArray:
        case Target::Shadow1D:
        case Target::Shadow1DArray:
            s.coords = 1;
            break;
        case Target::T2D:
        case Target::Rect:
        case Target::T2DArray:
        case Target::Shadow2D:
        case Target::ShadowRect:
        case Target::Shadow2DArray:
        case Target::T2DMS:
        case Target::T2DArrayMS:
            s.coords = 2;
            break;
        case Target::T3D:
        case Target::Cube:
        case Target::CubeArray:
        case Target::ShadowCube:
        case Target::ShadowCubeArray:
            s.coords = 3;
            break;
    }
    s.array = target == Target::T1DArray || target == Target::T2DArray || target == Target::Shadow1DArray ||
              target == Target::Shadow2DArray || target == Target::T2DArrayMS || target == Target::CubeArray ||
              target == Target::ShadowCubeArray;
    s.shadow = target == Target::Shadow1D || target == Target::Shadow2D || target == Target::ShadowRect ||
               target == Target::Shadow1DArray || target == Target::Shadow2DArray || target == Target::ShadowCube ||
               target == Target::ShadowCubeArray;
    s.cube = target == Target::Cube || target == Target::CubeArray || target == Target::ShadowCube ||
             target == Target::ShadowCubeArray;
    s.ms = target == Target::T2DMS || target == Target::T2DArrayMS;
    s.rect = target == Target::Rect || target == Target::ShadowRect;
    return s;
}

}  // namespace tgsi2spv::tgsi
