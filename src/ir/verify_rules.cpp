#include "ir/verify_rules.h"

namespace tgsi2spv::ir {
namespace {

constexpr VerifyRule kRules[] = {
    // module
    {"entry-function", "the entry function exists, takes nothing and returns nothing"},
    {"variable-element", "a variable has an element type, unless it is an image or a sampler"},
    {"variable-function", "a Local belongs to a function that exists, and only that function names it"},
    {"constant-type", "a constant has a type; a specialization constant is a scalar"},
    {"image-op-variable", "an image operation names an image, and for its sampler a sampler"},
    {"recursion", "no function calls itself, directly or through others"},
    // ids
    {"block-range", "a function has blocks; their instructions follow one another and are all there are"},
    {"block-id", "branches, merges and continue targets name blocks that exist, and never the entry block"},
    {"opcode", "the instruction is a row of instructions.def"},
    {"argument-range", "arguments stand inside Function::args"},
    {"argument-id", "arguments are constants, or instructions that have a result"},
    {"argument-count", "there are as many arguments as the instruction takes"},
    {"variable-id", "the variable exists"},
    {"image-op-id", "the image operation exists"},
    {"function-id", "the called function exists"},
    {"atomic-op", "the atomic operation exists"},
    // order inside a block
    {"one-terminator", "a block has one terminator, and it stands last"},
    {"phi-first", "phis stand before everything else of their block, and not in the entry block"},
    {"param-first", "Param n is the instruction n of the entry block"},
    // types
    {"operand-type", "operands have the types of the instruction's row"},
    {"result-type", "the result has the type of the instruction's row"},
    {"component", "a Compose selects components that its arguments have"},
    {"precise", "only float arithmetic is marked precise"},
    // values
    {"dominance", "a value stands before its use and dominates it"},
    {"phi-edges", "a phi has one entry for each predecessor block, and no other"},
    {"phi-dominance", "a phi's value dominates the end of the block that it comes from"},
    // structure
    {"block-order", "a block that is reached stands after a block that leads to it"},
    {"merge-once", "a block is the merge block of one header at most"},
    {"nesting", "a construct ends inside the construct around it, after its header"},
    {"selection-header", "a selection's header ends in BranchIf or Switch"},
    {"loop-header", "a loop's header ends in Branch or BranchIf"},
    {"switch-merge", "a block that ends in Switch names its merge block"},
    {"selection-merge", "a BranchIf without merge block goes at least one way to where a construct ends"},
    {"continue-target", "a continue target stands in its loop, and in no construct inside it"},
    {"back-edge", "each loop has one edge back to its header, from its continue construct; there are no others"},
    {"construct-entry", "a construct, and the merge block after it, is reached through the header only"},
    {"construct-exit",
     "a construct is left for its merge block, for the innermost loop's merge block or continue target, for the "
     "innermost switch's merge block or next case"},
    {"continue-exit", "a continue construct is left by its back-edge block only, back or to the loop's merge block"},
    {"case-target", "a switch goes to blocks of its construct, or to its merge block"},
    {"case-order", "a case is left for no case but the next"},
    // variables and images
    {"access-kind", "the kind of variable permits what the instruction does"},
    {"access-indices",
     "there is one u32 for each array level, then perhaps a component that the element has: a constant, or masked by "
     "one"},
    {"access-type", "what is read or written is the element, or a component of it"},
    {"image-kind", "the kind of image permits what the instruction does"},
    {"image-sampler", "a SAMPLE-family image has a sampler where it is sampled; nothing else has one"},
    {"image-operands", "the image operands go together"},
    {"image-coordinate", "the coordinate is float for sampling, else integer, and has all components"},
    {"image-operand", "image operands have their types"},
    {"image-constant", "constant offsets are constants"},
};

}  // namespace

std::span<const VerifyRule> verify_rules() {
    return kRules;
}

}  // namespace tgsi2spv::ir
