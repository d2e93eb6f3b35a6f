#include "reference/memory/words.h"

#include <algorithm>

#include "reference/numbers/float_math.h"
#include "reference/textures/texel.h"
#include "tgsi/program/resource_numbers.h"

namespace tgsi2spv::reference {
namespace {

bool is_image(const Region& region) {
    return region.key.kind == MemoryKind::Image;
}
bool is_shared(const Region& region) {
    return region.key.kind == MemoryKind::Shared || region.key.kind == MemoryKind::SharedRes;
}
bool is_private(const Region& region) {
    return region.key.kind == MemoryKind::Private || region.key.kind == MemoryKind::PrivateRes;
}
bool same(const Value& a, const Value& b) {
    return is_exact(a) && is_exact(b) && a.words[0] == b.words[0];
}

/// Whether the final value does not depend on the order of such operations; for those that need_equal_words(), if all
/// have the same operands.
bool commutes(AtomicOp op) {
    return op != AtomicOp::None && op != AtomicOp::Store;
}
bool need_equal_words(AtomicOp op) {
    return op == AtomicOp::Inc || op == AtomicOp::Dec || op == AtomicOp::Cas || op == AtomicOp::FAdd;
}
/// Whether doing it twice has the same effect as doing it once.
bool idempotent(AtomicOp op) {
    return op == AtomicOp::Store || op == AtomicOp::Cas || op == AtomicOp::And || op == AtomicOp::Or ||
           op == AtomicOp::UMin || op == AtomicOp::UMax || op == AtomicOp::IMin || op == AtomicOp::IMax;
}

// MEMBAR bits (semantics: Memory).
constexpr uint8_t kFenceBuffers = 1, kFenceCounters = 2, kFenceImages = 4;

uint8_t fence_of(const Region& region) {
    return is_image(region) ? kFenceImages : region.key.kind == MemoryKind::Counter ? kFenceCounters : kFenceBuffers;
}

/// Returns the writes that could race with a write of that work group.
const Region::Writes& writes_of(const Region::Word& word, uint32_t group) {
    if (word.written.group == group) return word.of_phase;
    return word;
}

/// Whether the final contents of a word come from a race. If several work groups wrote it, any of its phases counts.
bool raced_last(const Findings::OfWord& found, const Region::Accessor& written) {
    if (found.ever & Findings::kRaced) return true;
    if (found.ever == 0 && written.group != Region::kMany)
        return found.in(uint64_t{written.group} << 32 | written.epoch) & Findings::kRaced;
    return std::ranges::any_of(found.by_phase, [](const auto& p) { return (p.second & Findings::kRaced) != 0; });
}

}  // namespace

void Region::Accessor::merge(uint32_t other, uint32_t its_group, uint32_t its_epoch) {
    if (lane == kNobody) {
        *this = {other, its_group, its_epoch};
        return;
    }
    if (lane != other) lane = kMany;
    if (group != its_group) group = kMany;
    epoch = its_epoch;
}

void Region::Writes::add(const Writes& other) {
    if (op == AtomicOp::None)
        *this = other;
    else
        mixed = !are_like(other);
}

Value Region::first_value(uint64_t word) const {
    if (!initial) return reference::unknown();
    if (word >= initial->size()) return exact(0u);
    const uint32_t w = (*initial)[word];
    return format ? stored(*format, static_cast<int>(word % components), w) : exact(w);
}

Region::Word& Region::at(uint64_t word) {
    const size_t page = static_cast<size_t>(word / kPage);
    if (pages_.empty()) pages_.resize(static_cast<size_t>((words() + kPage - 1) / kPage));
    if (!pages_[page]) {
        pages_[page] = std::make_unique<Word[]>(kPage);
        for (size_t i = 0; i < kPage; ++i) pages_[page][i].v = first_value(page * kPage + i);
    }
    return pages_[page][word % kPage];
}

Value Region::peek(uint64_t word) const {
    const size_t page = static_cast<size_t>(word / kPage);
    return page < pages_.size() && pages_[page] ? pages_[page][word % kPage].v : first_value(word);
}

Memory::Memory(tgsi::Stage stage, const Inputs& inputs, uint32_t groups, uint32_t group, bool nominal,
               Findings& findings)
    : inputs_(inputs),
      group_(group),
      nominal_(nominal),
      findings_(findings),
      barriers_(groups, 0),
      fenced_(groups, 0),
      unfenced_(size_t{groups} * group, 0),
      may_repeat_(stage != tgsi::Stage::Fragment && stage != tgsi::Stage::Compute) {
    findings.grew = false;
}

Region* Memory::find(MemoryKey key) {
    if (auto it = regions_.find(key); it != regions_.end()) return &it->second;
    Region r;
    r.key = key;
    r.initial = nullptr;
    size_t copies = 1;
    const auto words = [&](const std::map<uint32_t, std::vector<uint32_t>>& all) {
        const auto it = all.find(key.index);
        if (it == all.end()) return false;
        r.initial = &it->second;
        r.size = static_cast<uint32_t>(it->second.size());
        return true;
    };
    switch (key.kind) {
        case MemoryKind::Buffer:
            if (!words(inputs_.buffers)) return nullptr;
            r.read_only = key.index == tgsi::kInputMemory;
            break;
        case MemoryKind::Counter:
            if (!words(inputs_.hwatomics)) return nullptr;
            break;
        case MemoryKind::Constant:
            if (!words(inputs_.constants)) return nullptr;
            r.read_only = true;
            break;
        case MemoryKind::Image: {
            const auto it = inputs_.images.find(key.index);
            if (it == inputs_.images.end()) return nullptr;
            const Texture& t = it->second;
            static const std::vector<uint32_t> kEmpty;
            const Image image(t);
            r.initial = t.data.empty() ? &kEmpty : &t.data[0];
            r.texture = &t;
            r.format = &image.format();
            r.components = std::max<uint32_t>(r.format->components, 1);
            r.size = static_cast<uint32_t>(image.size(0, 0) * image.size(1, 0) * image.size(2, 0) * image.layers() *
                                           image.samples() * r.components);
            break;
        }
        case MemoryKind::Shared:
        case MemoryKind::SharedRes:
            r.size = inputs_.shared_words;
            copies = barriers_.size();
            break;
        case MemoryKind::Private:
        case MemoryKind::PrivateRes:
            r.size = inputs_.private_words;
            copies = unfenced_.size();
            break;
    }
    r.unknown.assign(copies, false);
    if (tracks(r)) r.found = &findings_.words[key];
    return &regions_.emplace(key, std::move(r)).first->second;
}

uint64_t Memory::copy(const Region& region, uint32_t lane) const {
    return is_shared(region) ? group_of(first_ + lane) : is_private(region) ? first_ + lane : 0;
}

bool Memory::tracks(const Region& region) const {
    return !nominal_ && !region.read_only && !is_private(region);
}

uint32_t Memory::epoch(const Region& region, uint32_t lane) const {
    return (is_shared(region) ? barriers_ : fenced_)[group_of(lane)];
}

bool Memory::is_past(const Region& region, const Region::Accessor& before, uint32_t lane) const {
    return before.group == group_of(lane) && before.epoch < epoch(region, lane);
}

bool Memory::ordered(const Region& region, const Region::Accessor& before, uint32_t lane) const {
    return before.lane == Region::kNobody || before.lane == lane || is_past(region, before, lane);
}

void Memory::found(Region& region, uint64_t at, uint8_t ever, uint8_t now, uint64_t phase) {
    Findings::OfWord& known = (*region.found)[at];
    const auto add = [&](uint8_t& to, uint8_t what) {
        if ((to | what) == to) return;
        to |= what;
        findings_.grew = true;
    };
    add(known.ever, ever);
    if (now != 0) add(known.by_phase[phase], now);
}

uint8_t Memory::known_of(const Region& region, uint64_t at, uint32_t lane) const {
    if (findings_.given_up) return Findings::kContended | Findings::kRaced;
    if (region.found->empty()) return 0;
    const auto it = region.found->find(at);
    return it == region.found->end() ? 0 : it->second.ever | it->second.in(phase(region, lane));
}

/// If the word's last writes raced in an earlier phase, makes its contents unknown.
void Memory::enter_phase(Region& region, uint64_t at, uint32_t lane, bool coherent) {
    if (region.found->empty()) return;
    Region::Word& w = region.at(at);
    if (w.written.lane == Region::kNobody || !is_past(region, w.written, lane)) return;
    const auto it = region.found->find(at);
    if (it == region.found->end()) return;
    const uint64_t last = uint64_t{w.written.group} << 32 | w.written.epoch;
    if (!(it->second.in(last)&Findings::kRaced)) return;
    make_unknown(w.v);
    // Nothing orders accesses that are not coherent: such writes may become visible later.
    if (!is_shared(region) && !(coherent && w.coherent)) found(region, at, Findings::kContended | Findings::kRaced);
}

Value Memory::load(Region& region, uint64_t word, uint32_t lane, bool coherent) {
    const uint64_t which = copy(region, lane), at = which * region.size + word;
    lane += first_;
    if (!tracks(region)) {
        const Value v = region.peek(at);
        return region.unknown[which] ? unknown(v.value) : v;
    }
    Region::Word& w = region.at(at);
    enter_phase(region, at, lane, true);
    if (region.unknown[which] || known_of(region, at, lane) != 0) return unknown(w.v.value);
    if (w.written.lane != Region::kNobody && w.written.lane != lane) {
        if (!ordered(region, w.written, lane)) {
            const bool of_group = w.written.group == group_of(lane);
            found(region, at, of_group ? 0 : Findings::kContended, of_group ? Findings::kContended : 0,
                  phase(region, lane));
            return unknown(w.v.value);
        }
        // Only coherent accesses see the writes of others.
        if (!is_shared(region) && !(coherent && w.coherent)) return unknown(w.v.value);
    }
    // An access that is ordered after this read is also ordered after those of earlier phases.
    if (is_past(region, w.read, lane))
        w.read = {lane, group_of(lane), epoch(region, lane)};
    else
        w.read.merge(lane, group_of(lane), epoch(region, lane));
    return w.v;
}

void Memory::wrote(Region& region, Region::Word& word, uint32_t lane, const Region::Writes& write, bool coherent) {
    if (is_past(region, word.written, lane)) {
        word.written = {lane, group_of(lane), epoch(region, lane)};
        word.of_phase = {};
    } else {
        word.written.merge(lane, group_of(lane), epoch(region, lane));
    }
    word.of_phase.add(write);
    word.add(write);
    word.coherent &= coherent;
    if (!is_shared(region)) unfenced_[lane] |= fence_of(region);
}

void Memory::store(Region& region, uint64_t word, uint32_t lane, const Value& v, Presence here, bool coherent) {
    if (region.read_only) return;
    const uint64_t at = copy(region, lane) * region.size + word;
    lane += first_;
    Region::Word& w = region.at(at);
    if (tracks(region) && (here & kMay)) {
        enter_phase(region, at, lane, coherent);
        uint8_t what = 0, now = 0;  // findings for any time, and for this phase
        const auto found_with = [&](const Region::Accessor& before) -> uint8_t& {
            return before.group == group_of(lane) ? now : what;
        };
        if (!ordered(region, w.read, lane)) found_with(w.read) |= Findings::kContended;
        if (may_repeat_ && w.read.lane != Region::kNobody && !same(w.v, v))
            what |= Findings::kContended | Findings::kRaced;
        const Region::Writes write = {AtomicOp::Store}, &others = writes_of(w, group_of(lane));
        if (!ordered(region, w.written, lane) && !(others.are_like(write) && same(w.v, v)))
            found_with(w.written) |= Findings::kContended | Findings::kRaced;
        if (what | now) found(region, at, what, now, phase(region, lane));
        wrote(region, w, lane, write, coherent);
    }
    assign(w.v, v, here);
}

Value Memory::before_atomic(Region& region, uint64_t word, uint32_t lane, AtomicOp op, const Value& operand,
                            const Value& third, Presence here) {
    const uint64_t which = copy(region, lane), at = which * region.size + word;
    lane += first_;
    Region::Word& w = region.at(at);
    if (tracks(region)) enter_phase(region, at, lane, true);
    Value old = w.v;
    if (!tracks(region)) return region.unknown[which] ? unknown(old.value) : old;
    if (region.unknown[which] || known_of(region, at, lane) != 0) old = unknown(old.value);
    if (!(here & kMay)) return old;
    // An exchange leaves the same as a store.
    if (op == AtomicOp::Xchg) op = AtomicOp::Store;
    const bool limited = need_equal_words(op);
    const std::array<uint32_t, 2> words = {limited ? operand.value : 0, op == AtomicOp::Cas ? third.value : 0};
    const bool known = !limited || (is_exact(operand) && (op != AtomicOp::Cas || is_exact(third)));
    const Region::Writes write = {op, !known, words};
    const bool alike = w.are_like(write);
    uint8_t what = 0, now = 0;  // findings for any time, and for this phase
    const auto found_with = [&](const Region::Accessor& before) -> uint8_t& {
        return before.group == group_of(lane) ? now : what;
    };
    if (!ordered(region, w.read, lane)) found_with(w.read) |= Findings::kContended;
    if (!ordered(region, w.written, lane)) {
        uint8_t& here_found = found_with(w.written);
        here_found |= Findings::kContended;
        const bool agree = op == AtomicOp::Store ? same(w.v, operand) : commutes(op);
        if (!agree || !writes_of(w, group_of(lane)).are_like(write)) here_found |= Findings::kRaced;
    }
    if (may_repeat_) {  // all of an invocation's operations are repeated, in turn with itself
        const bool first = w.written.lane == Region::kNobody || (!w.mixed && w.op == AtomicOp::Store);
        what |= Findings::kContended;
        if (!idempotent(op) || !(first || alike)) what |= Findings::kRaced;
    }
    if (what | now) {
        found(region, at, what, now, phase(region, lane));
        old = unknown(old.value);
    }
    wrote(region, w, lane, write, true);
    return old;
}

void Memory::spoil(Region& region, uint32_t lane) {
    if (region.read_only || nominal_ || region.size == 0) return;
    const uint64_t which = copy(region, lane);
    lane += first_;
    if (region.unknown[which]) return;
    region.unknown[which] = true;
    if (!tracks(region)) return;
    // Earlier reads may have read this.
    const uint64_t first = which * region.size, last = first + region.size;
    region.for_each_page([&](uint64_t page, Region::Word* words) {
        for (uint64_t i = std::max(page, first); i < std::min(page + Region::kPage, last); ++i) {
            const Region::Accessor& read = words[i - page].read;
            if (read.lane == Region::kNobody) continue;
            if (!is_shared(region))
                found(region, i, Findings::kContended);
            else if (read.epoch == epoch(region, lane))
                found(region, i, 0, Findings::kContended, phase(region, lane));
        }
    });
}

void Memory::spoil(MemoryKind kind, uint32_t lane) {
    const auto all = [&](const auto& map) {
        for (const auto& entry : map)
            if (Region* r = find({kind, entry.first})) spoil(*r, lane);
    };
    if (kind == MemoryKind::Image)
        all(inputs_.images);
    else if (kind == MemoryKind::Buffer)
        all(inputs_.buffers);
    else if (kind == MemoryKind::Counter)
        all(inputs_.hwatomics);
    else
        give_up();
}

void Memory::barrier(uint32_t group) {
    group += group_of(first_);
    ++barriers_[group];
    const auto first = unfenced_.begin() + static_cast<std::ptrdiff_t>(size_t{group} * group_);
    if (std::all_of(first, first + group_, [](uint8_t bits) { return bits == 0; })) ++fenced_[group];
}

void Memory::fence(uint32_t lane, uint32_t bits) {
    // Fences for buffers also order counters, which are stored in buffers.
    if (bits & kFenceBuffers) bits |= kFenceCounters;
    uint8_t& open = unfenced_[first_ + lane];
    open = static_cast<uint8_t>(open & ~bits);
}

void Memory::give_up() {
    if (findings_.given_up || nominal_) return;
    findings_.given_up = findings_.grew = true;
}

std::vector<Component> Memory::contents(Region& region) {
    std::vector<Component> all(region.size);
    for (uint64_t i = 0; i < region.size; ++i) all[i] = region.peek(i);
    if (!tracks(region)) return all;
    if (region.unknown[0] || findings_.given_up) {
        for (Component& c : all) make_unknown(c);
    } else {
        for (const auto& [word, what] : *region.found)
            if (raced_last(what, region.at(word).written)) make_unknown(all[word]);
    }
    return all;
}

void Memory::collect(Result& result) {
    const auto words = [&](const auto& given, MemoryKind kind, auto& out) {
        for (const auto& entry : given)
            if (Region* r = find({kind, entry.first})) out[entry.first] = contents(*r);
    };
    words(inputs_.buffers, MemoryKind::Buffer, result.buffers);
    words(inputs_.hwatomics, MemoryKind::Counter, result.hwatomics);
    for (const auto& [index, t] : inputs_.images) {
        Region* r = find({MemoryKind::Image, index});
        auto& levels = result.images[index];
        levels.push_back(contents(*r));
        for (size_t level = 1; level < t.data.size(); ++level) {
            levels.emplace_back();
            for (size_t i = 0; i < t.data[level].size(); ++i)
                levels.back().push_back(stored(*r->format, static_cast<int>(i % r->components), t.data[level][i]));
        }
    }
}

}  // namespace tgsi2spv::reference
