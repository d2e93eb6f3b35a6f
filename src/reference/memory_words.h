// Memory that invocations share: buffers, images, counters, shared memory; and what the order of accesses leaves open.
//
// A word holds a Value, and beside it who wrote and who read it last. Two accesses of different invocations are ordered
// only by a BARRIER of their work group, in buffers and images with a MEMBAR behind the writes before it; never between
// work groups, and never in other stages. What is not ordered races:
//   a load with a write            the load is unknown;
//   a write with a write           the word is unknown (two stores of one value agree) until a write comes after both;
//   atomics of one kind that
//   commute (add, and, min, …;
//   exchanges with equal words)    each return is unknown, what they leave is not.
// What races within one work group races in one of its phases, the time between two such barriers: what comes after it
// sees what the phase left. What races between work groups does so at any time.
// A load that has been taken for known may be found to race with a write that is executed later in the order of this
// judge: such words are kept in Findings and the program runs again, with their loads unknown from the start, until
// nothing new is found.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "reference/machine.h"
#include "tgsi/formats.h"

namespace tgsi2spv::reference {

enum class MemoryKind : uint8_t {
    Buffer,  ///< BUFFER, RES … BUFFER, RGLOBAL, RINPUT
    Image,   ///< a word a component of the format
    Counter,
    Constant,
    Shared,      ///< MEMORY, a copy a work group
    SharedRes,   ///< RLOCAL
    Private,     ///< a copy an invocation
    PrivateRes,  ///< RPRIVATE
};
struct MemoryKey {
    MemoryKind kind{};
    uint32_t index = 0;
    auto operator<=>(const MemoryKey&) const = default;
};

/// Buffers of a case that the kinds of memory without an index of their own stand for.
inline constexpr uint32_t kGlobalBuffer = 132, kInputBuffer = 133;

/// What is known of accesses from earlier runs.
struct Findings {
    static constexpr uint8_t kContended = 1;  ///< reads race with writes
    static constexpr uint8_t kRaced = 2;      ///< what it holds cannot be known
    struct OfWord {
        uint8_t ever = 0;                      ///< whenever it is accessed
        std::map<uint64_t, uint8_t> by_phase;  ///< by Memory::phase: of accesses in it
        uint8_t in(uint64_t phase) const {
            const auto it = by_phase.find(phase);
            return it == by_phase.end() ? 0 : it->second;
        }
    };
    std::map<MemoryKey, std::unordered_map<uint64_t, OfWord>> words;
    bool given_up = false;  ///< everything that can be written is unknown
    bool grew = false;      ///< this run found something that it had not known
};

enum class AtomicOp : uint8_t { None, Store, Add, And, Or, Xor, UMin, UMax, IMin, IMax, Inc, Dec, Xchg, FAdd, Cas };

/// One memory: words in pages that are made when touched.
class Region {
  public:
    static constexpr uint32_t kNobody = ~0u, kMany = ~0u - 1;
    struct Access {
        uint32_t lane = kNobody;  ///< kMany: several
        uint32_t group = 0;       ///< kMany: of several groups
        uint32_t epoch = 0;
        void merge(uint32_t other, uint32_t its_group, uint32_t its_epoch);
    };
    /// Writes that may race with the next one: of one kind?
    struct Writes {
        AtomicOp op = AtomicOp::None;
        bool mixed = false;
        std::array<uint32_t, 2> operands{};  ///< INC, DEC, CAS, FADD: they commute where these are the same
        void add(const Writes& other);
        bool are_like(const Writes& other) const {
            return !mixed && !other.mixed && op == other.op && operands == other.operands;
        }
    };
    /// Its own Writes are all that there were: those of other work groups may come at any time.
    struct Word : Writes {
        Value v;
        Access written, read;
        Writes of_phase;  ///< since the last barrier that orders them
        bool coherent = true;
    };

