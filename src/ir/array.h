// A growing array of plain data, for what is built and read instruction by instruction: an element goes to the end
// without a call, several with one check of the room for all of them, and resize() leaves new elements unset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace tgsi2spv::ir {

template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Array() = default;
    Array(const Array& other) { *this = other; }
    Array(Array&& other) noexcept { swap(other); }
    Array& operator=(const Array& other) {
        if (this == &other) return *this;
        size_ = 0;
        std::copy_n(other.data_.get(), other.size_, extend(other.size_));
        return *this;
    }
    Array& operator=(Array&& other) noexcept {
        swap(other);
        return *this;
    }

    bool operator==(const Array& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
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
    /// `count` elements more, which the caller sets: the first of them.
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
    void swap(Array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    std::unique_ptr<T[]> data_;
    size_t size_ = 0, capacity_ = 0;

    [[gnu::noinline, gnu::cold]] void grow(size_t least) {
        const size_t capacity = std::max({least, 2 * capacity_, size_t{64}});
        auto data = std::make_unique_for_overwrite<T[]>(capacity);
        std::copy_n(data_.get(), size_, data.get());
        data_ = std::move(data);
        capacity_ = capacity;
    }
};

}  // namespace tgsi2spv::ir
