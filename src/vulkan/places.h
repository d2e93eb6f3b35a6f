// The descriptor set and binding of every resource. Drivers crash if two kinds of resources share a binding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vulkan/job.h"

namespace tgsi2spv::vulkan {

/// Returns a description of the first binding that two modules' variables, or two of the job's descriptors, use for
/// different kinds of resources, or nothing. Variables of one kind may share a binding: they alias one resource. The
/// words must be valid modules (is_module).
std::optional<std::string> two_kinds_at_one_place(const Job& job);

/// Returns the job's descriptors with one descriptor per binding: of several, which alias one resource, the longest.
std::vector<const Descriptor*> one_a_place(const Job& job);

}  // namespace tgsi2spv::vulkan