    MemoryKey key;
    uint32_t size = 0;                         ///< words of a copy
    const std::vector<uint32_t>* initial;      ///< nullptr: starts undefined
    const Texture* texture = nullptr;          ///< Image
    const tgsi::FormatInfo* format = nullptr;  ///< Image
    uint32_t components = 1;                   ///< Image: of a texel
    bool read_only = false;
    std::vector<bool> unknown;  ///< by copy: what stands there cannot be known
    std::unordered_map<uint64_t, Findings::OfWord>* found = nullptr;

    Word& at(uint64_t word);
    /// The word as it is, without making a page.
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
    /// For `groups` groups of `group` invocations; `plain`: no bounds are wanted.
    Memory(tgsi::Stage stage, const Inputs& inputs, uint32_t groups, uint32_t group, bool plain, Findings& findings);

    /// Invocation 0 of the machine that executes now is this one of the run.
    void enter(uint32_t first) { first_ = first; }

    /// The region that a key names, or nullptr where the case has nothing there.
    Region* find(MemoryKey key);
    /// Which copy of a region an invocation sees.
    uint64_t copy(const Region& r, uint32_t lane) const;

    /// Word `word` of the lane's copy, in range.
    Value load(Region& r, uint64_t word, uint32_t lane, bool coherent);
    void store(Region& r, uint64_t word, uint32_t lane, const Value& v, Presence here, bool coherent);
    /// `make(old)` is the new value; returns the old one.
    template <class F>
    Value atomic(Region& r, uint64_t word, uint32_t lane, AtomicOp op, const Value& operand, const Value& third,
                 Presence here, F make) {
        const Value old = before_atomic(r, word, lane, op, operand, third, here);
        Region::Word& w = r.at(copy(r, lane) * r.size + word);
        assign(w.v, make(w.v), here);
        return old;
    }
    /// A write to an address that cannot be known.
    void spoil(Region& r, uint32_t lane);
    /// The same, to a memory of that kind that cannot be known.
    void spoil(MemoryKind kind, uint32_t lane);
    uint32_t group_of(uint32_t lane) const { return lane / group_; }

    /// BARRIER of a group of the machine that executes now.
    void barrier(uint32_t group);
    /// MEMBAR with its bits.
    void fence(uint32_t lane, uint32_t bits);
    void give_up();

    /// What stands there when all invocations have ended.
    void collect(Result& result);

  private:
    bool tracks(const Region& r) const;
    uint32_t epoch(const Region& r, uint32_t lane) const;
    uint64_t phase(const Region& r, uint32_t lane) const { return uint64_t{group_of(lane)} << 32 | epoch(r, lane); }
    /// A barrier stands between them.
    bool is_past(const Region& r, const Region::Access& before, uint32_t lane) const;
    bool ordered(const Region& r, const Region::Access& before, uint32_t lane) const;
    void found(Region& r, uint64_t at, uint8_t ever, uint8_t now = 0, uint64_t phase = 0);
    uint8_t known_of(const Region& r, uint64_t at, uint32_t lane) const;
    void enter_phase(Region& r, uint64_t at, uint32_t lane, bool coherent);
    Value before_atomic(Region& r, uint64_t word, uint32_t lane, AtomicOp op, const Value& operand, const Value& third,
                        Presence here);
    void wrote(Region& r, Region::Word& w, uint32_t lane, const Region::Writes& write, bool coherent);
    std::vector<Component> contents(Region& r);

    const Inputs& inputs_;
    const uint32_t group_;
    const bool plain_;
    uint32_t first_ = 0;
    Findings& findings_;
    std::map<MemoryKey, Region> regions_;
    std::vector<uint32_t> barriers_;  ///< by group
    std::vector<uint32_t> fenced_;    ///< by group: those before which all writes had been fenced
    std::vector<uint8_t> unfenced_;   ///< by lane: MEMBAR bits of what it wrote and did not fence
    bool may_repeat_;  ///< an invocation may be executed more than once ("at least once": Vulkan, "Shaders")
};

/// BARRIER of COMP: a group that does not arrive as a whole is lost.
void group_barrier(Machine& m, const Mask& here);

}  // namespace tgsi2spv::reference
