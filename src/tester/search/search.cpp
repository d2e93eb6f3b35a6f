#include "search/search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "inputs/random.h"
#include "inputs/uses.h"
#include "search/parts.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest {

namespace {

using namespace searching;
using tgsi::File;
using tgsi::Semantic;

struct Search {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const SearchOptions& options;
    Random random;
    uint32_t group = 1;    ///< invocations per lane
    bool divides = false;  ///< signed integers
    std::vector<InputWord> places{};
    std::deque<Known> known{};  ///< the drawn ones, then those that were kept; they stay where they are
    std::unordered_set<uint64_t> outcomes{}, magnitudes{};
    std::unordered_map<uint64_t, std::vector<std::pair<size_t, float>>>
        depends{};                         ///< places and slopes of comparisons
    std::vector<uint64_t> told{};          ///< the keys of `depends`
    std::unordered_set<uint64_t> tried{};  ///< comparisons that were probed for
    int probes = 0;
    bool exactly = false;  ///< makes words exactly equal; otherwise some only nearly
    size_t drawn = 0;      ///< number of drawn ones at the start of `known`
    uint32_t runs = 0;
    /// How many more sets may be kept although they make no comparison do anything new.
    struct Quota {
        uint32_t left;
        bool take() { return left > 0 && left-- > 0; }
    };
    Quota for_magnitudes{12}, for_equal_words{24}, for_short_buffers{16}, for_even_textures{8};
    uint64_t work = 0;

    bool is_full() const { return known.size() - drawn >= options.most_sets; }
    bool spent() const { return runs >= options.most_runs || work >= options.most_work || is_full(); }

    // ---- the known sets

    void find_places(const Inputs& in) {
        const Uses uses = find_uses(program);
        const auto free = [](Use use) { return use != Use::None && plain(use) != Use::Handle; };
        for (const auto& [key, lanes] : in.inputs) {
            const auto* range = registers.find(File::Input, key.second);
            if (range == nullptr || is_determined(program.declarations[range->declaration].semantic)) continue;
            for (uint8_t c = 0; c < 4; c++)
                if (free(uses.of(File::Input, 0, key.second, c)))
                    places.push_back(
                        {InputWord::What::Input, key, 0, c, plain(uses.of(File::Input, 0, key.second, c))});
        }
        for (const auto& [index, words] : in.constants)
            for (size_t w = 0; w < words.size(); w++) {
                const Use use = uses.of(File::Const, static_cast<int32_t>(index), static_cast<int32_t>(w / 4),
                                        static_cast<uint8_t>(w % 4));
                if (free(use)) places.push_back({InputWord::What::Constant, {}, index, w, plain(use)});
            }
        for (const auto& [index, texture] : in.textures) {
            const auto& info = tgsi::format_info(texture.format);
            if (info.numeric == tgsi::Numeric::Depth || info.numeric == tgsi::Numeric::Stencil) continue;
            const bool integer = info.numeric == tgsi::Numeric::Uint || info.numeric == tgsi::Numeric::Sint;
            for (size_t c = 0; c < info.components; c++)
                places.push_back({InputWord::What::Texel, {}, index, c, integer ? Use::Integer : Use::Float});
        }
        for (const auto& [index, words] : in.buffers)
            for (size_t w = 0; w < words.size(); w++)
                places.push_back({InputWord::What::Buffer, {}, index, w, Use::Integer});
    }
    /// Whether a rasteriser or the engine decides it.
    bool is_determined(Semantic s) const {
        if (s == Semantic::PrimId) return true;
        if (program.stage != tgsi::Stage::Fragment) return false;
        return s == Semantic::Position || s == Semantic::Face || s == Semantic::PCoord || s == Semantic::Layer ||
               s == Semantic::ViewportIndex;
    }

    std::shared_ptr<const Trace> run(const Inputs& in) {
        runs++;
        return std::make_shared<const Trace>(watch(program, registers, in, options, group, work));
    }

