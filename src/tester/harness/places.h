// The descriptor set and binding of every resource. Drivers crash if two kinds of resources share a binding, or if a
// descriptor is of another kind than the variable that uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/job.h"

namespace tgsi2spv::harness {

/// Returns a description of the first binding that two modules' variables, two of the job's descriptors, or a variable
/// and a descriptor use for different kinds of resources, or nothing. Variables of one kind may share a binding: they
/// alias one resource. The words must be valid modules (is_module).
std::optional<std::string> two_kinds_at_one_place(const Job& job);

/// Whether the module has a storage buffer, image or texel buffer that it does not declare as NonWritable. Such a
/// variable needs a feature (RuntimeSpirv-NonWritable-06340 and -06341), even if nothing is stored.
bool may_store(std::span<const uint32_t> module);

/// Returns the job's descriptors with one descriptor per binding: of several, which alias one resource, the longest.
std::vector<const Descriptor*> one_a_place(const Job& job);

}  // namespace tgsi2spv::harness
