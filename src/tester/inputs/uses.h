// A shader's use of each component that it gets from outside: a coordinate needs other values than a loop count.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "tgsi/program/program.h"

namespace tgsi2spv::difftest {

/// In order of increasing specificity. If a component is used in several ways, the highest counts.
enum class Use : uint8_t {
    None,
    Float,
    Truth,            ///< a float that is tested for zero
    Angle,            ///< operand of SIN and the like
    DoubleLow,        ///< the low word of a double
    DoubleHigh,       ///< the high word of a double, with the exponent
    LongLow,          ///< the low word of a 64-bit integer
    LongHigh,         ///< the high word of a 64-bit integer, with the sign
    Place,            ///< operand of an interpolation: an offset from the pixel's centre, or a sample's number
    Small,            ///< a float near zero: derivatives, levels
    Bias,             ///< a float near zero, or a bias that exceeds the limit
    Gradient,         ///< an explicit derivative of a coordinate
    Divisor,          ///< divisor of a projection
    Reference,        ///< compared with depth
    Coordinate,       ///< normalised
    Direction,        ///< a cube's: x, y and z together select a face
    TexelCoordinate,  ///< RECT: a float in texels
    Layer,            ///< float
    Integer,
    SignedCount,  ///< an integer that a loop compares as signed: perhaps the number of iterations
    Count,        ///< the same, compared as unsigned
    Texel,        ///< integer coordinate
    Address,      ///< an address in bytes
    FloatIndex,   ///< a float that becomes an index
    Index,        ///< an integer that selects a register
    Handle,       ///< the handle of a texture: one of our own; others are undefined
    ImageHandle,  ///< the handle of an image; beyond the last descriptor, nothing is accessed
};

/// Returns the use that determines which words are valid, for callers that need no finer distinction.
constexpr Use plain(Use use) {
    switch (use) {
        case Use::Truth:
        case Use::Angle:
            return Use::Float;
        case Use::LongLow:
        case Use::LongHigh:
        case Use::SignedCount:
        case Use::Count:
            return Use::Integer;
        case Use::Bias:
            return Use::Small;
        case Use::Direction:
            return Use::Coordinate;
        case Use::ImageHandle:
            return Use::Handle;
        default:
            return use;
    }
}

/// (file, first bracket, register, component)
using ComponentKey = std::tuple<tgsi::File, int32_t, int32_t, uint8_t>;

/// How instructions access an IMAGE (or a RES that is one).
struct ImageUse {
    tgsi::Target target = tgsi::Target::None;
    uint16_t format = 0;  ///< 0: not given
    bool atomic = false;
};

/// Key in Uses::images for images that an index selects.
inline constexpr int32_t kAnyImage = -1;

struct Uses {
    std::map<ComponentKey, Use> components;    ///< uses of IN, CONST and SV
    std::map<int32_t, tgsi::Target> textures;  ///< target with which each SAMP (TEX family) or SVIEW is sampled
    std::map<int32_t, bool> implicit_level;    ///< sampled with an LOD from derivatives
    std::map<int32_t, bool> compared;
    std::map<int32_t, ImageUse> images;

    Use of(tgsi::File file, int32_t dim, int32_t index, uint8_t component) const;
};

/// Walks the program from the end to the beginning, twice because of loops. This is an approximation: only the
/// usefulness of the inputs depends on it.
Uses find_uses(const tgsi::Program& program);

}  // namespace tgsi2spv::difftest
