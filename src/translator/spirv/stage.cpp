// Stages, subgroups and calls: kill, barriers, vertices, votes, the clock.
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

bool module_has(const ir::Module& module, ir::Op op) {
    for (const ir::Function& f : module.functions)
        for (const ir::Instruction& i : f.instructions)
            if (i.op == op) return true;
    return false;
}

}  // namespace

/// Vulkan 1.0: reads of another lane take scalars only (SPV_KHR_shader_ballot). GroupFirst has no `lane`.
void Emitter::emit_subgroup_read(const ir::Instruction& instruction, ir::Value self, Id lane) {
    const ir::Value value = function->args_of(instruction)[0];
    const Id scalar = type(instruction.type.with(1));
    std::array<Id, 4> parts{};
    for (uint8_t c = 0; c < instruction.type.components; ++c) {
        const Id part = component_of(value, c);
        parts[c] = instruction.type.components == 1 ? result_id(self) : new_id();
        if (instruction.op == ir::Op::GroupFirst)
            put(w.code, spv::Op::OpSubgroupFirstInvocationKHR, {scalar, parts[c], part});
        else
            put(w.code, spv::Op::OpSubgroupReadInvocationKHR, {scalar, parts[c], part, lane});
    }
    if (instruction.type.components > 1)
        construct(type(instruction.type), result_id(self), std::span(parts).first(instruction.type.components));
}

void Emitter::emit_subgroup(const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = function->args_of(instruction);
    const Id value = id_of(args[0]);
    const Id lane = args.size() > 1 ? id_of(args[1]) : 0;
    const Id result_type = type(instruction.type);
    if (version < kSpirv13) {
        switch (instruction.op) {
            case ir::Op::GroupAll:
                return put(w.code, spv::Op::OpSubgroupAllKHR, {result_type, result_id(self), value});
            case ir::Op::GroupAny:
                return put(w.code, spv::Op::OpSubgroupAnyKHR, {result_type, result_id(self), value});
            case ir::Op::GroupAllEqual:
                if (type_of(args[0]) != ir::boolean())
                    return fail("unsupported-subgroup", "comparing values across a subgroup needs vulkan1.1",
                                instruction.offset_plus_one);
                return put(w.code, spv::Op::OpSubgroupAllEqualKHR, {result_type, result_id(self), value});
            case ir::Op::GroupBallot:
                return put(w.code, spv::Op::OpSubgroupBallotKHR, {result_type, result_id(self), value});
            default:
                return emit_subgroup_read(instruction, self, lane);
        }
    }
    const Id scope = u32_constant(static_cast<uint32_t>(spv::Scope::Subgroup));
    switch (instruction.op) {
        case ir::Op::GroupAll:
            return put(w.code, spv::Op::OpGroupNonUniformAll, {result_type, result_id(self), scope, value});
        case ir::Op::GroupAny:
            return put(w.code, spv::Op::OpGroupNonUniformAny, {result_type, result_id(self), scope, value});
        case ir::Op::GroupAllEqual:
            return put(w.code, spv::Op::OpGroupNonUniformAllEqual, {result_type, result_id(self), scope, value});
        case ir::Op::GroupBallot:
            return put(w.code, spv::Op::OpGroupNonUniformBallot, {result_type, result_id(self), scope, value});
        case ir::Op::GroupFirst:
            return put(w.code, spv::Op::OpGroupNonUniformBroadcastFirst, {result_type, result_id(self), scope, value});
        case ir::Op::GroupBroadcast:
            if (version < kSpirv15 && !ir::is_constant(args[1]))
                return fail("unsupported-subgroup", "reading a subgroup lane selected by a register needs vulkan1.2",
                            instruction.offset_plus_one);
            return put(w.code, spv::Op::OpGroupNonUniformBroadcast, {result_type, result_id(self), scope, value, lane});
        default:
            return put(w.code, spv::Op::OpGroupNonUniformShuffle, {result_type, result_id(self), scope, value, lane});
    }
}

void Emitter::emit_stage_operation(const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = function->args_of(instruction);
    switch (instruction.op) {
        case ir::Op::Demote:
            return put(w.code, spv::Op::OpDemoteToHelperInvocation);
        case ir::Op::IsHelper:
            // The builtin does not change when an invocation is demoted. Without a demotion both give the same result,
            // and every driver knows the builtin.
            if (!looked_for_demote) {
                has_demote = module_has(module, ir::Op::Demote);
                looked_for_demote = true;
            }
            if (has_demote)
                return put(w.code, spv::Op::OpIsHelperInvocationEXT, {type(instruction.type), result_id(self)});
            return put(w.code, spv::Op::OpLoad, {type(instruction.type), result_id(self), helper_invocation()});
        case ir::Op::EmitVertex:
        case ir::Op::EndPrimitive: {
            const bool vertex = instruction.op == ir::Op::EmitVertex;
            if (!streams) return put(w.code, vertex ? spv::Op::OpEmitVertex : spv::Op::OpEndPrimitive);
            return put(w.code, vertex ? spv::Op::OpEmitStreamVertex : spv::Op::OpEndStreamPrimitive,
                       {u32_constant(instruction.aux)});
        }
        case ir::Op::ControlBarrier: {
            // Without semantics, no memory is affected; the barrier itself orders TESS_CTRL's outputs. In TESS_CTRL,
            // the memory scope cannot be the work group (VUID-StandaloneSpirv-ExecutionModel-07320).
            const bool patch = module.entry.stage == ir::Stage::TessControl;
            const auto memory = !instruction.aux ? spv::Scope::Invocation
                                : patch          ? spv::Scope::Device
                                                 : spv::Scope::Workgroup;
            return put(w.code, spv::Op::OpControlBarrier,
                       {u32_constant(static_cast<uint32_t>(spv::Scope::Workgroup)),
                        u32_constant(static_cast<uint32_t>(memory)), u32_constant(instruction.aux)});
        }
        case ir::Op::MemoryBarrier:
            return put(w.code, spv::Op::OpMemoryBarrier,
                       {u32_constant(instruction.sub), u32_constant(instruction.aux)});
        case ir::Op::Clock:
            return put(
                w.code, spv::Op::OpReadClockKHR,
                {type(instruction.type), result_id(self), u32_constant(static_cast<uint32_t>(spv::Scope::Subgroup))});
        case ir::Op::Call: {
            const Id result_type = type(instruction.type);
            const Id result = instruction.type.is_void() ? new_id() : result_id(self);
            const size_t start = w.code.size();
            w.code.grow(4);
            w.code[start + 1] = result_type;
            w.code[start + 2] = result;
            w.code[start + 3] = w.function_ids[instruction.aux];
            for (ir::Value v : args) {
                const Id id = id_of(v);
                w.code.push(id);
            }
            return close(start, spv::Op::OpFunctionCall, instruction.offset_plus_one, "a call");
        }
        default:
            return fail("unsupported-instruction", ir::info(instruction.op).name, instruction.offset_plus_one);
    }
}

}  // namespace tgsi2spv::spirv
