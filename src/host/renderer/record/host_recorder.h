// The second floor: programs and pipelines, and the state of the command buffer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "renderer/record/dummy.h"
#include "renderer/record/linked_program.h"
#include "renderer/record/optional_state.h"
#include "renderer/record/pipeline_cache.h"
#include "renderer/state/host_state.h"
#include "vk/query.h"

namespace tgsi2spv::host {

/// A slot that is being written.
struct Counting {
    Counted counted;
    vk::QuerySlot slot;
};

/// Descriptor contents: every element has an entry in all three arrays, and Vulkan reads the one for its type. `writes`
/// points into these arrays.
struct SetContents {
    std::vector<VkDescriptorImageInfo> images;
    std::vector<VkDescriptorBufferInfo> buffers;
    std::vector<VkBufferView> texels;
    std::vector<VkWriteDescriptorSet> writes;
    bool complete = false;  ///< there is a set with all of it
};

/// The descriptor sets in the command buffer, with the layout of their program.
struct BoundSets {
    std::shared_ptr<const LinkedProgram> program;
    std::array<VkDescriptorSet, 4> sets{};  ///< null: not bound
    std::array<SetContents, 4> contents;    ///< contents of the sets
};
struct BoundIndices {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkIndexType type{};
    bool operator==(const BoundIndices&) const = default;
};

struct HostRecorder : HostState {
    HostRecorder(std::unique_ptr<vk::Device> device, const HostOptions& options);

    PipelineCache pipeline_cache;
    DynamicPieces dynamic;
    DummyBuffers dummies;
    tgsi2spv_device_caps device_caps;  ///< features that shaders may use
    bool limits_fetched_levels;        ///< based_views.h
    Programs programs;
    std::shared_ptr<LinkedProgram> blits;  ///< program of move/blit_draw.cpp; null before the first
    vk::QuerySlots query_slots;
    std::vector<Counting> counting;     ///< slots that the current scope writes
    SubContext* current = nullptr;      ///< owns the current scope and the pending clears
    std::vector<vk::Use> uses_of_draw;  ///< empty between draws; kept for its memory

    // The state in the command buffer; another batch begins with none.
    struct Recorded {
        uint64_t batch = 0;
        const Bindings* bindings = nullptr;  ///< bindings of the last draw, if they are a guest's
        Changes changes;                     ///< changes of the bindings since then
        bool misaligned_vertices = false;    ///< some vertex buffer of them is misaligned
        bool samples_targets = false;        ///< the program samples targets of them
        ModuleState module_state;
        std::shared_ptr<LinkedProgram> program;
        struct {
            uint64_t scope = 0;  ///< number of the scope (Counters::scopes); 0: none
            std::shared_ptr<const vk::Buffer> indices{};
            bool writes = false;
        } ordered;                                 ///< resources of the last draw
        std::shared_ptr<const Pipeline> pipeline;  ///< of `program`; null: another one's
        std::vector<uint32_t> key, next_key;       ///< the pipeline's; kept for its memory
        OptionalState optional;                    ///< state of the draw
        std::optional<OptionalState> before;       ///< state that the command buffer has
        BoundSets sets;
        std::vector<uint32_t> vertex_input;  ///< VERT's inputs, and append_fixed() of their vertex input
        BoundIndices indices;
        StateValues state_values{};
    } recorded;
    // Clears of the framebuffer that wait for the scope to begin.
    struct PendingClear {
        uint32_t bits = 0;
        virgl::Clear values{};
    } pending;
};

}  // namespace tgsi2spv::host
