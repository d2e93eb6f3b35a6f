// Reads the words of one command, for the decoder. The first problem is kept; reads after it return 0, so a command's
// function reads all of its fields in order and checks once.
#pragma once

#include <bit>

#include "virgl/decode.h"

namespace tgsi2spv::virgl {

/// No guest has formats beyond 9 bits; the host's table decides whether one exists.
inline constexpr uint32_t kMaxFormat = 0x1ff;

class Fields {
  public:
    /// `body`: the words after the header.
    Fields(Words body, ObjectType object) : body_(body), object_(object) {}

    size_t size() const { return body_.size(); }
    ObjectType object() const { return object_; }
    bool failed() const { return failed_; }
    /// The first problem, of the command `id` at `position`.
    DecodeError error(CommandId id, size_t position) const {
        return {problem_, id, object_, position, problem_word_, value_, limit_};
    }

    void fail(DecodeProblem problem, size_t word, uint64_t value, uint64_t limit) {
        if (failed_) return;
        failed_ = true;
        problem_ = problem;
        problem_word_ = word;
        value_ = value;
        limit_ = limit;
    }
    /// The value is that of the word; of word 0, the length.
    void fail(DecodeProblem problem, size_t word, uint64_t limit = 0) {
        fail(problem, word, word == 0 ? body_.size() : u32(word), limit);
    }
    /// The command has exactly this many words.
    bool length_is(size_t words) {
        if (body_.size() != words) fail(DecodeProblem::Length, 0, words);
        return !failed_;
    }
    /// The command has `fixed` words and then elements of `each`; returns how many, at most `most`.
    uint32_t elements(size_t fixed, size_t each, size_t most) {
        if (body_.size() < fixed || (body_.size() - fixed) % each != 0) fail(DecodeProblem::Length, 0);
        if (failed_) return 0;
        const size_t count = (body_.size() - fixed) / each;
        if (count > most) fail(DecodeProblem::Slot, 0, count, most);
        return failed_ ? 0 : static_cast<uint32_t>(count);
    }
    /// `start` + `count` slots are within `most`.
    void slots(size_t word, uint64_t start, uint64_t count, uint64_t most) {
        if (start + count > most) fail(DecodeProblem::Slot, word, start + count, most);
    }

    /// Word n, counted from the header as the protocol's documents do; the first after the header is 1.
    uint32_t u32(size_t n) const { return !failed_ && n - 1 < body_.size() ? body_[n - 1] : 0; }
    int32_t i32(size_t n) const { return static_cast<int32_t>(u32(n)); }
    float f32(size_t n) const { return std::bit_cast<float>(u32(n)); }
    double f64(size_t n) const { return std::bit_cast<double>(uint64_t{u32(n)} | uint64_t{u32(n + 1)} << 32); }
    uint32_t bits(size_t n, unsigned first, unsigned count) const { return u32(n) >> first & ((1u << count) - 1); }
    bool flag(size_t n, unsigned bit) const { return u32(n) >> bit & 1; }
    uint16_t low16(size_t n) const { return static_cast<uint16_t>(u32(n)); }
    uint16_t high16(size_t n) const { return static_cast<uint16_t>(u32(n) >> 16); }
    /// The words from word n to the end.
    Words rest(size_t n) const { return failed_ || n - 1 > body_.size() ? Words{} : body_.subspan(n - 1); }
    template <size_t N>
    std::array<float, N> floats(size_t n) const {
        std::array<float, N> values;
        for (size_t i = 0; i < N; i++) values[i] = f32(n + i);
        return values;
    }
    template <size_t N>
    std::array<uint32_t, N> words(size_t n) const {
        std::array<uint32_t, N> values;
        for (size_t i = 0; i < N; i++) values[i] = u32(n + i);
        return values;
    }
    Box box(size_t n) const { return {u32(n), u32(n + 1), u32(n + 2), u32(n + 3), u32(n + 4), u32(n + 5)}; }

    /// An enumerant of an enumeration without gaps that ends with `last`.
    template <class E>
    E enumerant(size_t word, uint32_t value, E last) {
        if (value > static_cast<uint32_t>(last))
            fail(DecodeProblem::Enumerant, word, value, static_cast<uint32_t>(last));
        return failed_ ? E{} : static_cast<E>(value);
    }
    Stage stage(size_t n) { return enumerant(n, u32(n), Stage::Comp); }
    uint16_t format(size_t n) {
        if (u32(n) > kMaxFormat) fail(DecodeProblem::Enumerant, n, kMaxFormat);
        return low16(n);
    }
    /// Word 1 of an object that is created.
    uint32_t handle() {
        if (u32(1) == 0) fail(DecodeProblem::Handle, 1);
        return u32(1);
    }

  private:
    Words body_;
    ObjectType object_;
    bool failed_ = false;
    DecodeProblem problem_{};
    size_t problem_word_ = 0;
    uint64_t value_ = 0, limit_ = 0;
};

/// A CREATE_OBJECT of the type that its header names.
Command decode_object(Fields& fields);

}  // namespace tgsi2spv::virgl
