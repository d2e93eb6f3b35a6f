// What a cache keeps of a module is everything that its reflection says.
#include "api/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tgsi2spv::api {
namespace {

using spirv::InterfaceVariable, spirv::Reflection, spirv::Resource;

/// Each of these changes one member of a reflection that has one resource, one variable and one constant.
struct Change {
    const char* member;
    std::function<void(Reflection&)> set;
};

const Change kChanges[] = {
    {"stage", [](Reflection& r) { r.entry.stage = ir::Stage::Compute; }},
    {"blend_equations", [](Reflection& r) { r.entry.blend_equations = 0x8001; }},
    {"local_size[0]", [](Reflection& r) { r.entry.local_size[0] = 3; }},
    {"local_size[1]", [](Reflection& r) { r.entry.local_size[1] = 3; }},
    {"local_size[2]", [](Reflection& r) { r.entry.local_size[2] = 3; }},
    {"local_size_ids[0]", [](Reflection& r) { r.entry.local_size_ids[0] = 10; }},
    {"local_size_ids[1]", [](Reflection& r) { r.entry.local_size_ids[1] = 11; }},
    {"local_size_ids[2]", [](Reflection& r) { r.entry.local_size_ids[2] = 12; }},
    {"output_vertices", [](Reflection& r) { r.entry.output_vertices = 5; }},
    {"invocations", [](Reflection& r) { r.entry.invocations = 6; }},
    {"max_vertices", [](Reflection& r) { r.entry.max_vertices = 7; }},
    {"input_primitive", [](Reflection& r) { r.entry.input_primitive = ir::InputPrimitive::TrianglesAdjacency; }},
    {"output_primitive", [](Reflection& r) { r.entry.output_primitive = ir::OutputPrimitive::TriangleStrip; }},
    {"tess_domain", [](Reflection& r) { r.entry.tess_domain = ir::TessDomain::Quads; }},
    {"tess_spacing", [](Reflection& r) { r.entry.tess_spacing = ir::TessSpacing::FractionalEven; }},
    {"tess_clockwise", [](Reflection& r) { r.entry.tess_clockwise = true; }},
    {"tess_points", [](Reflection& r) { r.entry.tess_points = true; }},

    {"resource kind", [](Reflection& r) { r.resources[0].kind = ir::VariableKind::IoBuffer; }},
    {"resource index", [](Reflection& r) { r.resources[0].index = 133; }},
    {"set", [](Reflection& r) { r.resources[0].binding.set = 4; }},
    {"binding", [](Reflection& r) { r.resources[0].binding.binding = 0x12345; }},
    {"count", [](Reflection& r) { r.resources[0].count = 9; }},
    {"bytes", [](Reflection& r) { r.resources[0].bytes = 0x7fff'fff0; }},
    {"storage", [](Reflection& r) { r.resources[0].storage = true; }},
    {"reads", [](Reflection& r) { r.resources[0].reads = true; }},
    {"writes", [](Reflection& r) { r.resources[0].writes = true; }},
    {"image dim", [](Reflection& r) { r.resources[0].image.dim = ir::ImageDim::SubpassData; }},
    {"image array", [](Reflection& r) { r.resources[0].image.array = true; }},
    {"image depth", [](Reflection& r) { r.resources[0].image.depth = true; }},
    {"image ms", [](Reflection& r) { r.resources[0].image.ms = true; }},
    {"image sampled", [](Reflection& r) { r.resources[0].image.sampled = ir::Scalar::U32; }},
    {"image sampled_is_signed", [](Reflection& r) { r.resources[0].image.sampled_is_signed = true; }},
    {"image format", [](Reflection& r) { r.resources[0].image.format = 39; }},
    {"resource name", [](Reflection& r) { r.resources[0].name = "SAMP[3]"; }},

    {"is_output", [](Reflection& r) { r.interface[0].is_output = true; }},
    {"semantic", [](Reflection& r) { r.interface[0].semantic = 300; }},
    {"semantic_index", [](Reflection& r) { r.interface[0].semantic_index = 301; }},
    {"semantic_name", [](Reflection& r) { r.interface[0].semantic_name = "GENERIC"; }},
    {"builtin", [](Reflection& r) { r.interface[0].builtin = ir::BuiltIn::ShadingRate; }},
    {"location", [](Reflection& r) { r.interface[0].location = 31; }},
    {"component", [](Reflection& r) { r.interface[0].component = 3; }},
    {"dual_source", [](Reflection& r) { r.interface[0].dual_source = 1; }},
    {"scalar", [](Reflection& r) { r.interface[0].type.scalar = ir::Scalar::F64; }},
    {"components", [](Reflection& r) { r.interface[0].type.components = 2; }},
    {"is_signed", [](Reflection& r) { r.interface[0].is_signed = true; }},
    {"array", [](Reflection& r) { r.interface[0].array = 32; }},
    {"interpolation", [](Reflection& r) { r.interface[0].interpolation = ir::Interpolation::Linear; }},
    {"sample_location", [](Reflection& r) { r.interface[0].sample_location = ir::SampleLocation::Sample; }},
    {"patch", [](Reflection& r) { r.interface[0].patch = true; }},
    {"stream", [](Reflection& r) { r.interface[0].stream = 3; }},
    {"captured", [](Reflection& r) { r.interface[0].captured = true; }},
    {"xfb_buffer", [](Reflection& r) { r.interface[0].xfb_buffer = 2; }},
    {"xfb_offset", [](Reflection& r) { r.interface[0].xfb_offset = 0x10004; }},
    {"xfb_stride", [](Reflection& r) { r.interface[0].xfb_stride = 0x10008; }},
    {"variable name", [](Reflection& r) { r.interface[0].name = "COLOR[1]"; }},

    {"constant id", [](Reflection& r) { r.spec_constants[0].id = 96; }},
    {"constant default", [](Reflection& r) { r.spec_constants[0].default_value = 0x3f80'0000; }},
    {"constant name", [](Reflection& r) { r.spec_constants[0].name = "framebuffer height"; }},
    {"push_constant_bytes", [](Reflection& r) { r.push_constant_bytes = 96; }},
    {"shared_bytes", [](Reflection& r) { r.shared_bytes = 16384; }},
    {"capability", [](Reflection& r) { r.capabilities.emplace_back("Shader"); }},
    {"extension", [](Reflection& r) { r.extensions.emplace_back("SPV_KHR_multiview"); }},
    {"feature", [](Reflection& r) { r.features.emplace_back("multiview"); }},
    {"io_input_slots", [](Reflection& r) { r.io_input_slots = 8; }},
    {"io_output_slots", [](Reflection& r) { r.io_output_slots = 9; }},
    {"io_system_values", [](Reflection& r) { r.io_system_values.push_back(2); }},
};

Reflection plain() {
    Reflection r;
    r.resources.emplace_back();
    r.interface.emplace_back();
    r.spec_constants.emplace_back();
    return r;
}

bool same(const Resource& a, const Resource& b) {
    return a.kind == b.kind && a.index == b.index && a.binding == b.binding && a.count == b.count &&
           a.bytes == b.bytes && a.storage == b.storage && a.reads == b.reads && a.writes == b.writes &&
           a.image == b.image && a.name == b.name;
}

bool same(const InterfaceVariable& a, const InterfaceVariable& b) {
    return a.is_output == b.is_output && a.semantic == b.semantic && a.semantic_index == b.semantic_index &&
           a.semantic_name == b.semantic_name && a.builtin == b.builtin && a.location == b.location &&
           a.component == b.component && a.dual_source == b.dual_source && a.type == b.type &&
           a.is_signed == b.is_signed && a.array == b.array && a.interpolation == b.interpolation &&
           a.sample_location == b.sample_location && a.patch == b.patch && a.stream == b.stream &&
           a.captured == b.captured && a.xfb_buffer == b.xfb_buffer && a.xfb_offset == b.xfb_offset &&
           a.xfb_stride == b.xfb_stride && a.name == b.name;
}

bool same(const ir::EntryPoint& a, const ir::EntryPoint& b) {
    return a.stage == b.stage && a.blend_equations == b.blend_equations && a.local_size == b.local_size &&
           a.local_size_ids == b.local_size_ids && a.output_vertices == b.output_vertices &&
           a.invocations == b.invocations && a.max_vertices == b.max_vertices &&
           a.input_primitive == b.input_primitive && a.output_primitive == b.output_primitive &&
           a.tess_domain == b.tess_domain && a.tess_spacing == b.tess_spacing && a.tess_clockwise == b.tess_clockwise &&
           a.tess_points == b.tess_points;
}

/// Whether the members that a record keeps are equal: not by the JSON, which leaves some of them out.
bool same(const Reflection& a, const Reflection& b) {
    const auto lists = [](const auto& x, const auto& y) {
        return std::ranges::equal(x, y, [](const auto& m, const auto& n) { return same(m, n); });
    };
    const auto constants = [](const spirv::SpecConstant& x, const spirv::SpecConstant& y) {
        return x.id == y.id && x.default_value == y.default_value && x.name == y.name;
    };
    return same(a.entry, b.entry) && lists(a.resources, b.resources) && lists(a.interface, b.interface) &&
           std::ranges::equal(a.spec_constants, b.spec_constants, constants) &&
           a.push_constant_bytes == b.push_constant_bytes && a.shared_bytes == b.shared_bytes &&
           a.capabilities == b.capabilities && a.extensions == b.extensions && a.features == b.features &&
           a.io_input_slots == b.io_input_slots && a.io_output_slots == b.io_output_slots &&
           a.io_system_values == b.io_system_values;
}

/// Returns what is read of a record, into a reflection that held another module's, as a context's does.
Reflection kept(const Reflection& reflection, Reflection before) {
    std::pmr::vector<uint32_t> words;
    const std::vector<uint32_t> module{0x0723'0203, 7};
    EXPECT_TRUE(read_record(write_record(module, reflection), words, before));
    EXPECT_TRUE(std::ranges::equal(words, module));
    return before;
}

TEST(Record, KeepsEachMember) {
    Reflection all = plain();
    for (const Change& c : kChanges) c.set(all);
    EXPECT_TRUE(same(kept(plain(), all), plain()));
    EXPECT_TRUE(same(kept(all, plain()), all));
    for (const Change& c : kChanges) {
        Reflection r = plain();
        c.set(r);
        ASSERT_FALSE(same(r, plain())) << c.member << ": the comparison leaves it out";
        EXPECT_TRUE(same(kept(r, all), r)) << c.member;
        EXPECT_TRUE(same(kept(r, plain()), r)) << c.member;
    }
}

TEST(Record, KeepsListsOfSeveral) {
    Reflection r = plain();
    for (const Change& c : kChanges) c.set(r);
    r.resources.push_back(plain().resources[0]);
    r.interface.push_back(plain().interface[0]);
    r.spec_constants.push_back(plain().spec_constants[0]);
    r.capabilities.emplace_back("Geometry");
    EXPECT_TRUE(same(kept(r, plain()), r));
}

}  // namespace
}  // namespace tgsi2spv::api
