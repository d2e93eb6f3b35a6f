// Two variables at one binding: Vulkan, "Shader Resource and Storage Class Correspondence", says which types of
// variables one descriptor serves.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "spirv/support.h"

namespace tgsi2spv::spirv {
namespace {

constexpr const char* kUniform = "ConstantBuffer f32x4 array1=4 index=1";
constexpr const char* kStorageConstants = "ConstantBuffer f32x4 array1=4 index=1 storage";
constexpr const char* kBuffer = "StorageBuffer u32 index=2";
constexpr const char* kImage = "StorageImage void format=1 index=1";
constexpr const char* kVolume = "StorageImage void format=1 dim=3D index=2";
constexpr const char* kTexels = "StorageImage void format=1 dim=Buffer index=2";
constexpr const char* kTexture = "SampledImage void index=1";
constexpr const char* kTextureTexels = "SampledImage void dim=Buffer index=2";

TEST(Bindings, VariablesOfOneDescriptorTypeMayShareOne) {
    const struct {
        const char *first, *second, *body;  ///< declarations of $3 and $4
        bool accepted;
    } rows[] = {{kStorageConstants, kBuffer, "%r = Load f32x4 $3[u32(0)]\n%s = Load u32 $4[u32(0)]", true},
                {kUniform, kBuffer, "%r = Load f32x4 $3[u32(0)]\n%s = Load u32 $4[u32(0)]", false},
                {kImage, kVolume, "%r = ImageRead f32x4 #0 %u2\n%s = ImageRead f32x4 #1 %u3", true},
                {kImage, kTexels, "%r = ImageRead f32x4 #0 %u2\n%s = ImageRead f32x4 #1 %u", false},
                {kTexture, kTextureTexels, "%r = ImageFetch f32x4 #0 %u2\n%s = ImageFetch f32x4 #1 %u", false},
                {kTexture, kVolume, "%r = ImageFetch f32x4 #0 %u2\n%s = ImageRead f32x4 #1 %u3", false}};
    for (const auto& row : rows) {
        std::string declarations = std::string("$3 = ") + row.first + "\n$4 = " + row.second + "\n";
        if (std::string_view(row.body).find('#') != std::string_view::npos)
            declarations += "#0 = image $3\n#1 = image $4\n";
        const ir::Module module = module_of(fragment(row.body, declarations));
        EmitOptions options;
        for (size_t i = 3; i < 5; ++i)
            options.layout.entries.push_back({module.variables[i].kind, module.variables[i].index, {2, 9}});
        SCOPED_TRACE(declarations);
        if (row.accepted)
            EXPECT_EQ(validate(words_of(module, options), options.env), "");
        else
            EXPECT_EQ(error_of(module, options).code, "two-descriptors");
        // Side by side, they are all fine.
        options.layout.entries[1].binding.binding = 10;
        EXPECT_EQ(validate(words_of(module, options), options.env), "");
    }
}

}  // namespace
}  // namespace tgsi2spv::spirv
