// Time by size: generated shaders of 10 to 1,000,000 instructions, in shapes that are known to slow compilers down.
#pragma once

namespace tgsi2spv::bench {

/// Registers `scaling/<shape>/<instructions>`; ns_per_instruction should not grow with the size.
void register_scaling();

}  // namespace tgsi2spv::bench
