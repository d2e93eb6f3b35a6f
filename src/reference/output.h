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

/// A register, lane by lane (TESS_CTRL: patch by patch). Where an engine fills it component by component it holds
/// columns of words: alone, a tenth of what Values take, or with the ends of what is permitted beside them. They become
/// Values when someone reads them, or for good where someone writes.
class OutputLanes {
  public:
    /// A lane that is looked at: its components are given by value, for they may not stand anywhere.
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

    /// So many lanes of words, 0 at first; components outside of `written` are unknown. `ends`: with columns for these.
    void make_words(size_t lanes, uint8_t written, bool ends = false);
    /// A component's words by lane; empty where they are Values, or the component is not written.
    std::span<uint32_t> words(size_t component) { return words_[component]; }
    std::span<const uint32_t> words(size_t component) const { return words_[component]; }
    /// A column beside them, empty without ends: what an Entry has.
    std::span<uint32_t> least(size_t component) { return least_[component]; }
    std::span<uint32_t> most(size_t component) { return most_[component]; }
    /// Any Value, where there are ends.
    void put(size_t lane, size_t component, const Component& v);
    /// The same of a lane; of columns only the components that are written.
    void put(size_t lane, const Components& all);
    Component get(size_t lane, size_t component) const;

  private:
    bool is_words() const { return lanes_ != 0; }
    /// Makes Values of words.
    std::vector<Components>& values();

    size_t lanes_ = 0;  ///< of words; 0: there are Values
    std::array<std::vector<uint32_t>, 4> words_, least_, most_;
    std::vector<Component> elsewhere_;  ///< what is boxed
    std::vector<Components> values_;
};

}  // namespace tgsi2spv::reference
