// FRAG outputs as pictures: a pixel is a lane.
#pragma once

#include <vector>

#include "difftest/result.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {

/// For each OUT register of FRAG that has a wrong word (at most four of them): "expected" is the plainest permitted
/// answer, "got" the device's, "difference" white where a component lies outside what is permitted, on the grid of
/// pixels that the lanes are. Components are clamped to [0, 1]; killed lanes are transparent.
std::vector<EvidencePicture> pictures_of(const reference::Result& judged, const reference::Result& device,
                                         const reference::Inputs& inputs);

std::string base64(const std::vector<uint8_t>& bytes);

}  // namespace tgsi2spv::difftest
