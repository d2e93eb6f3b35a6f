// A case on a Vulkan device: conversion with `exact` and `io=buffers`, then one job.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "api/convert.h"
#include "reference/run.h"
#include "vulkan/device.h"

namespace tgsi2spv::difftest {

enum class Trouble : uint8_t {
    Refused,  ///< the translator does not take the shader; `diagnostics` of the context tell why
    Missing,  ///< the device or the harness lacks something, named
    Case,     ///< the case cannot be brought about (a texture of the wrong shape, a wrap mode Vulkan lacks)
    Invalid,  ///< the translator's own limits or output are at fault
    Memory,   ///< the device or the host had none left, at the second try too
    Device,   ///< a Vulkan call failed, or the device was lost
    Timeout,
    NotRun,  ///< all is well, and the device only compiles
};

struct VulkanTrouble {
    Trouble kind{};
    std::string message;
};

/// Sees the converted module before the device does, and may change its words: tests of the campaign, mutations.
using ModuleHook = std::function<void(api::Context& context, const api::Options& conversion)>;

struct VulkanOptions {
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    /// What output words that the shader never stores hold.
    uint32_t unwritten = 0;
    /// Run the case even where a quirk spoils it: the caller knows which words mean nothing.
    bool in_spite_of_quirks = false;
    /// Behind the shader's buffers stand marks (kMarks words), as if they were pieces of something larger: what is read
    /// there is told by them, and what is written there is an error. A module that asks for lengths is told without
    /// them (`mutate/run`).
    bool marks_behind = false;
    /// Images at these bindings (set, binding) stand in larger ones, and of a level more, of marks (texel_margins.h):
    /// what is written there is an error. Modules are told the part that is theirs.
    std::set<std::pair<uint32_t, uint32_t>> images_in_larger{};
    bool loops_in_memory = false;    ///< lower::Workarounds::loop_registers_in_memory
    bool one_level_offsets = false;  ///< lower::Options::offsets_read_one_level, whatever the case's samplers do
    uint64_t timeout_ns = 120'000'000'000;
    ModuleHook hook{};                ///< may be empty
    double* translator_ms = nullptr;  ///< where wanted: the milliseconds of the conversion are added there
};

/// What lowering may use on this device.
lower::Capabilities capabilities_of(const vulkan::DeviceReport& report);

/// What the judge may assume of a module that was converted for this device with `exact`.
reference::Options reference_options(const vulkan::DeviceReport& report, tgsi::Dialect dialect);

/// Runs the parsed shader of `context` (api::parse has succeeded; lowered and emitted here). Components of the result
/// are single words; `outputs` has every declared OUT register.
tl::expected<reference::Result, VulkanTrouble> run_vulkan(vulkan::Device& device, api::Context& context,
                                                          const reference::Inputs& inputs,
                                                          const VulkanOptions& options);

}  // namespace tgsi2spv::difftest
