// The views that descriptors need.
#pragma once

#include <volk.h>

#include "renderer/record/linked_program.h"
#include "renderer/state/formats.h"

namespace tgsi2spv::host {

/// The type as which a shader reads texels of the format.
tgsi2spv_component_type component_of(const FormatInfo& format);
/// The format of a view for a shader that reads it as `component`: integers may have the other sign, and integers may
/// be read of what has none. Undefined: the shader does not read such texels.
VkFormat format_of_view(const FormatInfo& format, tgsi2spv_component_type component);
/// The image and the view that a declaration needs.
VkImageType image_type(const Descriptor& descriptor);
VkImageViewType view_type(const Descriptor& descriptor);

}  // namespace tgsi2spv::host
