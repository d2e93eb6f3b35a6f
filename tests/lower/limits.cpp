// A text exactly at a limit works, and one beyond it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/interface/link.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;

TEST(LowerLimits, PushConstantsMayEndWhereTheDevicesEnd) {
    const auto error = [](uint32_t registers, uint32_t offset, uint32_t bytes) {
        lower::Options options;
        options.push_constants = {{0, offset}};
        lower::Capabilities device;
        device.max_push_constants = bytes;
        return lower_text("VERT\nDCL OUT[0], POSITION\nDCL CONST[0.." + std::to_string(registers - 1) +
                              "]\nMOV OUT[0], CONST[0]\nEND\n",
                          options, device)
            .error;
    };
    EXPECT_EQ(error(8, 0, 128), "");
    EXPECT_THAT(error(9, 0, 128), HasSubstr("ends at byte 144, beyond the 128 bytes"));
    EXPECT_EQ(error(5, 48, 128), "");
    EXPECT_THAT(error(6, 48, 128), HasSubstr("ends at byte 144, beyond the 128 bytes"));
    EXPECT_EQ(error(16, 0, 256), "");
    EXPECT_THAT(error(8, 0, 127), HasSubstr("ends at byte 128, beyond the 127 bytes"));
}

TEST(LowerLimits, AsManyUniformBuffersAsTheDeviceHas) {
    const auto storage = [](int buffers, uint32_t limit) {
        std::string text = "VERT\nDCL OUT[0], POSITION\nDCL TEMP[0]\n", body;
        for (int i = 0; i < buffers; ++i) {
            const std::string buffer = "CONST[" + std::to_string(i) + "][0]";
            text += "DCL " + buffer + "\n";
            body += "ADD TEMP[0], TEMP[0], " + buffer + "\n";
        }
        lower::Capabilities device;
        device.max_uniform_buffers = limit;
        const Lowered l = lower_text(text + body + "MOV OUT[0], TEMP[0]\nEND\n", {}, device);
        EXPECT_TRUE(l.ok) << l.error;
        std::vector<uint32_t> found;
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::ConstantBuffer && v.storage) found.push_back(v.index);
        return found;
    };
    EXPECT_THAT(storage(12, 12), testing::IsEmpty());
    EXPECT_THAT(storage(13, 12), testing::ElementsAre(12u));
    EXPECT_THAT(storage(4, 3), testing::ElementsAre(3u));
}

TEST(LowerLimits, AUniformBufferAsLongAsTheDeviceTakes) {
    const auto storage = [](int registers, uint32_t range) {
        lower::Capabilities device;
        device.max_uniform_range = range;
        const Lowered l = lower_text("VERT\nDCL OUT[0], POSITION\nDCL CONST[0.." + std::to_string(registers - 1) +
                                         "]\nMOV OUT[0], CONST[0]\nEND\n",
                                     {}, device);
        EXPECT_TRUE(l.ok) << l.error;
        return l.module.variables.at(0).storage || l.module.variables.at(1).storage;
    };
    EXPECT_FALSE(storage(1024, 16384));
    EXPECT_TRUE(storage(1025, 16384));
}

TEST(LowerLimits, AnIndexSelectsAmong32ConstantBuffers) {
    const auto error = [](const char* last) {
        return lower_text(R"(FRAG
DCL TEMP[0]
DCL ADDR[0]
DCL OUT[0], COLOR
DCL CONSTBUF[0..)" + std::string(last) +
                          "]\nLOAD TEMP[0], CONSTBUF[ADDR[0].x], TEMP[0]\nMOV OUT[0], TEMP[0]\nEND\n")
            .error;
    };
    EXPECT_EQ(error("31"), "");
    EXPECT_THAT(error("32"), HasSubstr("more than 32 constant buffers"));
}

TEST(LowerLimits, AnIndexSelectsAmong64RegistersOfAVertex) {
    const auto error = [](const std::string& declaration, const char* array) {
        const lower::Linkage linkage;  // nothing is passed on, so no location is needed
        return lower_text(
                   R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
)" + declaration +
                       R"(DCL CONST[0]
DCL OUT[0], POSITION
DCL ADDR[0]
UARL ADDR[0].x, CONST[0].xxxx
MOV OUT[0].x, IN[0][ADDR[0].x])" +
                       array + "\nEMIT\nEND\n",
                   {.linkage = &linkage})
            .error;
    };
    EXPECT_EQ(error("DCL IN[][0..63], GENERIC[0]\n", ""), "");
    EXPECT_THAT(error("DCL IN[][0..64], GENERIC[0]\n", ""), HasSubstr("more than 64 registers of IN"));
    // Only the registers that the index may select count.
    EXPECT_EQ(error("DCL IN[][0..63], ARRAY(1), GENERIC[0]\nDCL IN[][64..80], ARRAY(2), GENERIC[64]\n", "(1)"), "");
}

}  // namespace
}  // namespace tgsi2spv::test
