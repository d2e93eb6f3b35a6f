// The renderer: the device, the guests' objects, and the stream of work.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "gpu/device.h"
#include "gpu/query.h"
#include "gpu/stream.h"
#include "renderer/draw/dummies.h"
#include "renderer/draw/fetched.h"
#include "renderer/draw/optional_state.h"
#include "renderer/draw/pipeline_cache.h"
#include "renderer/draw/program.h"
#include "renderer/draw/translator.h"
#include "renderer/emulate/emulate.h"
#include "renderer/move/blit_draw.h"
#include "renderer/renderer.h"
#include "renderer/state/problem.h"
#include "renderer/state/sampler.h"
#include "renderer/state/state.h"
#include "renderer/stats.h"
#include "virgl/renderer.h"

namespace tgsi2spv::host {

/// A slot that is being written.
struct Counting {
    Counted counted;
    gpu::QuerySlot slot;
};

/// Numbers of shaders: equal texts have one.
struct ShaderIds {
    std::map<std::string, uint64_t> by_text;
    size_t bytes = 0;  ///< of the texts
    uint64_t next = 1;
};

/// The contents of descriptors, an element each of all three, of which its type reads one; and the writes, whose
/// pointers are into them.
struct SetContents {
    std::vector<VkDescriptorImageInfo> images;
    std::vector<VkDescriptorBufferInfo> buffers;
    std::vector<VkBufferView> texels;
    std::vector<VkWriteDescriptorSet> writes;
    bool complete = false;  ///< there is a set with all of it
};

/// The state that all draws share. The functions of this folder take it.
struct Host {
    explicit Host(std::unique_ptr<gpu::Device> device, const HostOptions& options);
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    HostOptions options;
    std::unique_ptr<gpu::Device> device;
    gpu::Budget budget;
    gpu::Memory memory;
    gpu::Stream stream;
    PipelineCache pipeline_cache;
    DynamicPieces dynamic;
    DummyBuffers dummies;
    tgsi2spv_device_caps device_caps{};
    Stats stats;
    Depth24 depth24;
    Context translator;
    Programs programs;
    Fetched fetched;
    BlitPipelines blits;
    Emulation emulation;
    gpu::QuerySlots query_slots;
    std::vector<Counting> counting;      ///< slots that the current scope writes
    std::shared_ptr<Samplers> samplers;  ///< replaced when there are many
    std::unordered_map<uint32_t, std::shared_ptr<Resource>> resources;
    std::unordered_map<uint32_t, Client> clients;  ///< by context; 0 is always there, and reaches all resources
    Client* client = nullptr;                      ///< the client whose request is being served
    SubContext* current = nullptr;                 ///< owns the current scope and the pending clears
    ShaderIds shader_ids;
    std::vector<gpu::Use> uses_of_draw;  ///< empty between draws; kept for its memory
    bool complete = false;               ///< all objects that every guest needs could be made

    // The state in the command buffer; another batch begins with none.
    struct Recorded {
        uint64_t batch = 0;
        const Bindings* bindings = nullptr;  ///< that the last draw was from, if a guest's
        Changes changes;                     ///< of them since then
        bool misaligned_vertices = false;    ///< of them
        bool samples_targets = false;        ///< with the program
        ModuleState module_state;
        std::shared_ptr<LinkedProgram> program;
        struct {
            uint64_t scope = 0;  ///< by Counters::scopes; 0: none
            std::shared_ptr<const gpu::Buffer> indices{};
            bool writes = false;
        } ordered;  ///< what the last draw used
        std::shared_ptr<const Pipeline> pipeline;
        OptionalState optional;                        ///< of the draw
        std::optional<OptionalState> before;           ///< that the command buffer has
        std::shared_ptr<const LinkedProgram> sets_of;  ///< the program whose layout they are bound with
        std::array<VkDescriptorSet, 4> sets{};         ///< null: not bound
        std::array<SetContents, 4> contents;           ///< of them
        std::vector<uint32_t> vertex_input;            ///< VERT's inputs, and append_fixed() of their vertex input
        VkBuffer indices = VK_NULL_HANDLE;
        VkDeviceSize index_offset = 0;
        VkIndexType index_type{};
        StateValues state_values{};
        std::vector<gpu::Attachment> attachments;
    } recorded;
    // Clears of the framebuffer that wait for the scope to begin.
    struct PendingClear {
        uint32_t bits = 0;
        virgl::Clear values{};
    } pending;

    /// Also null if the client does not reach it.
    std::shared_ptr<Resource> find_resource(uint32_t handle) const;
};

/// A resource that is a buffer.
Problem find_buffer(const Host& host, uint32_t handle, std::shared_ptr<Resource>& result);

/// With HostOptions::shader_folder, writes a text there as shader-ID.tgsi.
void dump_shader(const Host& host, uint64_t id, std::string_view text);

/// Writes a line to the log.
void log_line(const std::string& text);

}  // namespace tgsi2spv::host
