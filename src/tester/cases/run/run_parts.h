// Shared by the functions that run a stage. Internal to this folder.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cases/run/bind.h"
#include "cases/run/run_vulkan.h"
#include "harness/job.h"
#include "reference/case/inputs.h"
#include "reference/case/result.h"
#include "spirv/reflect.h"
#include "tgsi/text/diagnostic.h"
#include "vulkan/error.h"

namespace tgsi2spv::difftest {

VulkanTrouble from_vulkan(const vulkan::Error& error);
/// Returns the first error, which says why a shader was rejected; null if there is none.
const tgsi::Diagnostic* find_error(const std::vector<tgsi::Diagnostic>& diagnostics);
/// Returns its message.
std::string first_error(const std::vector<tgsi::Diagnostic>& diagnostics);

inline reference::Component known(uint32_t word) {
    reference::Component c;
    c.value = c.words[0] = c.lo = c.hi = word;
    return c;
}

/// Returns the options of every judged conversion: io buffers, immediates that drivers cannot fold, the
/// device's capabilities.
api::Options judged_conversion(const harness::Device& device, const api::Context& context,
                               const reference::Inputs& inputs, const VulkanOptions& options);
/// Makes the system values that the case gives come from the input buffer.
void buffer_system_values(const api::Context& context, const reference::Inputs& inputs, lower::Options& options);
/// Lowers, optimises and emits the parsed shader, then calls the hook.
tl::expected<spirv::Reflection, VulkanTrouble> convert_judged(api::Context& context, const api::Options& conversion,
                                                              const VulkanOptions& options);

/// Adds a buffer to the job and returns its index.
uint32_t add_buffer(harness::Job& job, std::vector<uint32_t> words, bool readback);
/// Binds the three io buffers.
void bind_io(const spirv::Reflection& reflection, const uint32_t (&io)[3], harness::Job& job);

/// VERT, FRAG: the words of io buffer 0.
std::vector<uint32_t> io_input_words(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                     uint32_t lanes);
/// VERT, FRAG: reads registers from io buffer 1.
void read_io_outputs(const api::Context& context, const spirv::Reflection& reflection,
                     const std::vector<uint32_t>& words, uint32_t lanes, reference::Result& result);

/// Adds the case's resources to the job, and runs it.
tl::expected<harness::Outputs, VulkanTrouble> run_job(harness::Device& device, const tgsi::Program& program,
                                                      const spirv::Reflection& reflection,
                                                      const reference::Inputs& inputs, harness::Job& job,
                                                      const VulkanOptions& options);
/// Reads buffers, counters and images of the case after the job. Sets result.error if a mark was overwritten.
void read_memory(const spirv::Reflection& reflection, const reference::Inputs& inputs, const harness::Job& job,
                 const harness::Outputs& outputs, reference::Result& result);

/// Runs COMP: a grid of work groups.
tl::expected<reference::Result, VulkanTrouble> run_compute(harness::Device& device, api::Context& context,
                                                           const reference::Inputs& inputs,
                                                           const VulkanOptions& options);

/// Runs GEOM, TESS_CTRL and TESS_EVAL: a lane is a primitive or a patch.
tl::expected<reference::Result, VulkanTrouble> run_primitives(harness::Device& device, api::Context& context,
                                                              const reference::Inputs& inputs,
                                                              const VulkanOptions& options);

}  // namespace tgsi2spv::difftest
