// A growing array of plain data that is built and read one instruction at a time. Appending one element needs no call,
// appending several needs one capacity check, and resize() leaves new elements unset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <utility>

namespace tgsi2spv::ir {

template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Array() = default;
    explicit Array(std::pmr::memory_resource* memory) : memory_(memory) {}
    Array(const Array& other) { *this = other; }
    Array(Array&& other) noexcept { swap(other); }
    ~Array() {
        if (data_ != nullptr) memory_->deallocate(data_, capacity_ * sizeof(T), alignof(T));
    }
    Array& operator=(const Array& other) {
        if (this == &other) return *this;
        size_ = 0;
        std::copy_n(other.data_, other.size_, extend(other.size_));
        return *this;
    }
    /// A moved array keeps its memory, with any resource.
    Array& operator=(Array&& other) noexcept {
        swap(other);
        return *this;
    }

    bool operator==(const Array& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data(); }
    const T* begin() const { return data(); }
    T* end() { return data() + size_; }
    const T* end() const { return data() + size_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    void clear() { size_ = 0; }
    void pop_back() { size_--; }
    void push_back(T value) { *extend(1) = value; }
    /// Appends `count` elements, which the caller sets; returns the first of them.
    T* extend(size_t count) {
        if (count > capacity_ - size_) grow(size_ + count);
        T* const first = data() + size_;
        size_ += count;
        return first;
    }
    /// New elements are unset.
    void resize(size_t size) {
        if (size > capacity_) grow(size);
        size_ = size;
    }
    void resize(size_t size, T value) {
        const size_t before = size_;
        resize(size);
        if (before < size) std::fill(begin() + before, end(), value);
    }
    /// Sets all of `size` elements. It writes in blocks of a cache line, also after the last element: for the few that
    /// most lists have, a call would take longer to find out how many there are.
    void assign(size_t size, T value) {
        static_assert(kLine % sizeof(T) == 0);
        if (size > capacity_) grow(size);
        size_ = size;
        T* const data = data_;
        for (size_t at = 0; at < size; at += kLine / sizeof(T)) std::fill_n(data + at, kLine / sizeof(T), value);
    }
    void swap(Array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(memory_, other.memory_);
    }

  private:
    static constexpr size_t kLine = 64;  ///< bytes; the capacity is a multiple of it, for assign()
    T* data_ = nullptr;
    size_t size_ = 0, capacity_ = 0;
    std::pmr::memory_resource* memory_ = nullptr;  ///< null: the default resource, from the first growth on

    [[gnu::noinline, gnu::cold]] void grow(size_t least) {
        const size_t lines = (std::max(least, 2 * capacity_) * sizeof(T) + kLine - 1) / kLine;
        const size_t capacity = lines * kLine / sizeof(T);
        if (memory_ == nullptr) memory_ = std::pmr::get_default_resource();
        T* const data = static_cast<T*>(memory_->allocate(capacity * sizeof(T), alignof(T)));
        std::copy_n(data_, size_, data);
        if (data_ != nullptr) memory_->deallocate(data_, capacity_ * sizeof(T), alignof(T));
        data_ = data;
        capacity_ = capacity;
    }
};

}  // namespace tgsi2spv::ir