    static bool add(std::unordered_set<uint64_t>& all, const std::unordered_set<uint64_t>& some, size_t least) {
        size_t fresh = 0;
        for (const uint64_t f : some) fresh += all.contains(f) ? 0 : 1;
        if (fresh < least) return false;
        all.insert(some.begin(), some.end());
        return true;
    }

    /// Keeps the set if it does something new, or if `always`.
    std::shared_ptr<const Trace> consider(Inputs in, bool always = false) {
        spread_texels(in);
        auto t = run(in);
        if (!t->usable) return t;
        const size_t least = std::max<size_t>(2, magnitudes.size() / 50);
        bool better = add(outcomes, t->outcomes, 1) || always;
        if (!better && for_magnitudes.left > 0 && add(magnitudes, t->magnitudes, least)) better = for_magnitudes.take();
        if (!better || is_full()) return t;
        magnitudes.insert(t->magnitudes.begin(), t->magnitudes.end());
        known.push_back({std::move(in), t});
        return t;
    }

    // ---- words

    uint32_t some_word(const InputWord& word, uint32_t old) { return searching::some_word(program, word, old, random); }

    /// The word or a neighbour, as a float or as an integer.
    uint32_t beside(uint32_t w, Use use) {
        const uint32_t kind = random.below(8);
        if (use == Use::DoubleHigh && kind >= 6) return kind == 6 ? w + 1 : w - 1;
        if (kind < 4) return w;
        if (kind == 4) return w + 1;
        if (kind == 5) return w - 1;
        return as_word(as_number(w) * (kind == 6 ? 1 + 0x1p-10f : 1 - 0x1p-10f));
    }

    /// A value that may be computed from a word, as a number of each kind.
    struct Computed {
        uint32_t word, whole;
        float number;  ///< NaN if it is not a small integer
        explicit Computed(uint32_t from) : word(from), whole(from), number(NAN) {
            const float f = as_number(from);
            const auto i = static_cast<int32_t>(from);
            if (std::abs(f) >= 1 && std::abs(f) < 0x1p20f && std::trunc(f) == f)
                whole = static_cast<uint32_t>(static_cast<int32_t>(f));
            if (i != 0 && i >= -(1 << 20) && i < 1 << 20) number = static_cast<float>(i);
        }
    };
    /// The replacement of `old` with which a value computed from it changes from `from` to `to`; nothing if `from` is
    /// not simply computed from it, which takes little to see.
    std::optional<uint32_t> moved(uint32_t old, const Computed& from, uint32_t to, Use use) {
        if (old == from.word) return exactly ? to : beside(to, use);
        if (old == (from.word ^ 0x80000000) && from.word != 0 && old != 0)
            return (exactly ? to : beside(to, use)) ^ 0x80000000;
        const float f = as_number(old);
        if (std::abs(f - from.number) < 1 && std::abs(f) >= 1 && std::abs(f) < 0x1p20f) {
            if (std::floor(f) == from.number) return as_word(static_cast<float>(static_cast<int32_t>(to)) + 0.25f);
            if (std::trunc(f) == from.number) return as_word(static_cast<float>(static_cast<int32_t>(to)));
        }
        if (old == from.whole && std::abs(as_number(to)) < 0x1p30f)
            return static_cast<uint32_t>(static_cast<int32_t>(as_number(to)));
        return std::nullopt;
    }

    std::vector<Column> columns_of(Inputs& in) const {
        std::vector<Column> columns;
        for (const InputWord& p : places) columns.push_back(column_of(in, p));
        return columns;
    }

