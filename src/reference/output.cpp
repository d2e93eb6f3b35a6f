#include "reference/output.h"

#include <stdexcept>
#include <utility>

namespace tgsi2spv::reference {

OutputLanes::Lane OutputLanes::operator[](size_t lane) const {
    Lane out;
    if (!is_words()) {
        static_cast<Components&>(out) = values_[lane];
        return out;
    }
    for (size_t c = 0; c < 4; ++c)
        static_cast<Components&>(out)[c] = words_[c].empty() ? unknown() : exact(words_[c][lane]);
    return out;
}

OutputLanes::Lane OutputLanes::at(size_t lane) const {
    if (lane >= size()) throw std::out_of_range("no such lane");
    return (*this)[lane];
}

void OutputLanes::make_words(size_t lanes, uint8_t written) {
    lanes_ = lanes;
    values_.clear();
    for (size_t c = 0; c < 4; ++c) words_[c].resize(written >> c & 1 ? lanes : 0);
}

std::vector<Components>& OutputLanes::values() {
    if (!is_words()) return values_;
    std::vector<Components> made;
    made.reserve(lanes_);
    for (size_t lane = 0; lane < lanes_; ++lane) made.push_back(std::as_const(*this)[lane]);
    lanes_ = 0;
    words_ = {};
    values_ = std::move(made);
    return values_;
}

}  // namespace tgsi2spv::reference
