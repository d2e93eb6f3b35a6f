// How the programs that run many shaders treat freed memory.
#pragma once

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tools {

/// Keeps up to 256 MiB of freed memory instead of returning it to the system. The reference and the drivers' compilers
/// free megabytes after each shader and allocate them again for the next one; a virtual machine may need longer to find
/// the pages again than the reference needs to compute. Call this first in main().
inline void keep_memory() {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that its documentation permits
#endif
}

}  // namespace tools
