#include "odd/device.h"

#include <algorithm>
#include <deque>

#include "cases/run/run_parts.h"
#include "cases/run/run_vulkan.h"
#include "tgsi/program/resource_numbers.h"

namespace tgsi2spv::odd {

using ir::BuiltIn;
using ir::Op;
using test::Invocation;
using test::Words;
using State = Invocation::State;

namespace {

struct Lane {
    Invocation invocation;
    uint32_t group;  ///< a quad, or a work group
};

/// The invocations of a draw or dispatch, in an order that is drawn.
class Invocations {
  public:
    Invocations(const ir::Module& module, const test::Surroundings& around, test::SharedMemory& memory,
                Arithmetic& arithmetic)
        : module_(module), around_(around), memory_(memory), arithmetic_(arithmetic) {}

    void add(uint32_t group, std::map<BuiltIn, Words> builtins) {
        lanes_.push_back({Invocation(module_, no_inputs_, around_, memory_, groups_[group], arithmetic_), group});
        lanes_.back().invocation.builtins = std::move(builtins);
    }
    /// Returns why it could not be run.
    std::string run() {
        for (uint32_t turns = 0; turns < kMostTurns; turns++) {
            std::vector<Lane*> running;
            bool waits = false;
            for (Lane& lane : lanes_) {
                if (!lane.invocation.error.empty()) return lane.invocation.error;
                waits |= lane.invocation.state() == State::Waiting;
                if (lane.invocation.state() == State::Running) running.push_back(&lane);
            }
            if (running.empty() && !waits) return {};
            if (running.empty())
                resume_some();
            else
                running[random().below(running.size())]->invocation.run(1 + random().below(kMostSteps));
        }
        return "it does not end";
    }

  private:
    static constexpr uint32_t kMostTurns = 40'000, kMostSteps = 200;

    const ir::Module& module_;
    const test::Surroundings& around_;
    test::SharedMemory& memory_;
    Arithmetic& arithmetic_;
    const std::map<uint32_t, Words> no_inputs_;
    std::map<uint32_t, test::Elements> groups_;  ///< shared memory
    std::deque<Lane> lanes_;

    difftest::Random& random() { return arithmetic_.random(); }

    /// All invocations wait. Those of a work group pass a barrier if each of them is at one.
    void resume_some() {
        Invocation* last = nullptr;
        std::map<uint32_t, bool> at_barrier;
        for (Lane& lane : lanes_) {
            if (lane.invocation.state() != State::Waiting) continue;
            const bool is_barrier = lane.invocation.waiting_at().op == Op::ControlBarrier;
            at_barrier.try_emplace(lane.group, true).first->second &= is_barrier;
            if (!is_barrier && (last == nullptr || lane.invocation.is_behind(*last))) last = &lane.invocation;
        }
        for (Lane& lane : lanes_)
            if (lane.invocation.state() == State::Waiting && at_barrier[lane.group]) lane.invocation.resume({});
        if (last == nullptr) return;
        const Op op = last->waiting_at().op;
        if (op >= Op::DPdx && op <= Op::DPdyFine)
            derive(*last);
        else
            last->resume(alone(*last));
    }

    /// The result of a derivative is undefined unless all invocations of the quad execute it.
    void derive(Invocation& one) {
        std::vector<Invocation*> quad;
        const auto of_one = std::ranges::find_if(lanes_, [&](const Lane& l) { return &l.invocation == &one; });
        for (Lane& lane : lanes_)
            if (lane.group == of_one->group && lane.invocation.waits_with(one)) quad.push_back(&lane.invocation);
        if (quad.size() != 4) return one.resume(anything());
        const ir::Instruction& i = one.waiting_at();
        const bool along_x = i.op == Op::DPdx || i.op == Op::DPdxFine;
        const uint32_t step = along_x ? 1 : 2, other = 3 - step;
        // Coarse: one difference for the whole quad, of either row or column.
        const bool is_coarse = (i.op == Op::DPdx || i.op == Op::DPdy) && random().below(2);
        const uint32_t row = random().below(2) * other;
        std::array<Words, 4> operands{}, results{};
        for (uint32_t n = 0; n < 4; n++) operands[n] = quad[n]->operand(0);
        for (uint32_t n = 0; n < 4; n++) {
            const uint32_t from = is_coarse ? row : n & other;
            for (size_t c = 0; c < i.type.components; c++)
                results[n][c] = arithmetic_.difference(operands[from][c], operands[from + step][c]);
        }
        for (uint32_t n = 0; n < 4; n++) quad[n]->resume(results[n]);
    }

