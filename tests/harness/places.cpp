#include "harness/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <spirv/unified1/spirv.hpp11>

#include "devices.h"

namespace tgsi2spv::harness {
namespace {

using spv::Op;

/// The declarations of a module, added one instruction at a time. The types are: 1 float, 2 a sampled image, 3 a
/// combined image and sampler, 4 a storage image, 5 a block, 6 an array of type 3, 7 texels, 8 a sampler.
struct Module {
    std::vector<uint32_t> words{spv::MagicNumber, 0x10000, 0, 100, 0};

    void add(Op op, std::vector<uint32_t> operands) {
        words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(op));
        words.insert(words.end(), operands.begin(), operands.end());
    }
    Module() {
        const auto dim = [](spv::Dim d) { return static_cast<uint32_t>(d); };
        add(Op::OpTypeFloat, {1, 32});
        add(Op::OpTypeImage, {2, 1, dim(spv::Dim::Dim2D), 0, 0, 0, 1, 0});
        add(Op::OpTypeSampledImage, {3, 2});
        add(Op::OpTypeImage, {4, 1, dim(spv::Dim::Dim2D), 0, 0, 0, 2, 0});
        add(Op::OpTypeStruct, {5, 1});
        add(Op::OpTypeArray, {6, 3, 9});
        add(Op::OpTypeImage, {7, 1, dim(spv::Dim::Buffer), 0, 0, 0, 1, 0});
        add(Op::OpTypeSampler, {8});
    }
    /// Declares a variable (from id 20 on) of a type in a storage class.
    Module& has(uint32_t id, uint32_t type, spv::StorageClass storage, uint32_t set, uint32_t binding) {
        add(Op::OpDecorate, {id, static_cast<uint32_t>(spv::Decoration::DescriptorSet), set});
        add(Op::OpDecorate, {id, static_cast<uint32_t>(spv::Decoration::Binding), binding});
        add(Op::OpTypePointer, {id + 50, static_cast<uint32_t>(storage), type});
        add(Op::OpVariable, {id + 50, id, static_cast<uint32_t>(storage)});
        return *this;
    }
};

constexpr auto kHandle = spv::StorageClass::UniformConstant, kUniform = spv::StorageClass::Uniform,
               kStorage = spv::StorageClass::StorageBuffer;

TEST(Places, AreOfOneKindEach) {
    const auto said = [](const Module& m) {
        Job job;
        job.fragment.words = m.words;
        return two_kinds_at_one_place(job);
    };
    EXPECT_EQ(said(Module().has(20, 3, kHandle, 1, 33).has(21, 5, kUniform, 1, 33)),
              "set 1, binding 33 is an image with its sampler and a uniform buffer");
    EXPECT_EQ(said(Module().has(20, 6, kHandle, 1, 33).has(21, 2, kHandle, 1, 33)),
              "set 1, binding 33 is an image with its sampler and a sampled image");
    EXPECT_EQ(said(Module().has(20, 7, kHandle, 0, 1).has(21, 4, kHandle, 0, 1)),
              "set 0, binding 1 is a uniform texel buffer and a storage image");
    EXPECT_EQ(said(Module().has(20, 5, kStorage, 0, 1).has(21, 8, kHandle, 0, 1)),
              "set 0, binding 1 is a storage buffer and a sampler");
    EXPECT_EQ(said(Module().has(20, 6, kHandle, 1, 33).has(21, 3, kHandle, 1, 33)), std::nullopt);
    EXPECT_EQ(said(Module().has(20, 3, kHandle, 1, 33).has(21, 5, kUniform, 0, 33)), std::nullopt);
    EXPECT_EQ(said(Module().has(20, 3, kHandle, 1, 33).has(21, 5, kUniform, 1, 34)), std::nullopt);
    // The form of storage buffers in old modules.
    Module old;
    old.add(Op::OpDecorate, {5, static_cast<uint32_t>(spv::Decoration::BufferBlock)});
    EXPECT_EQ(said(old.has(20, 5, kUniform, 0, 1).has(21, 5, kStorage, 0, 1)), std::nullopt);
}

TEST(Places, AreSharedByStages) {
    const auto vertex = Module().has(20, 5, kUniform, 0, 1), fragment = Module().has(20, 5, kStorage, 0, 1);
    Job job;
    job.vertex.words = vertex.words;
    job.fragment.words = fragment.words;
    EXPECT_EQ(two_kinds_at_one_place(job), "set 0, binding 1 is a uniform buffer and a storage buffer");
}

/// VUID-VkGraphicsPipelineCreateInfo-layout-07990.
TEST(Places, HoldDescriptorsOfTheirVariablesKind) {
    const auto said = [](const Module& m, VkDescriptorType type) {
        Job job;
        job.fragment.words = m.words;
        job.descriptors = {{0, 1, type, {0}, {}}};
        return two_kinds_at_one_place(job);
    };
    const auto uniform = Module().has(20, 5, kUniform, 0, 1);
    EXPECT_EQ(said(uniform, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER), std::nullopt);
    EXPECT_EQ(said(uniform, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
              "set 0, binding 1 is a uniform buffer and a storage buffer");
    EXPECT_EQ(said(Module().has(20, 5, kUniform, 0, 2), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER), std::nullopt);
    // Either part of an image with its sampler may be used alone, but the parts do not make the whole.
    for (const uint32_t type : {2u, 3u, 6u, 8u})
        EXPECT_EQ(said(Module().has(20, type, kHandle, 0, 1), VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER), std::nullopt);
    EXPECT_EQ(said(Module().has(20, 3, kHandle, 0, 1), VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE),
              "set 0, binding 1 is an image with its sampler and a sampled image");
    EXPECT_EQ(said(Module().has(20, 4, kHandle, 0, 1), VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
              "set 0, binding 1 is a storage image and an image with its sampler");
}

TEST(Places, MayBeStoredToUnlessTheModuleSaysNo) {
    const auto decoration = static_cast<uint32_t>(spv::Decoration::NonWritable);
    EXPECT_TRUE(may_store(Module().has(20, 5, kStorage, 0, 1).words));
    EXPECT_TRUE(may_store(Module().has(20, 4, kHandle, 0, 1).words));
    EXPECT_FALSE(may_store(Module().has(20, 5, kUniform, 0, 1).has(21, 2, kHandle, 0, 2).words));
    EXPECT_FALSE(may_store(Module().has(20, 7, kHandle, 0, 1).words));
    Module texels;
    texels.add(Op::OpTypeImage, {9, 1, static_cast<uint32_t>(spv::Dim::Buffer), 0, 0, 0, 2, 0});
    EXPECT_TRUE(may_store(texels.has(20, 9, kHandle, 0, 1).words));
    Module variable;
    variable.add(Op::OpDecorate, {20, decoration});
    EXPECT_FALSE(may_store(variable.has(20, 5, kStorage, 0, 1).words));
    EXPECT_TRUE(may_store(variable.has(21, 4, kHandle, 0, 2).words)) << "the other variable";
    Module member;
    member.add(Op::OpMemberDecorate, {5, 0, decoration});
    EXPECT_FALSE(may_store(member.has(20, 5, kStorage, 0, 1).words));
    Module one_of_two;
    one_of_two.add(Op::OpTypeStruct, {9, 1, 1});
    one_of_two.add(Op::OpMemberDecorate, {9, 0, decoration});
    EXPECT_TRUE(may_store(one_of_two.has(20, 9, kStorage, 0, 1).words));
}

TEST(Places, OtherNamesOfADescriptorAreLeftOut) {
    Job job;
    job.descriptors = {{0, 3, VK_DESCRIPTOR_TYPE_SAMPLER, {0}, {}},
                       {0, 4, VK_DESCRIPTOR_TYPE_SAMPLER, {1}, {}},
                       {0, 3, VK_DESCRIPTOR_TYPE_SAMPLER, {2, 3}, {}}};
    EXPECT_EQ(two_kinds_at_one_place(job), std::nullopt);
    const auto left = one_a_place(job);
    ASSERT_EQ(left.size(), 2u);
    EXPECT_EQ(left[0]->items.size(), 2u);
    EXPECT_EQ(left[1]->binding, 4u);
    job.descriptors.push_back({0, 4, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {0}, {}});
    EXPECT_EQ(two_kinds_at_one_place(job), "set 0, binding 4 is a sampler and a uniform buffer");
}

TEST(Places, TwoKindsNeverReachADriver) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        const Module both = Module().has(20, 3, kHandle, 1, 33).has(21, 5, kUniform, 1, 33);
        Job job;
        job.compute.words = both.words;
        auto out = run(*device, job);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Usage);
        EXPECT_THAT(out.error().message, testing::HasSubstr("set 1, binding 33"));

        const Module far = Module().has(20, 5, kUniform, 0, 0xffffffff);
        job.compute.words = far.words;
        job.buffers = {{{1, 2, 3, 4}, false}};
        job.descriptors = {{0, 0xffffffff, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {0}, {}}};
        out = run(*device, job);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Usage);
        EXPECT_THAT(out.error().message, testing::HasSubstr("binding 4294967295"));
    }
}

}  // namespace
}  // namespace tgsi2spv::harness
