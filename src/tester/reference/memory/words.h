// Memory that invocations share (buffers, images, counters, shared memory), and the effects of unordered accesses.
//
// A word holds a Value, and the lanes that wrote and read it last. Two accesses of different invocations are ordered
// only by a BARRIER of their work group; for buffers and images the writes before it also need a MEMBAR. Accesses are
// never ordered between work groups, and never in other stages. Unordered accesses race:
//   a load with a write          the load is unknown;
//   a write with a write         the word is unknown (unless two stores agree) until a write comes after both;
//   atomics of one kind that
//   commute (add, and, min, …;
//   exchanges with equal words)  each returned value is unknown, the final value is not.
// Accesses of one work group that race do so in one of its phases, the time between two such barriers; accesses after
// the phase see its result. Accesses of different work groups that race may do so at any time.
// A load that was assumed to be known may turn out to race with a write that this judge executes later. Such words are
// recorded in Findings, and the program runs again with their loads unknown from the start, until nothing new is found.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "reference/case/inputs.h"
#include "reference/case/result.h"
#include "reference/memory/presence.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::reference {

enum class MemoryKind : uint8_t {
    Buffer,  ///< BUFFER, RES … BUFFER, RGLOBAL, RINPUT
    Image,   ///< one word per component of the format
    Counter,
    Constant,
    Shared,      ///< MEMORY, one copy per work group
    SharedRes,   ///< RLOCAL
    Private,     ///< one copy per invocation
    PrivateRes,  ///< RPRIVATE
};
struct MemoryKey {
    MemoryKind kind{};
    uint32_t index = 0;
    auto operator<=>(const MemoryKey&) const = default;
};

/// Facts about accesses that earlier runs found.
struct Findings {
    static constexpr uint8_t kContended = 1;  ///< reads race with writes
    static constexpr uint8_t kRaced = 2;      ///< its contents are unknown
    struct OfWord {
        uint8_t ever = 0;                      ///< whenever it is accessed
        std::map<uint64_t, uint8_t> by_phase;  ///< findings of accesses in a phase (Memory::phase)
        uint8_t in(uint64_t phase) const {
            const auto it = by_phase.find(phase);
            return it == by_phase.end() ? 0 : it->second;
        }
    };
    std::map<MemoryKey, std::unordered_map<uint64_t, OfWord>> words;
    bool given_up = false;  ///< everything writable is unknown
    bool grew = false;      ///< this run found something new
};

enum class AtomicOp : uint8_t { None, Store, Add, And, Or, Xor, UMin, UMax, IMin, IMax, Inc, Dec, Xchg, FAdd, Cas };

/// One memory: words in pages that are allocated on first access.
class Region {
  public:
    static constexpr uint32_t kNobody = ~0u, kMany = ~0u - 1;
    struct Accessor {
        uint32_t lane = kNobody;  ///< kMany: several lanes
        uint32_t group = 0;       ///< kMany: several groups
        uint32_t epoch = 0;
        void merge(uint32_t other, uint32_t its_group, uint32_t its_epoch);
    };
    /// Writes that may race with the next one, and whether they are of one kind.
    struct Writes {
        AtomicOp op = AtomicOp::None;
        bool mixed = false;
        std::array<uint32_t, 2> operands{};  ///< INC, DEC, CAS, FADD: they commute if these are equal
        void add(const Writes& other);
        bool are_like(const Writes& other) const {
            return !mixed && !other.mixed && op == other.op && operands == other.operands;
        }
    };
    /// The inherited Writes are all writes so far: those of other work groups may happen at any time.
    struct Word : Writes {
        Value v;
        Accessor written, read;
        Writes of_phase;  ///< writes since the last barrier that orders them
        bool coherent = true;
    };

    MemoryKey key;
    uint32_t size = 0;                         ///< words in one copy
    const std::vector<uint32_t>* initial;      ///< nullptr: initially undefined
    const Texture* texture = nullptr;          ///< Image
    const tgsi::FormatInfo* format = nullptr;  ///< Image
    uint32_t components = 1;                   ///< Image: components of a texel
    bool read_only = false;
    std::vector<bool> unknown;  ///< copies whose contents are unknown
    std::unordered_map<uint64_t, Findings::OfWord>* found = nullptr;