    /// If neither side is a word of the inputs: moves a word along the slope, as far as the sides differ, or a
    /// little less or more.
    bool approach(const std::vector<Column>& columns, const Comparison& comparison) {
        const auto found = depends.find(feature(comparison.instruction, comparison.component, 0));
        if (found == depends.end()) return false;
        const auto& [at, slope] = found->second[random.below(found->second.size())];
        uint32_t* word = columns[at].at(comparison.lane);
        const float apart = as_number(comparison.a) - as_number(comparison.b);
        if (word == nullptr || !std::isfinite(apart) || slope == 0 || !std::isfinite(slope)) return false;
        constexpr float kBeside[] = {0, 0x1p-9f, -0x1p-9f, 0.5f, -0.5f};
        const float goal = std::abs(as_number(comparison.b)) * kBeside[random.below(std::size(kBeside))];
        const float turn = random.below(4) == 0 ? -1.0f : 1.0f;
        const float to = as_number(*word) + turn * (goal - apart) / slope;
        if (!std::isfinite(to)) return false;
        *word = as_word(to);
        return true;
    }

    static bool is_answer(uint32_t word) { return word == 0 || word == ~0u || word == 0x3f800000; }

    /// Makes one side of a comparison equal to the other, if it is a word of the inputs.
    bool equalise(const std::vector<Column>& columns, const Comparison& comparison) {
        const uint32_t a = comparison.a, b = comparison.b;
        if (a == b) return false;
        std::vector<std::pair<uint32_t*, uint32_t>> ways;
        const Computed from_a(a), from_b(b);
        for (size_t i = 0; i < columns.size(); i++) {
            uint32_t* word = columns[i].at(comparison.lane);
            if (word == nullptr) continue;
            if (const auto to = moved(*word, from_a, b, places[i].use)) ways.emplace_back(word, *to);
            if (const auto to = moved(*word, from_b, a, places[i].use)) ways.emplace_back(word, *to);
        }
        // An answer that is compared again does not show how far it is from the other answer.
        if (ways.empty()) return !(is_answer(a) && is_answer(b)) && approach(columns, comparison);
        const auto& [word, to] = ways[random.below(ways.size())];
        *word = to;
        return true;
    }

    const Known& parent() {
        // Drawn sets are ordinary; the last finds lead further.
        const auto n = known.size();
        switch (random.below(3)) {
            case 0:
                return known[random.below(drawn)];
            case 1:
                return known[random.below(n)];
            default:
                return known[n - 1 - random.below(std::min<size_t>(n, 6))];
        }
    }

    // ---- steps of the search

    /// Changes some words, in all lanes.
    void change() {
        Inputs in = parent().inputs;
        const uint32_t count = 1 + random.below(random.below(3) == 0 ? 8 : 3);
        for (uint32_t i = 0; i < count; i++) {
            const InputWord& p = places[random.below(places.size())];
            if (p.what != InputWord::What::Input) {
                if (uint32_t* w = find_word(in, p, 0)) *w = some_word(p, *w);
                continue;
            }
            for (uint32_t lane = 0; lane < in.lanes; lane++)
                if (uint32_t* w = find_word(in, p, lane)) *w = some_word(p, *w);
        }
        consider(in);
    }

    /// Makes equal words different, so that a value shows where it comes from.
    void colour(Inputs& in) {
        std::unordered_set<uint32_t> taken;
        for (const InputWord& p : places) {
            if (p.what == InputWord::What::Buffer || !p.any()) continue;
            const uint32_t lanes = p.what == InputWord::What::Input ? in.lanes : 1;
            for (uint32_t lane = 0; lane < lanes; lane++) {
                uint32_t* w = find_word(in, p, lane);
                if (w == nullptr || taken.insert(*w).second) continue;
                *w = p.is_double() ? *w ^ (static_cast<uint32_t>(random.next()) & 0x3ffff)
                     : *w >> 23 == 0 || *w >> 23 == 0x1ff
                         ? static_cast<uint32_t>(random.next() >> 33) >> random.below(20)
                         : as_word(as_number(*w) * static_cast<float>(0.75 + random.unit() / 2));
                taken.insert(*w);
            }
        }
    }

