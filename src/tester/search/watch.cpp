// The trace of one run of the reference: the search distinguishes runs by it.
#include <algorithm>
#include <array>
#include <utility>

#include "reference/observe.h"
#include "search/parts.h"
#include "search/search.h"

namespace tgsi2spv::difftest::searching {

using reference::Seen;

namespace {

/// A set of features, most of which are added again and again, by lanes and iterations.
struct Features {
    std::unordered_set<uint64_t>& all;
    std::array<uint64_t, 1024> recent{};  ///< the last feature + 1 of each hash
    void add(uint64_t feature) {
        uint64_t& last = recent[feature * 0x9e3779b97f4a7c15 >> 54];
        if (std::exchange(last, feature + 1) != feature + 1) all.insert(feature);
    }
};

/// How many earlier comparisons of a lane are looked at together with the next one.
constexpr size_t kBefore = 3;

uint64_t invocations(const tgsi::Program& program, const Inputs& in, uint32_t group) {
    if (program.stage != tgsi::Stage::Compute) return uint64_t{in.lanes} * group;
    uint64_t all = uint64_t{in.grid[0]} * in.grid[1] * in.grid[2];
    for (const auto p :
         {tgsi::Property::CsFixedBlockWidth, tgsi::Property::CsFixedBlockHeight, tgsi::Property::CsFixedBlockDepth})
        all *= std::max<uint64_t>(1, program.property(p));
    return all;
}

}  // namespace

Trace watch(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& in,
            const SearchOptions& options, uint32_t group, uint64_t& work) {
    Trace t;
    Features outcomes{t.outcomes}, magnitudes{t.magnitudes};
    reference::Options judging = options.judging;
    judging.max_steps = options.most_steps;
    constexpr size_t kMaxComparisons = 16384;
    // The components of one comparison that are equal, and those that are less, taken together: an operation that joins
    // them (AND, OR, a dot product) hides all but the deciding one.
    std::vector<uint32_t> together;
    uint32_t joined = ~0u;
    int last = -1;
    // By lane, the last comparisons and their answers: the next comparison may only matter after one of the answers.
    std::vector<std::array<uint32_t, kBefore>> before;
    uint32_t first_lane = 0;
    const auto finish = [&] {
        for (const uint32_t mask : together)
            if (mask != 0) outcomes.add(feature(joined, 0xff, mask));
        std::fill(together.begin(), together.end(), 0);
    };
    const auto see = [&](const Seen& seen) {
        if (seen.what == Seen::What::Compared && (seen.instruction != joined || seen.component <= last)) {
            finish();
            joined = seen.instruction;
        }
        if (seen.what == Seen::What::Compared) last = seen.component;
        if (seen.first_lane != std::exchange(first_lane, seen.first_lane)) before.clear();  // another work group
        for (const uint32_t lane : seen.lanes) {
            // A result that is unknown, or may go either way, reveals no mistake.
            if (reference::is_free(seen.a[lane])) continue;
            const uint32_t a = seen.a[lane].value;
            if (seen.what == Seen::What::Wrote) {
                magnitudes.add(feature(seen.instruction, seen.component, magnitude(a)));
                continue;
            }
            const uint32_t b = seen.b[lane].value;
            if (t.comparisons.size() < kMaxComparisons)
                t.comparisons.push_back({seen.instruction, lane / group, seen.component, a, b});
            if (!decided(seen.a[lane], seen.b[lane])) continue;
            outcomes.add(feature(seen.instruction, seen.component, outcome(a, b)));
            if (lane >= before.size()) before.resize(lane + 1);
            const uint32_t order = a == b ? 0u : as_number(a) < as_number(b) ? 1u : 2u;
            const uint32_t own = 1 + ((seen.instruction * 4 + seen.component) * 3 + order);
            for (const uint32_t other : before[lane])
                if (other != 0) outcomes.add(uint64_t{1} << 63 | uint64_t{other} << 31 | own);
            std::rotate(before[lane].begin(), before[lane].begin() + 1, before[lane].end());
            before[lane].back() = own;
            if (lane >= together.size()) together.resize(lane + 1);
            together[lane] |= 0x100u | (a == b ? 1u : as_number(a) < as_number(b) ? 16u : 0u) << seen.component;
        }
    };
    const auto result = reference::observe(program, registers, in, judging, see);
    finish();
    work += result.instructions;
    t.usable =
        result.error.empty() && result.instructions < uint64_t{options.most_steps} * invocations(program, in, group);
    return t;
}

}  // namespace tgsi2spv::difftest::searching
