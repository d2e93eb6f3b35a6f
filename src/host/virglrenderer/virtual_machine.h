// The state of the C functions: one virtual machine, its resources and contexts. Errors are numbers of errno.h.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "virgl/renderer.h"
#include "virglrenderer/abi.h"
#include "virglrenderer/guest_memory.h"

namespace tgsi2spv::virglrenderer {

struct Resource {
    virgl_renderer_resource_create_args info{};
    std::shared_ptr<GuestMemory> memory;  ///< null: none is attached
    iovec* pieces = nullptr;              ///< as the monitor gave them, to be given back
    int piece_count = 0;
    void* its = nullptr;  ///< the monitor's own
    std::set<uint32_t> contexts;
};

struct Fence {
    uint64_t after;  ///< of SharedRenderer::fence
    uint64_t id;
    uint32_t context, ring;
    bool of_context;
};

struct VirtualMachine {
    void* cookie = nullptr;
    virgl_renderer_callbacks* callbacks = nullptr;
    std::unique_ptr<virgl::SharedRenderer> renderer;
    std::unordered_map<uint32_t, Resource> resources;
    std::set<uint32_t> contexts;
    std::deque<Fence> fences;
};

/// Null if there is none.
Resource* find_resource(VirtualMachine& vm, uint32_t handle);
int create_resource(VirtualMachine& vm, const virgl_renderer_resource_create_args& args);
/// Either both succeed or neither.
int create_resource(VirtualMachine& vm, const virgl_renderer_resource_create_args& args, iovec* pieces, int count);
void destroy_resource(VirtualMachine& vm, uint32_t handle);
int attach_memory(VirtualMachine& vm, uint32_t handle, iovec* pieces, int count);
void detach_memory(VirtualMachine& vm, Resource& resource);
/// Bytes of a row of the first level, if there is a format of that number with texels of whole bytes.
uint32_t row_bytes(const virgl_renderer_resource_create_args& info);

struct TransferCall {
    uint32_t handle, context, level, stride, layer_stride;
    const virgl_box* box;
    uint64_t offset;
    std::span<const iovec> pieces;  ///< empty: the resource's own memory
};
int transfer(VirtualMachine& vm, const TransferCall& call, bool to_host);

int add_fence(VirtualMachine& vm, Fence fence);
/// Tells the monitor of the fences that have passed.
void poll(VirtualMachine& vm);
/// Forgets all resources and contexts.
void reset(VirtualMachine& vm);

}  // namespace tgsi2spv::virglrenderer