    Word& at(uint64_t word);
    /// Returns the word without allocating a page.
    Value peek(uint64_t word) const;
    uint64_t words() const { return uint64_t{size} * unknown.size(); }
    template <class F>
    void for_each_page(F&& f) {
        for (size_t p = 0; p < pages_.size(); ++p)
            if (pages_[p]) f(p * kPage, pages_[p].get());
    }
    static constexpr size_t kPage = 256;

  private:
    Value first_value(uint64_t word) const;
    std::vector<std::unique_ptr<Word[]>> pages_;
};

class Memory {
  public:
    /// For `groups` groups of `group` invocations each; `nominal`: without bounds.
    Memory(tgsi::Stage stage, const Inputs& inputs, uint32_t groups, uint32_t group, bool nominal, Findings& findings);

    /// Sets the number in the run of the current machine's invocation 0.
    void enter(uint32_t first) { first_ = first; }

    /// Returns the region for a key, or nullptr if the case has none.
    Region* find(MemoryKey key);
    /// Returns the number of the copy of a region that an invocation sees.
    uint64_t copy(const Region& region, uint32_t lane) const;

    /// Accesses word `word` of the lane's copy, which must be in range.
    Value load(Region& region, uint64_t word, uint32_t lane, bool coherent);
    void store(Region& region, uint64_t word, uint32_t lane, const Value& v, Presence here, bool coherent);
    /// Replaces the old value by `make(old)`, and returns the old one.
    template <class F>
    Value atomic(Region& region, uint64_t word, uint32_t lane, AtomicOp op, const Value& operand, const Value& third,
                 Presence here, F make) {
        const Value old = before_atomic(region, word, lane, op, operand, third, here);
        Region::Word& w = region.at(copy(region, lane) * region.size + word);
        assign(w.v, make(w.v), here);
        return old;
    }
    /// A write to an unknown address.
    void spoil(Region& region, uint32_t lane);
    /// A write to an unknown memory of that kind.
    void spoil(MemoryKind kind, uint32_t lane);
    uint32_t group_of(uint32_t lane) const { return lane / group_; }

    /// BARRIER of a group of the current machine.
    void barrier(uint32_t group);
    /// MEMBAR with these bits.
    void fence(uint32_t lane, uint32_t bits);
    void give_up();

    /// Stores the contents of memory after all invocations have ended.
    void collect(Result& result);

  private:
    bool tracks(const Region& region) const;
    uint32_t epoch(const Region& region, uint32_t lane) const;
    uint64_t phase(const Region& region, uint32_t lane) const {
        return uint64_t{group_of(lane)} << 32 | epoch(region, lane);
    }
    /// Whether a barrier separates the earlier access from the lane's.
    bool is_past(const Region& region, const Region::Accessor& before, uint32_t lane) const;
    bool ordered(const Region& region, const Region::Accessor& before, uint32_t lane) const;
    void found(Region& region, uint64_t at, uint8_t ever, uint8_t now = 0, uint64_t phase = 0);
    uint8_t known_of(const Region& region, uint64_t at, uint32_t lane) const;
    void enter_phase(Region& region, uint64_t at, uint32_t lane, bool coherent);
    Value before_atomic(Region& region, uint64_t word, uint32_t lane, AtomicOp op, const Value& operand,
                        const Value& third, Presence here);
    void wrote(Region& region, Region::Word& word, uint32_t lane, const Region::Writes& write, bool coherent);
    std::vector<Component> contents(Region& region);

    const Inputs& inputs_;
    const uint32_t group_;
    const bool nominal_;
    uint32_t first_ = 0;
    Findings& findings_;
    std::map<MemoryKey, Region> regions_;
    std::vector<uint32_t> barriers_;  ///< number of barriers of each group
    std::vector<uint32_t> fenced_;    ///< number of barriers of each group before which all writes had been fenced
    std::vector<uint8_t> unfenced_;   ///< MEMBAR bits of each lane's writes that are not fenced yet
    bool may_repeat_;  ///< an invocation may be executed more than once ("at least once": Vulkan, "Shaders")
};

}  // namespace tgsi2spv::reference
