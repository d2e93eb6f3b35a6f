// Finds and makes programs.
#pragma once

#include <volk.h>

#include <memory>
#include <span>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;
struct HostRecorder;

/// Links and converts on first use. A program that the library refuses is kept with `failed`. Null: memory is short.
std::shared_ptr<LinkedProgram> find_program(HostRecorder& host, const Bindings& context, const ModuleState& state);
std::shared_ptr<LinkedProgram> find_compute_program(HostRecorder& host, const Shader& shader,
                                                    const ResourcesInShader& resources);
/// Null: memory is short.
VkShaderModule make_module(vk::Device& device, std::span<const uint32_t> words);
/// The layouts of its sets, from what its modules declare, and that of its pipelines. Budget: the device has fewer
/// resources.
Problem make_layouts(const HostState& host, LinkedProgram& program, const VkPushConstantRange& push = {});
/// Before a pipeline is made: if there are very many, or memory is short, others are forgotten. State that the
/// device has in pipelines is a guest's choice. False: batches still hold too many.
bool make_room_for_pipeline(HostRecorder& host, LinkedProgram& program);

}  // namespace tgsi2spv::host
