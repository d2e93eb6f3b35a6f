#include "reference/columns/run.h"

#include <algorithm>
#include <bit>

#include "hwy/aligned_allocator.h"
#include "reference/columns/block.h"
#include "reference/columns/decode.h"

namespace tgsi2spv::reference::columns {
namespace {

using tgsi::File;

/// The most ways of a lane. The engine of Values gives up beyond 64, or if all together take too long: never below this
/// number.
constexpr uint32_t kMaxRuns = 16;

/// The contents of a port: words that the case gives by lane, or a column of a Machine.
struct Feed {
    const Port* port;
    const std::vector<Vec4>* given = nullptr;
    const Value* computed = nullptr;
};

/// Fills inputs and system values, block by block.
class Feeder {
  public:
    Feeder(const Code& code, const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
           const Options& options)
        : code_(code), lanes_(inputs.lanes) {
        for (const Port& p : code.inputs) {
            const auto it = inputs.inputs.find({0, p.index});
            feeds_.push_back({&p, it == inputs.inputs.end() ? nullptr : &it->second});
        }
        for (const Port& p : code.system_values) {
            const auto it = inputs.system_values.find(p.index);
            if (it != inputs.system_values.end()) {
                feeds_.push_back({&p, &it->second});
                continue;
            }
            if (!machine_) {
                machine_ = std::make_unique<Machine>(program, registers, inputs, options);
                load_system_values(*machine_);
            }
            const Value* block = machine_->system_values.at(p.index);
            feeds_.push_back({&p, nullptr, block ? block + size_t{p.component} * machine_->lanes : nullptr});
        }
    }

    /// Fills the lanes from `first` on; the last lane fills the rest of the block. Returns the lanes that cannot be
    /// executed.
    Bits fill(uint32_t first, uint32_t* block) const {
        Bits unknown = 0;
        for (const Feed& f : feeds_) {
            uint32_t* to = block + f.port->column;
            const auto lane = [&](uint32_t k) { return std::min(first + k, lanes_ - 1); };
            if (f.given != nullptr && first + kLanes <= std::min<size_t>(lanes_, f.given->size())) {
                const Vec4* from = f.given->data() + first;
                for (uint32_t k = 0; k < kLanes; ++k) to[k] = from[k][f.port->component];
            } else if (f.given != nullptr) {
                for (uint32_t k = 0; k < kLanes; ++k)
                    to[k] = lane(k) < f.given->size() ? (*f.given)[lane(k)][f.port->component] : 0;
            } else {
                for (uint32_t k = 0; k < kLanes; ++k) {
                    const Value v = f.computed != nullptr ? f.computed[lane(k)] : exact(0u);
                    to[k] = v.value;
                    if (!is_exact(v)) unknown |= Bits{1} << k;
                }
            }
            if (code_.bounds) set_holds(to, Holds::Words);
        }
        return code_.bounds ? unknown : 0;
    }

    /// Whether there are system values that depend on a lane's number.
    bool sees_numbers() const { return machine_ != nullptr; }

  private:
    const Code& code_;
    uint32_t lanes_;
    std::vector<Feed> feeds_;
    std::unique_ptr<Machine> machine_;
};

/// A column whose words go to a component of an output.
struct Out {
    const uint32_t* column;
    OutputLanes* lanes;
    uint8_t component;

    /// Stores `count` lanes from `first` on. The contents of the column are valid only for the lanes `known`.
    void store(bool bounds, const Boxes& boxes, uint32_t first, uint32_t count, Bits known) const {
        std::copy_n(column, count, lanes->words(component).data() + first);
        if (!bounds) return;
        const uint32_t plane = plane_of(column);
        std::copy_n(column + plane, count, lanes->least(component).data() + first);
        std::copy_n(column + 2 * plane, count, lanes->most(component).data() + first);
        for (uint32_t k = 0; plane != 0 && k < count; ++k) {
            const Entry e = entry_of(column, k);
            if (is_boxed(e)) lanes->put(first + k, component, (known >> k & 1) != 0 ? boxes.value_of(e) : unknown());
        }
    }

