// The information that a caller needs to bind a module: resources, interface, and requirements on the device.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "spirv/layout.h"

namespace tgsi2spv::spirv {

struct Resource {
    ir::VariableKind kind{};
    uint32_t variable = 0;  ///< index in Module::variables
    uint32_t index = 0;     ///< TGSI register index
    Binding binding;
    uint32_t count = 1;      ///< descriptors in the array; 1 if it is not an array
    uint32_t bytes = 0;      ///< constant buffers: declared size
    uint32_t max_bytes = 0;  ///< constant buffers: length of the module's array
    bool storage = false;    ///< constant buffers: storage instead of uniform
    /// Storage buffers and images: whether the shader may read or write it, independent of the module's decorations
    /// (two that may alias have no NonWritable).
    bool reads = false, writes = false;
    ir::ImageType image;
    ir::Name name;
};

struct InterfaceVariable {
    uint32_t variable = 0;  ///< index in Module::variables
    bool is_output = false;
    uint16_t semantic = 0;  ///< tgsi::Semantic's numbering
    uint16_t semantic_index = 0;
    ir::Name semantic_name;  ///< TGSI's word; the caller fills it in (api does)
    ir::BuiltIn builtin = ir::BuiltIn::None;
    uint32_t location = 0;
    uint8_t component = 0;
    uint8_t dual_source = 0;
    ir::Type type;
    bool is_signed = false;  ///< integers: int, not uint
    uint32_t array = 0;
    ir::Interpolation interpolation{};
    ir::SampleLocation sample_location{};
    bool patch = false;
    uint8_t stream = 0;      ///< GEOM outputs
    bool captured = false;   ///< transform feedback captures it, with:
    uint8_t xfb_buffer = 0;  ///< (offset and stride in bytes)
    uint32_t xfb_offset = 0, xfb_stride = 0;
    ir::Name name;
};

struct SpecConstant {
    uint32_t id = 0;
    uint32_t default_value = 0;
    ir::Name name;
};

struct Reflection {
    Reflection() = default;
    /// Its lists use `memory`; copies use the default resource.
    explicit Reflection(std::pmr::memory_resource* memory)
        : resources(memory),
          interface(memory),
          spec_constants(memory),
          capabilities(memory),
          extensions(memory),
          features(memory),
          used_(memory),
          io_system_values(memory) {}

    ir::EntryPoint entry;
    std::pmr::vector<Resource> resources;
    std::pmr::vector<InterfaceVariable> interface;
    std::pmr::vector<SpecConstant> spec_constants;
    uint32_t push_constant_bytes = 0;
    uint32_t shared_bytes = 0;                ///< COMP: bytes of shared memory
    std::pmr::vector<ir::Name> capabilities;  ///< SPIR-V names, from the emitted words
    std::pmr::vector<ir::Name> extensions;
    std::pmr::vector<ir::Name> features;  ///< Vulkan's names of the requirements of these and the module (features.h)
    uint32_t io_input_slots = 0;          ///< io=buffers (lower/io_buffers.h)
    uint32_t io_output_slots = 0;
    std::pmr::vector<uint8_t> used_;              ///< a flag for each of Module::variables, for reflect()
    std::pmr::vector<uint32_t> io_system_values;  ///< SV register index of each slot after the inputs
};

/// Reads the interface from the module and the capabilities from the words. Variables that no instruction names are not
/// listed, because emission leaves them out. Resources are sorted by set and binding; inputs come before outputs, each
/// sorted by location. The caller fills in the io_* fields (api does, from the Program).
Reflection reflect(const ir::Module& module, const Layout& layout, std::span<const uint32_t> words);
/// The same into `reflection`, which keeps its memory.
void reflect(const ir::Module& module, const Layout& layout, std::span<const uint32_t> words, Reflection& reflection);

/// SPIR-V's number of a built-in variable in a stage.
uint32_t number_of(ir::BuiltIn builtin, ir::Stage stage);

/// Reflection as JSON text, in stable order, with two-space indent, appended to `out`.
void write_json(const Reflection& reflection, std::pmr::string& out);
std::string to_json(const Reflection& reflection);

}  // namespace tgsi2spv::spirv
