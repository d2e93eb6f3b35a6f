#include "ir/module.h"

namespace tgsi2spv::ir {
namespace {
constexpr OpInfo kTable[] = {
#define IR_OP(name, operands, result, traits, doc) {#name, operands, ResultRule::result, Trait::traits},
#include "ir/instructions.def"
#undef IR_OP
};
#define IR_OP(name, operands, result, traits, doc) static_assert(sizeof(doc) > 1, #name " has no meaning");
#include "ir/instructions.def"
#undef IR_OP
}  // namespace

const OpInfo& info(Op op) {
    return kTable[static_cast<size_t>(op)];
}

int access_levels(const Variable& variable) {
    const int declared = (variable.array[0] != 0) + (variable.array[1] != 0);
    const bool run_time_sized = variable.kind == VariableKind::StorageBuffer || variable.kind == VariableKind::IoBuffer;
    return declared + run_time_sized;
}

ImageArguments image_arguments(const Module& module, const Instruction& instruction) {
    const ImageOp& image = module.image_ops[instruction.aux];
    const Op op = instruction.op;
    const bool query = op >= Op::ImageQuerySize && op <= Op::ImageQuerySamples;
    ImageArguments at;
    auto take = [&](bool present, int n = 1) {
        if (!present) return -1;
        at.count += n;
        return at.count - n;
    };
    at.image_index = take(module.variables[image.image].array[0] != 0);
    at.sampler_index = take(image.sampler != kNone && module.variables[image.sampler].array[0] != 0);
    at.coordinate = take(!query);
    at.dref = take(image.dref);
    at.texel = take(op == Op::ImageWrite);
    at.bias = take(image.bias);
    at.lod = take(image.lod);
    at.grad = take(image.grad, 2);
    at.const_offset = take(image.const_offset);
    at.offset = take(image.offset);
    at.const_offsets = take(image.const_offsets, 4);
    at.sample = take(image.sample);
    at.min_lod = take(image.min_lod);
    if (op == Op::ImageAtomic) {
        const int n = atomic_operands(static_cast<AtomicOp>(instruction.sub));
        at.operand = take(true, n);
    }
    return at;
}

}  // namespace tgsi2spv::ir
