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
    for (size_t c = 0; c < 4; ++c) static_cast<Components&>(out)[c] = get(lane, c);
    return out;
}

OutputLanes::Lane OutputLanes::at(size_t lane) const {
    if (lane >= size()) throw std::out_of_range("no such lane");
    return (*this)[lane];
}

void OutputLanes::make_words(size_t lanes, uint8_t written, bool ends) {
    lanes_ = lanes;
    values_.clear();
    for (size_t c = 0; c < 4; ++c) {
        words_[c].resize(written >> c & 1 ? lanes : 0);
        if (!ends) continue;
        least_[c].resize(words_[c].size());
        most_[c].resize(words_[c].size());
    }
}

Component OutputLanes::get(size_t lane, size_t c) const {
    if (words_[c].empty()) return unknown();
    if (least_[c].empty()) return exact(words_[c][lane]);
    const Entry e{words_[c][lane], least_[c][lane], most_[c][lane]};
    return is_boxed(e) ? elsewhere_[e.hi - kMarks] : value_of(e);
}

void OutputLanes::put(size_t lane, size_t c, const Component& v) {
    Entry e;
    if (!make_entry(v, e)) {
        e = {v.value, kBoxed, kMarks + static_cast<uint32_t>(elsewhere_.size())};
        elsewhere_.push_back(v);
    }
    words_[c][lane] = e.value;
    least_[c][lane] = e.lo;
    most_[c][lane] = e.hi;
}

void OutputLanes::put(size_t lane, const Components& all) {
    if (!is_words()) {
        values_[lane] = all;
        return;
    }
    for (size_t c = 0; c < all.size(); ++c)
        if (!words_[c].empty()) put(lane, c, all[c]);
}

std::vector<Components>& OutputLanes::values() {
    if (!is_words()) return values_;
    std::vector<Components> made;
    made.reserve(lanes_);
    for (size_t lane = 0; lane < lanes_; ++lane) made.push_back(std::as_const(*this)[lane]);
    lanes_ = 0;
    words_ = least_ = most_ = {};
    elsewhere_.clear();
    values_ = std::move(made);
    return values_;
}

}  // namespace tgsi2spv::reference
