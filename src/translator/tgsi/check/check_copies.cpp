// INTERP_* takes an input, but some producers first copy the input to a TEMP. Such a copy is followed, through other
// TEMPs, where the TEMP holds it for certain on every path; the operand then becomes the input.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "tgsi/check/checker.h"

namespace tgsi2spv::tgsi {
namespace {

/// A component of an input that a component of a TEMP holds.
struct Copy {
    uint32_t operand = 0;  ///< the input, as the MOV names it, in Program::operands; + 1, as 0 is none
    uint32_t at = 0;       ///< the instruction that read it
    uint8_t component = 0;
};

/// A component of a register that instructions may write.
struct Place {
    File file{};
    int32_t dim = 0, index = 0;
    int component = 0;
    // clang-tidy 14 takes the 0 of comparisons for a pointer.
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The known contents of a component.
struct Held {
    Copy copy{};           ///< the copy that it has; only TEMPs are followed
    uint32_t written = 0;  ///< the last instruction that wrote it; + 1
    uint32_t writers = 0;  ///< instructions of the text that write it
};

/// One pass in the order of the text. A register that a part of a construct writes is not certain after it, unless both
/// parts of an IF copy the same. Of the registers that a loop or a subroutine may write, only components that the text
/// writes once are certain.
class Copies {
  public:
    explicit Copies(Checker& checker)
        : program_(checker.program),
          held_(checker.memory),
          defined_(checker.memory),
          begins_(checker.memory),
          left_(checker.memory),
          entries_(checker.memory) {}

    void follow() {
        for (const Instruction& i : program_.instructions) {
            if (i.op == Opcode::BRA) return;  // control may come from anywhere
            if (i.op == Opcode::CAL || i.op == Opcode::CALLNZ) entries_.push_back(i.label);
            for (const Operand& o : program_.dsts(i)) {
                any_index_ |= is_indexed(o) && o.file == File::Temp;
                for_each_written(o, [](const Place&, Held& held) { ++held.writers; });
            }
        }
        std::ranges::sort(entries_);
        for (at_ = 0; at_ < program_.instructions.size(); ++at_) step(program_.instructions[at_]);
    }

  private:
    static bool is_indexed(const Operand& operand) { return operand.index_is_relative || operand.dim_is_relative; }
    static Place place_of(const Operand& operand, int component) {
        return {operand.file, operand.dim, operand.index, component};
    }

    template <class F>
    void for_each_written(const Operand& operand, F&& f) {
        if (!contains(kWritable, operand.file) || is_indexed(operand)) return;
        for (int c = 0; c < 4; ++c)
            if (operand.write_mask >> c & 1) {
                const Place place = place_of(operand, c);
                f(place, held_[place]);
            }
    }

    /// Any register that can be written can be an index.
    bool is_written_since(const Relative& relative, uint32_t at) const {
        if (indexed_writes_[static_cast<size_t>(relative.file)] > at) return true;
        const auto found = held_.find({relative.file, relative.dim, relative.index, relative.component});
        return found != held_.end() && found->second.written > at;
    }

    /// The certain contents of a component of a TEMP at this instruction.
    Copy copy_in(const Operand& operand, int component) const {
        if (operand.file != File::Temp || operand.index_is_relative) return {};
        const auto found = held_.find(place_of(operand, component));
        if (found == held_.end() || found->second.copy.operand == 0) return {};
        const Copy& copy = found->second.copy;
        const Relative* const index = program_.index_relative(program_.operands[copy.operand - 1]);
        const bool may_repeat = found->second.writers > 1 || any_index_ || index != nullptr;
        if (copy.at < all_until_ || copy.at < indexed_writes_[static_cast<size_t>(File::Temp)] ||
            (may_repeat && copy.at < repeated_until_))
            return {};
        return index != nullptr && is_written_since(*index, copy.at) ? Copy{} : copy;
    }

    /// The input that each component of the destination holds after a MOV.
    std::array<Copy, 4> copied(const Instruction& instruction) const {
        std::array<Copy, 4> all{};
        if (instruction.op != Opcode::MOV || instruction.num_src != 1 || instruction.saturate ||
            instruction.has_predicate)
            return all;
        const Operand& from = program_.srcs(instruction)[0];
        if (from.negate || from.absolute) return all;
        for (int c = 0; c < 4; ++c) {
            const auto component = static_cast<uint8_t>(from.component(c));
            all[static_cast<size_t>(c)] =
                from.file == File::Input ? Copy{instruction.first_operand + instruction.num_dst + 1, at_, component}
                                         : copy_in(from, component);
        }
        return all;
    }

    bool is_same_input(uint32_t a, uint32_t b) const {
        const Operand &x = program_.operands[a - 1], &y = program_.operands[b - 1];
        const Relative *by = program_.index_relative(x), *by_too = program_.index_relative(y);
        if (x.index != y.index || x.array_id != y.array_id) return false;
        return by == nullptr || by_too == nullptr ? by == by_too : *by == *by_too;
    }

