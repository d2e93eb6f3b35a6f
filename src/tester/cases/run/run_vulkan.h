// Runs a case on a Vulkan device: conversion with `exact` and `io=buffers`, then one job.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "api/convert.h"
#include "cases/run/settings.h"
#include "harness/device.h"
#include "reference/case/inputs.h"
#include "reference/case/options.h"
#include "reference/case/result.h"

namespace tgsi2spv::difftest {

enum class Trouble : uint8_t {
    Refused,         ///< the translator refuses the shader; the context's `diagnostics` say why
    Missing,         ///< the device or the harness lacks something; the message names it
    Case,            ///< the case cannot be set up (a texture of the wrong shape, a wrap mode that Vulkan lacks)
    Invalid,         ///< the translator exceeded a limit or gave invalid output
    Memory,          ///< the device or the host ran out of memory, even at the second try
    CompilerMemory,  ///< a call that compiles ran out of memory
    Device,          ///< a Vulkan call failed, or the device was lost
    Timeout,
    NotRun,  ///< success, but the device only compiles
};

struct VulkanTrouble {
    Trouble kind{};
    std::string message;
};
inline tl::unexpected<VulkanTrouble> trouble(Trouble kind, std::string message) {
    return tl::unexpected<VulkanTrouble>(VulkanTrouble{kind, std::move(message)});
}

/// Called with the converted module before the device gets it; may change its words. For tests of
/// campaigns.
using ModuleHook = std::function<void(api::Context& context, const api::Options& conversion)>;

/// Initial value of output words of judged runs. A word that the device fails to write is unlikely to hold a permitted
/// value by chance.
inline constexpr uint32_t kUnwritten = 0xdeadbeef;

struct VulkanOptions {
    RunSettings settings;
    /// Initial value of output words; those that the shader never stores keep it.
    uint32_t unwritten = 0;
    /// Run the case even if a quirk affects it: the caller knows which words are meaningless.
    bool in_spite_of_quirks = false;
    /// Leave to the device the checks that it promises (lower::Capabilities::robust_buffers, robust_images);
    /// reference::Options::constants_as_bound must say the same.
    bool robust_access = false;
    /// Work that the module leaves to the device; reference::Options::angles_by_device must say the same.
    vulkan::Promises promises{};
    /// lower::Options::exact; the reference's options must say the same.
    bool exact = true;
    /// lower::Options::max_iterations, if not 0; the reference's options must say the same.
    uint32_t max_iterations = 0;
    ModuleHook hook{};                ///< may be empty
    double* translator_ms = nullptr;  ///< the milliseconds of the conversion are added to it; null: not measured
};

/// Returns the judge's assumptions about a module that was converted for this device with `exact`.
reference::Options reference_options(const vulkan::DeviceReport& report, tgsi::Dialect dialect);

/// Runs the parsed shader of `context` (api::parse has succeeded; this function lowers and emits it). Components of the
/// result are single words; `outputs` has every declared OUT register.
tl::expected<reference::Result, VulkanTrouble> run_vulkan(harness::Device& device, api::Context& context,
                                                          const reference::Inputs& inputs,
                                                          const VulkanOptions& options);

}  // namespace tgsi2spv::difftest
