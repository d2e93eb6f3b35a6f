#include "reference/textures/answers.h"

namespace tgsi2spv::reference {

void Answers::add(const Texel& t) {
    for (int c = 0; c < 4; ++c) {
        hull[c].add(t[c]);
        if (!any) nominal[c] = t[c].value;
    }
    any = true;
}

void Answers::add_unknown() {
    for (Hull& h : hull) h.add_unknown();
    any = true;
}

Texel Answers::finish() const {
    if (!any) return all_unknown();
    Texel t;
    for (int c = 0; c < 4; ++c) t[c] = hull[c].finish(nominal[c]);
    return t;
}

}  // namespace tgsi2spv::reference
