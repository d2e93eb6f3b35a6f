#include "reference/textures/border.h"

#include <cmath>

#include "tgsi/tables/formats.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;

bool is_integer(const Texture& texture) {
    return texture.format < tgsi::format_count() && tgsi::is_integer(tgsi::format_info(texture.format).numeric);
}

/// Calls f(texture) for each texture that the operand, an SVIEW or RES, may be in some lane.
template <class F>
void for_each_texture(const tgsi::Operand& view, const Inputs& inputs, F&& f) {
    if (view.index_is_relative) {
        for (const auto& [index, texture] : inputs.textures) f(texture);
        return;
    }
    auto index = static_cast<uint32_t>(view.index);
    if (const auto v = inputs.views.find(index); v != inputs.views.end()) index = v->second.texture;
    if (const auto t = inputs.textures.find(index); t != inputs.textures.end()) f(t->second);
}

}  // namespace

std::optional<uint32_t> integer_border(float component) {
    if (std::trunc(component) != component) return std::nullopt;  // a fraction or NaN
    if (component < -0x1p31f || component >= 0x1p32f) return std::nullopt;
    return static_cast<uint32_t>(static_cast<int64_t>(component));
}

Borders::Borders(const tgsi::Program& program, const Inputs& inputs) {
    for (const tgsi::Instruction& in : program.instructions) {
        if (tgsi::info(in.op).family != tgsi::Family::texture) continue;
        if (in.op == tgsi::Opcode::LOD) continue;  // a query reads no texel
        const tgsi::Operand *view = nullptr, *sampler = nullptr;
        for (const tgsi::Operand& o : program.srcs(in)) {
            if (o.file == File::SamplerView || o.file == File::Resource) view = &o;
            if (o.file == File::Sampler) sampler = &o;
        }
        if (!view || !sampler) continue;
        for_each_texture(*view, inputs, [&](const Texture& t) {
            Met& met = is_integer(t) ? integers_ : floats_;
            if (sampler->index_is_relative)
                met.all = true;
            else
                met.samplers.insert(static_cast<uint32_t>(sampler->index));
        });
    }
}

bool Borders::of_integers(uint32_t sampler) const {
    return integers_.contains(sampler) && !floats_.contains(sampler);
}

}  // namespace tgsi2spv::reference