    /// Joins the stored values with the column's current ones; the plainest answer stays.
    void join(const Boxes& boxes, uint32_t first, Bits known) const {
        for (Bits rest = known; rest != 0; rest &= rest - 1) {
            const auto k = static_cast<size_t>(std::countr_zero(rest));
            lanes->put(first + k, component,
                       reference::join(lanes->get(first + k, component), boxes.value_of(entry_of(column, k))));
        }
    }
};

/// Whether a program's inputs are not simply those of the case (system_values.cpp).
bool has_special_inputs(const tgsi::Program& program, const Context& c) {
    return std::ranges::any_of(program.declarations, [&](const tgsi::Declaration& d) {
        if (d.file != File::Input) return false;
        const bool fragment = program.stage == tgsi::Stage::Fragment;
        return d.has_dim || (d.semantic == tgsi::Semantic::PrimId && !fragment) ||
               (d.semantic == tgsi::Semantic::Fog && fragment && c.old_dialect());
    });
}

}  // namespace

std::optional<std::vector<bool>> run(const tgsi::Program& program, const tgsi::Registers& registers,
                                     const Inputs& inputs, const Options& options, const FlowTable& table,
                                     Result& result) {
    const Context context = context_of(program, options);
    if (inputs.lanes == 0 || has_special_inputs(program, context)) return std::nullopt;
    const std::optional<Code> code = decode(program, registers, inputs, context, table);
    if (!code) return std::nullopt;

    const Feeder feeder(*code, program, registers, inputs, options);
    const auto block = hwy::AllocateAligned<uint32_t>(code->words);
    std::fill_n(block.get(), code->words, 0u);
    for (size_t i = 0; i < code->uniforms.size(); ++i)
        std::fill_n(block.get() + code->uniforms_at + i * kWidest, kWidest, code->uniforms[i]);

    // The destinations of the components of declared OUT registers; those that nothing writes are 0, or undefined.
    std::vector<Out> outs;
    const std::vector<uint8_t> written = written_outputs(program, registers, table);
    registers.for_each_run(File::Output, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            const uint8_t mask = written[static_cast<size_t>(i)];
            result.written[i] = mask;
            OutputLanes& lanes = result.outputs[i];
            lanes.make_words(inputs.lanes, mask, code->bounds);
            for (const Port& p : code->outputs)
                if (p.index == i && (mask >> p.component & 1))
                    outs.push_back({block.get() + p.column, &lanes, p.component});
        }
    });
    const bool fragment = program.stage == tgsi::Stage::Fragment;
    if (fragment) {
        result.killed.resize(inputs.lanes);
        result.killed_unknown.resize(inputs.lanes);
    }
    Boxes boxes;
    Ways ways;
    const Block b{block.get(), boxes, ways};
    std::vector<bool> escaped(inputs.lanes, false);
    bool any_escaped = false;
    for (uint32_t first = 0; first < inputs.lanes; first += kLanes) {
        const uint32_t count = std::min(kLanes, inputs.lanes - first);
        ways.clear();
        // Lanes that the interpreter must execute.
        Bits gone = 0;
        const auto execute_lanes = [&](Bits lanes) {
            for (const uint32_t at : code->zeroed) std::fill_n(block.get() + at, code->column_words(), 0u);
            boxes.clear();
            gone |= feeder.fill(first, block.get()) & lanes;
            const Outcome outcome = execute(*code, lanes & ~gone, options.max_steps, b);
            gone |= (outcome.escaped | ways.lost()) & lanes;
            return outcome;
        };
        Bits open = kEveryLane >> (kLanes - count);
        const Outcome outcome = execute_lanes(open);
        // The interpreter finds out where the program does not end. Further blocks would take it as long, so all of
        // them are left to it.
        if (outcome.endless && options.most_instructions != 0) {
            std::fill(escaped.begin() + first, escaped.end(), true);
            any_escaped = true;
            break;
        }
        result.instructions += outcome.instructions;
        for (const Out& o : outs) o.store(code->bounds, boxes, first, count, open & ~gone);
        for (uint32_t k = 0; fragment && k < count; ++k) result.killed[first + k] = outcome.killed >> k & 1;
        // Whatever a way leaves is permitted.
        uint32_t runs = 1;
        while ((open = ways.next(open & ~gone)) != 0) {
            if (runs++ == kMaxRuns) {
                gone |= open;
                break;
            }
            const Outcome other = execute_lanes(open);
            for (const Out& o : outs) o.join(boxes, first, open & ~gone);
            const Bits differ = (other.killed ^ outcome.killed) & open;
            for (uint32_t k = 0; fragment && differ != 0 && k < count; ++k)
                if (differ >> k & 1) result.killed_unknown[first + k] = true;
        }
        any_escaped |= gone != 0;
        for (uint32_t k = 0; gone != 0 && k < count; ++k) escaped[first + k] = gone >> k & 1;
    }
    // The interpreter executes those lanes separately, with other lane numbers.
    if (any_escaped && (feeder.sees_numbers() || !code->bounds)) return std::nullopt;
    return escaped;
}

}  // namespace tgsi2spv::reference::columns
