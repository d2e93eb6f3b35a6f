// Input sets in which, according to the text, all sums cancel, or all comparisons have equal sides, except for one.
#include <algorithm>
#include <cmath>

#include "search/sums.h"

namespace tgsi2spv::difftest::searching {

namespace {

/// By how much: the difference that a program allows between two numbers is among its own words.
float apart(const tgsi::Program& program, Random& random) {
    const float sign = random.below(2) != 0 ? 1.0f : -1.0f;
    if (!program.immediates.empty() && random.below(2) != 0) {
        const auto& m = program.immediates[random.below(program.immediates.size())];
        const float f = std::abs(as_float(m.words[random.below(4)]));
        if (f > 0x1p-30f && f < 16) return sign * f * (random.below(2) != 0 ? 0.875f : 1.125f);
    }
    constexpr float kSteps[] = {1, 0.25f, 0x1p-6f, 0x1p-12f, 3};
    return sign * kSteps[random.below(std::size(kSteps))];
}

}  // namespace

std::vector<Inputs> solved_inputs(Sums& sums, const tgsi::Program& program, const std::vector<InputWord>& places,
                                  const Inputs& from, Target target, Random& random) {
    // A sum uses what the sums before it left: with more of them a step would take longer than a run.
    constexpr size_t kMaxSums = 256;
    constexpr int kSetsWithoutLanes = 6;
    const bool by_lane =
        std::any_of(places.begin(), places.end(), [](const InputWord& p) { return p.what == InputWord::What::Input; });
    const auto count = std::min(sums.sums(), kMaxSums);
    const auto any = [&] { return static_cast<uint32_t>(random.next()); };
    Inputs in = from;
    std::vector<Inputs> sets;
    if (target == Target::InputSumsButOne) {
        if (sums.plain_sums() < 2) return {};
        sums.change_shared(!by_lane);
        constexpr float kApart[] = {1, -0.5f, 0x1p-80f};  // the square of the last is 0
        const uint32_t first = any() >> 1;
        for (uint32_t set = 0; set < (by_lane ? 2 : kSetsWithoutLanes); set++) {
            for (uint32_t lane = 0; lane < (by_lane ? in.lanes : 1); lane++)
                sums.single_out(in, (first + lane + set) % sums.plain_sums(), lane,
                                kApart[random.below(std::size(kApart))], random);
            sets.push_back(in);
        }
        sums.change_shared(true);
        return sets;
    }
    if ((target == Target::SumsButOne || target == Target::SumsAndOneComparison) && count > 0) {
        // Solves what all lanes share first: a sum that changed it later would undo the others.
        if (!by_lane || random.below(2) != 0)
            for (size_t i = 0; i < count; i++) sums.cancel(in, i, 0, 0, any());
        sums.change_shared(!by_lane);
        for (uint32_t lane = 0; by_lane && lane < in.lanes; lane++)
            for (size_t i = 0; i < count; i++) sums.cancel(in, i, lane, 0, any());
        sets.push_back(in);
    }
    const size_t met = std::min(sums.comparisons(), kMaxSums);
    if (target == Target::ComparisonsButOne && met > 0) {
        for (uint32_t lane = 0; lane < (by_lane ? in.lanes : 1); lane++)
            for (size_t i = 0; i < met; i++) sums.meet(in, i, lane, 0, any());
        sets.push_back(in);
    }
    sums.change_shared(!by_lane);
    for (int set = 0; set < (by_lane ? 2 : kSetsWithoutLanes); set++) {
        Inputs other = in;
        const uint32_t first = any() >> 1;
        for (uint32_t lane = 0; lane < (by_lane ? in.lanes : 1); lane++) {
            const bool comparison = sums.comparisons() > 0 && (target != Target::SumsButOne || count == 0);
            if (!comparison && count == 0) continue;
            const auto what = any();  // drawn first: of two arguments the compiler would choose
            if (comparison)
                sums.meet(other, (first + lane) % sums.comparisons(), lane,
                          target != Target::ComparisonsButOne && random.below(2) != 0 ? 0 : apart(program, random),
                          what);
            else
                sums.cancel(other, (first + lane) % count, lane, apart(program, random), what);
        }
        sets.push_back(std::move(other));
    }
    sums.change_shared(true);
    // What all lanes share makes a comparison equal for all or for none: one of the comparisons fails in all lanes.
    for (int set = 0; by_lane && target == Target::ComparisonsButOne && met > 0 && set < kSetsWithoutLanes; set++) {
        Inputs other = in;
        const auto what = any();
        const float by = apart(program, random);
        sums.meet(other, any() % met, 0, by, what);
        sets.push_back(std::move(other));
    }
    return sets;
}

}  // namespace tgsi2spv::difftest::searching
