// What a shader does with each component that comes from outside: a coordinate wants other values than a loop count.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "tgsi/program.h"

namespace tgsi2spv::difftest {

/// In rising order of how particular it is; where a component is used in several ways the highest counts.
enum class Use : uint8_t {
    None,
    Float,
    Truth,            ///< a float that is asked whether it is zero
    Angle,            ///< of SIN and its like
    DoubleLow,        ///< a half of a double
    DoubleHigh,       ///< the one with the exponent
    LongLow,          ///< a half of an integer of 64 bits
    LongHigh,         ///< the one with the sign
    Place,            ///< of an interpolation: an offset from the pixel's centre, or a sample's number
    Small,            ///< a float near zero: derivatives, levels
    Bias,             ///< likewise, and what is too much of it
    Gradient,         ///< a coordinate's derivative that the shader gives
    Divisor,          ///< of a projection
    Reference,        ///< compared with depth
    Coordinate,       ///< normalised
    Direction,        ///< of a cube: x, y and z together name a face
    TexelCoordinate,  ///< RECT: a float in texels
    Layer,            ///< float
    Integer,
    SignedCount,  ///< an integer that a loop compares with its sign: it may say how many turns there are
    Count,        ///< without it
    Texel,        ///< integer coordinate
    Address,      ///< in bytes
    FloatIndex,   ///< a float that becomes an index
    Index,        ///< an integer that selects a register
    Handle,       ///< an integer that is a texture's or image's handle: nothing says what another than ours does
};

/// The use that says what words there may be at all, for who cares for no more.
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
        default:
            return use;
    }
}

/// (file, first bracket, register, component)
using ComponentKey = std::tuple<tgsi::File, int32_t, int32_t, uint8_t>;

/// How instructions see an IMAGE (or a RES that is one).
struct ImageUse {
    tgsi::Target target = tgsi::Target::None;
    uint16_t format = 0;  ///< 0: none is written
    bool atomic = false;
};

/// In Uses::images: what an index selects.
inline constexpr int32_t kAnyImage = -1;

struct Uses {
    std::map<ComponentKey, Use> components;    ///< of IN, CONST and SV
    std::map<int32_t, tgsi::Target> textures;  ///< what each SAMP (TEX family) or SVIEW is sampled as
    std::map<int32_t, bool> implicit_level;    ///< sampled with a level from derivatives
    std::map<int32_t, bool> compared;
    std::map<int32_t, ImageUse> images;
    bool needs_levels = false;

    Use of(tgsi::File file, int32_t dim, int32_t index, uint8_t component) const;
};

/// One walk from the end to the beginning, twice for the sake of loops; an approximation, nothing depends on it but
/// how telling the inputs are.
Uses find_uses(const tgsi::Program& program);

}  // namespace tgsi2spv::difftest
