#include "renderer/state/host_state.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "renderer/state/caps.h"
#include "renderer/state/clients.h"

namespace tgsi2spv::host {

HostState::HostState(std::unique_ptr<gpu::Device> the_device, const HostOptions& the_options)
    : options(the_options),
      device(std::move(the_device)),
      budget(options.memory_limit),
      memory(*device, budget),
      stream(*device, memory),
      depth24(depth24_of(offers_of(*device))),
      translator(make_translator(budget)),
      samplers(std::make_shared<Samplers>(device->handle())) {}

Problem find_buffer(const HostState& host, uint32_t handle, std::shared_ptr<Resource>& result) {
    result = host.find_resource(handle);
    if (result == nullptr) return {Problem::NoResource, handle};
    if (result->buffer == nullptr) return {Problem::Incompatible, handle};
    return Problem::None;
}

std::shared_ptr<Resource> HostState::find_resource(uint32_t handle) const {
    const auto at = resources.find(handle);
    return at == resources.end() || !reaches(*client, handle) ? nullptr : at->second;
}

void dump_shader(const HostState& host, uint64_t id, std::string_view text) {
    if (host.options.shader_folder.empty()) return;
    const std::string path = fmt::format("{}/shader-{}.tgsi", host.options.shader_folder, id);
    if (std::FILE* file = std::fopen(path.c_str(), "we"); file != nullptr) {
        std::fwrite(text.data(), 1, text.size(), file);
        std::fclose(file);
    }
}

}  // namespace tgsi2spv::host
