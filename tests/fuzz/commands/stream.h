// A stream of calls that is made while it is played: the guest's objects, and the next call on them.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "calls.h"
#include "grammar.h"
#include "renderer/state/formats.h"
#include "texts.h"

namespace tgsi2spv::fuzz {

class Random {
  public:
    explicit Random(uint64_t seed) : numbers_(seed) {}
    uint32_t word() { return static_cast<uint32_t>(numbers_()); }
    /// 0 if `n` is 0.
    uint32_t below(uint64_t n) { return n == 0 ? 0 : static_cast<uint32_t>(numbers_() % n); }
    bool one_in(uint32_t n) { return below(n) == 0; }
    template <class Range>
    const auto& pick(const Range& range) {
        return *std::next(std::begin(range), below(std::size(range)));
    }

  private:
    std::mt19937_64 numbers_;
};

struct Resource {
    virgl::ResourceRequest info{};
    const host::FormatInfo* format = nullptr;
    uint32_t memory = 0;     ///< bytes
    bool arguments = false;  ///< of indirect draws: only small words are written there, so that draws end
    bool bytes_only = false;

    bool is_buffer() const { return info.target == 0; }
    bool is_sampled_many() const { return info.samples > 1; }
    uint32_t width(uint32_t level) const { return std::max(info.width >> std::min(level, 31u), 1u); }
    uint32_t height(uint32_t level) const { return std::max(info.height >> std::min(level, 31u), 1u); }
    uint32_t slices(uint32_t level) const;
    uint64_t bytes() const;  ///< of all levels
};
struct Object {
    Call creation;
    uint32_t resource = 0;  ///< that it names; 0: none
    virgl::Stage stage{};
    uint32_t made = 0;  ///< bit n: sub-context n has it
    bool wrong = false;
};
inline constexpr uint32_t kSubContexts = 4;

/// Formats that the host offers.
struct Offers {
    std::vector<uint32_t> sampled, color, depth, vertex;
};
Offers offers_of(const virgl::CapsV2& caps);

struct Stream {
    Random random;
    Offers offers;
    std::vector<Text> texts;
    std::function<virgl::Outcome(const Call&)> play;
    uint32_t one_wrong_in = 6;  ///< calls

    uint32_t context = 0;
    std::map<uint32_t, Resource> resources{};
    std::array<std::map<uint32_t, Object>, 12> objects{};  ///< by ObjectType
    uint32_t sub = 0, subs = 1;
    std::array<std::bitset<128>, kSubContexts> set{};             ///< rows that a sub-context has seen
    std::array<std::array<uint32_t, 6>, kSubContexts> shaders{};  ///< bound
    bool waiting = false;                                         ///< commands that were not submitted
};

/// The choices of a call's words so far.
struct Filling {
    const Row* row = nullptr;
    const Text* text = nullptr;
    uint32_t handle = 0, groups = 0, outputs = 0;
    bool two_sources = false;  ///< every target is blended with a second one
    Resource request{};
    uint32_t samples = 0;  ///< of the attachments so far; 0: any
    // A box.
    uint32_t resource = 0;
    uint32_t level = 0;
    std::array<uint32_t, 3> start{}, size{}, room{~0u, ~0u, ~0u};
    uint32_t row_stride = 0, layer_stride = 0;
};

/// Makes the next call, and first the calls that it needs.
void step(Stream& stream);
/// Lets go of everything, so that the next stream finds a renderer with nothing.
void finish(Stream& stream);

// ---- For the files of this folder.

/// A call of a row, with right words only. Objects and resources that it names are made first.
Call fill(Stream& stream, const Row& row);
uint32_t right_word(Stream& stream, Filling& filling, Kind kind);
uint32_t wrong_word(Stream& stream, Kind kind, uint32_t right, std::span<const uint32_t> others);
/// The handle of an object that the current sub-context has, made if need be. 0: none could be made.
uint32_t use(Stream& stream, virgl::ObjectType type, const std::function<bool(const Object&)>& fits);
/// A resource that fits, made if need be; null: none could be made.
const Resource* find(Stream& stream, const std::function<bool(const Resource&)>& fits);
Resource random_resource(Stream& stream);

}  // namespace tgsi2spv::fuzz