    /// Replaces the TEMP if all components in use hold one input.
    void replace(const Instruction& instruction) {
        if (instruction.num_dst != 1 || instruction.num_src == 0) return;
        Operand& o = program_.operands[instruction.first_operand + instruction.num_dst];
        const uint8_t mask = program_.dsts(instruction)[0].write_mask;
        uint32_t input = 0;
        uint8_t swizzle = 0;
        for (int c = 0; c < 4; ++c) {
            if ((mask >> c & 1) == 0) continue;
            const Copy copy = copy_in(o, o.component(c));
            if (copy.operand == 0 || (input != 0 && !is_same_input(input, copy.operand))) return;
            input = copy.operand;
            swizzle = static_cast<uint8_t>(swizzle | copy.component << 2 * c);
        }
        if (input == 0) return;
        Operand followed = program_.operands[input - 1];
        followed.swizzle = swizzle;
        followed.swizzle_letters = 4;
        followed.negate = o.negate;
        followed.absolute = o.absolute;
        followed.position = o.position;
        o = followed;
    }

    void write(const Instruction& instruction) {
        const std::array<Copy, 4> all = copied(instruction);
        for (const Operand& o : program_.dsts(instruction)) {
            if (is_indexed(o)) indexed_writes_[static_cast<size_t>(o.file)] = at_ + 1;
            for_each_written(o, [&](const Place& place, Held& held) {
                held.written = at_ + 1;
                if (o.file != File::Temp) return;
                held.copy = all[static_cast<size_t>(place.component)];
                if (held.copy.operand != 0) defined_.emplace_back(at_, place);
            });
        }
    }

    /// A copy that the first part of an IF leaves in a component.
    struct Left {
        uint32_t begin = 0;  ///< the IF
        Place place;
        Copy copy;
    };

    /// Forgets the copies written since the construct began; `left` gets each copy that is forgotten.
    template <class F>
    void end_part(F&& left) {
        for (; !defined_.empty() && defined_.back().first >= begins_.back(); defined_.pop_back()) {
            const Place place = defined_.back().second;
            if (const Copy copy = std::exchange(held_[place].copy, {}); copy.operand != 0) left(place, copy);
        }
    }

    void end_first_part() {
        const auto first = static_cast<std::ptrdiff_t>(left_.size());
        end_part([this](const Place& place, const Copy& copy) { left_.push_back({begins_.back(), place, copy}); });
        std::ranges::sort(left_.begin() + first, left_.end(), {}, &Left::place);
    }

    void end_construct() {
        auto first = left_.end();
        while (first != left_.begin() && std::prev(first)->begin == begins_.back()) --first;
        std::pmr::vector<Left> both(left_.get_allocator());
        end_part([&](const Place& place, Copy copy) {
            const auto other = std::ranges::lower_bound(first, left_.end(), place, {}, &Left::place);
            if (other == left_.end() || other->place != place || other->copy.component != copy.component ||
                !is_same_input(other->copy.operand, copy.operand))
                return;
            copy.at = std::min(copy.at, other->copy.at);
            both.push_back({.place = place, .copy = copy});
        });
        left_.erase(first, left_.end());
        begins_.pop_back();
        for (const Left& l : both) {
            held_[l.place].copy = l.copy;
            defined_.emplace_back(at_, l.place);
        }
    }

    void step(const Instruction& instruction) {
        if (std::ranges::binary_search(entries_, at_)) all_until_ = at_;
        switch (instruction.op) {
            case Opcode::INTERP_CENTROID:
            case Opcode::INTERP_SAMPLE:
            case Opcode::INTERP_OFFSET:
                replace(instruction);
                break;
            case Opcode::BGNLOOP:
            case Opcode::CAL:
            case Opcode::CALLNZ:
                repeated_until_ = at_;
                break;
            case Opcode::BGNSUB:
            case Opcode::END:
                all_until_ = at_;
                break;
            default:
                break;
        }
        if (opens_construct(instruction.op)) {
            begins_.push_back(at_);
        } else if (!begins_.empty()) {
            if (instruction.op == Opcode::ELSE) end_first_part();
            if (instruction.op == Opcode::CASE || instruction.op == Opcode::DEFAULT)
                end_part([](const Place&, const Copy&) {});
            if (closes_construct(instruction.op)) end_construct();
        }
        write(instruction);
    }

    Program& program_;
    std::pmr::map<Place, Held> held_;
    std::pmr::vector<std::pair<uint32_t, Place>> defined_;  ///< copies: instruction and place, in the text's order
    std::pmr::vector<uint32_t> begins_;                     ///< beginnings of the open constructs
    std::pmr::vector<Left> left_;                           ///< copies at the ends of the open IFs' first parts
    std::pmr::vector<uint32_t> entries_;                    ///< labels that are called
    bool any_index_ = false;                                ///< some index selects the TEMP that is written
    /// By file: the last instruction that wrote a register that an index selected; + 1.
    std::array<uint32_t, kFileCount> indexed_writes_{};
    uint32_t at_ = 0;
    uint32_t all_until_ = 0;       ///< copies that were read before this instruction are not certain
    uint32_t repeated_until_ = 0;  ///< nor are those in components that may be written again
};

}  // namespace

void follow_copies(Checker& checker) {
    if (!std::exchange(checker.followed_copies, true)) Copies(checker).follow();
}

}  // namespace tgsi2spv::tgsi
