#include "tgsi/tables/names.h"

#include <gtest/gtest.h>

#include "tgsi/tables/formats.h"

namespace tgsi2spv::tgsi {
namespace {

template <class Enum, class FromName>
void expect_round_trip(int first, int count, FromName&& from_name) {
    for (int i = first; i < count; ++i) {
        const auto value = static_cast<Enum>(i);
        const std::string_view word = name(value);
        ASSERT_FALSE(word.empty()) << i;
        EXPECT_EQ(from_name(word), value) << word;
        std::string lower(word);
        for (char& c : lower) c = static_cast<char>(std::tolower(c));
        EXPECT_EQ(from_name(lower), value) << lower;
        EXPECT_FALSE(from_name(lower + "_")) << lower;
    }
    EXPECT_FALSE(from_name(std::string_view{}));
}

TEST(Names, NamesConvertToValuesAndBack) {
    expect_round_trip<Stage>(0, kStageCount, stage_from_name);
    expect_round_trip<File>(0, kFileCount, file_from_name);
    expect_round_trip<Semantic>(1, kSemanticCount, semantic_from_name);
    expect_round_trip<Interpolation>(1, 5, interpolation_from_name);
    expect_round_trip<Location>(0, 3, location_from_name);
    expect_round_trip<Target>(1, kTargetCount, target_from_name);
    expect_round_trip<ReturnType>(1, 6, return_type_from_name);
    expect_round_trip<ImmediateType>(0, 6, immediate_type_from_name);
    expect_round_trip<Property>(0, kPropertyCount, property_from_name);
    expect_round_trip<Primitive>(0, 15, primitive_from_name);
}

TEST(Names, AliasesAreRead) {
    EXPECT_EQ(semantic_from_name("PRIMID"), Semantic::PrimId);
    EXPECT_EQ(property_from_name("MUL_ZERO_WINS"), Property::LegacyMathRules);
    EXPECT_EQ(target_from_name("2DMS"), Target::T2DMS);
    EXPECT_EQ(target_from_name("cube_array"), Target::CubeArray);
    EXPECT_EQ(name(Target::CubeArray), "CUBEARRAY");
}

TEST(Names, TargetShapes) {
    const auto is = [](Target t, int coords, const char* flags) {
        const TargetShape s = shape(t);
        std::string text;
        if (s.array) text += 'a';
        if (s.shadow) text += 's';
        if (s.cube) text += 'c';
        if (s.ms) text += 'm';
        if (s.rect) text += 'r';
        if (s.buffer) text += 'b';
        EXPECT_EQ(s.coords, coords) << name(t);
        EXPECT_EQ(text, flags) << name(t);
    };
    is(Target::Buffer, 1, "b");
    is(Target::T1D, 1, "");
    is(Target::T2D, 2, "");
    is(Target::T3D, 3, "");
    is(Target::Cube, 3, "c");
    is(Target::Rect, 2, "r");
    is(Target::Shadow1D, 1, "s");
    is(Target::Shadow2D, 2, "s");
    is(Target::ShadowRect, 2, "sr");
    is(Target::T1DArray, 1, "a");
    is(Target::T2DArray, 2, "a");
    is(Target::Shadow1DArray, 1, "as");
    is(Target::Shadow2DArray, 2, "as");
    is(Target::ShadowCube, 3, "sc");
    is(Target::T2DMS, 2, "m");
    is(Target::T2DArrayMS, 2, "am");
    is(Target::CubeArray, 3, "ac");
    is(Target::ShadowCubeArray, 3, "asc");
    is(Target::None, 0, "");
    is(Target::Unknown, 0, "");
}

TEST(Formats, NamesAreReadWithAndWithoutPrefix) {
    EXPECT_EQ(format_info(0).name, "NONE");
    for (uint16_t f = 0; f < format_count(); ++f) {
        const std::string word(format_info(f).name);
        EXPECT_EQ(format_from_name(word), f) << word;
        EXPECT_EQ(format_from_name("PIPE_FORMAT_" + word), f) << word;
        EXPECT_EQ(format_from_name("pipe_format_" + word), f) << word;
    }
    EXPECT_FALSE(format_from_name("PIPE_FORMAT_"));
    EXPECT_FALSE(format_from_name("PIPE_FORMAT_R33_UINT"));
}

TEST(Formats, BitsAndComponentsMatchTheName) {
    const auto is = [](const char* word, int components, int bits, Numeric numeric) {
        const FormatInfo& f = format_info(format_from_name(word).value());
        EXPECT_EQ(f.components, components) << word;
        EXPECT_EQ(f.bits[0], bits) << word;
        EXPECT_EQ(f.numeric, numeric) << word;
    };
    is("R8G8B8A8_UNORM", 4, 8, Numeric::Unorm);
    is("R16G16_SNORM", 2, 16, Numeric::Snorm);
    is("R32_FLOAT", 1, 32, Numeric::Float);
    is("R11G11B10_FLOAT", 3, 11, Numeric::Float);
    is("R10G10B10A2_UINT", 4, 10, Numeric::Uint);
    is("R8_SINT", 1, 8, Numeric::Sint);
    is("B8G8R8A8_SRGB", 4, 8, Numeric::Srgb);
    is("Z24_UNORM_S8_UINT", 1, 24, Numeric::Depth);
    EXPECT_EQ(format_info(format_from_name("R10G10B10A2_UNORM").value()).bits[3], 2);
}

}  // namespace
}  // namespace tgsi2spv::tgsi