    /// The result of a subgroup of this invocation.
    Words alone(const Invocation& one) {
        switch (one.waiting_at().op) {
            case Op::GroupAllEqual:
                return {1};
            case Op::GroupBallot:
                return {one.operand(0)[0] != 0};
            case Op::GroupAll:
            case Op::GroupAny:
            case Op::GroupFirst:
                return one.operand(0);
            case Op::GroupShuffle:
            case Op::GroupBroadcast:
                return one.operand(1)[0] == 0 ? one.operand(0) : anything();
            default:
                return anything();
        }
    }
    Words anything() {
        Words words;
        for (uint32_t& word : words) word = arithmetic_.undefined_word();
        return words;
    }
};

constexpr Words single(uint32_t word) {
    return {word};
}

std::map<BuiltIn, Words> common(const reference::Inputs& inputs, Arithmetic& arithmetic) {
    const auto half = std::bit_cast<uint32_t>(0.5f);
    return {{BuiltIn::InstanceIndex, single(inputs.base_instance)},
            {BuiltIn::BaseVertex, single(inputs.base_vertex)},
            {BuiltIn::BaseInstance, single(inputs.base_instance)},
            {BuiltIn::DrawIndex, {}},
            {BuiltIn::FrontFacing, single(1)},
            {BuiltIn::PointCoord, {arithmetic.undefined_word(), arithmetic.undefined_word()}},
            {BuiltIn::SampleId, {}},
            {BuiltIn::SamplePosition, {half, half}},
            {BuiltIn::SampleMask, single(1)},
            {BuiltIn::HelperInvocation, {}},
            {BuiltIn::PrimitiveId, {}},
            {BuiltIn::Layer, {}},
            {BuiltIn::ViewportIndex, {}},
            {BuiltIn::ViewIndex, {}},
            {BuiltIn::NumWorkgroups, {inputs.grid[0], inputs.grid[1], inputs.grid[2]}},
            {BuiltIn::SubgroupSize, single(1)},
            {BuiltIn::SubgroupLocalInvocationId, {}},
            {BuiltIn::SubgroupEqMask, single(1)},
            {BuiltIn::SubgroupGeMask, single(1)},
            {BuiltIn::SubgroupGtMask, {}},
            {BuiltIn::SubgroupLeMask, single(1)},
            {BuiltIn::SubgroupLtMask, {}}};
}

void add_vertices(Invocations& all, const reference::Inputs& inputs) {
    for (uint32_t lane = 0; lane < inputs.lanes; lane++)
        all.add(0, {{BuiltIn::VertexIndex, single(inputs.base_vertex + lane)}});
}

/// Lanes are numbered quad by quad in rows of quads (lower/io_buffers.h).
void add_pixels(Invocations& all, const reference::Inputs& inputs, uint32_t lanes, Arithmetic& arithmetic) {
    const uint32_t row = std::max(1u, inputs.framebuffer_width / 2);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t quad = lane / 4;
        const auto x = static_cast<float>(2 * (quad % row) + (lane & 1));
        const auto y = static_cast<float>(2 * (quad / row) + (lane >> 1 & 1));
        all.add(quad, {{BuiltIn::FragCoord,
                        {std::bit_cast<uint32_t>(x + 0.5f), std::bit_cast<uint32_t>(y + 0.5f),
                         arithmetic.undefined_word(), arithmetic.undefined_word()}}});
    }
}

using Box = std::array<uint32_t, 3>;

Box place_in(const Box& box, uint32_t n) {
    return {n % box[0], n / box[0] % box[1], n / box[0] / box[1]};
}
uint32_t size_of(const Box& box) {
    return box[0] * box[1] * box[2];
}

void add_work_groups(Invocations& all, const Box& block, const Box& grid) {
    for (uint32_t group = 0; group < size_of(grid); group++)
        for (uint32_t n = 0; n < size_of(block); n++) {
            const Box id = place_in(block, n), of_group = place_in(grid, group);
            Words global{};
            for (size_t c = 0; c < 3; c++) global[c] = of_group[c] * block[c] + id[c];
            all.add(group, {{BuiltIn::WorkgroupId, {of_group[0], of_group[1], of_group[2]}},
                            {BuiltIn::WorkgroupSize, {block[0], block[1], block[2]}},
                            {BuiltIn::LocalInvocationId, {id[0], id[1], id[2]}},
                            {BuiltIn::LocalInvocationIndex, single(n)},
                            {BuiltIn::GlobalInvocationId, global}});
        }
}

std::vector<reference::Component> known_words(const std::vector<uint32_t>& words) {
    std::vector<reference::Component> all;
    for (const uint32_t word : words) all.push_back(difftest::known(word));
    return all;
}

api::Options conversion_of(const api::Context& context, const reference::Inputs& inputs, const Modes& modes) {
    api::Options o;
    o.lower.dialect = modes.dialect;
    o.lower.exact = modes.exact;
    o.lower.io_buffers = true;
    o.lower.workarounds.opaque_immediates = true;  // else lowering folds much of a small program
    o.lower.shared_words = inputs.shared_words;
    o.lower.private_words = inputs.private_words;
    o.lower.handles = reference::handles_of(inputs);
    if (modes.max_iterations != 0) o.lower.max_iterations = modes.max_iterations;
    auto& capabilities = o.capabilities;
    capabilities.signed_zero_inf_nan_preserve_32 = capabilities.signed_zero_inf_nan_preserve_64 =
        capabilities.round_to_even_32 = modes.float_controls;
    if (context.program.stage != tgsi::Stage::Compute) difftest::buffer_system_values(context, inputs, o.lower);
    return o;
}

test::Surroundings surroundings_of(const reference::Inputs& inputs) {
    test::Surroundings around;
    around.buffers = inputs.buffers;
    for (const auto& [index, words] : inputs.hwatomics) around.buffers[tgsi::kFirstCounter + index] = words;
    for (const auto& [index, words] : inputs.constants) {
        auto& elements = around.constants[index];
        elements.resize((words.size() + 3) / 4);
        for (size_t i = 0; i < words.size(); i++) elements[i / 4][i % 4] = words[i];
    }
    return around;
}

void read_memory(const reference::Inputs& inputs, const test::SharedMemory& memory, reference::Result& result) {
    for (const auto& [index, words] : inputs.buffers) result.buffers[index] = known_words(memory.buffers.at(index));
    for (const auto& [index, words] : inputs.hwatomics)
        result.hwatomics[index] = known_words(memory.buffers.at(tgsi::kFirstCounter + index));
    for (const auto& [index, image] : inputs.images)
        for (const auto& level : image.data) result.images[index].push_back(known_words(level));
}

}  // namespace

