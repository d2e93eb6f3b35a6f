#include "tgsi2spv/conversion.h"

#include <fmt/format.h>

#include <bit>
#include <spirv-tools/libspirv.hpp>

#include "api/device.h"
#include "api/listing.h"
#include "api/options.h"
#include "api/passthrough.h"
#include "ir/print.h"
#include "spirv/patch_locations.h"
#include "spirv/reflect.h"
#include "tgsi/print.h"

namespace tools {
namespace {

using namespace tgsi2spv;

spv_target_env environment(spirv::TargetEnv env) {
    switch (env) {
        case spirv::TargetEnv::Vulkan10:
            return SPV_ENV_VULKAN_1_0;
        case spirv::TargetEnv::Vulkan11:
            return SPV_ENV_VULKAN_1_1;
        case spirv::TargetEnv::Vulkan12:
            return SPV_ENV_VULKAN_1_2;
        case spirv::TargetEnv::Vulkan13:
            return SPV_ENV_VULKAN_1_3;
    }
    return SPV_ENV_VULKAN_1_2;
}

/// SPIR-V consists of words; a file holds them in little-endian order, on every machine.
std::string bytes_of(std::span<const uint32_t> words) {
    std::string bytes;
    bytes.reserve(4 * words.size());
    for (const uint32_t w : words)
        for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(w >> shift);
    return bytes;
}

/// SPIRV-Tools' complaint about the module; empty if there is none.
std::string complaint(std::span<const uint32_t> words, spirv::TargetEnv env) {
    spvtools::SpirvTools tools(environment(env));
    std::string said;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
        said += fmt::format("word {}: {}\n", at.index, message);
    });
    if (tools.Validate(spirv::with_patch_locations_apart(words))) return {};
    return said.empty() ? "no reason given\n" : said;
}

/// Runs the steps that the output needs.
bool run(api::Context& context, std::string_view text, const Settings& settings, api::Options options) {
    if (options.lower.max_operations == 0) options.lower.max_operations = api::default_operations(text.size());
    options.passes.compact = settings.emit == Emit::Ir;
    if (!api::parse(context, text, options)) return false;
    if (settings.emit == Emit::Tgsi || settings.emit == Emit::Sampling) return true;
    if (!api::lower(context, options) || !api::optimise(context, options)) return false;
    if (settings.emit == Emit::Ir) return true;
    return api::emit(context, options) && (!settings.device || api::keeps_to(*settings.device, context, options));
}

/// The same for the TESS_CTRL shader that the text, a TESS_EVAL shader, needs before it.
bool run_passthrough(api::Context& context, const std::string& text, const Settings& settings,
                     const api::Options& options) {
    if (!api::parse(context, text, options)) return false;
    const auto control = api::passthrough_tess_ctrl(context.program, context.registers, settings.passthrough_vertices);
    if (control) return run(context, *control, settings, options);
    context.diagnostics.push_back(control.error());
    return false;
}

std::string output_of(api::Context& context, const Settings& settings, const api::Options& options) {
    switch (settings.emit) {
        case Emit::Spv:
            return bytes_of(context.words);
        case Emit::SpvAsm: {
            std::string text;
            spvtools::SpirvTools(environment(options.emit.env))
                .Disassemble(context.words.data(), context.words.size(), &text,
                             SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
            return text;
        }
        case Emit::Ir:
            return ir::print(context.module);
        case Emit::Tgsi:
            return tgsi::print(context.program);
        case Emit::Reflect: {
            std::string json = spirv::to_json(api::reflect(context, options));
            if (!json.ends_with('\n')) json += '\n';
            return json;
        }
        case Emit::Sampling:
            return api::list_messages(context.program);
    }
    return {};
}

}  // namespace

const char* extension(Emit emit) {
    switch (emit) {
        case Emit::Spv:
            return ".spv";
        case Emit::SpvAsm:
            return ".spvasm";
        case Emit::Ir:
            return ".ir";
        case Emit::Tgsi:
            return ".tgsi";
        case Emit::Reflect:
            return ".json";
        case Emit::Sampling:
            return ".sampling";
    }
    return "";
}

Converted convert(api::Context& context, const std::string& name, const std::string& text, const Settings& settings) {
    Converted result;
    api::Options options = settings.options;
    options.emit.source_name = name;
    const bool done = settings.passthrough_vertices == 0 ? run(context, text, settings, options)
                                                         : run_passthrough(context, text, settings, options);
    for (const tgsi::Diagnostic& d : context.diagnostics)
        result.messages +=
            settings.json_diagnostics ? tgsi::render_json(d, name, text) + '\n' : tgsi::render(d, name, text);
    if (!done) {
        result.outcome = Outcome::Refused;
        return result;
    }
    const bool has_words =
        settings.emit == Emit::Spv || settings.emit == Emit::SpvAsm || settings.emit == Emit::Reflect;
    if (settings.validate && has_words) {
        if (const std::string said = complaint(context.words, options.emit.env); !said.empty()) {
            result.outcome = Outcome::Invalid;
            const tgsi::Diagnostic d{tgsi::Severity::Error,
                                     "invalid-module",
                                     0,
                                     0,
                                     "the generated module is invalid: " + said,
                                     "this is a bug in tgsi2spv; please report it with the shader"};
            result.messages +=
                settings.json_diagnostics ? tgsi::render_json(d, name, text) + '\n' : tgsi::render(d, name, text);
            return result;
        }
    }
    result.output = output_of(context, settings, options);
    return result;
}

}  // namespace tools
