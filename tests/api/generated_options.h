// Random options, state and devices, for tests that convert generated texts.
#pragma once

#include <string>

#include "inputs/random.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {

/// A request for a conversion. Most members keep their defaults, so that few requests are refused and a failure names
/// few suspects. Not copyable, because it contains pointers into itself.
class GeneratedOptions {
  public:
    /// `outputs` is how many outputs of the last stage before rasterization transform feedback may capture.
    explicit GeneratedOptions(difftest::Random& random, uint32_t outputs = 0);
    GeneratedOptions(const GeneratedOptions&) = delete;
    GeneratedOptions& operator=(const GeneratedOptions&) = delete;

    const tgsi2spv_options& options() const { return options_; }
    /// Vulkan 1.n: the environment that the module must be valid for.
    uint32_t minor_version() const;
    /// Whether the device has a feature that a module lists.
    bool has(std::string_view feature) const;
    bool has_clip_planes() const { return state_.clip_planes != 0; }
    /// The members that are not the default, by name.
    std::string text() const;

  private:
    void choose_device(difftest::Random& random);
    void choose_state(difftest::Random& random);
    void choose_layout(difftest::Random& random);
    void choose_streams(difftest::Random& random, uint32_t outputs);

    tgsi2spv_options options_ = make<tgsi2spv_options>();
    tgsi2spv_device_caps device_ = make<tgsi2spv_device_caps>();  ///< also where none is passed
    tgsi2spv_state state_ = make<tgsi2spv_state>();
    tgsi2spv_stream_outputs streams_ = make<tgsi2spv_stream_outputs>();
    tgsi2spv_stream_output outputs_[2] = {};
    tgsi2spv_binding binding_{};
    tgsi2spv_push_constants push_constants_{};
};

}  // namespace tgsi2spv
