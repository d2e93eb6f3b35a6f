// The table of the ways of a draw, without a device: which way each kind of draw goes on each device of tests/devices.
// ways.txt has the whole matrix. The test prints a new one where they differ: read it before you put it there.
#include "renderer/draw/ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "places.h"
#include "tgsi-host/device_profile.h"

namespace tgsi2spv::host {
namespace {

using virgl::FillMode;

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator(file), {}};
}

/// A device with the features that the ways ask for, without those that the mask hides.
struct Described {
    std::string name;
    vulkan::DeviceReport report{};
    vk::Extras extras{};

    Described(std::string the_name, const vulkan::Mask& mask) : name(std::move(the_name)) {
        const auto has = [&](const char* feature) { return VkBool32{!vulkan::hides(mask, feature)}; };
        VkPhysicalDeviceFeatures& f = report.features;
        f.geometryShader = has("geometryShader");
        f.tessellationShader = has("tessellationShader");
        f.vertexPipelineStoresAndAtomics = has("vertexPipelineStoresAndAtomics");
        f.multiViewport = has("multiViewport");
        f.fillModeNonSolid = has("fillModeNonSolid");
        f.dualSrcBlend = has("dualSrcBlend");
        f.logicOp = has("logicOp");
        report.features11.shaderDrawParameters = has("shaderDrawParameters");
        report.transform_feedback = has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) != 0;
        extras.provoking.provokingVertexLast = has("provokingVertexLast");
        extras.divisor.vertexAttributeInstanceRateDivisor = has("vertexAttributeInstanceRateDivisor");
        extras.list_restart.primitiveTopologyListRestart = has("primitiveTopologyListRestart");
        extras.list_restart.primitiveTopologyPatchListRestart = has("primitiveTopologyPatchListRestart");
        extras.ordered_reads.rasterizationOrderColorAttachmentAccess = has("rasterizationOrderColorAttachmentAccess");
        const bool whole = mask.profile && !mask.profile->extensions.contains("VK_KHR_portability_subset");
        extras.portability.tessellationPointMode = whole ? VK_TRUE : has("tessellationPointMode");
        extras.portability.tessellationIsolines = whole ? VK_TRUE : has("tessellationIsolines");
    }
    DeviceFacts facts() const { return {report, extras}; }
};

vulkan::Mask without_all() {
    return {.names = {"geometryShader", "tessellationShader", "vertexPipelineStoresAndAtomics", "multiViewport",
                      "fillModeNonSolid", "dualSrcBlend", "logicOp", "shaderDrawParameters",
                      VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, "provokingVertexLast",
                      "vertexAttributeInstanceRateDivisor", "primitiveTopologyListRestart",
                      "primitiveTopologyPatchListRestart", "rasterizationOrderColorAttachmentAccess",
                      "tessellationPointMode", "tessellationIsolines"}};
}

/// All features, none, and the profiles.
std::vector<Described> devices() {
    std::vector<Described> all{{"(all features)", {}}, {"(no features)", without_all()}};
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path("tests/devices")))
        if (entry.path().extension() == ".json") paths.insert(entry.path());
    for (const auto& path : paths) {
        const auto profile = tools::read_device_profile(read(path));
        if (profile)
            all.emplace_back(path.stem(), vulkan::Mask{.profile = *profile});
        else
            ADD_FAILURE() << path << ": " << profile.error();
    }
    return all;
}

/// A kind of draw, and what a Look finds for it.
struct Kind {
    const char* name;
    DrawFacts facts;
    bool stores = false;   ///< in VERT
    bool refused = false;  ///< the shaders exceed a limit
    bool has_restarts = false, misaligned = false;

    bool finds(Look look, const Described& device) const {
        switch (look) {
            case Look::Program:
                return refused || (stores && device.report.features.vertexPipelineStoresAndAtomics == 0);
            case Look::Indices:
                return has_restarts;
            case Look::Vertices:
                return misaligned;
            case Look::None:
                break;
        }
        return true;
    }
};

constexpr VkPrimitiveTopology kTriangles = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
constexpr VkPrimitiveTopology kPatches = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
constexpr VkPrimitiveTopology kLineStrip = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
constexpr uint32_t kMany = 1U << 23;  // vertices

/// Gallium's rasterizer has the last vertex provoke, unless it is asked for the first one.
Kind kind(const char* name, DrawFacts facts) {
    facts.last_provokes = true;
    if (facts.count == 0) facts.count = 3;
    if (facts.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST) facts.topology = kTriangles;
    return {.name = name, .facts = facts};
}
Kind kind_with(const char* name, const DrawFacts& facts, bool Kind::*more) {
    Kind k = kind(name, facts);
    k.*more = true;
    return k;
}

