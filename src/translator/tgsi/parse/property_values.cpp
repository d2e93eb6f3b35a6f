// The words and numbers that are values of a property.
#include "tgsi/parse/property_values.h"

#include <initializer_list>

#include "tgsi/parse/parser.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/nearest.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

/// The primitives that Vulkan has for the property: it sees no strip, loop or fan as an input.
std::initializer_list<Primitive> primitives_of(Property property) {
    using enum Primitive;
    static constexpr std::initializer_list<Primitive> kInput = {Points, Lines, LinesAdjacency, Triangles,
                                                                TrianglesAdjacency};
    static constexpr std::initializer_list<Primitive> kOutput = {Points, LineStrip, TriangleStrip};
    static constexpr std::initializer_list<Primitive> kDomain = {Lines, Triangles, Quads};
    switch (property) {
        case Property::GsInputPrimitive:
            return kInput;
        case Property::GsOutputPrimitive:
            return kOutput;
        case Property::TesPrimMode:
            return kDomain;
        default:
            return {};
    }
}

bool is_value(std::string_view word, std::string_view value) {
    return word.size() == value.size() && fold<2>(word) == fold<2>(value);
}

template <class Names>
std::string list(size_t count, Names&& name_of) {
    std::string text = "expected ";
    for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + std::string(name_of(i));
    return text;
}

}  // namespace

bool value_from_word(Property property, std::string_view word, uint32_t& value) {
    switch (property) {
        case Property::GsInputPrimitive:
        case Property::GsOutputPrimitive:
        case Property::TesPrimMode:
            if (const auto p = primitive_from_name(word)) {
                value = static_cast<uint32_t>(*p);
                return true;
            }
            return false;
        case Property::FsCoordOrigin:
            value = is_value(word, "LOWER_LEFT");
            return value || is_value(word, "UPPER_LEFT");
        case Property::FsCoordPixelCenter:
            value = is_value(word, "INTEGER");
            return value || is_value(word, "HALF_INTEGER");
        case Property::NextShader:
            if (const auto stage = stage_from_name(word)) {
                value = static_cast<uint32_t>(*stage);
                return true;
            }
            return false;
        default:
            return false;
    }
}

uint32_t largest_value(Property property) {
    switch (property) {
        case Property::GsInputPrimitive:
        case Property::GsOutputPrimitive:
        case Property::TesPrimMode:
            return static_cast<uint32_t>(Primitive::Patches);
        case Property::FsCoordOrigin:
        case Property::FsCoordPixelCenter:
            return 1;
        case Property::FsDepthLayout:
            return 4;
        case Property::TesSpacing:
            return 2;
        case Property::NextShader:
            return kStageCount - 1;
        default:
            return ~0u;
    }
}

std::string values_of(Property property) {
    switch (property) {
        case Property::GsInputPrimitive:
        case Property::GsOutputPrimitive:
        case Property::TesPrimMode: {
            const auto primitives = primitives_of(property);
            return list(primitives.size(), [&](size_t i) { return name(primitives.begin()[i]); });
        }
        case Property::FsCoordOrigin:
            return "expected UPPER_LEFT (0) or LOWER_LEFT (1)";
        case Property::FsCoordPixelCenter:
            return "expected HALF_INTEGER (0) or INTEGER (1)";
        case Property::FsDepthLayout:
            return "expected 0 (none), 1 (any), 2 (greater), 3 (less) or 4 (unchanged)";
        case Property::TesSpacing:
            return "expected 0 (fractional odd), 1 (fractional even) or 2 (equal)";
        case Property::NextShader:
            return list(kStageCount, [](size_t i) { return name(static_cast<Stage>(i)); });
        default:
            return "expected a number";
    }
}

std::string value_hint(Property property, std::string_view word) {
    Nearest nearest(word);
    for (const Primitive p : primitives_of(property)) nearest.offer(name(p));
    const std::string values = values_of(property);
    return nearest.word.empty() ? values : did_you_mean(nearest.word) + ' ' + values;
}

}  // namespace tgsi2spv::tgsi
