// LOAD, STORE, RESQ, ATOM* and fences on every kind of memory (docs: Compute ISA, Resource ISA; semantics: Memory).
#include "reference/families/memory.h"

#include <algorithm>

#include "reference/families/families.h"
#include "reference/numbers/words.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;
using tgsi::Opcode;

/// Returns `here` without the invocations that write nothing: killed ones, and those that only fill the last quad.
Mask writers(const Frame& frame, const Mask& here) {
    Mask mask = here;
    for (uint32_t lane : frame.lanes()) {
        if (frame.m.program.stage == tgsi::Stage::Fragment && lane >= frame.m.inputs.lanes)
            mask[lane] = 0;
        else if (frame.m.may_kill)
            mask[lane] = without(mask[lane], frame.m.killed[lane]);
    }
    return mask;
}

MemoryKind memory_kind(const Machine& machine, int32_t index) {
    const tgsi::Declaration* d = declaration_at(machine, File::Memory, static_cast<uint32_t>(index));
    switch (d ? d->memory_kind : tgsi::MemoryKind::Unwritten) {
        case tgsi::MemoryKind::Global:
        case tgsi::MemoryKind::Input:
            return MemoryKind::Buffer;
        case tgsi::MemoryKind::Private:
            return MemoryKind::Private;
        default:
            return MemoryKind::Shared;
    }
}

/// Returns a register index; `column` is its relative part, and `direct` the rest.
Value index_at(const Value* column, int32_t direct, uint32_t lane) {
    if (!column) return exact(static_cast<uint32_t>(direct));
    Value v = column[lane];
    const uint32_t offset = static_cast<uint32_t>(direct);
    if (is_exact(v)) v.words[0] += offset;
    v.value += offset;
    if (!is_exact(v)) return unknown(v.value);
    return v;
}

/// Whether both targets find texels by the same coordinates. A cube's faces are layers.
bool same_places(tgsi::Target a, tgsi::Target b) {
    const tgsi::TargetShape p = tgsi::shape(a), q = tgsi::shape(b);
    return (p.cube ? 2 : p.coords) == (q.cube ? 2 : q.coords) && (p.cube || p.array) == (q.cube || q.array) &&
           p.buffer == q.buffer && p.ms == q.ms;
}

