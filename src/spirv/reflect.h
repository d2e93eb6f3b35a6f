// What a caller must know to bind a module: resources, interface, and what the device must offer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "spirv/layout.h"

namespace tgsi2spv::spirv {

struct Resource {
    ir::VariableKind kind{};
    uint32_t index = 0;  ///< TGSI register index
    Binding binding;
    uint32_t count = 1;    ///< descriptors in the array; 1 if it is none
    uint32_t bytes = 0;    ///< constant buffers: declared size
    bool storage = false;  ///< constant buffers: storage instead of uniform
    ir::ImageType image;
    std::string name;
};

struct InterfaceVariable {
    bool is_output = false;
    uint16_t semantic = 0;  ///< tgsi::Semantic's numbering
    uint16_t semantic_index = 0;
    std::string semantic_name;  ///< TGSI's word; the caller's to fill (api does)
    ir::BuiltIn builtin = ir::BuiltIn::None;
    uint32_t location = 0;
    uint8_t component = 0;
    uint8_t dual_source = 0;
    ir::Type type;
    uint32_t array = 0;
    ir::Interpolation interpolation{};
    ir::SampleLocation sample_location{};
    bool patch = false;
    uint8_t stream = 0;      ///< GEOM outputs
    bool captured = false;   ///< transform feedback takes it, to:
    uint8_t xfb_buffer = 0;  ///< (offset and stride in bytes)
    uint32_t xfb_offset = 0, xfb_stride = 0;
    std::string name;
};

struct SpecConstant {
    uint32_t id = 0;
    uint32_t default_value = 0;
    std::string name;
};

struct Reflection {
    ir::EntryPoint entry;
    std::vector<Resource> resources;
    std::vector<InterfaceVariable> interface;
    std::vector<SpecConstant> spec_constants;
    uint32_t push_constant_bytes = 0;
    std::vector<std::string> capabilities;  ///< SPIR-V names, from the emitted words
    std::vector<std::string> extensions;
    std::vector<std::string> features;  ///< Vulkan's names of what these and the module require (features.h)
    uint32_t io_input_slots = 0;        ///< io=buffers (lower/io_buffers.h)
    uint32_t io_output_slots = 0;
    std::vector<uint32_t> io_system_values;  ///< SV register index of each slot after the inputs
};

/// Reads the interface from the module and the capabilities from the words: what no instruction names is not listed,
/// since emission leaves it out. Resources stand by set and binding, inputs before outputs, each by location.
/// io_* fields are the caller's to fill (api does, from the Program).
Reflection reflect(const ir::Module& module, const Layout& layout, const std::vector<uint32_t>& words);

/// Reflection as JSON text, stable order, two-space indent.
std::string to_json(const Reflection& reflection);

}  // namespace tgsi2spv::spirv