std::vector<Kind> plain_kinds() {
    return {
        kind("triangles", {}),
        kind("triangles as lines", {.fill = FillMode::Line}),
        kind("triangles as lines, 2^23 vertices", {.fill = FillMode::Line, .count = kMany}),
        kind("triangles whose faces have two modes", {.fill = FillMode::Line, .two_modes = true}),
        kind("flat triangles", {.reads_flat = true}),
        kind("flat triangles as lines", {.fill = FillMode::Line, .reads_flat = true}),
        kind("flat line strips", {.topology = kLineStrip, .reads_flat = true}),
        kind("flat line strips with a pattern", {.topology = kLineStrip, .reads_flat = true, .stippled = true}),
        kind("triangles with adjacent corners", {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY}),
        kind_with("triangles with restarts", {.restarts = true}, &Kind::has_restarts),
        kind("triangles that may have restarts, and have none", {.restarts = true}),
        kind_with("strips with restarts", {.topology = kLineStrip, .restarts = true}, &Kind::has_restarts),
        kind_with("vertices off their alignment", {}, &Kind::misaligned),
        kind_with("flat triangles of vertices off their alignment", {.reads_flat = true}, &Kind::misaligned),
        kind("triangles of which a query counts those generated", {.counts_generated = true}),
    };
}

std::vector<Kind> blended_kinds() {
    return {
        kind("two sources", {.target_reads = TargetReads::TwoSources}),
        kind("two sources, 2^23 vertices", {.target_reads = TargetReads::TwoSources, .count = kMany}),
        kind("two sources, flat", {.reads_flat = true, .target_reads = TargetReads::TwoSources}),
        kind("two sources after GEOM", {.target_reads = TargetReads::TwoSources, .geom = true}),
        kind("two sources, INSTANCEID of two instances",
             {.target_reads = TargetReads::TwoSources, .reads_instance = true, .instances = 2}),
        kind("two sources, captured by VERT", {.target_reads = TargetReads::TwoSources, .captures = true}),
        kind("a logic operation", {.target_reads = TargetReads::LogicOp}),
    };
}

std::vector<Kind> stage_kinds() {
    return {
        kind("GEOM", {.geom = true}),
        kind_with("GEOM with more varyings than the device has", {.geom = true}, &Kind::refused),
        kind("flat triangles of GEOM", {.reads_flat = true, .geom = true}),
        kind("triangles of GEOM of which a query counts those generated", {.geom = true, .counts_generated = true}),
        kind("patches", {.topology = kPatches, .tessellates = true}),
        kind("patches with GEOM", {.topology = kPatches, .geom = true, .tessellates = true}),
        kind("patches to points", {.topology = kPatches, .tessellates = true, .tessellates_points = true}),
        kind("patches to lines", {.topology = kPatches, .tessellates = true, .tessellates_lines = true}),
        kind("patches as lines", {.topology = kPatches, .fill = FillMode::Line, .tessellates = true}),
        kind("flat patches", {.topology = kPatches, .reads_flat = true, .tessellates = true}),
        kind_with("patches with restarts", {.topology = kPatches, .tessellates = true, .restarts = true},
                  &Kind::has_restarts),
        kind("PRIMID in FRAG", {.reads_primitive = true}),
        kind("PRIMID in FRAG after GEOM", {.geom = true, .reads_primitive = true}),
        kind_with("VERT that stores", {}, &Kind::stores),
        kind("INSTANCEID from 0 on", {.reads_instance = true, .instances = 2}),
        kind("INSTANCEID with a base", {.reads_instance = true, .first_instance = 1}),
        kind("INSTANCEID, indirect", {.reads_instance = true, .indirect = true}),
        kind("attributes that advance every second instance", {.instances = 4, .divisor = 2}),
        kind("attributes that advance every 65,536 instances", {.instances = 4, .divisor = 1U << 16}),
    };
}

