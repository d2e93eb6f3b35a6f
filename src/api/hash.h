// A 128-bit hash of a request: the same on every machine, and different whenever the module may differ.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// XXH3 of everything added, in its canonical form. Numbers are added low byte first, texts after their length. XXH3
/// does not resist an attacker: a cache for texts that are not trusted compares the requests too.
class Hasher {
  public:
    /// `kept` receives what is added, except the bytes of text_by_reference().
    explicit Hasher(std::pmr::vector<uint8_t>* kept = nullptr);
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;
    void number(uint64_t n);
    void text(std::string_view bytes);
    void text_by_reference(std::string_view bytes);
    tgsi2spv_hash finish() const;

  private:
    static constexpr size_t kStateBytes = 640;
    std::pmr::vector<uint8_t>* kept_;
    alignas(64) unsigned char state_[kStateBytes];

    void add(std::span<const uint8_t> bytes);
};

/// Names an entry of a cache. The hash selects the entry; the entry repeats the rest, which decides.
struct Key {
    explicit Key(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : request(memory) {}

    tgsi2spv_hash hash{};
    std::pmr::vector<uint8_t> request;  ///< all but the text's bytes, in canonical form
    std::string_view text;              ///< the caller keeps it alive
};

/// Hashes text, options and version. Defaults add nothing, so a struct that grows does not change the hashes of
/// requests that do not use its new members.
tgsi2spv_hash hash_of(std::string_view text, const Request& request);
Key key_of(std::string_view text, const Request& request, std::pmr::memory_resource* memory);

}  // namespace tgsi2spv::api
