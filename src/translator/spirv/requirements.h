// The capabilities and extensions that a module must declare, derived in one place from the emitted words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

#include "ir/module.h"
#include "spirv/words.h"

namespace tgsi2spv::spirv {

/// One capability that the emitter knows. Rows are in ascending order of number, so that modules list them in that
/// order.
struct CapabilityRow {
    spv::Capability capability{};
    std::string_view name;
    std::string_view extension;  ///< the extension that offers it; empty: none is needed
    uint32_t core_version = 0;   ///< SPIR-V version word from which the extension is not needed; 0: always needed
};
std::span<const CapabilityRow> capability_rows();
/// "Shader", …; empty for a capability that the emitter never declares.
std::string_view capability_name(spv::Capability capability);

/// The facts gathered while words are emitted.
class Requirements {
  public:
    /// `layers_by_geometry`: as in EmitOptions.
    void clear(uint32_t version, ir::Stage stage, bool layers_by_geometry = false);
    uint32_t version() const { return version_; }

    void add(spv::Capability capability);
    bool has(spv::Capability capability) const;
    void op(ir::Op op) { ops_[static_cast<size_t>(op)] = true; }

    // Each is called with something that is in the words.
    void scalar(ir::Scalar scalar);
    void image_type(const ir::ImageType& image, bool storage);
    void image_operands(uint32_t mask);
    void builtin(ir::BuiltIn builtin);
    void interpolation(ir::SampleLocation location);
    void storage_access(const ir::ImageType& image, bool write);
    /// An array of descriptors that is indexed by a non-constant.
    void descriptor_index(const ir::Variable& variable, bool non_uniform);

    /// Capabilities, then extensions, each once and in a fixed order.
    void emit(WordBuffer& out);

  private:
    void derive_from_ops();

    uint32_t version_ = 0;
    ir::Stage stage_{};
    bool layers_by_geometry_ = false;  ///< and this is FRAG
    std::array<uint64_t, 2> rows_{};   ///< one bit for each of capability_rows()
    bool ops_[ir::kOpCount] = {};
};

}  // namespace tgsi2spv::spirv