/// The region that the resource operand of an instruction refers to, lane by lane.
class Resource {
  public:
    Resource(Frame& frame, const tgsi::Operand& operand)
        : f_(frame), o_(operand), at_(destination_index(frame.m, operand)) {
        const auto handle = [&] {
            kind_ = MemoryKind::Image;
            handle_ = read(frame.m, operand, operand.component(0));
        };
        switch (operand.file) {
            case File::Buffer:
                kind_ = MemoryKind::Buffer;
                break;
            case File::Memory:
                kind_ = memory_kind(frame.m, operand.index);
                break;
            case File::ConstBuf:
                kind_ = MemoryKind::Constant;
                break;
            case File::HwAtomic:
                kind_ = MemoryKind::Counter;
                break;
            case File::Image:
                kind_ = MemoryKind::Image;
                break;
            case File::Resource: {
                const tgsi::Declaration* d = named();
                raw_ = d && d->raw;
                declared_ = d ? d->target : tgsi::Target::None;
                // Raw bytes of a buffer, or of an undeclared resource; otherwise texels, or the raw rows of an image.
                const bool buffer = !d || (raw_ && declared_ == tgsi::Target::Buffer);
                kind_ = buffer ? MemoryKind::Buffer : MemoryKind::Image;
                break;
            }
            case File::ResGlobal:
            case File::ResInput:
                kind_ = MemoryKind::Buffer;
                break;
            case File::ResLocal:
                kind_ = MemoryKind::SharedRes;
                break;
            case File::ResPrivate:
                kind_ = MemoryKind::PrivateRes;
                break;
            default:
                handle();
                break;
        }
    }
    MemoryKind kind() const { return kind_; }
    bool is_image() const { return kind_ == MemoryKind::Image; }
    /// Component i of the loaded value: a swizzle on a resource permutes it; a swizzle on a handle selects the handle's
    /// words.
    int component(int i) const { return handle_ ? i : o_.component(i); }
    /// Whether an index of HWATOMIC reaches counter i: as in other files, it reaches the declared counters, or those of
    /// its array.
    bool has_counter(uint32_t i) const {
        if (!at_.indices || i > INT32_MAX) return !at_.indices;
        const tgsi::Registers& registers = f_.m.registers;
        const auto index = static_cast<int32_t>(i);
        if (const tgsi::Range* array = o_.array_id != 0 ? registers.array(o_.file, o_.array_id) : nullptr)
            return array->contains(index);
        return registers.declared(o_.file, index, o_.has_dim ? o_.dim : 0);
    }
    /// Whether raw words are accessed, by a byte offset in x.
    bool raw() const { return raw_; }
    /// The target that applies (semantics: Text).
    tgsi::Target target() const {
        if (f_.instruction.target != tgsi::Target::None) return f_.instruction.target;
        return o_.file == File::Image || handle_ ? tgsi::Target::Buffer : declared_;
    }
    /// Sets `r` to the region in a lane, or null beyond the declared ones and beyond the descriptors that handles
    /// select from, where nothing is read or stored. Returns false if the region is unknown; `r` is then the nominal
    /// one. A handle of a descriptor without an image guarantees nothing (Vulkan: undefined).
    bool region(uint32_t lane, Region*& r) {
        MemoryKey key{kind_, 0};
        Value index = exact(0u);
        switch (o_.file) {
            case File::HwAtomic:
                index = index_at(at_.dims, o_.has_dim ? o_.dim : 0, lane);
                break;
            case File::Memory:
                index = index_at(at_.indices, o_.index, lane);
                if (kind_ == MemoryKind::Buffer) index = exact(named_buffer());
                break;
            case File::ResGlobal:
                index = exact(tgsi::kGlobalMemory);
                break;
            case File::ResInput:
                index = exact(tgsi::kInputMemory);
                break;
            case File::ResLocal:
            case File::ResPrivate:
                break;
            default:
                index = handle_ ? handle_[lane] : index_at(at_.indices, o_.index, lane);
                break;
        }
        key.index = index.value;
        if (!cached_ || cached_key_ != key) {
            cached_region_ = f_.m.memory->find(key);
            cached_key_ = key;
            cached_ = true;
        }
        r = cached_region_;
        if (at_.indices && (o_.file == File::Resource || o_.file == File::Image)) {
            const tgsi::Declaration* d = declared_at(index.value);
            if (!d) r = nullptr;
            const bool defined = d ? is_as_asked(*d, index.value) : named() != nullptr;
            return is_exact(index) && defined;
        }
        return is_exact(index) && (r || !handle_ || index.value >= handles_of(f_.m.inputs));
    }
    /// Returns the index of the counter in its buffer, in words.
    Value counter(uint32_t lane) const { return index_at(at_.indices, o_.index, lane); }

  private:
    const tgsi::Declaration* declared_at(uint32_t index) const { return declaration_at(f_.m, o_.file, index); }
    /// The declaration of the operand.
    const tgsi::Declaration* named() const {
        return tgsi::declaration_of(f_.m.program, f_.m.registers.naming(o_, o_.file));
    }
    /// False if a relative RES or IMAGE refers to one that does not match the instruction: no document defines that.
    bool is_as_asked(const tgsi::Declaration& declaration, uint32_t index) const {
        if (o_.file == File::Resource) return declaration.raw == raw_ && declaration.target == declared_;
        const auto image = f_.m.inputs.images.find(index);
        return image == f_.m.inputs.images.end() || same_places(image->second.target, target());
    }
    uint32_t named_buffer() const {
        const tgsi::Range* range = f_.m.registers.find(File::Memory, o_.index);
        const tgsi::MemoryKind kind = f_.m.program.declarations[range->declaration].memory_kind;
        return kind == tgsi::MemoryKind::Global ? tgsi::kGlobalMemory : tgsi::kInputMemory;
    }
    Frame& f_;
    const tgsi::Operand& o_;
    DestinationIndex at_;
    MemoryKind kind_{};
    bool raw_ = false;
    tgsi::Target declared_ = tgsi::Target::None;
    const Value* handle_ = nullptr;
    bool cached_ = false;
    MemoryKey cached_key_{};
    Region* cached_region_ = nullptr;
};

/// Returns the words from `word` to the end of a linear memory.
WordRun linear(const Region& region, uint64_t word) {
    if (word >= region.size) return {};
    return {word, static_cast<uint32_t>(std::min<uint64_t>(4, region.size - word))};
}