    /// Makes comparisons that were reached equal: one in each lane, or all of one lane. Repeats this, since one that
    /// became equal changes others.
    enum class Compared : uint8_t { AllOfOneLane, OneOfAllLanes, AllOfAllLanes };
    void meet(Compared which, bool coloured) {
        const Known& from = parent();
        Inputs in = from.inputs;
        auto t = from.trace;
        if (coloured) {
            colour(in);
            t = consider(in);
        }
        if (!t->usable || t->comparisons.empty()) return change();
        const auto columns = columns_of(in);
        const Comparison one = t->comparisons[random.below(t->comparisons.size())];
        for (int round = 0; round < 4 && t->usable && !spent(); round++) {
            bool changed = false;
            exactly = random.below(2) != 0;
            std::unordered_set<uint64_t> done;
            for (const auto& c : t->comparisons) {
                if (which == Compared::AllOfOneLane && c.lane != one.lane) continue;
                if (which == Compared::OneOfAllLanes &&
                    (c.instruction != one.instruction || c.component != one.component))
                    continue;
                // Again in each iteration of a loop.
                const uint64_t words = (uint64_t{c.a} << 32 | c.b) * 0x9e3779b97f4a7c15;
                if (done.insert(feature(c.instruction, c.component, c.lane) ^ words).second)
                    changed |= equalise(columns, c);
            }
            if (!changed) break;
            t = consider(in);
        }
        if (which == Compared::AllOfAllLanes) scatter(in);
    }

    /// Changes one word in each lane, a different one in each. COMP has no words of lanes.
    void scatter(const Inputs& in) {
        const int variants = program.stage == tgsi::Stage::Compute ? 0 : 4;
        for (int i = 0; i < variants && !spent(); i++) {
            Inputs other = in;
            for (uint32_t lane = 0; lane < in.lanes; lane++) {
                const InputWord& p = places[random.below(places.size())];
                if (p.what != InputWord::What::Input) continue;
                if (uint32_t* w = find_word(other, p, lane)) *w = some_word(p, *w);
            }
            consider(other, for_equal_words.take());
        }
    }

    /// Makes inputs equal, for comparisons of their sums or of the inputs themselves: all words, those of a register,
    /// or those of its vertices; or constants. Then changes one word in each lane, a different one in each.
    enum class Equal : uint8_t { Words, WordsOfRegister, VerticesOfRegister, Constants, Edges };
    static constexpr uint32_t kEquals = 5;
    void flatten(Equal kind) {
        Inputs in = parent().inputs;
        if (kind == Equal::Edges) {
            // Edge values, different ones in each place and lane: for results that depend on two operands together. The
            // first three are for a quotient that does not fit.
            constexpr uint32_t kEdges[] = {~0u, 0x80000000, 1, 0, 0x3f800000, 0xbf800000, 0x7f800000, 31, 0xff800000};
            const uint32_t edges = divides && random.below(2) != 0 ? 3 : uint32_t{std::size(kEdges)};
            for (const InputWord& p : places)
                for (uint32_t lane = 0; lane < (p.what == InputWord::What::Input ? in.lanes : 1); lane++)
                    if (uint32_t* w = p.any() ? find_word(in, p, lane) : nullptr; w != nullptr && random.below(4) != 0)
                        *w = kEdges[random.below(edges)];
            const auto t = consider(in, for_equal_words.take());
            // Makes the value compared with the quotient equal to it, in one lane.
            exactly = true;
            bool changed = false;
            const auto columns = columns_of(in);
            for (const auto& c : t->comparisons)
                if (edges == 3 && c.lane == t->comparisons.front().lane) changed |= equalise(columns, c);
            if (changed) consider(in);
            return;
        }
        if (kind == Equal::Constants) {
            const uint32_t words[] = {0, 0x3f800000, 1};
            const uint32_t word = words[random.below(std::size(words))];
            for (const InputWord& p : places)
                if (uint32_t* w = p.what == InputWord::What::Constant ? find_word(in, p, 0) : nullptr) *w = word;
            consider(in);
            for (int i = 0; i < 3 && !spent(); i++) {
                const InputWord& p = places[random.below(places.size())];
                Inputs other = in;
                uint32_t* w = p.what == InputWord::What::Constant ? find_word(other, p, 0) : nullptr;
                if (w == nullptr) continue;
                *w = some_word(p, *w);
                consider(other);
            }
            return;
        }
        std::map<std::pair<int32_t, size_t>, uint32_t> first;
        for (uint32_t lane = 0; lane < in.lanes; lane++) {
            first.clear();
            for (const InputWord& p : places) {
                uint32_t* w = p.what == InputWord::What::Input && p.any() ? find_word(in, p, lane) : nullptr;
                if (w == nullptr) continue;
                const size_t half = p.is_double() ? p.word % 2 : 0;
                const std::pair key(kind == Equal::Words ? -1 : p.input.second,
                                    kind == Equal::VerticesOfRegister ? p.word : half);
                *w = first.try_emplace(key, *w).first->second;
            }
        }
        if (consider(in)->usable) scatter(in);
    }

