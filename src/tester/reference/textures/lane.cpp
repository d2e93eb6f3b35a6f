#include "reference/textures/lane.h"

namespace tgsi2spv::reference {
namespace {

template <class Map>
const typename Map::mapped_type* find(const Map& map, uint32_t key) {
    const auto it = map.find(key);
    return it == map.end() ? nullptr : &it->second;
}

}  // namespace

void bind(const Inputs& inputs, const sampling::Message& message, uint32_t texture, uint32_t sampler,
          TextureBinding& binding) {
    if (message.separate || !message.bindless)
        if (const View* view = find(inputs.views, texture)) {
            texture = view->texture;
            binding.swizzle = view->swizzle;
        }
    binding.texture = find(inputs.textures, texture);
    binding.sampler = find(inputs.samplers, sampler);
}

}  // namespace tgsi2spv::reference
