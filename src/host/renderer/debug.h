// TGSI_HOST_DEBUG: what helps to find out why something goes wrong.
#pragma once

#include <string>
#include <string_view>

#include "renderer/renderer.h"

namespace tgsi2spv::host {

/// Sets the options that words like "sync,labels" name. Returns the first one that names none, or an empty string.
std::string add_debug_words(HostOptions& options, std::string_view words);

}  // namespace tgsi2spv::host
