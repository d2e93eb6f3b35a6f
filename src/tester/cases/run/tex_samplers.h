// SAMP of the TEX family as separate samplers (lower::Options::separate_samplers).
#pragma once

#include <cstdint>
#include <set>

#include "tgsi/program/program.h"

namespace tgsi2spv::difftest {

/// Whether no instruction takes its view separately from its SAMP, as the SAMPLE family does. Then a SAMP implies its
/// view, and a separate sampler can be used like a combined one.
bool samplers_imply_views(const tgsi::Program& program);

/// The SAMPs with which the TEX family compares.
class Comparing {
  public:
    explicit Comparing(const tgsi::Program& program);
    bool has(uint32_t sampler) const { return all_ || some_.contains(sampler); }

  private:
    std::set<uint32_t> some_;
    bool all_ = false;  ///< an index selects
};

}  // namespace tgsi2spv::difftest
