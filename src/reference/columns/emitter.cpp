#include "reference/columns/emitter.h"

#include <algorithm>

#include "reference/columns/boxes.h"

namespace tgsi2spv::reference::columns {
namespace {

using tgsi::File;
using tgsi::Operand;
using tgsi::OperandType;

/// Until finish() assigns positions, Source::at is a number: of a register's column, of an intermediate column, or of a
/// uniform (if the mask is 0).
constexpr uint32_t kScratch = 1u << 31;

/// Whether the file's registers are columns.
bool in_columns(File f) {
    return f == File::Temp || f == File::Address || f == File::Input || f == File::Output || f == File::SystemValue;
}

}  // namespace

Emitter::Emitter(const tgsi::Program& p, const tgsi::Registers& r, const Inputs& i, const Context& c)
    : program_(p), registers_(r), inputs_(i) {
    code_.context = c;
    code_.bounds = !c.plain;
}

void Emitter::begin(const tgsi::Instruction& in) {
    scratch_ = 0;
    first_step_ = code_.steps.size();
    contract_ = code_.context.contract && !in.precise;
    origin_ = static_cast<uint32_t>(&in - program_.instructions.data()) + 1;
    for (auto& source : sources_) source.fill(std::nullopt);
}

Source Emitter::uniform(uint32_t word) {
    const auto [it, is_new] = uniforms_.try_emplace(word, static_cast<uint32_t>(code_.uniforms.size()));
    if (is_new) code_.uniforms.push_back(word);
    return {it->second, 0};
}

uint32_t Emitter::column(File file, int32_t index, int component, bool is_written) {
    const auto [it, is_new] = registers_of_.try_emplace({file, index, component}, columns_);
    if (!is_new) return it->second;
    const Port port{index, static_cast<uint8_t>(component), columns_++};
    if (file == File::Input)
        code_.inputs.push_back(port);
    else if (file == File::SystemValue)
        code_.system_values.push_back(port);
    else if (!is_written || depth_ > 0)
        code_.zeroed.push_back(port.column);
    if (file == File::Output) code_.outputs.push_back(port);
    return port.column;
}

uint32_t Emitter::table_of(const Operand& o, int component) {
    const int32_t dim = o.file == File::Const && o.has_dim ? o.dim : 0;
    const auto [known, is_new] =
        tables_.try_emplace({o.file, dim, o.array_id, component}, static_cast<uint32_t>(code_.tables.size()));
    if (!is_new) return known->second;
    Table t;
    const int32_t count = registers_.count(o.file, dim);
    std::vector<bool> inside(static_cast<size_t>(count), false);
    const auto mark = [&](int32_t first, int32_t last) {
        for (int32_t i = std::max(first, 0); i <= std::min(last, count - 1); ++i) inside[static_cast<size_t>(i)] = true;
    };
    if (o.array_id == 0)
        registers_.for_each_run(o.file, dim, mark);
    else if (const tgsi::Range* array = registers_.array(o.file, o.array_id))
        mark(array->first, array->last);
    for (int32_t i = 0; i < count; ++i) {
        uint32_t word = 0;
        if (!uniform_word(program_, registers_, inputs_, o.file, dim, i, component, word)) refuse();
        // Between two declared ranges, a constant buffer holds its own words or reads as 0 (operands.cpp).
        const bool is_inside = inside[static_cast<size_t>(i)];
        const bool undecided = !is_inside && o.file == File::Const && o.array_id == 0;
        t.words.push_back(is_inside || undecided ? word : 0);
        t.undecided.push_back(undecided ? ~0u : 0);
        t.any_undecided |= undecided;
    }
    t.words.push_back(0);
    t.undecided.push_back(0);
    code_.tables.push_back(std::move(t));
    return known->second;
}

Source Emitter::looked_up(const Operand& o, int component) {
    if (in_columns(o.file) || o.dim_is_relative) {
        refuse();
        return uniform(0u);
    }
    const uint32_t table = table_of(o, component);
    const tgsi::Relative& r = *program_.index_relative(o);
    Operand named;
    named.file = r.file;
    named.index = r.index;
    named.has_dim = r.has_dim;
    named.dim = r.dim;
    const Source s = emit(Action::Lookup, {unmodified(named, r.component)});
    Step& step = code_.steps.back();
    step.table = table;
    step.offset = static_cast<uint32_t>(o.index);
    return s;
}

Source Emitter::unmodified(const Operand& o, int component) {
    if (o.index_is_relative || o.dim_is_relative) return looked_up(o, component);
    if (in_columns(o.file)) {
        if (o.index < 0 || o.index >= registers_.count(o.file)) return uniform(0u);
        return {column(o.file, o.index, component, false), ~0u};
    }
    uint32_t word = 0;
    const int32_t dim = o.file == File::Const && o.has_dim ? o.dim : 0;
    if (!uniform_word(program_, registers_, inputs_, o.file, dim, o.index, component, word)) refuse();
    return uniform(word);
}

Source Emitter::modified(const Operand& o, OperandType type, Source s) {
    if (!o.absolute && !o.negate) return s;
    const bool words = type == OperandType::Int || type == OperandType::Uint;
    if (words && o.absolute) {
        refuse();
        return s;
    }
    if (words) return emit(Action::NegateWords, {s});
    if (s.is_uniform()) {
        // The sign of a number can change here; the kernels handle denormals, which may be flushed, and NaN.
        uint32_t w = code_.uniforms[s.at];
        if (code_.context.plain || (!is_denormal(w) && !is_nan(w))) {
            if (o.absolute) w &= ~kSign;
            return uniform(o.negate ? w ^ kSign : w);
        }
    }
    if (o.absolute) s = emit(Action::Absolute, {s});
    return o.negate ? emit(Action::Negate, {s}) : s;
}

Source Emitter::source(const tgsi::Instruction& in, int s, int component) {
    const Operand& o = program_.srcs(in)[static_cast<size_t>(s)];
    const int from = o.component(component);
    std::optional<Source>& cached = sources_[static_cast<size_t>(s)][static_cast<size_t>(from)];
    if (!cached) cached = modified(o, tgsi::info(in.op).src[static_cast<size_t>(s)], unmodified(o, from));
    return *cached;
}

Source Emitter::emit(Action action, std::span<const Source> operands) {
    Step s;
    s.action = action;
    s.operands = static_cast<uint8_t>(operands.size());
    s.contract = contract_;
    s.origin = origin_;
    if (code_.bounds) s.function = function_of(action);
    std::ranges::copy(operands, s.from.begin());
    s.to = kScratch | scratch_++;
    most_scratch_ = std::max(most_scratch_, scratch_);
    code_.steps.push_back(s);
    return {s.to, ~0u};
}

Source Emitter::word_function(WordFunction f, std::span<const Source> operands) {
    const Source s = emit(Action::Word, operands);
    code_.steps.back().word = f;
    return s;
}

Source Emitter::float_function(FloatFunction f, std::span<const Source> operands) {
    const Source s = emit(Action::Float, operands);
    code_.steps.back().function = f;
    return s;
}

bool Emitter::retarget(Source from, uint32_t to) {
    if (from.is_uniform() || !(from.at & kScratch)) return false;
    auto& steps = code_.steps;
    const auto reads = [&](const Step& s, uint32_t column) {
        return std::any_of(s.from.begin(), s.from.begin() + s.operands,
                           [&](const Source& x) { return !x.is_uniform() && x.at == column; });
    };
    size_t maker = first_step_;
    while (steps[maker].to != from.at) ++maker;
    // With bounds, a step may read its operands again, lane by lane, after it has written (step-inl.h).
    for (size_t i = maker + (code_.bounds ? 0 : 1); i < steps.size(); ++i)
        if (reads(steps[i], to)) return false;
    steps[maker].to = to;
    steps[maker].keeps = true;
    for (size_t i = maker + 1; i < steps.size(); ++i)
        for (Source& x : steps[i].from)
            if (x == from) x.at = to;
    return true;
}

void Emitter::store(const tgsi::Instruction& in, std::array<std::optional<Source>, 4>& result) {
    const Operand& o = program_.dsts(in)[0];
    if (o.file == File::Null) return;
    if (o.index_is_relative || o.dim_is_relative || !in_columns(o.file)) return refuse();
    if (o.index < 0 || o.index >= registers_.count(o.file)) return;
    for (auto& r : result)
        if (r && in.saturate) r = emit(Action::Saturate, {*r});
    for (size_t c = 0; c < 4; ++c) {
        if (!result[c]) continue;
        const Source from = *result[c];
        const uint32_t to = column(o.file, o.index, static_cast<int>(c), true);
        if (retarget(from, to)) {
            for (auto& r : result)
                if (r == from) r->at = to;
            continue;
        }
        emit(Action::Move, {from});
        code_.steps.back().to = to;
        code_.steps.back().keeps = true;
    }
}

bool Emitter::instruction(const tgsi::Instruction& in) {
    const auto dsts = program_.dsts(in);
    if (dsts.size() != 1) return false;
    if (dsts[0].write_mask == 0) return true;
    std::array<std::optional<Source>, 4> result{};
    if (!compute(in, result)) return false;
    for (int c = 0; c < 4; ++c) {
        if (!(dsts[0].write_mask >> c & 1)) result[static_cast<size_t>(c)].reset();
    }
    store(in, result);
    return !refused_;
}

std::optional<Code> Emitter::finish() {
    if (refused_) return std::nullopt;
    const uint32_t size = code_.column_words();
    const auto place = [&](uint32_t& at) { at = (at & kScratch ? columns_ + (at & ~kScratch) : at) * size; };
    code_.spare = (columns_ + most_scratch_) * size;
    code_.bad = code_.spare + size;
    code_.mask = code_.bad + kLanes;
    code_.uniforms_at = code_.mask + kLanes;
    code_.words = code_.uniforms_at + static_cast<uint32_t>(code_.uniforms.size()) * kWidest;
    for (Step& s : code_.steps) {
        place(s.to);
        for (size_t k = 0; k < s.operands; ++k) {
            Source& x = s.from[k];
            if (x.is_uniform())
                x.at = code_.uniforms_at + x.at * kWidest;
            else
                place(x.at);
        }
    }
    for (Flow& f : code_.flow) place(f.condition);
    for (auto* ports : {&code_.inputs, &code_.system_values, &code_.outputs})
        for (Port& p : *ports) place(p.column);
    for (uint32_t& at : code_.zeroed) place(at);
    return std::move(code_);
}

}  // namespace tgsi2spv::reference::columns
