// The attributes of an emulated draw's vertices, as numbers of 32 bits in records (shaders/host/emulate/fetch.comp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "renderer/emulate/emulate_piece.h"

namespace tgsi2spv::host {

/// In the order of shaders/host/emulate/fetch.comp. Words are copied as they are, where all are aligned.
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
    uint32_t first = 0;                              ///< the vertex from which the numbers count
    uint32_t base_instance = 0, first_instance = 0;  ///< base of the draw; first of these instances, counted from it
};

/// Where VERT's attributes are, as its parameters say (library.md, Without geometry shaders).
struct Attributes {
    std::shared_ptr<vk::Buffer> buffer{};
    VkDescriptorBufferInfo range{};
    uint32_t words_of_invocation = 0, words_of_vertex = 0;
    std::vector<uint32_t> places{};
};
/// In the guest's buffer, if one has all of them as words. Empty: they have to be fetched.
std::optional<Attributes> find_in_place(const HostState& host, const Bindings& context, uint32_t first,
                                        uint32_t records, uint32_t slots);
/// Writes Emulation::inputs. Empty: no memory.
std::optional<Attributes> fetch_attributes(HostEmulator& host, const Bindings& context, const FetchedVertices& vertices,
                                           uint32_t slots);

}  // namespace tgsi2spv::host
