// MEMBAR, the fences of the middle edition, and BARRIER.
#include <spirv/unified1/spirv.hpp11>

#include "lower/families/families.h"
#include "lower/families/memory.h"
#include "lower/interface/own_memory.h"

namespace tgsi2spv::lower {

using ir::Value;
using tgsi::Opcode;

namespace {

using Semantics = spv::MemorySemanticsMask;

constexpr uint32_t bits(Semantics s) {
    return static_cast<uint32_t>(s);
}

constexpr uint32_t kAllMemory =
    bits(Semantics::UniformMemory) | bits(Semantics::ImageMemory) | bits(Semantics::WorkgroupMemory);

/// Bits of MEMBAR: 1 buffers, 2 counters (buffers, too), 4 images, 8 shared, 16 the work group only.
constexpr uint32_t kBuffers = 3, kImages = 4, kShared = 8, kGroup = 16;

void barrier(Operation& op, spv::Scope scope, uint32_t memory) {
    op.b.emit(ir::Op::MemoryBarrier, ir::kVoid, {}, memory | bits(Semantics::AcquireRelease),
              static_cast<uint8_t>(scope));
}

}  // namespace

Outcome lower_memory_barrier(Operation& op) {
    const bool compute = op.program.stage == tgsi::Stage::Compute;
    const uint32_t possible = compute ? kAllMemory : kAllMemory & ~bits(Semantics::WorkgroupMemory);
    switch (op.instruction.op) {
        case Opcode::BARRIER:
            group_barrier(op.context);
            return {};
        case Opcode::MEMBAR: {
            const Value mask = source_component(op, 0, ir::Scalar::U32, 0);
            if (!is_known(op, mask, [](uint32_t) { return true; })) {
                barrier(op, spv::Scope::Device, possible);
                return {};
            }
            const uint32_t word = op.b.constant(mask).words[0];
            uint32_t memory = 0;
            if (word & kBuffers) memory |= bits(Semantics::UniformMemory);
            if (word & kImages) memory |= bits(Semantics::ImageMemory);
            if (word & kShared) memory |= bits(Semantics::WorkgroupMemory);
            memory &= possible;
            if (memory != 0) barrier(op, word & kGroup && compute ? spv::Scope::Workgroup : spv::Scope::Device, memory);
            return {};
        }
        default:  // LFENCE, SFENCE, MFENCE: a barrier stronger than loads or stores alone is allowed
            barrier(op, spv::Scope::Device, possible);
            return {};
    }
}

Outcome lower_patch_barrier(Operation& op) {
    group_barrier(op.context);
    return {};
}

}  // namespace tgsi2spv::lower
