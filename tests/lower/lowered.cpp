#include "lower/lowered.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/verify.h"
#include "spirv-tools/libspirv.hpp"
#include "spirv/emit.h"
#include "tgsi/prepare.h"

namespace tgsi2spv::test {
namespace {

/// Returns spirv-val's messages about the module's words; empty if there are none.
std::string spirv_errors(const ir::Module& module) {
    const spirv::WorkspacePtr workspace = spirv::make_workspace();
    std::pmr::vector<uint32_t> words;
    spirv::EmitError error;
    if (!spirv::emit(module, {}, *workspace, words, error)) return "not emitted: " + error.message;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string messages;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
        messages += message;
        messages += '\n';
    });
    const bool valid = tools.Validate(words.data(), words.size());
    return valid || !messages.empty() ? messages : "invalid, without a word";
}

Lowered lower_program(const tgsi::Program& program, std::span<const sampling::Message> messages,
                      const lower::Options& options, const lower::Capabilities& capabilities, std::string_view text) {
    Lowered result;
    const tgsi::Registers registers = tgsi::gather(program);
    const lower::WorkspacePtr workspace = lower::make_workspace();
    result.ok = lower::lower(
        {program, registers, messages, options, capabilities, *workspace, result.module, result.diagnostics});
    for (const tgsi::Diagnostic& d : result.diagnostics) {
        if (d.severity == tgsi::Severity::Error && result.error.empty()) result.error = d.message;
    }
    EXPECT_EQ(result.ok, result.error.empty()) << text;
    if (!result.ok) {
        result.module = {};  // its remains must not pass for a module
        return result;
    }
    if (const auto error = ir::verify(result.module)) {
        ADD_FAILURE() << ir::describe(result.module, *error) << "\n" << text;
        return result;
    }
    EXPECT_EQ(spirv_errors(result.module), "") << text;
    return result;
}

Lowered lower_exactly(std::string_view text, const lower::Options& options, const lower::Capabilities& capabilities) {
    Lowered result;
    tgsi::Program program;
    tgsi::Survey survey;
    if (!tgsi::parse(text, {}, program, survey, result.diagnostics)) {
        ADD_FAILURE() << "the text does not parse: " << result.diagnostics[0].message << "\n" << text;
        return result;
    }
    tgsi::Registers registers;
    tgsi::prepare(program, survey, registers);
    return lower_program(program, {}, options, capabilities, text);
}

}  // namespace

Lowered lower_text(std::string_view text, const lower::Options& options, const lower::Capabilities& capabilities) {
    lower::Options as_written = options;
    as_written.simplify = as_written.drop_unneeded = false;
    return lower_exactly(text, as_written, capabilities);
}

Lowered lower_simplified(std::string_view text, const lower::Capabilities& capabilities,
                         const lower::Options& options) {
    return lower_exactly(text, options, capabilities);
}

Lowered lower_messages(std::span<const sampling::Call> calls, tgsi::Stage stage, int32_t pool,
                       const lower::Capabilities& capabilities) {
    const sampling::Carrier carrier = sampling::carry(calls, stage, pool);
    lower::Options options;
    options.io_buffers = true;
    options.simplify = false;
    return lower_program(carrier.program, carrier.messages, options, capabilities, print(carrier.messages[0]));
}

size_t count(const ir::Module& module, ir::Op op) {
    size_t n = 0;
    for (const ir::Function& f : module.functions)
        n += static_cast<size_t>(std::ranges::count(f.instructions, op, &ir::Instruction::op));
    return n;
}

std::string operations(const ir::Module& module) {
    if (module.functions.empty()) {
        ADD_FAILURE() << "the text was refused";
        return "refused";
    }
    std::string names;
    for (const ir::Instruction& i : module.functions[module.entry.function].instructions) {
        switch (i.op) {
            case ir::Op::Load:
            case ir::Op::Store:
            case ir::Op::Compose:
            case ir::Op::Bitcast:
            case ir::Op::Branch:
            case ir::Op::Return:
                continue;
            default:
                break;
        }
        if (!names.empty()) names += ' ';
        names += ir::info(i.op).name;
    }
    return names;
}

std::string image_type(const ir::ImageType& image) {
    static constexpr const char* kDims[] = {"1D", "2D", "3D", "Cube", "Buffer", "SubpassData"};
    std::string text = kDims[static_cast<size_t>(image.dim)];
    if (image.array) text += " array";
    if (image.depth) text += " depth";
    if (image.ms) text += " ms";
    if (image.sampled == ir::Scalar::U32) text += image.sampled_is_signed ? " int" : " uint";
    return text;
}

std::string image_operation(const ir::Module& module) {
    for (const ir::Instruction& i : module.functions[module.entry.function].instructions) {
        const bool query =
            i.op == ir::Op::ImageQuerySize || i.op == ir::Op::ImageQueryLevels || i.op == ir::Op::ImageQuerySamples;
        if (!ir::is_image_op(i.op) || query) continue;
        const ir::ImageOp& op = module.image_ops[i.aux];
        std::string text = ir::info(i.op).name;
        const std::pair<bool, const char*> operands[] = {{op.dref, " dref"},
                                                         {op.bias, " bias"},
                                                         {op.lod, " lod"},
                                                         {op.grad, " grad"},
                                                         {op.const_offset, " const_offset"},
                                                         {op.offset, " offset"},
                                                         {op.const_offsets, " const_offsets"},
                                                         {op.sample, " sample"}};
        for (const auto& [present, name] : operands) {
            if (present) text += name;
        }
        return text;
    }
    return {};
}

}  // namespace tgsi2spv::test
