// The operations of the 3D_SAMPLE page, with the parameters that each has besides u, v, r and ai.
#pragma once

#include <string_view>

#include "sampling/message.h"

namespace tgsi2spv::sampling {

struct SampleOpInfo {
    SampleOp op;
    std::string_view name;
    bool compares;   ///< has `ref`
    bool bias;       ///< has `bias`
    bool lod;        ///< has `lod`
    bool gradients;  ///< has two gradients for each coordinate
    bool zero;       ///< the level is 0

    /// Whether the device computes the level: then the page allows CPS compensation.
    constexpr bool is_implicit() const { return !lod && !gradients && !zero; }
    /// The columns of the table below "Extra parameters".
    constexpr int most_parameters() const { return 4 + compares + bias + lod + (gradients ? 6 : 0); }
};

inline constexpr SampleOpInfo kSampleOps[] = {
    {SampleOp::sample, "sample", false, false, false, false, false},
    {SampleOp::sample_b, "sample_b", false, true, false, false, false},
    {SampleOp::sample_l, "sample_l", false, false, true, false, false},
    {SampleOp::sample_c, "sample_c", true, false, false, false, false},
    {SampleOp::sample_d, "sample_d", false, false, false, true, false},
    {SampleOp::sample_b_c, "sample_b_c", true, true, false, false, false},
    {SampleOp::sample_l_c, "sample_l_c", true, false, true, false, false},
    {SampleOp::LOD, "LOD", false, false, false, false, false},
    {SampleOp::sample_d_c, "sample_d_c", true, false, false, true, false},
    {SampleOp::sample_lz, "sample_lz", false, false, false, false, true},
    {SampleOp::sample_c_lz, "sample_c_lz", true, false, false, false, true},
};

constexpr const SampleOpInfo& info(SampleOp op) {
    return kSampleOps[static_cast<size_t>(op)];
}
static_assert(
    [] {
        for (const SampleOpInfo& row : kSampleOps)
            if (&info(row.op) != &row) return false;
        return true;
    }(),
    "a row for each op, in their order");

}  // namespace tgsi2spv::sampling
