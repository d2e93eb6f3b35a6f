// Image instructions: each operation on each kind of image, the order of its operands, and the capabilities it needs.
#include "spirv/support.h"

#include <gtest/gtest.h>

#include "ir/text_cases.h"

namespace tgsi2spv::spirv {
namespace {

constexpr const char* k2D = "$3 = CombinedImage void\n";
constexpr const char* kShadow = "$3 = CombinedImage void depth\n";
constexpr const char* kSeparate = "$3 = SampledImage void\n$4 = Sampler void\n";
constexpr const char* kInt = "$3 = CombinedImage void sampled=u32 signed\n";
constexpr const char* kMs = "$3 = CombinedImage void ms\n";
constexpr const char* kTexelBuffer = "$3 = CombinedImage void dim=Buffer\n";
constexpr const char* kStorage = "$3 = StorageImage void sampled=u32 format=33\n";            // R32ui
constexpr const char* kStorageInt = "$3 = StorageImage void sampled=u32 signed format=24\n";  // R32i
constexpr const char* kStorageFloat = "$3 = StorageImage void format=3\n";                    // R32f
constexpr const char* kUnknown = "$3 = StorageImage void\n";

std::string plus(const char* a, const char* b) {
    return std::string(a) + b;
}

TEST(Images, ofTheTexts) {
    for (const ir::TextCase& c : ir::text_cases("spirv/data/images"))
        for (const TargetEnv env : kEnvs) {
            const size_t last = c.before.rfind('\n') + 1;
            const std::string a = emitted(fragment("%r = " + c.before.substr(last), c.before.substr(0, last)), env);
            EXPECT_TRUE(has_expected(a, c.after, true)) << c.before << "\n" << a;
        }
}

TEST(Images, separateSamplersAreJoinedBesideTheirUse) {
    const std::string a = emitted(fragment("%r = ImageSample f32x4 #0 %f2\n%s = ImageSample f32x4 #0 %f2",
                                           plus(kSeparate, "#0 = image $3 sampler $4")));
    const size_t first = a.find("= OpSampledImage");
    EXPECT_NE(first, std::string::npos);
    EXPECT_NE(a.find("= OpSampledImage", first + 1), std::string::npos);  // not shared: it must be in the same block
}

TEST(Images, gathersHaveAComponentOrAReference) {
    const auto gather = [](const char* image, const char* op, const char* text, TargetEnv env) {
        return emitted(fragment(plus("%r = ", text), plus(image, "#0 = image $3 ") + op), env);
    };
    for (const TargetEnv env : kEnvs) {
        std::string a = gather(k2D, "component=2", "ImageGather f32x4 #0 %f2", env);
        EXPECT_TRUE(has(a, "OpImageGather %v4float") && has(a, "%uint_2")) << a;
        EXPECT_FALSE(has(a, "ImageGatherExtended"));
        a = gather(kShadow, "dref component=2", "ImageGather f32x4 #0 %f2, %f", env);
        EXPECT_TRUE(has(a, "OpImageDrefGather %v4float")) << a;
        EXPECT_FALSE(has(a, "%uint_2")) << a;
        a = gather(k2D, "const_offset", "ImageGather f32x4 #0 %f2, u32x2(1, 4294967295)", env);
        EXPECT_TRUE(has(a, " ConstOffset ") && has(a, "OpConstant %int -1")) << a;
        EXPECT_FALSE(has(a, "ImageGatherExtended"));
        a = gather(k2D, "offset", "ImageGather f32x4 #0 %f2, %u2", env);
        EXPECT_TRUE(has(a, "OpBitcast %v2int") && has(a, " Offset ") && has(a, "OpCapability ImageGatherExtended"))
            << a;
        a = gather(k2D, "const_offsets", "ImageGather f32x4 #0 %f2, u32x2(0, 0), u32x2(1, 0), u32x2(0, 1), u32x2(1, 1)",
                   env);
        EXPECT_TRUE(has(a, " ConstOffsets ") && has(a, "OpTypeArray %v2int %uint_4") &&
                    has(a, "OpCapability ImageGatherExtended"))
            << a;
        a = gather(kInt, "", "ImageGather u32x4 #0 %f2", env);
        EXPECT_TRUE(has(a, "OpImageGather %v4int") && has(a, "OpBitcast %v4uint")) << a;
    }
}

TEST(Images, fetchesTakeTheImageOutOfTheCombinedOne) {
    for (const TargetEnv env : kEnvs) {
        std::string a = emitted(fragment("%r = ImageFetch f32x4 #0 %u2, %u", plus(k2D, "#0 = image $3 lod")), env);
        EXPECT_TRUE(has(a, "= OpImage ") && has(a, "OpImageFetch %v4float") && has(a, " Lod ")) << a;
        a = emitted(fragment("%r = ImageFetch f32x4 #0 %u2, %u", plus(kMs, "#0 = image $3 sample")), env);
        EXPECT_TRUE(has(a, " Sample ")) << a;
        a = emitted(fragment("%r = ImageFetch f32x4 #0 %u", plus(kTexelBuffer, "#0 = image $3")), env);
        EXPECT_TRUE(has(a, "OpCapability SampledBuffer")) << a;
        EXPECT_FALSE(has(a, "OpTypeSampledImage")) << a;
        a = emitted(
            fragment("%r = ImageFetch u32x4 #0 %u2, u32(0), u32x2(1, 1)", plus(kInt, "#0 = image $3 lod const_offset")),
            env);
        EXPECT_TRUE(has(a, " Lod|ConstOffset ") && has(a, "OpBitcast %v4uint")) << a;
        a = emitted(fragment("%r = ImageFetch f32x4 #0 %u2, %u", "$3 = SampledImage void\n#0 = image $3 lod"), env);
        EXPECT_FALSE(has(a, "= OpImage ")) << a;
    }
}

TEST(Images, storageImages) {
    for (const TargetEnv env : kEnvs) {
        std::string a = emitted(
            fragment("%r = ImageRead u32x4 #0 %u2\nImageWrite #0 %u2, %r", plus(kStorage, "#0 = image $3")), env);
        EXPECT_TRUE(has(a, "OpImageRead %v4uint") && has(a, "OpImageWrite") && has(a, "2D 0 0 0 2 R32ui")) << a;
        EXPECT_FALSE(has(a, "WithoutFormat")) << a;
        a = emitted(fragment("%r = ImageRead u32x4 #0 %u2\nImageWrite #0 %u2, %r", plus(kStorageInt, "#0 = image $3")),
                    env);
        EXPECT_TRUE(has(a, "OpImageRead %v4int") && has(a, "OpBitcast %v4int") && has(a, "OpBitcast %v4uint")) << a;
        a = emitted(fragment("%r = ImageRead f32x4 #0 %u2", plus(kUnknown, "#0 = image $3")), env);
        EXPECT_TRUE(has(a, "OpCapability StorageImageReadWithoutFormat")) << a;
        EXPECT_FALSE(has(a, "StorageImageWriteWithoutFormat")) << a;
        a = emitted(fragment("ImageWrite #0 %u2, %v", plus(kUnknown, "#0 = image $3")), env);
        EXPECT_TRUE(has(a, "OpCapability StorageImageWriteWithoutFormat")) << a;
        a = emitted(fragment("%r = ImageRead f32x4 #0 %u2", "$3 = StorageImage void format=6\n#0 = image $3"), env);
        EXPECT_TRUE(has(a, "OpCapability StorageImageExtendedFormats")) << a;  // Rg32f
        a = emitted(fragment("%r = ImageRead f32x4 #0 %u2, %u\nImageWrite #0 %u2, %r, %u",
                             "$3 = StorageImage void format=1 ms\n#0 = image $3 sample"),
                    env);
        EXPECT_TRUE(has(a, "OpCapability StorageImageMultisample")) << a;
        a = emitted(fragment("%r = ImageRead f32x4 #0 u32x2(0, 0)",
                             "$3 = InputAttachment void dim=SubpassData index=2\n#0 = image $3"),
                    env);
        EXPECT_TRUE(has(a, "OpCapability InputAttachment") && has(a, "InputAttachmentIndex 2")) << a;
        EXPECT_FALSE(has(a, "WithoutFormat")) << a;
    }
}

TEST(Images, atomics) {
    for (const TargetEnv env : kEnvs) {
        for (const char* op : {"IAdd", "SMin", "SMax", "UMin", "UMax", "And", "Or", "Xor", "Exchange"}) {
            const std::string text = plus("%r = ImageAtomic u32 ", op) + " #0 %u2, %u";
            std::string a = emitted(fragment(text, plus(kStorage, "#0 = image $3")), env);
            EXPECT_TRUE(has(a, "OpImageTexelPointer %_ptr_Image_uint") && has(a, plus("OpAtomic", op))) << a;
            a = emitted(fragment(text, plus(kStorageInt, "#0 = image $3")), env);
            EXPECT_TRUE(has(a, "OpImageTexelPointer %_ptr_Image_int") && has(a, "OpBitcast %uint")) << a;
        }
        std::string a = emitted(
            fragment("%r = ImageAtomic u32 CompareExchange #0 %u2, u32(5), u32(7)", plus(kStorage, "#0 = image $3")),
            env);
        EXPECT_TRUE(has(a, "%uint_1 %uint_0 %uint_0 %uint_7 %uint_5")) << a;  // scope, semantics, value, comparator
        a = emitted(fragment("%r = ImageAtomic f32 FAdd #0 %u2, %f", plus(kStorageFloat, "#0 = image $3")), env);
        EXPECT_TRUE(has(a, "OpAtomicFAddEXT %float") && has(a, "SPV_EXT_shader_atomic_float_add")) << a;
        a = emitted(fragment("%r = ImageAtomic f32 Exchange #0 %u2, %f", plus(kStorageFloat, "#0 = image $3")), env);
        EXPECT_TRUE(has(a, "OpAtomicExchange %float")) << a;
    }
}

TEST(Images, sparseResultsAreAPair) {
    for (const TargetEnv env : kEnvs) {
        const char* texts[][2] = {{"ImageSample f32x4 #0 %f2", ""},
                                  {"ImageSampleLod f32x4 #0 %f2, %f", " lod"},
                                  {"ImageGather f32x4 #0 %f2", ""}};
        for (const auto& [text, operands] : texts) {
            const std::string body = plus("%r = ", text) + "\n%s = Second u32 %r\n%t = SparseResident bool %s";
            const std::string a = emitted(fragment(body, plus(k2D, "#0 = image $3 sparse") + operands), env);
            EXPECT_TRUE(has(a, "OpImageSparseTexelsResident") && has(a, "OpCapability SparseResidency")) << a;
        }
        emitted(fragment("%r = ImageFetch u32x4 #0 %u2, u32(0)\n%s = Second u32 %r",
                         plus(kInt, "#0 = image $3 sparse lod")),
                env);
        emitted(
            fragment("%r = ImageSample f32 #0 %f2, %f\n%s = Second u32 %r", plus(kShadow, "#0 = image $3 sparse dref")),
            env);
        emitted(fragment("%r = ImageGather f32x4 #0 %f2, %f\n%s = Second u32 %r",
                         plus(kShadow, "#0 = image $3 sparse dref")),
                env);
        emitted(fragment("%r = ImageRead u32x4 #0 %u2\n%s = Second u32 %r", plus(kStorage, "#0 = image $3 sparse")),
                env);
    }
}

TEST(Images, typesAskForTheirCapabilities) {
    const std::string plain = emitted(fragment("%r = ImageSample f32x4 #0 %f2", plus(k2D, "#0 = image $3")));
    EXPECT_EQ(plain.find("OpCapability", plain.find("OpCapability") + 1), std::string::npos);  // only Shader
}

TEST(Images, descriptorArrays) {
    constexpr const char* kArrays = "$3 = SampledImage void array0=4\n$4 = Sampler void array0=2 index=9\n";
    for (const TargetEnv env : kEnvs) {
        std::string a = emitted(
            fragment("%r = ImageSample f32x4 #0 u32(1), u32(0), %f2", plus(kArrays, "#0 = image $3 sampler $4")), env);
        EXPECT_FALSE(has(a, "Indexing") || has(a, "NonUniform")) << a;
        a = emitted(fragment("%r = ImageSample f32x4 #0 %u, u32(0), %f2", plus(kArrays, "#0 = image $3 sampler $4")),
                    env);
        EXPECT_TRUE(has(a, "OpCapability SampledImageArrayDynamicIndexing")) << a;
        EXPECT_FALSE(has(a, "NonUniform")) << a;
        a = emitted(fragment("%r = ImageSample f32x4 #0 %u, u32(0), %f2",
                             plus(kArrays, "#0 = image $3 sampler $4 non_uniform")),
                    env);
        EXPECT_TRUE(has(a, "OpCapability SampledImageArrayNonUniformIndexing") &&
                    has(a, "OpCapability ShaderNonUniform"))
            << a;
        EXPECT_EQ(has(a, "SPV_EXT_descriptor_indexing"), env < TargetEnv::Vulkan12) << a;
        // The access chain, the loaded image and the sampled image; not the sampler, whose index is constant.
        EXPECT_EQ(count(a, " NonUniform\n"), 3u) << a;
        // And the other way round.
        a = emitted(fragment("%r = ImageSample f32x4 #0 u32(1), %u, %f2",
                             plus(kArrays, "#0 = image $3 sampler $4 non_uniform")),
                    env);
        EXPECT_EQ(count(a, " NonUniform\n"), 3u) << a;
        // The access chain, the loaded sampled image and its image.
        a = emitted(fragment("%r = ImageFetch f32x4 #0 %u, %u2, u32(0)",
                             "$3 = CombinedImage void array0=3\n#0 = image $3 lod non_uniform"),
                    env);
        EXPECT_EQ(count(a, " NonUniform\n"), 3u) << a;
        a = emitted(fragment("%r = ImageFetch f32x4 #0 %u, %x",
                             "$3 = SampledImage void dim=Buffer array0=3\n#0 = image $3 non_uniform"),
                    env);
        EXPECT_TRUE(has(a, "UniformTexelBufferArrayNonUniformIndexing")) << a;
        a = emitted(fragment("%r = ImageRead u32x4 #0 %u, %u2",
                             "$3 = StorageImage void sampled=u32 format=33 array0=3\n#0 = image $3 non_uniform"),
                    env);
        EXPECT_TRUE(has(a, "StorageImageArrayNonUniformIndexing")) << a;
        a = emitted(fragment("%r = ImageAtomic u32 IAdd #0 %u, %u2, %x",
                             "$3 = StorageImage void sampled=u32 format=33 array0=3\n#0 = image $3 non_uniform"),
                    env);
        EXPECT_TRUE(has(a, "StorageImageArrayNonUniformIndexing")) << a;
        EXPECT_EQ(count(a, " NonUniform\n"), 2u) << a;  // the access chain and the pointer to the texel
    }
}

}  // namespace
}  // namespace tgsi2spv::spirv
