// Where modules have their resources: drivers end with the process where one place is of two kinds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vulkan/job.h"

namespace tgsi2spv::vulkan {

/// The first place of the job whose resources, in its modules or in what is bound there, are of two kinds; named, or
/// nothing. Variables of one kind may share a place: they are names of one resource. The words are modules.
std::optional<std::string> two_kinds_at_one_place(const Job& job);

/// The job's descriptors without those of a place that another has, which are its other names: the longest stays.
std::vector<const Descriptor*> one_a_place(const Job& job);

}  // namespace tgsi2spv::vulkan