    void even() {
        Inputs in = parent().inputs;
        if (make_textures_even(in, program, places, random)) consider(std::move(in), for_even_textures.take());
    }

    void cross() {
        const Inputs& from = parent().inputs;
        Inputs in = parent().inputs;
        cross_sets(in, from, places, random);
        consider(std::move(in));
    }

    /// Makes buffers end after a few words: no comparison in the text says where.
    void shorten() {
        Inputs in = parent().inputs;
        if (in.buffers.empty() || for_short_buffers.left == 0) return;
        for (auto& [index, words] : in.buffers)
            if (random.below(3) != 0) words.resize(std::min<size_t>(words.size(), 1 + random.below(4)));
        consider(in, for_short_buffers.take());
    }

    /// The first comparison of an instruction, by lane.
    static std::vector<std::optional<Comparison>> met(const Trace& trace, const Comparison& like, uint32_t lanes) {
        std::vector<std::optional<Comparison>> by_lane(lanes);
        for (const auto& c : trace.comparisons)
            if (c.instruction == like.instruction && c.component == like.component && c.lane < lanes &&
                !by_lane[c.lane])
                by_lane[c.lane] = c;
        return by_lane;
    }
    static bool differs(const std::optional<Comparison>& x, const std::optional<Comparison>& y) {
        if (!x || !y) return false;
        const auto below = [](const Comparison& c) {
            const float a = as_number(c.a), b = as_number(c.b);
            // Small integers are denormals in the same order.
            return a < b ? 1 : a > b ? 2 : static_cast<int32_t>(c.a) < static_cast<int32_t>(c.b) ? 3 : 4;
        };
        return below(*x) != below(*y);
    }
    static int64_t order(uint32_t w) {
        return w >> 31 != 0 ? -static_cast<int64_t>(w & 0x7fffffff) : static_cast<int64_t>(w);
    }
    static uint32_t unordered(int64_t o) {
        return o < 0 ? static_cast<uint32_t>(-o) | 0x80000000 : static_cast<uint32_t>(o);
    }

    /// Finds which words a comparison depends on, and how steeply: changes each by itself.
    void probe(const Known& from) {
        constexpr size_t kMax = 128;
        if (options.most_runs < 8 * kMax) return;  // other steps find more in a short search
        std::vector<size_t> order(places.size());
        for (size_t i = 0; i < order.size(); i++) order[i] = i;
        for (size_t i = order.size(); i > 1; i--) std::swap(order[i - 1], order[random.below(i)]);
        if (order.size() > kMax) order.resize(kMax);
        for (const size_t at : order) {
            if (spent()) return;
            Inputs in = from.inputs, old = from.inputs;
            const InputWord& p = places[at];
            if (find_word(in, p, 0) == nullptr) continue;
            for (uint32_t lane = 0; lane < (p.what == InputWord::What::Input ? in.lanes : 1); lane++)
                if (uint32_t* w = find_word(in, p, lane))
                    *w = p.is_double() ? *w ^ 0x60000 : *w >> 23 == 0 ? *w + 3 : as_word(as_number(*w) * 1.375f);
            const auto t = consider(in);
            const size_t count = std::min(t->comparisons.size(), from.trace->comparisons.size());
            for (size_t i = 0; i < count; i++) {
                const Comparison &x = t->comparisons[i], &y = from.trace->comparisons[i];
                if (x.instruction != y.instruction || x.lane != y.lane) break;  // it took another path
                if (x.a == y.a && x.b == y.b) continue;
                const uint32_t *moved_to = find_word(in, p, x.lane), *moved_from = find_word(old, p, x.lane);
                if (moved_to == nullptr || moved_from == nullptr) continue;
                const float rise = (as_number(x.a) - as_number(x.b)) - (as_number(y.a) - as_number(y.b));
                const float slope = rise / (as_number(*moved_to) - as_number(*moved_from));
                auto& on = depends[feature(x.instruction, x.component, 0)];
                if (on.empty() || on.back().first != at)
                    on.emplace_back(at, slope);
                else if (std::isfinite(slope) && slope != 0)
                    on.back().second = slope;
            }
        }
        told.clear();
        for (const auto& [what, on] : depends) told.push_back(what);
        std::sort(told.begin(), told.end());
    }

