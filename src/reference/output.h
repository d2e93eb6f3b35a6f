// What lanes leave in an output register.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "reference/entry.h"

namespace tgsi2spv::reference {

/// One output component (see value.h). Components that no instruction writes are unknown.
using Component = Value;
using Components = std::array<Component, 4>;

/// A register, lane by lane (TESS_CTRL: patch by patch). If an engine fills it component by component, it holds columns
/// of words: either alone, which takes a tenth of the memory of Values, or with columns for the ends of what is
/// permitted. They become Values when someone reads them; they stay Values once someone writes them.
class OutputLanes {
  public:
    /// A lane for reading: its components are returned by value, because they may not be stored anywhere.
    struct Lane : Components {
        Component operator[](size_t c) const { return Components::operator[](c); }
    };
    class Iterator {
      public:
        Iterator(const OutputLanes& lanes, size_t at) : lanes_(&lanes), at_(at) {}
        Lane operator*() const { return (*lanes_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator&) const = default;

      private:
        const OutputLanes* lanes_;
        size_t at_;
    };

    OutputLanes() = default;
    OutputLanes(std::initializer_list<Components> lanes) : values_(lanes) {}

    size_t size() const { return is_words() ? lanes_ : values_.size(); }
    bool empty() const { return size() == 0; }
    Lane operator[](size_t lane) const;
    Lane at(size_t lane) const;
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size()}; }

    Components& operator[](size_t lane) { return values()[lane]; }
    auto begin() { return values().begin(); }
    auto end() { return values().end(); }
    void resize(size_t lanes) { values().resize(lanes); }
    void push_back(const Components& lane) { values().push_back(lane); }

    /// Makes this many lanes of words, initially 0; components outside of `written` are unknown. `ends`: with columns
    /// for the ends.
    void make_words(size_t lanes, uint8_t written, bool ends = false);
    /// A component's words by lane; empty if they are Values, or if the component is not written.
    std::span<uint32_t> words(size_t component) { return words_[component]; }
    std::span<const uint32_t> words(size_t component) const { return words_[component]; }
    /// A column next to the words, empty without ends: the ends of an Entry.
    std::span<uint32_t> least(size_t component) { return least_[component]; }
    std::span<uint32_t> most(size_t component) { return most_[component]; }
    /// Any Value; only with ends.
    void put(size_t lane, size_t component, const Component& v);
    /// The same for a lane; for columns only the components that are written.
    void put(size_t lane, const Components& all);
    Component get(size_t lane, size_t component) const;

  private:
    bool is_words() const { return lanes_ != 0; }
    /// Turns words into Values.
    std::vector<Components>& values();

    size_t lanes_ = 0;  ///< of words; 0: there are Values
    std::array<std::vector<uint32_t>, 4> words_, least_, most_;
    std::vector<Component> elsewhere_;  ///< what is boxed
    std::vector<Components> values_;
};

}  // namespace tgsi2spv::reference
