#include "spirv/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include <spirv-tools/libspirv.hpp>

#include "ir/parse.h"
#include "ir/text_cases.h"
#include "ir/verify.h"

namespace tgsi2spv::spirv {
namespace {

spv_target_env tools_env(TargetEnv env) {
    switch (env) {
        case TargetEnv::Vulkan10:
            return SPV_ENV_VULKAN_1_0;
        case TargetEnv::Vulkan11:
            return SPV_ENV_VULKAN_1_1;
        case TargetEnv::Vulkan12:
            return SPV_ENV_VULKAN_1_2;
        case TargetEnv::Vulkan13:
            return SPV_ENV_VULKAN_1_3;
    }
    return SPV_ENV_VULKAN_1_0;
}

std::string text_of(const std::vector<uint32_t>& words, TargetEnv env, uint32_t options) {
    spvtools::SpirvTools tools(tools_env(env));
    std::string text;
    EXPECT_TRUE(tools.Disassemble(words, &text, options | SPV_BINARY_TO_TEXT_OPTION_NO_HEADER));
    return text;
}

constexpr const char* kValues = R"(
bentry:
  %uv = Load u32x4 $0[u32(0)]
  %uw = Load u32x4 $0[u32(1)]
  %u = Compose u32 %uv.x
  %x = Compose u32 %uv.y
  %v = Bitcast f32x4 %uv
  %w = Bitcast f32x4 %uw
  %f = Compose f32 %v.x
  %g = Compose f32 %w.x
  %f2 = Compose f32x2 %v.x, %v.y
  %f3 = Compose f32x3 %v.x, %v.y, %v.z
  %u2 = Compose u32x2 %uv.x, %uv.y
  %u3 = Compose u32x3 %uv.x, %uv.y, %uv.z
  %b = INe bool %u, u32(0)
  %c = INe bool %x, u32(0)
  %bv = INe boolx4 %uv, u32x4(0, 0, 0, 0)
  %bw = INe boolx4 %uw, u32x4(0, 0, 0, 0)
)";
// Separate, because they need capabilities.
constexpr const char* kWideValues = R"(
  %l = Bitcast u64 %u2
  %m = IAdd u64 %l, %l
  %d = Bitcast f64 %u2
  %e = FAdd f64 %d, %d
)";

std::string module_text(const std::string& stage, const std::string& variables, const std::string& body,
                        const std::string& declarations, const std::string& entry) {
    const bool wide = body.find("%l") != std::string::npos || body.find("%m") != std::string::npos ||
                      body.find("%d") != std::string::npos || body.find("%e") != std::string::npos;
    const bool functions = declarations.find("function") != std::string::npos;
    return "entry " + stage + (functions ? " f1 " : " f0 ") + entry + "\n" + variables + declarations +
           "\nfunction f0 \"main\" () -> void {" + kValues + (wide ? kWideValues : "") + body + "\n" +
           (body.find("Return") == std::string::npos ? "  Return\n" : "") + "}\n";
}

}  // namespace

const char* name_of(TargetEnv env) {
    constexpr const char* kNames[] = {"vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3"};
    return kNames[static_cast<size_t>(env)];
}

ir::Module module_of(const std::string& text) {
    ir::Module module;
    const auto error = ir::parse(text, module);
    EXPECT_FALSE(error) << (error ? error->text : "") << " in line " << (error ? error->line : 0) << " of\n" << text;
    const auto broken = ir::verify(module);
    EXPECT_FALSE(broken) << (broken ? ir::describe(module, *broken) : "") << " in\n" << text;
    return module;
}

std::vector<uint32_t> words_of(const ir::Module& module, const EmitOptions& options) {
    const WorkspacePtr workspace = make_workspace();
    std::pmr::vector<uint32_t> words;
    EmitError error;
    EXPECT_TRUE(emit(module, options, *workspace, words, error)) << error.code << ": " << error.message;
    return {words.begin(), words.end()};
}

EmitError error_of(const ir::Module& module, const EmitOptions& options) {
    const WorkspacePtr workspace = make_workspace();
    std::pmr::vector<uint32_t> words;
    EmitError error;
    EXPECT_FALSE(emit(module, options, *workspace, words, error));
    EXPECT_TRUE(words.empty());
    return error;
}

