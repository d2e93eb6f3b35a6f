// A 128-bit hash of a request: the same on every machine, and different whenever the module may differ.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/options.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// XXH3 of everything added, in its canonical form. Numbers are added low byte first, texts after their length. XXH3
/// does not resist an attacker: a cache for texts that are not trusted must compare the requests too.
class Hasher {
  public:
    Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;
    void number(uint64_t n);
    void text(std::string_view bytes);
    tgsi2spv_hash finish() const;

  private:
    static constexpr size_t kStateBytes = 640;
    alignas(64) unsigned char state_[kStateBytes];
};

/// Hashes text, options and version. Defaults add nothing, so a struct that grows does not change the hashes of
/// requests that do not use its new members.
tgsi2spv_hash hash_of(std::string_view text, const Request& request);

}  // namespace tgsi2spv::api
