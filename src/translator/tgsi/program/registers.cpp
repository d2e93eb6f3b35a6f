#include "tgsi/program/registers.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

#include "tgsi/program/limits.h"

namespace tgsi2spv::tgsi {
namespace {

/// Files whose first bracket selects a separate register space.
bool has_spaces(File file) {
    return file == File::Const || file == File::HwAtomic || file == File::TempArray;
}

/// File, dim and register as one number to compare, in the order of all lists here.
constexpr uint64_t place_of(File file, int32_t dim, int32_t index) {
    return uint64_t{static_cast<uint8_t>(file)} << 56 | uint64_t{static_cast<uint32_t>(dim) & 0xff'ffff} << 32 |
           (static_cast<uint32_t>(index) ^ 0x8000'0000);
}
static_assert(kMaxRegisters <= 1 << 24);

uint64_t key(const Range& r) {
    return place_of(r.file, r.dim, r.first);
}

/// Joins overlapping and adjacent ranges of one space.
void merge(std::pmr::vector<Range>& sorted) {
    size_t out = 0;
    for (size_t i = 0; i < sorted.size(); ++i) {
        const Range& r = sorted[i];
        if (out > 0) {
            Range& before = sorted[out - 1];
            if (before.file == r.file && before.dim == r.dim && r.first <= before.last + 1) {
                before.last = std::max(before.last, r.last);
                continue;
            }
        }
        sorted[out++] = r;
    }
    sorted.resize(out);
}

/// Cuts the sorted ranges (runs_, not merged yet) into pieces that do not overlap; each piece carries the range that
/// comes last in the text. order_[i] is the index in Registers::ranges of sorted[i].
void cut(Registers& registers) {
    const auto& sorted = registers.runs_;
    const auto& order = registers.order_;
    auto& out = registers.segments_;
    out.clear();
    auto& place_of_range = registers.places_;
    place_of_range.resize(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) place_of_range[order[i]] = i;
    auto& open = registers.open_;  // a heap of ranges, with the last in the text on top
    open.clear();
    const auto push = [&](uint32_t range) {
        open.push_back(range);
        std::ranges::push_heap(open);
    };
    size_t next = 0;
    int32_t at = 0;
    while (next < sorted.size() || !open.empty()) {
        if (open.empty()) {
            at = sorted[next].first;
            push(order[next++]);
        }
        const Range& top = sorted[place_of_range[open.front()]];
        if (top.last < at) {
            std::ranges::pop_heap(open);
            open.pop_back();
            continue;
        }
        // Up to the beginning of the next range in the same space, or to the end of this one.
        while (next < sorted.size() && sorted[next].file == top.file && sorted[next].dim == top.dim &&
               sorted[next].first <= at)
            push(order[next++]);
        const uint32_t range = open.front();
        const Range& r = sorted[place_of_range[range]];
        int32_t last = r.last;
        if (next < sorted.size() && sorted[next].file == r.file && sorted[next].dim == r.dim)
            last = std::min(last, sorted[next].first - 1);
        out.push_back({r.file, r.dim, at, last, range});
        at = last + 1;
    }
}

}  // namespace

/// Up to this number of ranges, as in nearly all text, a linear search is faster than a binary one.
constexpr size_t kFewRanges = 16;

int32_t Registers::count_below(std::span<const Range> runs, int32_t dim) {
    const auto after = std::ranges::upper_bound(runs, dim, {}, &Range::dim);
    if (after == runs.begin()) return 0;
    const Range& last = *std::prev(after);
    return last.dim == dim ? last.last + 1 : 0;
}

int32_t Registers::dims(File file) const {
    const auto runs = runs_of(file);
    return runs.empty() ? 0 : runs.back().dim + 1;
}

const Range* Registers::find(File file, int32_t index, int32_t dim) const {
    const auto segments = segments_of(file);
    const auto is_in = [&](const Segment& s) { return s.dim == dim && s.first <= index && index <= s.last; };
    // Mostly each register of the file is declared on its own, in order.
    const auto place = static_cast<uint32_t>(index);
    if (place < segments.size() && is_in(segments[place])) return &ranges[segments[place].range];
    if (segments.size() <= kFewRanges) {
        const auto found = std::ranges::find_if(segments, is_in);
        return found != segments.end() ? &ranges[found->range] : nullptr;
    }
    const auto after = std::ranges::upper_bound(segments, place_of(file, dim, index), {},
                                                [](const Segment& s) { return place_of(s.file, s.dim, s.first); });
    if (after == segments.begin()) return nullptr;
    const Segment& s = *std::prev(after);
    return s.dim == dim && index <= s.last ? &ranges[s.range] : nullptr;
}

const Range* Registers::naming(const Operand& operand, File file) const {
    const Range* const in_array = operand.array_id != 0 ? array(operand.file, operand.array_id) : nullptr;
    if (in_array != nullptr && operand.file == file) return in_array;
    const Range* const found = find(file, in_array != nullptr ? in_array->first : operand.index);
    if (found != nullptr || !operand.index_is_relative || segments_of(file).empty()) return found;
    return &ranges[segments_of(file).front().range];
}

bool Registers::declared(File file, int32_t index, int32_t dim) const {
    return find(file, index, dim) != nullptr;
}

const Range* Registers::array(File file, uint16_t array_id) const {
    const auto key_of = [this](uint32_t r) { return std::pair(ranges[r].file, ranges[r].array_id); };
    const auto at = std::ranges::lower_bound(arrays_, std::pair(file, array_id), {}, key_of);
    return at != arrays_.end() && key_of(*at) == std::pair(file, array_id) ? &ranges[*at] : nullptr;
}

namespace {

/// Fills runs_, segments_ and files_ in an order of the ranges. Returns false if that is not the order of a file's
/// registers, if they overlap, or if other files are between them.
template <class Order>
bool arrange_in_order(Registers& out, Order&& range_at) {
    out.runs_.clear();
    out.segments_.clear();
    out.files_.fill({});
    const auto count = static_cast<uint32_t>(out.ranges.size());
    uint32_t runs = 0;  // so far
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t range = range_at(i);
        const Range& r = out.ranges[range];
        Registers::OfFile& f = out.files_[static_cast<size_t>(r.file)];
        bool continues = false;  // the run before
        if (f.end_of_runs == 0) {
            f.first_run = runs;
            f.first_segment = i;
        } else {
            const Range& before = out.runs_.back();
            if (f.end_of_runs != runs || place_of(before.file, before.dim, before.last) >= key(r)) return false;
            continues = before.dim == r.dim && before.last + 1 == r.first;
        }
        if (r.first > r.last) return false;
        if (continues) {
            out.runs_.back().last = r.last;
        } else {
            out.runs_.push_back(r);
            ++runs;
        }
        out.segments_.push_back({r.file, r.dim, r.first, r.last, range});
        f.end_of_runs = runs;
        f.end_of_segments = i + 1;
    }
    return true;
}

/// The same for ranges that overlap; order_ is their order.
void cut_and_arrange(Registers& out) {
    out.runs_.clear();
    for (const uint32_t i : out.order_) out.runs_.push_back(out.ranges[i]);
    cut(out);
    merge(out.runs_);
    out.files_.fill({});
    for (uint32_t i = 0; i < out.runs_.size(); ++i) {
        Registers::OfFile& f = out.files_[static_cast<size_t>(out.runs_[i].file)];
        if (f.end_of_runs == 0) f.first_run = i;
        f.end_of_runs = i + 1;
    }
    for (uint32_t i = 0; i < out.segments_.size(); ++i) {
        Registers::OfFile& f = out.files_[static_cast<size_t>(out.segments_[i].file)];
        if (f.end_of_segments == 0) f.first_segment = i;
        f.end_of_segments = i + 1;
    }
}

/// Finds which range covers which register, from Registers::ranges.
void arrange(Registers& out) {
    out.overlap_ = false;
    if (arrange_in_order(out, [](uint32_t i) { return i; })) return;
    auto& order = out.order_;
    order.resize(out.ranges.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(key(out.ranges[i]), i); });
    if (arrange_in_order(out, [&](uint32_t i) { return order[i]; })) return;
    cut_and_arrange(out);
    out.overlap_ = true;
}

/// Whether producers use undeclared registers of the file: memory of every kind, constants between two declared ranges,
/// and those of a buffer whose declaration is too short (`DCL CONST[1][0]`, then `CONST[1][2]`).
bool may_be_implied(const Registers& registers, const Operand& operand) {
    switch (operand.file) {
        case File::Buffer:
        case File::Memory:
        case File::Image:
        case File::ConstBuf:
        case File::HwAtomic:
        case File::Resource:
            return true;
        case File::Const:
            return operand.index < registers.count(File::Const, operand.dim) ||
                   (operand.dim > 0 && registers.count(File::Const, operand.dim) > 0);
        default:
            return false;
    }
}

/// The checker refuses higher indices.
constexpr int32_t kMax = kMaxRegisters;

/// Declares the registers that the operand uses directly, if their declaration may be implied.
void add_implied(const Operand& operand, Registers& out) {
    if (operand.index_is_relative || operand.dim_is_relative || !may_be_implied(out, operand)) return;
    const int32_t dim = has_spaces(operand.file) ? operand.dim : 0;
    if (operand.index >= 0 && dim >= 0 && operand.index < kMax && dim < kMax &&
        !out.declared(operand.file, operand.index, dim))
        out.ranges.push_back({operand.file, dim, operand.index, operand.index, 0, kNoDeclaration});
}

/// Whether a simple instruction may name a constant that add_implied() declares.
bool simple_may_imply(const Survey& survey, const Registers& registers) {
    if (registers.runs_of(File::Const).size() > 1 &&
        uses_undeclared(survey, static_cast<int>(File::Const), registers, File::Const, 0))
        return true;
    if (!survey.beyond_files) return false;
    for (int32_t dim = 1; dim < Survey::kConstBuffers; ++dim)
        if (uses_undeclared(survey, kFileCount + dim, registers, File::Const, dim)) return true;
    return false;
}

/// A text may leave out numbers: the list has zeros there, without a position. Programs that no text gave have no
/// positions at all.
void declare_immediates(std::span<const Immediate> all, Registers& out) {
    const bool from_text = !all.empty() && all.back().position != 0;
    bool goes_on = false;
    for (int32_t i = 0; i < static_cast<int32_t>(all.size()); ++i) {
        const bool given = !from_text || all[static_cast<size_t>(i)].position != 0;
        if (given && goes_on) out.ranges.back().last = i;
        if (given && !goes_on) out.ranges.push_back({File::Immediate, 0, i, i, 0, kNoDeclaration});
        goes_on = given;
    }
}

/// Adds the declarations of the text.
void declare(const Program& program, Registers& out) {
    out.ranges.clear();
    out.arrays_.clear();
    for (uint32_t i = 0; i < program.declarations.size(); ++i) {
        const Declaration& d = program.declarations[i];
        Range& r = out.ranges.emplace_back();  // in its place: see parse_declaration()
        r.file = d.file;
        r.dim = has_spaces(d.file) ? d.dim : 0;
        r.first = d.first;
        r.last = d.last;
        r.array_id = d.array_id;
        r.declaration = i;
        if (d.array_id != 0) out.arrays_.push_back(i);
    }
    declare_immediates(program.immediates, out);
    std::ranges::sort(out.arrays_, {},
                      [&](uint32_t i) { return std::tuple(out.ranges[i].file, out.ranges[i].array_id, i); });
    arrange(out);
}

/// Sorts the ranges that were implied and come after the `declared` other ones.
void add_ranges(Registers& out, size_t declared) {
    if (out.ranges.size() == declared) return;
    const auto implied = out.ranges.begin() + static_cast<ptrdiff_t>(declared);
    std::sort(implied, out.ranges.end(), [](const Range& a, const Range& b) { return key(a) < key(b); });
    const auto same = [](const Range& a, const Range& b) { return key(a) == key(b); };
    out.ranges.erase(std::unique(implied, out.ranges.end(), same), out.ranges.end());
    arrange(out);
}

}  // namespace

bool uses_undeclared(const Survey& survey, int space, const Registers& registers, File file, int32_t dim) {
    Survey::Used used = survey.used[static_cast<size_t>(space)];
    for (const Range& run : registers.runs_of(file))
        if (run.dim == dim) used.remove(run.first, run.last);
    return !used.empty();
}

Registers gather(const Program& program) {
    Registers out;
    gather(program, out);
    return out;
}

void gather(const Program& program, Registers& out) {
    declare(program, out);
    const size_t declared = out.ranges.size();
    for (const Operand& o : program.operands) add_implied(o, out);
    add_ranges(out, declared);
}

void gather(const Program& program, const Survey& survey, Registers& out) {
    declare(program, out);
    const size_t declared = out.ranges.size();
    if (simple_may_imply(survey, out)) {
        for (const Operand& o : program.operands) add_implied(o, out);
    } else {
        for (const uint32_t n : survey.others)
            for (const Operand& o : program.all_operands(program.instructions[n])) add_implied(o, out);
    }
    add_ranges(out, declared);
}

}  // namespace tgsi2spv::tgsi
