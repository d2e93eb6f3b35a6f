#include "ir/module.h"

namespace tgsi2spv::ir {
namespace {
constexpr OpInfo kTable[] = {
#define IR_OP(name, operands, result, traits, doc) {#name, operands, ResultRule::result, Trait::traits, doc},
#include "ir/instructions.def"
#undef IR_OP
};
}  // namespace

const OpInfo& info(Op op) {
    return kTable[static_cast<size_t>(op)];
}

}  // namespace tgsi2spv::ir
