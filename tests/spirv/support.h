// IR text in, words out, checked with SPIRV-Tools in this process.
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

/// Returns the module that the text describes; fails the test if the text is wrong.
ir::Module module_of(const std::string& text);

/// Emits and expects success.
std::vector<uint32_t> words_of(const ir::Module& module, const EmitOptions& options = {});
inline std::vector<uint32_t> words_of(const ir::Module& module, TargetEnv env) {
    EmitOptions options;
    options.env = env;
    return words_of(module, options);
}
/// Emits, expects an error and returns it.
EmitError error_of(const ir::Module& module, const EmitOptions& options = {});

/// Returns everything that the validator says; empty if it is silent.
std::string validate(const std::vector<uint32_t>& words, TargetEnv env);
/// Disassembles with friendly names, without header and indentation.
std::string disassemble(const std::vector<uint32_t>& words, TargetEnv env = TargetEnv::Vulkan13);
/// The same with numeric ids, for tests that follow an id.
std::string disassemble_raw(const std::vector<uint32_t>& words, TargetEnv env = TargetEnv::Vulkan13);

/// Emits for `env`, expects the validator to be silent, and returns the disassembly.
std::string emitted(const std::string& text, TargetEnv env = TargetEnv::Vulkan12);

/// Returns a fragment shader with `body` in its entry block, after values of each type: %u %x u32, %uv %uw u32x4, %f %g
/// f32, %v %w f32x4, %f2 f32x2, %f3 f32x3, %u2 u32x2, %l %m u64, %d %e f64, %b %c bool, %bv %bw boolx4. `declarations`
/// begin with $3: $0 is the constant buffer of the values, $1 an input, $2 an output, both f32x4.
std::string fragment(const std::string& body, const std::string& declarations = {}, const std::string& entry = {});
/// Returns the same as a vertex shader, without the input.
std::string vertex(const std::string& body, const std::string& declarations = {}, const std::string& entry = {});

/// Returns a module of any stage whose main has this body.
std::string module_of_stage(const std::string& stage, const std::string& declarations, const std::string& body);

/// Whether and how often a disassembly contains something.
inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}
/// Whether it has the text of a case, as whole words if asked, and the capability that may follow as `, capability
/// NAME`.
bool has_expected(const std::string& disassembly, const std::string& expected, bool words = false);
/// The cases of tests/FILE.txt: declarations and a body of fragment(), and what its disassembly has in each
/// environment.
void expect_checks(const std::string& file);
inline size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) n++;
    return n;
}

}  // namespace tgsi2spv::spirv
