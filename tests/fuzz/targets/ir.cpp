// The text form of the IR: a module that parses can be printed, and parsing that gives the same print; a module that
// verifies still verifies after the passes.
#include "ir/parse.h"

#include <string>

#include "ir/passes/pipeline.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "target.h"

using namespace tgsi2spv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    ir::Module module, again;
    if (const auto error = ir::parse(fuzz::text_of(data, size), module)) {
        fuzz::require(!error->text.empty(), "refused without a reason");
        return 0;
    }
    if (ir::verify(module)) return 0;
    const std::string printed = ir::print(module);
    fuzz::require(!ir::parse(printed, again), "what is printed does not parse");
    fuzz::require(ir::print(again) == printed, "what is printed is another module");
    ir::PassOptions options;
    options.verify = true;
    ir::PassMemory memory;
    if (const auto broken = ir::optimise(module, options, memory)) fuzz::require(false, *broken);
    return 0;
}
