// The lowest floor: the device, and guests' objects. Each floor's struct derives from the one of the floor below, and
// its functions take it: they see what is below, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "renderer/state/counts.h"
#include "renderer/state/log.h"
#include "renderer/state/options.h"
#include "renderer/state/problem.h"
#include "renderer/state/samplers.h"
#include "renderer/state/state.h"
#include "tgsi2spv/tgsi2spv.hpp"
#include "vk/device.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

/// Numbers of shaders: equal texts have one.
struct ShaderIds {
    std::map<std::string, uint64_t> by_text;
    size_t bytes = 0;  ///< the memory of the texts and of the map's nodes
    uint64_t next = 1;
};

/// Copies of one client's targets, which FRAG fetches (record/fetched.h). They go when a resource finds no memory.
struct Fetched {
    const void* owner = nullptr;
    /// A copy for each colour, replaced when its target has another size or format.
    std::array<std::shared_ptr<vk::Image>, virgl::kMaxColorBuffers> copies{};
};

struct HostState {
    HostState(std::unique_ptr<vk::Device> device, const HostOptions& options);
    HostState(const HostState&) = delete;
    HostState& operator=(const HostState&) = delete;

    HostOptions options;
    std::unique_ptr<vk::Device> device;
    vk::Budget budget;
    vk::Memory memory;
    AliveSamplers alive_samplers;
    vk::Stream stream;
    Stats stats;
    Depth24 depth24;
    Context translator;  ///< the library's; the budget lives longer than it and its programs
    Fetched fetched;
    std::shared_ptr<Samplers> samplers;  ///< replaced when there are many
    std::unordered_map<uint32_t, std::shared_ptr<Resource>> resources;
    bool has_copies = false;  ///< of resources: a guest may have many resources, and many commands that find no memory
    std::unordered_map<uint32_t, Client> clients;  ///< clients by context; 0 is always there, and reaches all resources
    Client* client = nullptr;                      ///< the client whose request is being served
    ShaderIds shader_ids;

    /// Also null if the client does not reach it.
    std::shared_ptr<Resource> find_resource(uint32_t handle) const;
};

/// For when memory is short: waits for the work so far, and releases what it used. False: there was nothing to release.
bool reclaim(HostState& host);

inline bool lacks_memory(const Problem& problem) {
    return problem == Problem::NoMemory;
}
inline bool lacks_memory(vk::Status status) {
    return status == vk::Status::NoMemory;
}
inline bool lacks_memory(const vk::Staging& staging) {
    return staging.data == nullptr;
}
inline bool lacks_memory(const auto& made) {
    return !made;
}
/// A part of a command, which finds no memory before it changes anything: then once more, after reclaim(). It stages
/// its memory and binds its descriptors by itself, since reclaim() ends the command buffer; it may hold staging memory
/// that was made before.
template <class Part>
auto or_reclaim(HostState& host, const Part& part) {
    auto done = part();
    if (lacks_memory(done) && reclaim(host)) done = part();
    return done;
}

/// A resource that is a buffer.
Problem find_buffer(const HostState& host, uint32_t handle, std::shared_ptr<Resource>& result);

/// With HostOptions::shader_folder, writes a text there as shader-ID.tgsi.
void dump_shader(const HostState& host, uint64_t id, std::string_view text);

}  // namespace tgsi2spv::host
