#include "inputs/square.h"

#include <bit>
#include <cmath>

#include "inputs/case.h"
#include "inputs/template.h"
#include "tgsi/program/semantics.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::Semantic;

uint32_t word(float value) {
    return std::bit_cast<uint32_t>(value);
}

/// The value that a pixel reads from an input or a system value. False: the case has the value.
bool value_at(const tgsi::Program& program, Semantic semantic, bool system_value, uint32_t x, uint32_t y,
              reference::Vec4& out) {
    const uint32_t one = word(1);
    const auto share = [](uint32_t pixel) { return word((static_cast<float>(pixel) + 0.5f) / kSquareSize); };
    switch (semantic) {
        case Semantic::Position: {
            const float centre = program.property(tgsi::Property::FsCoordPixelCenter) == 1 ? 0.0f : 0.5f;
            const uint32_t row = program.property(tgsi::Property::FsCoordOrigin) == 1 ? kSquareSize - 1 - y : y;
            out = {word(static_cast<float>(x) + centre), word(static_cast<float>(row) + centre), 0, one};
            return true;
        }
        case Semantic::Face:
            out = system_value ? reference::Vec4{~0u, 0, 0, 1} : reference::Vec4{one, 0, 0, one};
            return true;
        case Semantic::PrimId:
        case Semantic::Layer:
        case Semantic::ViewportIndex:
            if (system_value) return false;
            out = {};
            return true;
        default:
            if (system_value && semantic != Semantic::PCoord) return false;
            out = {share(x), share(y), 0, one};
            return true;
    }
}

void use_example(reference::Texture& texture) {
    constexpr uint32_t kSize = 32;
    texture.format = *tgsi::format_from_name("PIPE_FORMAT_R8G8B8A8_UNORM");
    texture.width = texture.height = kSize;
    texture.data.assign(1, {});
    for (uint32_t y = 0; y < kSize; y++)
        for (uint32_t x = 0; x < kSize; x++) {
            const float u = static_cast<float>(x) / (kSize - 1), v = static_cast<float>(y) / (kSize - 1);
            const float ground = ((x / 4 + y / 4) & 1) != 0 ? 1.0f : 0.45f;
            for (const float f : {u * ground, v * ground, (1 - 0.5f * (u + v)) * ground, 1.0f})
                texture.data[0].push_back(word(std::round(f * 255.0f) / 255.0f));
        }
}

}  // namespace

void cover_square(const tgsi::Program& program, reference::Inputs& in) {
    in.lanes = kSquareSize * kSquareSize;
    in.framebuffer_width = in.framebuffer_height = kSquareSize;
    for (const tgsi::File file : {tgsi::File::Input, tgsi::File::SystemValue})
        tgsi::for_each_semantic(program, file, [&](int32_t reg, const tgsi::Declaration& d, uint32_t) {
            const bool system_value = file == tgsi::File::SystemValue;
            reference::Vec4 value{};
            if (!value_at(program, d.semantic, system_value, 0, 0, value)) {
                if (!in.system_values.contains(reg)) return;  // the engine computes it
                value = in.system_values[reg].empty() ? reference::Vec4{} : in.system_values[reg][0];
            }
            auto& lanes = system_value ? in.system_values[reg] : in.inputs[{0, reg}];
            lanes.assign(in.lanes, value);
            for (uint32_t lane = 0; lane < in.lanes; lane++) {  // quads row by row
                const uint32_t quad = lane / 4, x = quad % (kSquareSize / 2) * 2 + (lane & 1),
                               y = quad / (kSquareSize / 2) * 2 + (lane >> 1 & 1);
                if (!value_at(program, d.semantic, system_value, x, y, lanes[lane])) break;
            }
        });
}

reference::Inputs square_resources(const tgsi::Program& program, const tgsi::Registers& registers) {
    reference::Inputs in = *read_inputs(write_template(program, registers));
    for (auto& [index, texture] : in.textures) {
        const tgsi::Numeric numeric = tgsi::format_info(texture.format).numeric;
        if (texture.target != tgsi::Target::T2D || tgsi::is_integer(numeric) || numeric == tgsi::Numeric::Depth)
            continue;
        use_example(texture);
        reference::SamplerState& sampler = in.samplers[index];
        sampler.min_filter = sampler.mag_filter = reference::Filter::Linear;
    }
    return in;
}

}  // namespace tgsi2spv::difftest
