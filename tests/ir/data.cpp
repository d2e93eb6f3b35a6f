// The parts of a module: lists that keep to their memory resource, and names that allocate nothing.
#include <gtest/gtest.h>

#include <string>

#include "ir/counted_memory.h"
#include "ir/module.h"
#include "ir/name.h"

namespace tgsi2spv::ir {
namespace {

TEST(IrModule, StandsInItsMemory) {
    CountedMemory memory;
    {
        Module module(&memory);
        Function& f = module.functions.emplace_back(module.memory());
        f.params.push_back(f32());
        f.blocks.push_back({});
        f.instructions.push_back({});
        f.args.push_back(0);
        module.variables.push_back({.name = "a name that is longer than std::string keeps"});
        module.constants.push_back({});
        module.image_ops.push_back({});
        EXPECT_EQ(memory.allocations, 8u);
    }
    EXPECT_EQ(memory.bytes, 0u);
}

TEST(IrName, KeepsItsText) {
    EXPECT_TRUE(Name().empty());
    EXPECT_EQ(Name("CONST[2]"), "CONST[2]");
    EXPECT_EQ(Name(std::string("a")), Name("a"));
    EXPECT_FALSE(Name("a") == Name("ab"));
    EXPECT_FALSE(Name("a") == "b");
    EXPECT_EQ(Name("captured ").append("GENERIC[7]"), "captured GENERIC[7]");
    const std::string most(Name::kMax, 'x');
    EXPECT_EQ(Name(most), most);
    EXPECT_EQ(Name(most + "y"), most);
    EXPECT_EQ(Name(most).append("y"), most);
}

}  // namespace
}  // namespace tgsi2spv::ir
