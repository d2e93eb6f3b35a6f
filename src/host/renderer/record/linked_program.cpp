#include "renderer/record/linked_program.h"

namespace tgsi2spv::host {

Pipeline::Pipeline(vk::Budget& budget, const LinkedProgram& program)
    : device(program.device), charge(budget, program.pipeline_bytes) {}

LinkedProgram::LinkedProgram(VkDevice the_device, vk::Budget& budget)
    : device(the_device), charge(budget, kProgramBytes) {}

LinkedProgram::~LinkedProgram() {
    for (const StageModule& m : modules) vkDestroyShaderModule(device, m.module, nullptr);
    for (const auto set_layout : set_layouts) vkDestroyDescriptorSetLayout(device, set_layout, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
}

}  // namespace tgsi2spv::host
