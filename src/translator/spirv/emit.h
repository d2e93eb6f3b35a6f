// SSA module to SPIR-V words.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "spirv/layout.h"

namespace tgsi2spv::spirv {

enum class TargetEnv : uint8_t { Vulkan10, Vulkan11, Vulkan12, Vulkan13 };
/// Versions of SPIR-V, as in a module's second word.
inline constexpr uint32_t kSpirv10 = 0x10000, kSpirv13 = 0x10300, kSpirv14 = 0x10400, kSpirv15 = 0x10500,
                          kSpirv16 = 0x10600;

struct EmitOptions {
    TargetEnv env = TargetEnv::Vulkan12;
    Layout layout;
    bool debug_names = false;  ///< OpName
    bool debug_lines = false;  ///< OpString, OpSource, OpLine into `source`
    /// FRAG reads LAYER and VIEWPORT_INDEX with the capabilities of geometry shaders, not with those by which VERT
    /// writes them.
    bool layers_by_geometry = false;
    std::string source_name;
    std::string entry_point = "main";
    std::string_view source;  ///< the caller keeps it alive
    /// Universal limits, which the emitter must respect (tests lower them).
    uint32_t max_id = 4'194'303;
    uint32_t max_instruction_words = 65'535;
    uint32_t max_nesting = 1'023;
};

struct EmitError {
    std::string code;              ///< kebab-case
    std::string message;           ///< names the limit or the feature
    uint32_t offset_plus_one = 0;  ///< place in the source text, as in ir::Instruction
};

/// The emitter's working memory, reused between conversions; opaque.
struct Workspace;
struct WorkspaceDeleter {
    void operator()(Workspace*) const;
};
using WorkspacePtr = std::unique_ptr<Workspace, WorkspaceDeleter>;
WorkspacePtr make_workspace(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// Emits a verified module. `words` is overwritten, its memory reused. Equal modules give equal words.
bool emit(const ir::Module& module, const EmitOptions& options, Workspace& workspace, std::pmr::vector<uint32_t>& words,
          EmitError& error);

}  // namespace tgsi2spv::spirv
