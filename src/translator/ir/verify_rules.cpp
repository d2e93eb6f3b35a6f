#include "ir/verify_rules.h"

namespace tgsi2spv::ir {
namespace {

// A construct is the run of blocks from its header up to its merge block; a continue construct, from the continue
// target up to the loop's merge block; a case, from its target up to the next case. That is narrower than SPIR-V's
// rules; lowering creates nothing else.
constexpr VerifyRule kRules[] = {
    // module
    {"entry-function", "the entry function exists, and has no parameters and no result"},
    {"variable-element", "a variable has an element type, unless it is an image or a sampler"},
    {"variable-function", "a Local belongs to a function that exists, and only that function names it"},
    {"constant-type", "a constant has a type; a specialization constant is a scalar"},
    {"image-op-variable", "an image operation names an image, and as its sampler a sampler"},
    {"recursion", "no function calls itself, directly or through others"},
    // ids
    {"block-range", "a function has blocks; their instructions are contiguous, and every instruction is in a block"},
    {"block-id", "branches, merges and continue targets name blocks that exist, and never the entry block"},
    {"opcode", "the instruction is a row of instructions.def"},
    {"argument-range", "arguments are inside Function::args"},
    {"argument-id", "arguments are constants, or instructions that have a result"},
    {"argument-count", "the number of arguments is that of the instruction"},
    {"variable-id", "the variable exists"},
    {"image-op-id", "the image operation exists"},
    {"function-id", "the called function exists"},
    {"atomic-op", "the atomic operation exists"},
    // order inside a block
    {"one-terminator", "a block has exactly one terminator, as its last instruction"},
    {"phi-first", "phis precede all other instructions of their block, and are not in the entry block"},
    {"param-first", "Param n is instruction n of the entry block"},
    // types
    {"operand-type", "operands have the types of the instruction's row"},
    {"result-type", "the result has the type of the instruction's row"},
    {"component", "a Compose selects components that its arguments have"},
    {"precise", "only float arithmetic is marked precise"},
    // values
    {"dominance", "a value precedes its use and dominates it"},
    {"phi-edges", "a phi has one entry for each predecessor block, and no other"},
    {"phi-dominance", "a phi's value dominates the end of the block that it comes from"},
    // structure
    {"block-order", "a reachable block follows a block that leads to it"},
    {"merge-once", "a block is the merge block of at most one header"},
    {"nesting", "a construct ends after its header, inside the enclosing construct"},
    {"selection-header", "a selection's header ends in BranchIf or Switch"},
    {"loop-header", "a loop's header ends in Branch or BranchIf"},
    {"switch-merge", "a block that ends in Switch names its merge block"},
    {"selection-merge", "a BranchIf without a merge block has at least one target where a construct ends"},
    {"continue-target", "a continue target is in its loop, and in no construct inside it"},
    {"back-edge",
     "each loop has one edge back to its header, from its continue construct; there are no other back-edges"},
    {"construct-entry", "a construct, and its merge block, are reached only through the header"},
    {"construct-exit",
     "a construct is left only to its merge block, or the innermost loop's or switch's, to a continue target or the next case"},
    {"continue-exit",
     "a continue construct is left only by its back-edge block, to the header or to the loop's merge block"},
    {"case-target", "a switch branches to blocks of its construct, or to its merge block"},
    {"case-order", "a case is left to no other case than the next"},
    // variables and images
    {"access-kind", "the kind of variable permits what the instruction does"},
    {"access-indices",
     "there is one u32 for each array level, then optionally a component: a constant, masked by one, or selected from two"},
    {"access-type", "what is read or written is the element, or a component of it"},
    {"image-kind", "the kind of image permits what the instruction does"},
    {"image-sampler", "an operation that samples a SAMPLE-family image has a sampler; no other operation has one"},
    {"image-operands", "the combination of image operands is allowed"},
    {"image-coordinate", "the coordinate is float for sampling and integer otherwise, and has all components"},
    {"image-operand", "image operands have the right types"},
    {"image-constant", "constant offsets are constants"},
};

}  // namespace

std::span<const VerifyRule> verify_rules() {
    return kRules;
}

}  // namespace tgsi2spv::ir
