#include "lower/options/facts.h"

#include <algorithm>
#include <string_view>

#include "ir/image_format.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

IoSlots io_slots(const tgsi::Program& program, const tgsi::Registers& registers) {
    // FRAG and GEOM have one more slot, for the fate of the lane or the vertex.
    const bool marks = program.stage == Stage::Fragment || program.stage == Stage::Geometry;
    return {.input = static_cast<uint32_t>(registers.count(File::Input)) * std::max(1u, input_vertices(program)),
            .output = static_cast<uint32_t>(registers.count(File::Output)) + (marks ? 1 : 0)};
}

ir::Interpolation interpolation_of(tgsi::Interpolation interpolation) {
    switch (interpolation) {
        case tgsi::Interpolation::Unwritten:
        case tgsi::Interpolation::Constant:
            return ir::Interpolation::Flat;
        case tgsi::Interpolation::Linear:
            return ir::Interpolation::Linear;
        case tgsi::Interpolation::Perspective:
        case tgsi::Interpolation::Color:
            break;
    }
    return ir::Interpolation::Smooth;
}

namespace {

using Format = spv::ImageFormat;

struct FormatRow {
    std::string_view name;
    Format format;
};

constexpr FormatRow kFormats[] = {
    {"R32G32B32A32_FLOAT", Format::Rgba32f},
    {"R16G16B16A16_FLOAT", Format::Rgba16f},
    {"R32_FLOAT", Format::R32f},
    {"R8G8B8A8_UNORM", Format::Rgba8},
    {"R8G8B8A8_SNORM", Format::Rgba8Snorm},
    {"R32G32_FLOAT", Format::Rg32f},
    {"R16G16_FLOAT", Format::Rg16f},
    {"R11G11B10_FLOAT", Format::R11fG11fB10f},
    {"R16_FLOAT", Format::R16f},
    {"R16G16B16A16_UNORM", Format::Rgba16},
    {"R10G10B10A2_UNORM", Format::Rgb10A2},
    {"R16G16_UNORM", Format::Rg16},
    {"R8G8_UNORM", Format::Rg8},
    {"R16_UNORM", Format::R16},
    {"R8_UNORM", Format::R8},
    {"R16G16B16A16_SNORM", Format::Rgba16Snorm},
    {"R16G16_SNORM", Format::Rg16Snorm},
    {"R8G8_SNORM", Format::Rg8Snorm},
    {"R16_SNORM", Format::R16Snorm},
    {"R8_SNORM", Format::R8Snorm},
    {"R32G32B32A32_SINT", Format::Rgba32i},
    {"R16G16B16A16_SINT", Format::Rgba16i},
    {"R8G8B8A8_SINT", Format::Rgba8i},
    {"R32_SINT", Format::R32i},
    {"R32G32_SINT", Format::Rg32i},
    {"R64_SINT", Format::Rg32i},
    {"R16G16_SINT", Format::Rg16i},
    {"R8G8_SINT", Format::Rg8i},
    {"R16_SINT", Format::R16i},
    {"R8_SINT", Format::R8i},
    {"R32G32B32A32_UINT", Format::Rgba32ui},
    {"R16G16B16A16_UINT", Format::Rgba16ui},
    {"R8G8B8A8_UINT", Format::Rgba8ui},
    {"R32_UINT", Format::R32ui},
    {"R10G10B10A2_UINT", Format::Rgb10a2ui},
    {"R32G32_UINT", Format::Rg32ui},
    {"R64_UINT", Format::Rg32ui},
    {"R16G16_UINT", Format::Rg16ui},
    {"R8G8_UINT", Format::Rg8ui},
    {"R16_UINT", Format::R16ui},
    {"R8_UINT", Format::R8ui},
};

Format spirv_format(uint16_t pipe_format) {
    const std::string_view name = tgsi::format_info(pipe_format).name;
    for (const FormatRow& row : kFormats)
        if (row.name == name) return row.format;
    return Format::Unknown;
}

}  // namespace

uint16_t storage_format(uint16_t pipe_format) {
    return static_cast<uint16_t>(spirv_format(pipe_format));
}

uint16_t format_of_storage(uint32_t image_format) {
    for (const FormatRow& row : kFormats)
        if (static_cast<uint32_t>(row.format) == image_format) return tgsi::format_from_name(row.name).value_or(0);
    return 0;
}

}  // namespace tgsi2spv::lower
