// The renderer that draws with Vulkan.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "renderer/state/log.h"
#include "renderer/state/options.h"
#include "virgl/renderer.h"

namespace tgsi2spv::host {

/// Fails with a sentence if there is no such device, or it lacks a feature that every guest needs. Logs to stderr.
tl::expected<std::unique_ptr<virgl::SharedRenderer>, std::string> make_renderer(const HostOptions& options);

/// Sets the options that words of TGSI_HOST_DEBUG like "sync,labels" name. Returns the first one that names none, or an
/// empty string.
std::string add_debug_words(HostOptions& options, std::string_view words);

}  // namespace tgsi2spv::host
