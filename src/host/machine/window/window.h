// A window of this desktop, by SDL, that shows a machine's first display: a viewer like those of VNC.
#pragma once

#include <string>

#include "machine/virtio_gpu/link.h"

namespace tgsi2spv::window {

struct Options {
    std::string device;  ///< as --device; empty: the default one
    std::string title;
    bool validate = false;  ///< the validation layer's messages go to standard error
};

/// Opens it, says so by a byte to the machine's process, and serves it until the user closes it or the machine ends.
/// Returns why it could not be opened or could not go on, or an empty string.
std::string serve_window(process::Descriptor& machine, const Options& options);

}  // namespace tgsi2spv::window
