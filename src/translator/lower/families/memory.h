// Shared by the memory files: a resource as words at byte addresses.
#pragma once

#include <cstdint>
#include <optional>

#include "lower/context/guarded.h"
#include "lower/flow/flow.h"
#include "lower/interface/resources.h"
#include "lower/operands/family.h"

namespace tgsi2spv::lower {

/// A BUFFER, MEMORY, HWATOMIC or CONSTBUF operand: an array of 32-bit words.
struct WordMemory {
    ResourceRef ref;                 ///< variable kNone: there is no memory; reads give 0
    ir::Value length = ir::kNone;    ///< u32: number of words
    ir::Value selected = ir::kNone;  ///< bool: the index selects a declared register; kNone: always
    ir::Value counter = ir::kNone;   ///< HWATOMIC: the counter's word; addresses are ignored
    bool vectors = false;            ///< elements are vectors of four (CONSTBUF)
    uint32_t descriptors = 0;        ///< number of descriptors to try one by one; 0: the device indexes them
};

/// Resolves the operand of a LOAD, STORE or ATOM* that is not an image; false after a refusal.
bool word_memory(Operation& op, const tgsi::Operand& operand, WordMemory& memory);
/// Selects the memory at one descriptor of its array (kNone: not an array), with its length.
void select_descriptor(Operation& op, WordMemory& memory, ir::Value descriptor);
/// Calls `f(memory)` for the descriptor that the memory's index selects: once, or (`descriptors` > 0, if the device
/// cannot index them) once for each descriptor, inside a test that the index equals its number. `Memory` is WordMemory
/// or ImageMemory.
template <class Memory, class F>
ir::Value for_descriptor(Operation& op, const Memory& memory, ir::Type type, F&& f) {
    const auto at = [&](ir::Value descriptor) {
        Memory selected = memory;
        select_descriptor(op, selected, descriptor);
        return f(selected);
    };
    if (memory.descriptors == 0) return at(memory.ref.index);
    ir::Value result = ir::kNone;
    for (uint32_t d = 0; d < memory.descriptors; ++d) {
        const ir::Value number = op.b.const_u32(d);
        const ir::Value chosen = op.b.ieq(memory.ref.index, number);
        const ir::Value one = where(op.b, chosen, type, [&] { return at(number); });
        if (!type.is_void()) result = d == 0 ? one : op.b.select(chosen, one, result);
    }
    return result;
}
/// Marks an access whose descriptor index may differ between lanes.
void mark_divergent(Operation& op, const WordMemory& memory, ir::Value instruction);
/// The value of word number `word` (u32), or zero if it is outside.
ir::Value load_word(Operation& op, const WordMemory& memory, ir::Value word);
/// byte address >> 2, plus a component.
ir::Value word_of(Operation& op, const WordMemory& memory, ir::Value address, int component);
/// Whether the device checks the instruction's loads and stores in a buffer, or texels of an image, so that the module
/// need not (Capabilities::robust_buffers, robust_images). Never atomics.
bool device_checks(const Operation& op, bool buffer);
/// Whether an access to the word happens; kNone: always.
ir::Value is_inside(Operation& op, const WordMemory& memory, ir::Value word);

/// How many descriptors of the array are tried one by one (for_descriptor); false after a refusal of too many.
bool select_from(Operation& op, const ResourceRef& ref, uint32_t& descriptors);

/// The resource of a memory instruction: STORE's destination, otherwise the first source.
const tgsi::Operand& resource_operand(const Operation& op);

/// The IR operation for an atomic opcode; none for ATOMFADD, ATOMINC_WRAP, ATOMDEC_WRAP.
std::optional<ir::AtomicOp> atomic_operation(tgsi::Opcode opcode);
/// The words that these three store to replace `old`.
ir::Value replaced(Operation& op, ir::Value old, ir::Value data);

/// Repeats `swap(expected, replacement)`, which returns the value that was there, until no other lane intervened.
/// Returns the old value. A wrong first guess costs one more iteration; to load one would be a race with the atomics of
/// other lanes.
template <class F>
ir::Value compare_loop(Operation& op, ir::Value data, F&& swap) {
    ir::Builder& b = op.b;
    const ir::Incoming first{b.const_u32(0), b.current_block()};
    const ir::BlockId header = b.create_block(), body = b.create_block(), again = b.create_block(),
                      merge = b.create_block();
    b.branch(header);
    b.start_block(header);
    const ir::Value expected = b.phi(ir::u32(), std::span(&first, 1), 2);
    b.set_loop_merge(merge, again);
    b.branch(body);
    b.start_block(body);
    const ir::Value replacement = replaced(op, expected, data);
    const ir::Value found = swap(expected, replacement);
    ir::Value done = b.ieq(found, expected);
    // The result of an atomic in a helper invocation is unknown: it may never equal `expected`.
    if (op.program.stage == tgsi::Stage::Fragment) done = b.lor(done, b.emit(ir::Op::IsHelper, ir::boolean(), {}));
    b.branch_if(done, merge, again);
    b.start_block(again);
    b.add_incoming(expected, {found, again});
    b.branch(header);
    b.start_block(merge);
    // `found` is the same word, but lavapipe and SwiftShader lose the result of a load or atomic in a loop for lanes
    // that left the loop in an earlier iteration. They keep phis.
    return expected;
}

/// Whether the opcode is an ATOM*.
bool is_atomic(tgsi::Opcode opcode);
Outcome lower_atomic(Operation& op);
Outcome lower_memory_barrier(Operation& op);

}  // namespace tgsi2spv::lower