std::string validate(const std::vector<uint32_t>& words, TargetEnv env) {
    spvtools::SpirvTools tools(tools_env(env));
    std::string said;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
        said += message;
        said += '\n';
    });
    if (!tools.Validate(words) && said.empty()) said = "invalid, and the validator does not say why";
    return said;
}

std::string disassemble(const std::vector<uint32_t>& words, TargetEnv env) {
    return text_of(words, env, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
}

std::string disassemble_raw(const std::vector<uint32_t>& words, TargetEnv env) {
    return text_of(words, env, 0);
}

std::string emitted(const std::string& text, TargetEnv env) {
    const std::vector<uint32_t> words = words_of(module_of(text), env);
    const std::string assembly = disassemble(words, env);
    EXPECT_EQ(validate(words, env), "") << name_of(env) << "\n" << text << "\n" << assembly;
    return assembly;
}

std::string fragment(const std::string& body, const std::string& declarations, const std::string& entry) {
    return module_text("Fragment",
                       "$0 = ConstantBuffer u32x4 array1=4\n$1 = Input f32x4 location=0\n"
                       "$2 = Output f32x4 location=0\n",
                       body, declarations, entry);
}

std::string vertex(const std::string& body, const std::string& declarations, const std::string& entry) {
    return module_text("Vertex",
                       "$0 = ConstantBuffer u32x4 array1=4\n$1 = Input f32x4 location=0\n"
                       "$2 = Output f32x4 location=0\n",
                       body, declarations, entry);
}

bool has_expected(const std::string& disassembly, const std::string& expected, bool words) {
    constexpr std::string_view kCapability = ", capability ";
    const size_t needs = expected.find(kCapability);
    const std::string part = expected.substr(0, needs);
    const auto is_end = [&](size_t at) { return at >= disassembly.size() || std::isspace(disassembly[at]) != 0; };
    bool found = false;
    for (size_t at = 0; !found && (at = disassembly.find(part, at)) != std::string::npos; at++)
        found = !words || (is_end(at - 1) && is_end(at + part.size()));
    return found && (needs == std::string::npos ||
                     has(disassembly, "OpCapability " + expected.substr(needs + kCapability.size())));
}

std::string module_of_stage(const std::string& stage, const std::string& declarations, const std::string& body) {
    return "entry " + stage + "\n" + declarations + "\nfunction f0 \"main\" () -> void {\nbentry:\n" + body +
           "\n  Return\n}\n";
}

/// The module of a case.
static std::string module_of_case(const std::string& text) {
    if (text.starts_with("entry ")) return text;
    std::string first, declarations, body, line;
    for (std::istringstream lines(text); std::getline(lines, line);)
        if (line.starts_with("fragment:") || line.starts_with("vertex:") || line.find(" f0") != std::string::npos)
            first = line;
        else
            (line[0] == '$' || line[0] == '#' ? declarations : body) += line + "\n";
    if (first.starts_with("vertex:")) return vertex(body, declarations);
    if (first.starts_with("fragment:")) return fragment(body, declarations, first.substr(9));
    return first.empty() ? fragment(body, declarations) : module_of_stage(first, declarations, body);
}

void expect_checks(const std::string& file) {
    for (const ir::TextCase& c : ir::text_cases(file)) {
        for (const TargetEnv env : kEnvs) {
            const std::string assembly = emitted(module_of_case(c.before), env);
            SCOPED_TRACE(c.before + " => " + c.after + ", " + name_of(env) + "\n" + assembly);
            std::string checks = c.after;
            std::ranges::replace(checks, '\n', ';');
            std::istringstream parts(checks);
            for (std::string part; std::getline(parts >> std::ws, part, ';');) {
                const size_t of = part.find(" of ");
                if (part.starts_with("no "))
                    EXPECT_FALSE(has(assembly, part.substr(3))) << part;
                else if (of != std::string::npos)
                    EXPECT_EQ(count(assembly, part.substr(of + 4)), std::stoul(part)) << part;
                else
                    EXPECT_TRUE(has_expected(assembly, part, true)) << part;
            }
        }
    }
}

}  // namespace tgsi2spv::spirv