/// Returns the locations that an instruction accesses in a lane. `address`: the columns of its address, if it has one.
PossibleRuns locate(Resource& resource, const Region& region, const std::array<const Value*, 4>& address,
                    uint32_t lane) {
    if (resource.is_image()) return image_locations(region, resource.target(), resource.raw(), address, lane);
    PossibleRuns all;
    const bool counter = resource.kind() == MemoryKind::Counter;
    const Value at = counter ? resource.counter(lane) : address[0][lane];
    const auto word = [&](uint32_t w) {
        if (counter && !resource.has_counter(w)) return WordRun{};
        return linear(region, counter ? w : w >> 2);
    };
    all.nominal = word(at.value);
    WordList list;
    all.known = enumerate(at, list);
    for (int i = 0; all.known && i < list.count; ++i) all.add(word(list.words[static_cast<size_t>(i)]));
    return all;
}

bool is_coherent(const tgsi::Instruction& in) {
    return (in.qualifiers & (tgsi::qualifier::kCoherent | tgsi::qualifier::kVolatile)) != 0;
}

std::array<const Value*, 4> address_of(Frame& frame, int source, const Resource& resource) {
    std::array<const Value*, 4> a{};
    if (resource.kind() == MemoryKind::Counter) return a;
    for (int i = 0; i < (resource.is_image() ? 4 : 1); ++i) a[static_cast<size_t>(i)] = frame.src(source, i);
    return a;
}

void load(Frame& frame) {
    const tgsi::Operand& o = frame.m.program.srcs(frame.instruction)[0];
    Resource resource(frame, o);
    const auto address = address_of(frame, 1, resource);
    Memory& memory = *frame.m.memory;
    const bool coherent = is_coherent(frame.instruction);
    std::array<Value*, 4> out{};
    for (int c = 0; c < 4; ++c)
        if (frame.writes(c)) frame.result[static_cast<size_t>(c)] = out[static_cast<size_t>(c)] = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        Region* r = nullptr;
        const bool known_region = resource.region(lane, r);
        if (!r) {
            for (Value* column : out)
                if (column) column[lane] = known_region ? exact(0u) : unknown();
            continue;
        }
        const PossibleRuns where = locate(resource, *r, address, lane);
        for (int i = 0; i < 4; ++i) {
            Value* column = out[static_cast<size_t>(i)];
            if (!column) continue;
            const uint32_t c = static_cast<uint32_t>(resource.component(i));
            const auto get = [&](const WordRun& at) {
                if (c < at.components) return memory.load(*r, at.word + c * at.stride, lane, coherent);
                return resource.is_image() && !resource.raw() ? missing_component(*r, at, c) : exact(0u);
            };
            const auto nominal = [&](const WordRun& at) {
                return c < at.components ? r->peek(memory.copy(*r, lane) * r->size + at.word + c * at.stride).value
                                         : get(at).value;
            };
            if (!known_region || !where.known || (!frame.c.nominal && where.count == 0)) {
                column[lane] = unknown(nominal(where.nominal));
                continue;
            }
            Value v = get(where.list[0]);
            for (int k = 1; k < where.count; ++k) v = join(v, get(where.list[static_cast<size_t>(k)]));
            if (where.count > 1) v.value = nominal(where.nominal);
            column[lane] = v;
        }
    }
}

/// STORE: writes the components of the mask; all components if the format converts.
void store(Frame& frame, const Mask& here) {
    const tgsi::Operand& o = frame.m.program.dsts(frame.instruction)[0];
    Resource resource(frame, o);
    const auto address = address_of(frame, 0, resource);
    Memory& memory = *frame.m.memory;
    const bool coherent = is_coherent(frame.instruction), typed = resource.is_image() && !resource.raw();
    std::array<const Value*, 4> data{};
    for (int c = 0; c < 4; ++c)
        if (typed || (o.write_mask >> c & 1)) data[static_cast<size_t>(c)] = frame.src(1, c);
    for (uint32_t lane : frame.lanes()) {
        if (!(here[lane] & (kNominal | kMay))) continue;
        Region* r = nullptr;
        if (!resource.region(lane, r) && (here[lane] & kMay)) memory.spoil(resource.kind(), lane);
        if (!r) continue;
        const PossibleRuns where = locate(resource, *r, address, lane);
        if (!where.known && (here[lane] & kMay)) memory.spoil(*r, lane);
        const auto put = [&](const WordRun& at, Presence presence) {
            for (uint32_t c = 0; c < at.components; ++c) {
                if (!data[c]) continue;
                const Value v = typed ? converted(frame.c, *r, static_cast<int>(c), data[c][lane]) : data[c][lane];
                memory.store(*r, at.word + c * at.stride, lane, v, presence, coherent);
            }
        };
        each_place(where, here[lane], put);
    }
}

