// The renderer that draws with Vulkan.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "renderer/state/log.h"
#include "renderer/state/options.h"
#include "virgl/renderer.h"

namespace tgsi2spv::host {

/// Fails with a sentence if there is no such device, or it lacks a feature that every guest needs. Logs to stderr.
tl::expected<std::unique_ptr<virgl::SharedRenderer>, std::string> make_renderer(const HostOptions& options);

}  // namespace tgsi2spv::host
