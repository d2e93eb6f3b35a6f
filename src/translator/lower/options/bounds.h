// The behaviour of out-of-range accesses, by class of access.
#pragma once

#include <cstdint>

namespace tgsi2spv::lower {

enum class OutOfRange : uint8_t {
    Zero,   ///< reads give 0; writes and atomics do not happen (semantics: Addressing, Memory)
    Clamp,  ///< the access goes to the nearest place that exists; cheaper, and equally safe
    Trust,  ///< the caller promises that no access is out of range: no check; if one is, behaviour is undefined
};

/// The result of converting a float to an integer that it does not fit.
enum class Conversions : uint8_t {
    Saturate,  ///< the nearest integer, NaN 0 (semantics: Float)
    Clamp,     ///< some integer: half the price, and equally safe
    Trust,     ///< the caller promises that there is none; if there is, behaviour is undefined
};

struct Bounds {
    OutOfRange registers = OutOfRange::Zero;  ///< temporaries, arrays of inputs, outputs, immediates; vertices
    OutOfRange constants = OutOfRange::Zero;  ///< CONST through an index
    OutOfRange buffers = OutOfRange::Zero;    ///< words of BUFFER, MEMORY, HWATOMIC, CONSTBUF
    OutOfRange images = OutOfRange::Zero;     ///< texels of IMAGE and RES
    /// Which buffer, image, texture or sampler an index or a handle selects. (Textures have no Zero; they use Clamp.)
    OutOfRange descriptors = OutOfRange::Zero;
};

}  // namespace tgsi2spv::lower