Modes modes_of(uint64_t seed) {
    difftest::Random random(seed);
    Modes modes;
    modes.exact = random.below(3) != 0;
    modes.float_controls = random.below(3) != 0;
    modes.doubles_as_single = random.below(2) != 0;
    return modes;
}

reference::Options judging(const Modes& modes) {
    reference::Options o;
    o.dialect = modes.dialect;
    o.exact = modes.exact;
    o.preserves_nan_inf_zero = o.preserves_nan_inf_zero_64 = o.round_to_even = modes.float_controls;
    o.functions_keep_nan = o.round_to_even_64 = false;
    o.doubles_as_single = modes.doubles_as_single;
    o.max_iterations = modes.max_iterations;
    return o;
}

tl::expected<reference::Result, std::string> run(api::Context& context, const reference::Inputs& inputs,
                                                 const Modes& modes, uint64_t seed) {
    using Error = tl::unexpected<std::string>;
    const auto stage = context.program.stage;
    const bool is_fragment = stage == tgsi::Stage::Fragment, is_compute = stage == tgsi::Stage::Compute;
    if (stage != tgsi::Stage::Vertex && !is_fragment && !is_compute) return Error("the stage");
    const api::Options conversion = conversion_of(context, inputs, modes);
    context.diagnostics.clear();
    if (!api::lower(context, conversion) || !api::optimise(context, conversion) || !api::emit(context, conversion))
        return Error(difftest::first_error(context.diagnostics));
    const spirv::Reflection reflection = api::reflect(context, conversion);
    const ir::EntryPoint& entry = context.module.entry;

    Arithmetic arithmetic(seed,
                          {modes.float_controls, modes.float_controls, modes.float_controls, modes.doubles_as_single});
    test::Surroundings around = surroundings_of(inputs);
    around.builtins = common(inputs, arithmetic);
    const uint32_t lanes = is_fragment ? (inputs.lanes + 3) / 4 * 4 : inputs.lanes;
    const uint32_t width = std::max(2u, inputs.framebuffer_width & ~1u);
    around.io_parameters = {inputs.base_vertex, width, lanes, inputs.framebuffer_height, 0};
    test::SharedMemory memory;
    memory.buffers = around.buffers;
    Invocations all(context.module, around, memory, arithmetic);
    if (is_compute) {
        if (entry.local_size_ids[0] != ir::kNone || !inputs.system_values.empty()) return Error("an open work group");
        add_work_groups(all, entry.local_size, inputs.grid);
    } else {
        around.io_inputs = difftest::io_input_words(reflection, inputs, lanes);
        is_fragment ? add_pixels(all, inputs, lanes, arithmetic) : add_vertices(all, inputs);
    }
    if (std::string lacking = all.run(); !lacking.empty()) return Error(std::move(lacking));

    reference::Result result;
    if (!is_compute) {
        std::vector<uint32_t> words(size_t{lanes} * reflection.io_output_slots * 4, difftest::kUnwritten);
        for (const auto& [word, value] : memory.io_outputs) words.at(word) = value;
        difftest::read_io_outputs(context, reflection, words, lanes, result);
    }
    read_memory(inputs, memory, result);
    return result;
}

}  // namespace tgsi2spv::odd
