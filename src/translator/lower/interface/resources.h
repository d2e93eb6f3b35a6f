// Buffers, images, textures and samplers as descriptor variables.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "lower/context/context.h"
#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

/// A descriptor variable made for an operand.
struct Descriptor {
    uint32_t variable = 0;
    uint32_t next = kNoIndex;  ///< another one with the same kind and first register
    tgsi::File file = tgsi::File::Buffer;
};

/// The accesses of all instructions to the registers first..last of a file.
struct ArrayUses {
    tgsi::File file{};
    int32_t first = 0, last = -1;
    uint8_t uses = 0;
};

/// Shared or private memory: one variable for each MEMORY register, and one for the file without an index.
struct OwnMemory {
    explicit OwnMemory(std::pmr::memory_resource* memory) : by_register(memory) {}

    std::pmr::vector<uint32_t> by_register;  ///< kNoIndex until something uses it
    uint32_t whole_file = kNoIndex;
};

/// From the first to the last IMAGE register declared BUFFER, or from the first to the last of the others.
struct ImageSpan {
    int32_t first = 0, last = -1;
    bool known = false;
};

/// The variables made for resources so far.
struct Resources {
    using Indices = std::pmr::vector<uint32_t>;
    explicit Resources(std::pmr::memory_resource* memory)
        : heads{Indices(memory), Indices(memory), Indices(memory), Indices(memory), Indices(memory)},
          descriptors(memory),
          float_buffers(memory),
          array_uses(memory),
          shared_memory(memory),
          private_memory(memory),
          memory_objects(memory) {}

    std::array<Indices, 5> heads;  ///< index in `descriptors` by kind, then by first register
    std::pmr::vector<Descriptor> descriptors;
    /// By variable of a storage buffer: the one that views it as floats; kNoIndex: none.
    Indices float_buffers;
    std::pmr::vector<ArrayUses> array_uses;  ///< uses of the arrays that were asked for
    OwnMemory shared_memory, private_memory;
    ImageSpan image_spans[2];                   ///< spans of images and of texel buffers
    std::pmr::vector<uint32_t> memory_objects;  ///< scratch of mark_aliases: buffers and images
};

void prepare_resources(Context& context);
/// The storage buffer `index`, outside any array, for a file that shares its numbering with BUFFER (HWATOMIC, MEMORY).
/// `uses` are access:: bits.
uint32_t storage_buffer(Context& context, tgsi::File file, uint32_t index, uint8_t uses);
/// The same storage buffer viewed as floats.
uint32_t as_floats(Context& context, uint32_t words);
/// Marks which buffers and images may alias each other, once all are known.
void mark_aliases(Context& context);

/// A resolved texture or image operand: the IR variable, and the index argument if it is an array of descriptors.
struct ResourceRef {
    uint32_t variable = 0;
    ir::Value index = ir::kNone;  ///< kNone: not an array
    bool non_uniform = false;
    ir::Value exists = ir::kNone;  ///< bool: the handle of an image selects a descriptor; kNone: always, or not asked
};
/// Arrays of descriptors of one kind, on the device.
struct DescriptorArrays {
    Indexing indexing{};
    std::string_view name{};     ///< "texel buffers"
    std::string_view feature{};  ///< "shaderUniformTexelBuffer", before "ArrayDynamicIndexing"
};
DescriptorArrays arrays_of(const Operation& op, const ResourceRef& ref);
/// The most descriptors that an instruction may try one by one.
inline constexpr uint32_t kMaxDescriptors = 32;
/// The number that it has to try; 0 if the device indexes them. `implicit_level`: the device computes it from a quad.
uint32_t one_by_one(const Operation& op, const ResourceRef& ref, bool implicit_level = false);
/// Finds or makes the descriptor variable for operand `source_index`, a SAMP (TEX family: CombinedImage; `separate`:
/// Sampler) or SVIEW, with this image type. An indirect index is clamped to the declared range.
ResourceRef resource(Operation& op, int source_index, ir::VariableKind kind, const ir::ImageType& image);
ResourceRef resource(Operation& op, const tgsi::Operand& operand, ir::VariableKind kind, const ir::ImageType& image);
/// The same for a register that holds a handle (bindless). Its low word selects among the descriptors for the image's
/// dimension, sampled type and depth, and is clamped to their number.
ResourceRef handle(Operation& op, const tgsi::Operand& operand, ir::VariableKind kind, const ir::ImageType& image);
/// The declaration of the view that a source reads: the RES itself, or the SVIEW with the same number; null if there is
/// none.
const tgsi::Declaration* view_of(const Operation& op, int source_index);
/// The sampled type of the texture that an operand names, from that declaration.
tgsi::ReturnType return_type(const Operation& op, int source_index);

}  // namespace tgsi2spv::lower