    /// Probes for comparisons that were reached after others since the last time.
    void probe_again() {
        constexpr int kMax = 6;
        if (probes >= kMax) return;
        for (size_t i = known.size(); i-- > drawn;) {
            const auto fresh = [&](const Comparison& c) {
                const uint64_t what = feature(c.instruction, c.component, 0);
                return !depends.contains(what) && !tried.contains(what);
            };
            const auto& all = known[i].trace->comparisons;
            if (std::none_of(all.begin(), all.end(), fresh)) continue;
            for (const auto& c : all) tried.insert(feature(c.instruction, c.component, 0));
            probes++;
            return probe(known[i]);
        }
    }

    /// Bisects between two words that a comparison separates: then the smallest mistake tips it.
    void part(uint32_t number) {
        const Known& from = parent();
        const auto& all = from.trace->comparisons;
        if (all.empty()) return change();
        Comparison like = all[random.below(all.size())];
        size_t at = random.below(places.size());
        if (!told.empty()) {
            const uint64_t what = told[number % told.size()];
            const auto& on = depends.at(what);
            at = on[random.below(on.size())].first;
            const auto same = [&](const Comparison& c) { return feature(c.instruction, c.component, 0) == what; };
            const auto found = std::ranges::find_if(all, same);
            if (found != all.end()) like = *found;
        }
        const InputWord& p = places[at];
        const bool by_lane = p.what == InputWord::What::Input;
        const uint32_t lanes = by_lane ? from.inputs.lanes : 1;
        const auto lane_of = [&](uint32_t k) { return by_lane ? k : like.lane; };
        Inputs in = from.inputs;
        // COMP has an invocation for each lane of a work group, whatever `lanes` says.
        const uint32_t all_lanes = std::max(in.lanes, like.lane + 1);
        const auto before = met(*from.trace, like, all_lanes);
        std::vector<uint32_t> near(lanes), far(lanes);
        std::vector<bool> live(lanes);
        bool any = false;
        constexpr int kTries = 4, kHalvings = 18;
        constexpr float kScales[] = {0, -1, 16, 0.0625f, 1024, -64};
        for (int tries = 0; !any && tries < kTries && !spent(); tries++) {
            const float scale = kScales[random.below(std::size(kScales))];
            const int32_t step = random.between(-6, 6);
            for (uint32_t k = 0; k < lanes; k++) {
                const uint32_t* old = find_word(const_cast<Inputs&>(from.inputs), p, lane_of(k));
                if (old == nullptr) return;
                near[k] = *old;
                far[k] = random.below(3) == 0       ? some_word(p, *old)
                         : p.use == Use::DoubleHigh ? *old + (static_cast<uint32_t>(step) << 20)
                                                    : as_word(as_number(*old) * scale);
                *find_word(in, p, lane_of(k)) = far[k];
            }
            const auto after = met(*consider(in), like, all_lanes);
            for (uint32_t k = 0; k < lanes; k++)
                any = (live[k] = differs(before[lane_of(k)], after[lane_of(k)])) || any;
        }
        for (int step = 0; any && step < kHalvings && !spent(); step++) {
            std::vector<uint32_t> middle(lanes);
            for (uint32_t k = 0; k < lanes; k++) {
                middle[k] = live[k] ? unordered((order(near[k]) + order(far[k])) / 2) : near[k];
                *find_word(in, p, lane_of(k)) = middle[k];
            }
            const auto after = met(*consider(in), like, all_lanes);
            for (uint32_t k = 0; k < lanes; k++)
                if (live[k]) (differs(before[lane_of(k)], after[lane_of(k)]) ? far[k] : near[k]) = middle[k];
        }
    }

