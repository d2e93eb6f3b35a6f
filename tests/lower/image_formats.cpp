// The format that a module names for an image: its text's, or that of its unit.
#include <gtest/gtest.h>

#include <string>

#include <spirv/unified1/spirv.hpp11>

#include "lower/lowered.h"
#include "tgsi/formats.h"

namespace tgsi2spv::test {
namespace {

using spv::ImageFormat;

ImageFormat named(const char* unit, const std::string& text, const std::string& accesses) {
    lower::Options options;
    options.image_formats = {*tgsi::format_from_name(unit)};
    const Lowered l = lower_text("FRAG\nDCL IMAGE[0], 2D, PIPE_FORMAT_" + text +
                                     ", WR\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 0, 0, 0}\n" + accesses + "\nEND\n",
                                 options);
    EXPECT_TRUE(l.ok) << l.error;
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::StorageImage) return static_cast<ImageFormat>(v.image.format);
    return ImageFormat::Unknown;
}

TEST(LowerImageFormats, AnotherOneOfTheSameTypeIsTheUnits) {
    const std::string load = "LOAD OUT[0], IMAGE[0], IMM[0], 2D",
                      add = "ATOMUADD OUT[0].x, IMAGE[0], IMM[0], IMM[0], 2D";
    EXPECT_EQ(named("R16_FLOAT", "R32_FLOAT", load), ImageFormat::R16f);
    EXPECT_EQ(named("R8G8B8A8_UNORM", "R32_FLOAT", load), ImageFormat::Rgba8);
    EXPECT_EQ(named("R16_UINT", "R32_UINT", load), ImageFormat::R16ui);
    EXPECT_EQ(named("R16_SINT", "R32_UINT", load), ImageFormat::R32ui) << "the other sign";
    EXPECT_EQ(named("R32_UINT", "R32_FLOAT", load), ImageFormat::R32f);
    EXPECT_EQ(named("R16_UINT", "R32_UINT", load + "\n" + add), ImageFormat::R32ui) << "only 32 bits have atomics";
}

}  // namespace
}  // namespace tgsi2spv::test
