// Spellings of the enumerations, in both directions. Matching ignores case. Aliases in real text are accepted
// (`PRIMID`, `1DARRAY`, `2DMS`, `MUL_ZERO_WINS`, …); the first spelling is printed.
#pragma once

#include <optional>
#include <string_view>

#include "tgsi/tables/types.h"

namespace tgsi2spv::tgsi {

std::string_view name(Stage);
std::string_view name(File);
std::string_view name(Semantic);
std::string_view name(Interpolation);
std::string_view name(Location);
std::string_view name(Target);
std::string_view name(ReturnType);
std::string_view name(ImmediateType);
std::string_view name(Property);
std::string_view name(Primitive);

std::optional<Stage> stage_from_name(std::string_view);
std::optional<File> file_from_name(std::string_view);
std::optional<Semantic> semantic_from_name(std::string_view);
std::optional<Interpolation> interpolation_from_name(std::string_view);
std::optional<Location> location_from_name(std::string_view);
std::optional<Target> target_from_name(std::string_view);
std::optional<ReturnType> return_type_from_name(std::string_view);
std::optional<ImmediateType> immediate_type_from_name(std::string_view);
std::optional<Property> property_from_name(std::string_view);
std::optional<Primitive> primitive_from_name(std::string_view);

/// The same, faster, for a word that consists of letters, digits and '_' and is part of a text that ends at `text_end`.
std::optional<Stage> stage_from_word(std::string_view word, const char* text_end);
std::optional<File> file_from_word(std::string_view word, const char* text_end);
std::optional<Semantic> semantic_from_word(std::string_view word, const char* text_end);
std::optional<Interpolation> interpolation_from_word(std::string_view word, const char* text_end);
std::optional<Target> target_from_word(std::string_view word, const char* text_end);
std::optional<ImmediateType> immediate_type_from_word(std::string_view word, const char* text_end);
std::optional<Property> property_from_word(std::string_view word, const char* text_end);

/// The shape of a target; `Buffer` has one coordinate and no levels.
struct TargetShape {
    uint8_t coords = 0;  ///< spatial components: 1, 2 or 3 (cubes 3)
    bool array = false;
    bool shadow = false;
    bool cube = false;
    bool ms = false;
    bool rect = false;
    bool buffer = false;
};
TargetShape shape(Target);

}  // namespace tgsi2spv::tgsi