// ---- atomics

AtomicOp atomic_op(Opcode op) {
    switch (op) {
        case Opcode::ATOMUADD:
            return AtomicOp::Add;
        case Opcode::ATOMAND:
            return AtomicOp::And;
        case Opcode::ATOMOR:
            return AtomicOp::Or;
        case Opcode::ATOMXOR:
            return AtomicOp::Xor;
        case Opcode::ATOMUMIN:
            return AtomicOp::UMin;
        case Opcode::ATOMUMAX:
            return AtomicOp::UMax;
        case Opcode::ATOMIMIN:
            return AtomicOp::IMin;
        case Opcode::ATOMIMAX:
            return AtomicOp::IMax;
        case Opcode::ATOMINC_WRAP:
            return AtomicOp::Inc;
        case Opcode::ATOMDEC_WRAP:
            return AtomicOp::Dec;
        case Opcode::ATOMFADD:
            return AtomicOp::FAdd;
        case Opcode::ATOMCAS:
            return AtomicOp::Cas;
        default:
            return AtomicOp::Xchg;
    }
}

int32_t s(uint32_t w) {
    return static_cast<int32_t>(w);
}

/// Returns the value that replaces `old`. `third`: the value that CAS stores.
Value changed(const Context& context, AtomicOp op, const Value& old, const Value& data, const Value& third) {
    const auto two = [&](auto f) { return words2(context, old, data, f); };
    switch (op) {
        case AtomicOp::Add:
            return two([](uint32_t a, uint32_t b) { return a + b; });
        case AtomicOp::And:
            return two([](uint32_t a, uint32_t b) { return a & b; });
        case AtomicOp::Or:
            return two([](uint32_t a, uint32_t b) { return a | b; });
        case AtomicOp::Xor:
            return two([](uint32_t a, uint32_t b) { return a ^ b; });
        case AtomicOp::UMin:
            return two([](uint32_t a, uint32_t b) { return std::min(a, b); });
        case AtomicOp::UMax:
            return two([](uint32_t a, uint32_t b) { return std::max(a, b); });
        case AtomicOp::IMin:
            return two([](uint32_t a, uint32_t b) { return s(a) < s(b) ? a : b; });
        case AtomicOp::IMax:
            return two([](uint32_t a, uint32_t b) { return s(a) > s(b) ? a : b; });
        case AtomicOp::Inc:
            return two([](uint32_t a, uint32_t b) { return a < b ? a + 1 : 0; });
        case AtomicOp::Dec:
            if (context.dialect == tgsi::Dialect::Newest)
                return two([](uint32_t a, uint32_t b) { return a > 0 && a < b ? a - 1 : 0; });
            return two([](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; });
        case AtomicOp::FAdd: {
            // Atomics have no guaranteed rounding mode.
            Context either = context;
            either.round_to_even = false;
            return add(either, old, data);
        }
        case AtomicOp::Cas:
            return select(same_bits(old, data), third, old);
        default:
            return data;
    }
}

void atomic(Frame& frame, const Mask& here) {
    const tgsi::Operand& o = frame.m.program.srcs(frame.instruction)[0];
    Resource resource(frame, o);
    const auto address = address_of(frame, 1, resource);
    const AtomicOp op = atomic_op(frame.op());
    const Value* data = frame.src(2, 0);
    const Value* third = op == AtomicOp::Cas ? frame.src(3, 0) : data;
    Memory& memory = *frame.m.memory;
    Value* out = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        out[lane] = exact(0u);
        if (!(here[lane] & (kNominal | kMay))) {  // a helper: undefined
            out[lane] = unknown();
            continue;
        }
        Region* r = nullptr;
        const bool known_region = resource.region(lane, r);
        if (!known_region && (here[lane] & kMay)) memory.spoil(resource.kind(), lane);
        if (!r) {
            if (!known_region) out[lane] = unknown();
            continue;
        }
        const PossibleRuns where = locate(resource, *r, address, lane);
        const bool known = known_region && where.known && !r->read_only;
        if (!known && (here[lane] & kMay)) memory.spoil(*r, lane);
        if (r->read_only) continue;
        const uint32_t nominal =
            where.nominal.components ? r->peek(memory.copy(*r, lane) * r->size + where.nominal.word).value : 0;
        bool first = true;
        each_place(where, here[lane], [&](const WordRun& at, Presence presence) {
            Value old = exact(0u);
            if (at.components != 0)
                old = memory.atomic(*r, at.word, lane, op, data[lane], third[lane], presence,
                                    [&](const Value& v) { return changed(frame.c, op, v, data[lane], third[lane]); });
            out[lane] = first ? old : join(out[lane], old);
            first = false;
        });
        out[lane].value = nominal;
        if (!known) make_unknown(out[lane]);
    }
    frame.replicate(out);
}

