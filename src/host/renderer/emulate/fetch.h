// The attributes of an emulated draw's vertices, as numbers of 32 bits in records (shaders/host/fetch.comp).
#pragma once

#include <array>
#include <cstdint>

#include "renderer/emulate/emulate_piece.h"

namespace tgsi2spv::host {

/// In the order of shaders/host/fetch.comp. Words are copied as they are, where all are aligned.
enum class AttributeType : uint32_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float, Fixed, Double, Words };

/// The components of a vertex format, from the first bit of an element on. No bits: it is missing.
struct AttributeLayout {
    AttributeType type{};
    std::array<uint32_t, 4> bits{}, shifts{};
    bool is_words() const {
        return bits[0] == 32 &&
               (type == AttributeType::Uint || type == AttributeType::Sint || type == AttributeType::Float);
    }
    bool operator==(const AttributeLayout&) const = default;
};
/// All missing: not a vertex format.
AttributeLayout attribute_layout(const FormatInfo& format);

/// Vertices whose attributes are fetched: `listed` of each instance, whose numbers `list` has.
struct FetchedVertices {
    VkDescriptorBufferInfo list{};
    uint32_t listed = 0, invocations = 0;
    uint32_t first = 0;                              ///< what the numbers count from
    uint32_t base_instance = 0, first_instance = 0;  ///< of the draw; of these, counted from it
};

/// Writes Emulation::inputs. False: no memory.
bool fetch_attributes(Host& host, const SubContext& context, const FetchedVertices& vertices, uint32_t slots);

}  // namespace tgsi2spv::host
