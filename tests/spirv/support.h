// IR text in, words out, judged by SPIRV-Tools in this process.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "spirv/emit.h"

namespace tgsi2spv::spirv {

inline constexpr TargetEnv kEnvs[] = {TargetEnv::Vulkan10, TargetEnv::Vulkan11, TargetEnv::Vulkan12,
                                      TargetEnv::Vulkan13};
const char* name_of(TargetEnv env);

/// The module that the text says; fails the test where the text is wrong.
ir::Module module_of(const std::string& text);

/// Emits and expects no error.
std::vector<uint32_t> words_of(const ir::Module& module, const EmitOptions& options = {});
inline std::vector<uint32_t> words_of(const ir::Module& module, TargetEnv env) {
    EmitOptions options;
    options.env = env;
    return words_of(module, options);
}
/// Emits and expects an error, which it gives.
EmitError error_of(const ir::Module& module, const EmitOptions& options = {});

/// Everything the validator has to say; empty: silent.
std::string validate(const std::vector<uint32_t>& words, TargetEnv env);
/// With friendly names, without header and indentation.
std::string disassemble(const std::vector<uint32_t>& words, TargetEnv env = TargetEnv::Vulkan13);
/// The same with numbers for ids, for tests that follow one.
std::string disassemble_raw(const std::vector<uint32_t>& words, TargetEnv env = TargetEnv::Vulkan13);

/// Emits for `env`, expects the validator's silence, and gives the disassembly.
std::string emitted(const std::string& text, TargetEnv env = TargetEnv::Vulkan12);

/// `body` stands in the entry block of a fragment shader with values of each type: %u %x u32, %uv %uw u32x4, %f %g
/// f32, %v %w f32x4, %f2 f32x2, %f3 f32x3, %u2 u32x2, %l %m u64, %d %e f64, %b %c bool, %bv %bw boolx4. `declarations`
/// begin with $3: $0 is the constant buffer behind the values, $1 an input, $2 an output, both f32x4.
std::string fragment(const std::string& body, const std::string& declarations = {}, const std::string& entry = {});
/// The same in a vertex shader, without the input.
std::string vertex(const std::string& body, const std::string& declarations = {}, const std::string& entry = {});

}  // namespace tgsi2spv::spirv
