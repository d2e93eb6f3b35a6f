// --cache: outputs of earlier runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/cache.h"

namespace tools {

/// Holds and keeps nothing until it is opened. Threads may share it.
class OutputCache {
  public:
    /// `options`: what decides an output besides the text; `device`: what --caps named. With `names` (-g), the input's
    /// name also counts. False as Folder::open() says.
    bool open(const std::string& folder, std::string options, std::string device, bool names);
    bool load(std::string_view name, std::string_view text, std::string& output) const;
    /// What cannot be written is made again next time.
    void store(std::string_view name, std::string_view text, std::string_view output) const;

  private:
    tgsi2spv::api::Key key_of(std::string_view name, std::string_view text) const;

    bool open_ = false, names_ = false;
    std::string options_, device_;
    tgsi2spv::api::Folder folder_;
};

}  // namespace tools
