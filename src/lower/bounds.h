// What an access outside of its range does, by class of access.
#pragma once

#include <cstdint>

namespace tgsi2spv::lower {

enum class OutOfRange : uint8_t {
    Zero,   ///< reads give 0, writes and atomics do not happen (semantics: Addressing, Memory)
    Clamp,  ///< it goes to the nearest place that exists; cheaper, and as safe
    Trust,  ///< the caller promises that there is none: no check, and undefined behaviour where there is one
};

struct Bounds {
    OutOfRange registers = OutOfRange::Zero;  ///< temporaries, arrays of inputs, outputs, immediates; vertices
    OutOfRange constants = OutOfRange::Zero;  ///< CONST through an index
    OutOfRange buffers = OutOfRange::Zero;    ///< words of BUFFER, MEMORY, HWATOMIC, CONSTBUF
    OutOfRange images = OutOfRange::Zero;     ///< texels of IMAGE and RES
    /// Which buffer, image, texture or sampler an index or a handle selects. (Textures and handles have no Zero:
    /// Clamp.)
    OutOfRange descriptors = OutOfRange::Zero;
};

}  // namespace tgsi2spv::lower