    /// Returns `count` of the sets that were kept: each next one does most that the drawn ones and those before do not.
    std::vector<Inputs> best(size_t count) {
        std::unordered_set<uint64_t> done;
        for (size_t i = 0; i < drawn; i++)
            done.insert(known[i].trace->outcomes.begin(), known[i].trace->outcomes.end());
        std::vector<Inputs> chosen;
        while (chosen.size() < count) {
            size_t best = 0, most = 0;
            for (size_t i = drawn; i < known.size(); i++) {
                size_t fresh = 0;
                for (const uint64_t o : known[i].trace->outcomes) fresh += done.contains(o) ? 0 : 1;
                if (fresh > most) best = i, most = fresh;
            }
            if (most == 0) break;
            done.insert(known[best].trace->outcomes.begin(), known[best].trace->outcomes.end());
            chosen.push_back(std::move(known[best].inputs));
        }
        return chosen;
    }

    void go(const std::vector<Inputs>& first) {
        find_places(first.front());
        for (const Inputs& in : first) {
            auto t = run(in);
            if (!t->usable) continue;
            outcomes.insert(t->outcomes.begin(), t->outcomes.end());
            magnitudes.insert(t->magnitudes.begin(), t->magnitudes.end());
            known.push_back({in, std::move(t)});
        }
        drawn = known.size();
        if (known.empty() || places.empty()) return;
        for (const auto& c : known.front().trace->comparisons) tried.insert(feature(c.instruction, c.component, 0));
        probe(known.front());
        const auto least = program.stage == tgsi::Stage::Compute ? static_cast<uint32_t>(Equal::Constants) : 0;
        for (uint32_t round = 0; !spent() && round < options.most_runs; round++) {
            flatten(static_cast<Equal>(least + round % (kEquals - least)));
            probe_again();
            shorten();
            even();
            for (int i = 0; i < 3; i++) cross();
            for (uint32_t i = 0; i < 5; i++) meet(static_cast<Compared>((round + i) % 3), i % 2 == 0);
            part(round);
            for (int i = 0; i < 6; i++) change();
        }
    }
};

}  // namespace

std::vector<Inputs> search_inputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                  const std::vector<Inputs>& first, const SearchOptions& options) {
    Search s{program, registers, options, Random(options.seed)};
    s.divides = std::any_of(program.instructions.begin(), program.instructions.end(), [](const auto& i) {
        return i.op == tgsi::Opcode::IDIV || i.op == tgsi::Opcode::MOD || i.op == tgsi::Opcode::I64DIV ||
               i.op == tgsi::Opcode::I64MOD;
    });
    if (program.stage == tgsi::Stage::Geometry)
        s.group = std::max<uint32_t>(1, static_cast<uint32_t>(program.property(tgsi::Property::GsInvocations)));
    if (program.stage == tgsi::Stage::TessControl)
        s.group = std::max<uint32_t>(1, static_cast<uint32_t>(program.property(tgsi::Property::TcsVerticesOut)));
    s.go(first);
    if (s.known.size() - s.drawn > options.most_returned) return s.best(options.most_returned);
    std::vector<Inputs> kept;
    for (size_t i = s.drawn; i < s.known.size(); i++) kept.push_back(std::move(s.known[i].inputs));
    return kept;
}

}  // namespace tgsi2spv::difftest