std::vector<Kind> captured_kinds() {
    return {
        kind("captures of VERT", {.captures = true}),
        kind("captures of VERT with rasterizer discard", {.discards = true, .captures = true}),
        kind("captures of VERT, triangles as lines", {.fill = FillMode::Line, .captures = true}),
        kind("captures of VERT, flat triangles", {.reads_flat = true, .captures = true}),
        kind("captures of VERT, flat triangles, 2^21 vertices of four instances",
             {.reads_flat = true, .captures = true, .count = kMany / 4, .instances = 4}),
        kind("captures of VERT, flat line strips with a pattern",
             {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, .reads_flat = true, .stippled = true, .captures = true}),
        kind("captures of VERT, PRIMID in FRAG", {.captures = true, .reads_primitive = true}),
        kind_with("captures of VERT that stores", {.captures = true}, &Kind::stores),
        kind("captures of VERT, INSTANCEID with a base",
             {.captures = true, .reads_instance = true, .first_instance = 1}),
        kind("captures of GEOM", {.geom = true, .captures = true}),
        kind("captures of patches", {.topology = kPatches, .tessellates = true, .captures = true}),
    };
}

std::string name_of(const WayRow& row, const ListOptions& options) {
    std::string name = row.way == Way::Device ? "by the device" : row.name;
    if (row.way == Way::Emulate) name = "emulated: " + name;
    if (row.way != Way::List && row.way != Way::Outline) return name;
    name = "listed: " + name;
    if (options.rotates) name += ", last corner first";
    if (options.one_by_one) name += ", one by one";
    if (options.drops_adjacent) name += ", own corners";
    return name;
}

std::string way_of(const Ways& ways, const Kind& kind, const Described& device) {
    const auto look = [&](Look what) { return kind.finds(what, device); };
    const WayRow* const row = ways.of_stages(kind.facts, look);
    const ListOptions options = ways.list_options(kind.facts);
    if (row == nullptr) return name_of(ways.of_primitives(kind.facts, look), options);
    if (row->way != Way::Apart) return name_of(*row, options);
    Kind captured = kind, seen = kind;
    captured.facts.discards = true;
    captured.facts.fill = FillMode::Fill;
    captured.facts.target_reads = TargetReads::None;
    seen.facts.captures = false;
    return "captured " + way_of(ways, captured, device) + "; seen " + way_of(ways, seen, device);
}

std::vector<Kind> all_kinds() {
    std::vector<Kind> all = plain_kinds();
    for (const auto& more : {blended_kinds(), stage_kinds(), captured_kinds()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// For each kind its ways, and for each way its devices if there are several ways.
std::string matrix() {
    std::ostringstream text;
    const auto described = devices();
    for (const Kind& kind : all_kinds()) {
        std::map<std::string, std::string> devices_by_way;
        for (const Described& device : described)
            devices_by_way[way_of(Ways(device.facts()), kind, device)] += " " + device.name;
        text << kind.name << "\n";
        for (const auto& [way, names] : devices_by_way) {
            text << "    " << way << "\n";
            if (devices_by_way.size() > 1) text << "       " << names << "\n";
        }
    }
    return text.str();
}

TEST(WaysOfDraws, AreThoseOfTheMatrix) {
    const std::string made = matrix();
    EXPECT_TRUE(made == read(test::source_path("tests/renderer/ways.txt"))) << "the new tests/renderer/ways.txt:\n"
                                                                            << made;
}

TEST(WaysOfDraws, EachRowIsTakenOnSomeDevice) {
    const auto described = devices();
    std::set<std::string> taken;
    for (const Kind& kind : all_kinds())
        for (const Described& device : described) {
            const Ways ways(device.facts());
            const auto look = [&](Look what) { return kind.finds(what, device); };
            const WayRow* const row = ways.of_stages(kind.facts, look);
            taken.insert(row != nullptr ? row->name : ways.of_primitives(kind.facts, look).name);
        }
    for (const WayRow& row : way_rows()) EXPECT_TRUE(taken.contains(row.name)) << row.name;
}

TEST(WaysOfDraws, HaveARowInTheDesign) {
    const std::string design = read(test::source_path("docs/host-design.md"));
    for (const WayRow& row : way_rows()) {
        if (row.way == Way::Device) continue;
        EXPECT_THAT(design, testing::HasSubstr("\n| " + std::string(row.document) + " |")) << row.name;
    }
}

TEST(WaysOfDraws, AreTheDevicesOwnWithAllFeatures) {
    const Described device("all", {});
    const Ways ways(device.facts());
    for (const Kind& kind : stage_kinds()) {
        if (kind.refused || kind.facts.counts_generated || kind.facts.divisor > 0xffff) continue;
        EXPECT_EQ(way_of(ways, kind, device), "by the device") << kind.name;
    }
}

}  // namespace
}  // namespace tgsi2spv::host
