#include "reference/columns/run.h"

#include <algorithm>

#include "hwy/aligned_allocator.h"
#include "reference/columns/block.h"
#include "reference/columns/decode.h"

namespace tgsi2spv::reference::columns {
namespace {

using tgsi::File;

/// What a port is filled with: words that the case gives by lane, or the column of a Machine.
struct Feed {
    const Port* port;
    const std::vector<Vec4>* given = nullptr;
    const Value* computed = nullptr;
};

/// Inputs and system values, block by block.
class Feeder {
  public:
    Feeder(const Code& code, const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
           const Options& options)
        : lanes_(inputs.lanes) {
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

    /// Lanes first … of the case; the last one fills what is left of the block.
    void fill(uint32_t first, uint32_t* block) const {
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
                for (uint32_t k = 0; k < kLanes; ++k) to[k] = f.computed != nullptr ? f.computed[lane(k)].value : 0;
            }
        }
    }

  private:
    uint32_t lanes_;
    std::vector<Feed> feeds_;
    std::unique_ptr<Machine> machine_;
};

/// Programs whose inputs are not simply what the case gives (system_values.cpp).
bool has_special_inputs(const tgsi::Program& program, const Context& c) {
    return std::ranges::any_of(program.declarations, [&](const tgsi::Declaration& d) {
        if (d.file != File::Input) return false;
        const bool fragment = program.stage == tgsi::Stage::Fragment;
        return d.dim_is_empty || (d.semantic == tgsi::Semantic::PrimId && !fragment) ||
               (d.semantic == tgsi::Semantic::Fog && fragment && c.old_dialect());
    });
}

}  // namespace

bool run(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs, const Options& options,
         const FlowTable& table, Result& result) {
    const Context context = context_of(program, options);
    if (!options.fast_values || inputs.lanes == 0 || has_special_inputs(program, context)) return false;
    const std::optional<Code> code = decode(program, registers, inputs, context, table);
    if (!code) return false;

    const Feeder feeder(*code, program, registers, inputs, options);
    const auto block = hwy::AllocateAligned<uint32_t>(code->words);
    std::fill_n(block.get(), code->words, 0u);
    for (size_t i = 0; i < code->uniforms.size(); ++i)
        std::fill_n(block.get() + code->uniforms_at + i * kWidest, kWidest, code->uniforms[i]);

    // Where each component of a declared OUT goes; what nothing writes is 0, or undefined.
    struct Out {
        const uint32_t* column;
        uint32_t* words;
    };
    std::vector<Out> outs;
    const std::vector<uint8_t> written = written_outputs(program, registers, table);
    registers.for_each_run(File::Output, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            result.written[i] = written[static_cast<size_t>(i)];
            OutputLanes& lanes = result.outputs[i];
            lanes.make_words(inputs.lanes, written[static_cast<size_t>(i)]);
            for (const Port& p : code->outputs)
                if (p.index == i && !lanes.words(p.component).empty())
                    outs.push_back({block.get() + p.column, lanes.words(p.component).data()});
        }
    });
    const bool fragment = program.stage == tgsi::Stage::Fragment;
    if (fragment) {
        result.killed.resize(inputs.lanes);
        result.killed_unknown.resize(inputs.lanes);
    }
    for (uint32_t first = 0; first < inputs.lanes; first += kLanes) {
        const uint32_t count = std::min(kLanes, inputs.lanes - first);
        for (const uint32_t at : code->zeroed) std::fill_n(block.get() + at, kLanes, 0u);
        feeder.fill(first, block.get());
        const Outcome outcome = execute(*code, kEveryLane >> (kLanes - count), options.max_steps, block.get());
        if (!outcome.ended) return false;
        result.instructions += outcome.instructions;
        for (const Out& o : outs) std::copy_n(o.column, count, o.words + first);
        for (uint32_t k = 0; fragment && k < count; ++k) result.killed[first + k] = outcome.killed >> k & 1;
    }
    return true;
}

}  // namespace tgsi2spv::reference::columns
