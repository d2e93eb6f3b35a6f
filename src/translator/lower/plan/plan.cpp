// The passes of a plan.
#include "lower/plan/plan.h"

#include <algorithm>

#include "lower/options/linkage.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::File;

void number_slots(const tgsi::Registers& registers, Slots& slots) {
    const auto count = [&](File file) { return static_cast<uint32_t>(registers.count(file)); };
    slots.address = count(File::Temp);
    slots.output = slots.address + count(File::Address);
    slots.predicate = slots.output + count(File::Output);
    slots.killed = slots.predicate + count(File::Predicate);
    slots.emitted = slots.killed + 1;
    slots.primitives = slots.emitted + 1;
    slots.count = slots.primitives + 1;
}

uint64_t stored_outputs(const Plan& plan) {
    return static_cast<uint64_t>(std::ranges::count_if(plan.output_masks, [](uint8_t mask) { return mask != 0; }));
}

/// GEOM. EMIT appends a vertex unless GS_MAX_OUTPUT_VERTICES have been emitted (semantics, Flow). It stores every
/// output: if all of them together would store too much, one function does it, and every EMIT calls it.
void plan_emits(const tgsi::Program& program, const Options& options, Plan& plan) {
    plan.counts_primitives = options.io_buffers;
    plan.counts_vertices = options.io_buffers || !plan.scratch.emits_are_bounded || plan.functions[0].branches ||
                           plan.scratch.emits > tgsi::most_emitted_vertices(program);
    if (plan.scratch.emits * stored_outputs(plan) <= phi_budget(program)) return;
    plan.emit_functions = true;
    outputs_to_memory(plan);
}

/// Registers that an index may select live in memory.
void keep_indexed_in_memory(const tgsi::Registers& registers, Plan& plan) {
    for (const File file : {File::Input, File::SystemValue}) {  // copied whole so that they can be indexed
        if (!plan.indirect[static_cast<size_t>(file)].some) continue;
        const auto masks = file == File::Input ? plan.input_masks : plan.system_masks;
        registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
            std::fill(masks.begin() + first, masks.begin() + last + 1, uint8_t{0xf});
        });
    }
    for (const File file : {File::Temp, File::Address, File::Output, File::Predicate}) {
        const IndirectFile& f = plan.indirect[static_cast<size_t>(file)];
        if (!f.some) continue;
        const int32_t count = registers.count(file);
        if (f.all && count > 0) {
            const uint32_t first = slot_of(plan.slots, file, 0);
            std::fill_n(plan.in_memory.begin() + first, count, uint8_t{1});
        }
    }
    for (size_t r = 0; r < registers.ranges.size(); ++r) {
        if (plan.indirect_ranges[r] == 0) continue;
        const tgsi::Range& range = registers.ranges[r];
        const uint32_t first = slot_of(plan.slots, range.file, range.first);
        if (first != kNoIndex) std::fill_n(plan.in_memory.begin() + first, range.last - range.first + 1, uint8_t{1});
    }
}

/// Each exit of main stores every output. If that is too much, main becomes a function, with one exit after its
/// call.
void limit_exits(const tgsi::Program& program, Plan& plan) {
    if (program.stage == tgsi::Stage::Geometry || program.stage == tgsi::Stage::TessControl) return;
    if (plan.functions[0].returns * stored_outputs(plan) <= phi_budget(program)) return;
    plan.wrap = true;
    for (uint32_t s = plan.slots.output; s < plan.slots.count; ++s) plan.in_memory[s] = 1;
}

}  // namespace

bool make_plan(const tgsi::Program& program, const tgsi::Registers& registers, const Options& options,
               const Capabilities& capabilities, Plan& plan, std::vector<tgsi::Diagnostic>& diagnostics) {
    const bool guarded = options.max_iterations != 0;
    number_slots(registers, plan.slots);
    plan.drops = false;
    if (!scan_text(program, registers, capabilities, plan, diagnostics)) return false;
    // Dropping values means scanning again. It is only worth trying if the phis may outnumber the text's instructions.
    if (options.drop_unneeded && phi_operands_at_most(plan) > 4 * program.instructions.size() &&
        drop_unneeded(program, guarded, plan) && !scan_text(program, registers, capabilities, plan, diagnostics))
        return false;
    if (!plan.calls.empty() && !measure_calls(program, plan, diagnostics)) return false;

    plan.kills |= clips_fragments(program, options) && !capabilities.demote;

    // First the registers that have to live in memory, since these need no phis.
    // Every function tests the flag before it writes to memory or votes, even if another function kills.
    if (plan.kills && plan.functions.size() > 1) plan.in_memory[plan.slots.killed] = 1;
    if (program.stage == tgsi::Stage::Geometry) plan_emits(program, options, plan);
    keep_indexed_in_memory(registers, plan);
    // Basic blocks of main can be entered from anywhere, so no register stays a value from one block to the next.
    if (plan.functions[0].branches) std::fill(plan.in_memory.begin(), plan.in_memory.end(), uint8_t{1});
    find_flat_constructs(program, plan);
    limit_exits(program, plan);
    if (options.workarounds.loop_registers_in_memory) keep_loops_in_memory(program, plan);
    // Then those that would need too many phis.
    keep_phi_budget(program, plan);
    // The registers that are values are known now: their phis follow from the writes of constructs and later reads.
    gather_writes(program, plan);
    find_live_writes(program, guarded, plan);
    return true;
}

}  // namespace tgsi2spv::lower