void query(Frame& frame) {
    Resource resource(frame, frame.m.program.srcs(frame.instruction)[0]);
    std::array<Value*, 4> out{};
    for (Value*& column : out) column = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        Region* r = nullptr;
        // The documents define a size for buffers and images. That of a constant buffer could be the bound size or the
        // accessible one.
        const bool known = resource.region(lane, r) && resource.kind() != MemoryKind::Constant;
        std::array<uint32_t, 4> size{};
        if (r && resource.is_image())
            size = image_size(frame.m.inputs.images.at(r->key.index), resource.target());
        else if (r)
            size[0] = r->size * 4;
        for (size_t c = 0; c < 4; ++c) out[c][lane] = known ? exact(size[c]) : unknown(size[c]);
    }
    // A swizzle on the resource permutes only the result of LOAD (semantics: Memory).
    for (size_t c = 0; c < 4; ++c) frame.result[c] = out[c];
}

void fence(Frame& frame, const Mask& here) {
    uint32_t bits = 0;
    if (frame.op() == Opcode::MFENCE || frame.op() == Opcode::SFENCE) bits = 0xf;
    const Value* types = frame.op() == Opcode::MEMBAR ? frame.src(0, 0) : nullptr;
    for (uint32_t lane : frame.lanes()) {
        if (!(here[lane] & kMust)) continue;
        frame.m.memory->fence(lane, !types ? bits : is_exact(types[lane]) ? types[lane].value : 0);
    }
}

}  // namespace

void memory(Frame& frame, const Mask& here) {
    switch (frame.op()) {
        case Opcode::LOAD:
            return load(frame);
        case Opcode::STORE:
            return store(frame, writers(frame, here));
        case Opcode::RESQ:
            return query(frame);
        case Opcode::MEMBAR:
        case Opcode::LFENCE:
        case Opcode::SFENCE:
        case Opcode::MFENCE:
            return fence(frame, here);
        default:
            // It has a destination: a predicate determines which components are written, not whether the access happens
            // (semantics: Predicates).
            return atomic(frame, writers(frame, frame.m.exec));
    }
}

void spoil_resource(Machine& machine, const tgsi::Instruction& in, uint32_t lane) {
    if (!writes_memory(in.op) || !machine.memory) return;
    const tgsi::Operand& o = in.op == Opcode::STORE ? machine.program.dsts(in)[0] : machine.program.srcs(in)[0];
    const bool direct = !o.index_is_relative && !o.dim_is_relative;
    MemoryKey key{};
    key.index = static_cast<uint32_t>(o.index);
    switch (o.file) {
        case File::Buffer:
            key.kind = MemoryKind::Buffer;
            break;
        case File::Image:
            key.kind = MemoryKind::Image;
            break;
        case File::HwAtomic:
            key = {MemoryKind::Counter, static_cast<uint32_t>(o.has_dim ? o.dim : 0)};
            break;
        case File::Memory:
            key.kind = memory_kind(machine, o.index);
            if (key.kind == MemoryKind::Buffer) key.index = tgsi::kGlobalMemory;  // the writable one of the two
            break;
        case File::ResGlobal:
            key = {MemoryKind::Buffer, tgsi::kGlobalMemory};
            break;
        default:
            return machine.memory->give_up();
    }
    if (!direct && o.file != File::HwAtomic) return machine.memory->spoil(key.kind, lane);
    if (Region* r = machine.memory->find(key)) machine.memory->spoil(*r, lane);
}

bool writes_memory(Opcode op) {
    return tgsi::info(op).family == tgsi::Family::memory && op != Opcode::LOAD && op != Opcode::RESQ &&
           op != Opcode::MEMBAR && op != Opcode::LFENCE && op != Opcode::SFENCE && op != Opcode::MFENCE;
}

}  // namespace tgsi2spv::reference
