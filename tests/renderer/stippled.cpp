// Polygon stipple: OpenGL has it for filled polygons alone, whatever makes them.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

struct Row {
    const char* name;
    bool draws;  ///< with a pattern that has no bits
    Buffer commands;
};

class Stipple : public Draws, public testing::WithParamInterface<Row> {};

TEST_P(Stipple, IsOfFilledPolygons) {
    const Buffer small =
        command(Id::SetViewportState, {0, bits(3), bits(3), bits(0.5F), bits(6.6F), bits(5.3F), bits(0.5F)});
    const Buffer empty = command(Id::SetPolygonStipple, Buffer(32, 0));
    for (const Names& missing :
         {Names{}, {"geometryShader", "tessellationShader"}, {"fillModeNonSolid", "VK_EXT_provoking_vertex"}}) {
        restart_without(missing);
        run(scene() + whole_target() + small + empty + GetParam().commands);
        EXPECT_EQ(std::ranges::any_of(pixels(), [](uint32_t pixel) { return pixel != kGreen; }), GetParam().draws);
    }
}

constexpr uint32_t kStipple = 1U << 22, kLines = 1U << 10 | 1U << 12;
Buffer stippled(uint32_t more = 0) {
    return bind_new(O::Rasterizer, {20, kRasterizer | kStipple | more, bits(1), 0, 0, bits(1), 0, 0, 0});
}
std::string geometry(const std::string& made) {
    std::string text = geometry_of_triangles("DCL IN[][1], GENERIC[0]; DCL OUT[1], GENERIC[0]; ",
                                             "MOV OUT[0], IN[@][0]; MOV OUT[1], IN[@][1]; ");
    return text.replace(text.find("TRIANGLE_STRIP"), 14, made);
}
constexpr const char* kEvaluation =
    "TESS_EVAL; PROPERTY TES_PRIM_MODE 4; DCL IN[][0], POSITION; DCL SV[0], TESSCOORD; DCL OUT[0], POSITION; "
    "DCL OUT[1], GENERIC[0]; DCL TEMP[0]; MUL TEMP[0], IN[0][0], SV[0].xxxx; "
    "MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]; MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]; MOV OUT[1], SV[0]; END";
const Buffer kPatch = command(Id::SetTessState, {bits(1), bits(1), bits(1), bits(1), bits(1), bits(1)}) +
                      command(Id::DrawVbo, {0, 3, 14, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 3, 0});

INSTANTIATE_TEST_SUITE_P(Primitives, Stipple,
                         testing::ValuesIn(std::vector<Row>{
                             {"Triangles", false, stippled() + triangle()},
                             {"TrianglesAsLines", true, stippled(kLines) + triangle()},
                             {"TrianglesOfGeom", false, stippled() + use(21, geometry("TRIANGLE_STRIP")) + triangle()},
                             {"LinesOfGeom", true, stippled() + use(21, geometry("LINE_STRIP")) + triangle()},
                             {"TrianglesOfPatches", false, stippled() + use(21, kEvaluation) + kPatch},
                         }),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tgsi2spv::host
