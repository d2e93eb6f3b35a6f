// Programs: parsing, their declarations, and the pass-through shaders that are made for them.
#include "api/calls.h"
#include "api/passthrough.h"
#include "api/versioned.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::api {
namespace {

using tgsi::File;

/// The resources of the context's program as a device with everything would have them. Only lowering knows their
/// shapes: it types a texture by its instructions and its view.
bool find_resources(tgsi2spv_context& context, size_t bytes, tgsi2spv_program& program) {
    Context& core = *context.core;
    Options options;
    options.lower.max_operations = operations_of(context, bytes);
    const size_t warnings = core.diagnostics.size();
    if (!lower(core, options)) return false;
    core.diagnostics.resize(warnings);  // a conversion repeats those of lowering
    spirv::Reflection reflection(&context.memory);
    spirv::reflect(core.module, options.emit.layout, {}, reflection);
    for (spirv::Resource& r : reflection.resources) {
        r.binding = {};
        program.resources.push_back(resource_of(r, program.names));
    }
    return true;
}

/// Numbers of the declarations of each file that a caller may list.
void list_declarations(tgsi2spv_program& program) {
    const auto& all = program.program.declarations;
    for (uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].file == File::Input) program.inputs.push_back(i);
        if (all[i].file == File::Output) program.outputs.push_back(i);
        if (all[i].file == File::SystemValue) program.system_values.push_back(i);
    }
}

tgsi2spv_register register_of(const tgsi::Declaration& declaration, tgsi::Stage stage) {
    tgsi2spv_register out{};
    out.struct_size = sizeof out;
    out.index = static_cast<uint32_t>(declaration.first);
    out.count = static_cast<uint32_t>(declaration.last - declaration.first + 1);
    out.semantic = static_cast<tgsi2spv_semantic>(declaration.semantic);
    out.semantic_index = declaration.semantic_index;
    out.components = declaration.usage_mask;
    if (stage == tgsi::Stage::Fragment && declaration.file == File::Input) {
        out.interpolation = static_cast<tgsi2spv_interpolation>(lower::interpolation_of(declaration.interpolation));
        out.sample_location = static_cast<uint32_t>(declaration.location);
    }
    return out;
}

/// One of these declarations of the program, by its place in the list.
tgsi2spv_status get_register(const tgsi2spv_program* program, std::pmr::vector<uint32_t> tgsi2spv_program::*list,
                             uint32_t index, tgsi2spv_register* out) {
    if (program == nullptr || index >= (program->*list).size()) return kWrong;
    const tgsi::Program& p = program->program;
    return copy_out(register_of(p.declarations[(program->*list)[index]], p.stage), out) ? TGSI2SPV_SUCCESS : kWrong;
}

/// A pass-through shader for `program`, or the reason why there is none.
tgsi2spv_status give_shader(tgsi2spv_context& context, const tgsi2spv_program& program,
                            tl::expected<std::pmr::string, tgsi::Diagnostic> shader, const char** text, size_t* bytes) {
    if (!shader) {
        context.core->diagnostics = {std::move(shader.error())};
        return refuse(context, program.text, TGSI2SPV_ERROR_UNSUPPORTED);
    }
    context.text = std::move(*shader);
    return give_text(context, text, bytes);
}

}  // namespace
}  // namespace tgsi2spv::api

using namespace tgsi2spv;
using namespace tgsi2spv::api;

tgsi2spv_status tgsi2spv_program_parse(tgsi2spv_context* context, const char* text, size_t bytes,
                                       const tgsi2spv_parse_info* info, tgsi2spv_program** program) noexcept {
    if (program != nullptr) *program = nullptr;
    if (context == nullptr || program == nullptr || (text == nullptr && bytes != 0)) return refuse_call(context);
    return guarded(*context, [&](Context& core) {
        Request request;
        if (const char* why = read_request(info, nullptr, request)) return refuse_argument(*context, why);
        const std::string_view all(text, bytes);
        if (!parse_text(*context, all, request)) return refuse(*context, all, TGSI2SPV_ERROR_INVALID_TEXT);
        auto* made = create<tgsi2spv_program>(context->memory);
        const bool with_resources = (request.info.flags & TGSI2SPV_PARSE_RESOURCES) != 0;
        const tgsi2spv_status status = guarded([&] {
            if (with_resources && !find_resources(*context, bytes, *made))
                return refuse(*context, all, TGSI2SPV_ERROR_UNSUPPORTED);
            context->diagnostics.add(core.diagnostics, all);
            made->text = all;
            made->program = std::move(core.program);
            made->registers = std::move(core.registers);
            list_declarations(*made);
            return TGSI2SPV_SUCCESS;
        });
        if (status != TGSI2SPV_SUCCESS) {
            destroy(made);
            return status;
        }
        *program = made;
        return status;
    });
}

void tgsi2spv_program_destroy(tgsi2spv_program* program) noexcept {
    destroy(program);
}

static_assert(TGSI2SPV_STAGE_VERTEX == static_cast<int>(tgsi::Stage::Vertex) &&
              TGSI2SPV_STAGE_COMPUTE == static_cast<int>(tgsi::Stage::Compute));
tgsi2spv_stage tgsi2spv_program_stage(const tgsi2spv_program* program) noexcept {
    return program == nullptr ? TGSI2SPV_STAGE_MAX : static_cast<tgsi2spv_stage>(program->program.stage);
}

tgsi2spv_status tgsi2spv_program_passthrough_tess_ctrl(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                       uint32_t vertices, const char** text, size_t* bytes) noexcept {
    if (context == nullptr || program == nullptr || text == nullptr || bytes == nullptr) return refuse_call(context);
    return guarded(*context, [&](Context&) {
        if (vertices == 0 || vertices > tgsi::kMaxPatchVertices)
            return refuse_argument(*context, "a patch must have 1 to 32 vertices");
        return give_shader(*context, *program,
                           passthrough_tess_ctrl(program->program, program->registers, vertices, &context->memory),
                           text, bytes);
    });
}

tgsi2spv_status tgsi2spv_program_passthrough_records(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                     const char** text, size_t* bytes) noexcept {
    if (context == nullptr || program == nullptr || text == nullptr || bytes == nullptr) return refuse_call(context);
    return guarded(*context, [&](Context&) {
        return give_shader(*context, *program,
                           passthrough_records(program->program, program->registers, &context->memory), text, bytes);
    });
}

tgsi2spv_status tgsi2spv_program_get_info(const tgsi2spv_program* program, tgsi2spv_program_info* info) noexcept {
    if (program == nullptr) return kWrong;
    tgsi2spv_program_info out{};
    out.stage = tgsi2spv_program_stage(program);
    out.instruction_count = static_cast<uint32_t>(program->program.instructions.size());
    out.input_count = static_cast<uint32_t>(program->inputs.size());
    out.output_count = static_cast<uint32_t>(program->outputs.size());
    out.system_value_count = static_cast<uint32_t>(program->system_values.size());
    out.resource_count = static_cast<uint32_t>(program->resources.size());
    out.property_count = static_cast<uint32_t>(program->program.properties.size());
    return copy_out(out, info) ? TGSI2SPV_SUCCESS : kWrong;
}

tgsi2spv_status tgsi2spv_program_get_input(const tgsi2spv_program* program, uint32_t index,
                                           tgsi2spv_register* input) noexcept {
    return get_register(program, &tgsi2spv_program::inputs, index, input);
}

tgsi2spv_status tgsi2spv_program_get_output(const tgsi2spv_program* program, uint32_t index,
                                            tgsi2spv_register* output) noexcept {
    return get_register(program, &tgsi2spv_program::outputs, index, output);
}

tgsi2spv_status tgsi2spv_program_get_system_value(const tgsi2spv_program* program, uint32_t index,
                                                  tgsi2spv_register* value) noexcept {
    return get_register(program, &tgsi2spv_program::system_values, index, value);
}

tgsi2spv_status tgsi2spv_program_get_resource(const tgsi2spv_program* program, uint32_t index,
                                              tgsi2spv_resource* resource) noexcept {
    if (program == nullptr || index >= program->resources.size()) return kWrong;
    return copy_out(program->resources[index], resource) ? TGSI2SPV_SUCCESS : kWrong;
}

tgsi2spv_status tgsi2spv_program_get_property(const tgsi2spv_program* program, uint32_t index,
                                              tgsi2spv_property* property) noexcept {
    if (program == nullptr || index >= program->program.properties.size()) return kWrong;
    const tgsi::PropertyValue& p = program->program.properties[index];
    tgsi2spv_property out{};
    out.name = tgsi::name(p.name).data();
    out.value = p.value;
    return copy_out(out, property) ? TGSI2SPV_SUCCESS : kWrong;
}

const char* tgsi2spv_semantic_name(uint32_t semantic) noexcept {
    const bool known = semantic != TGSI2SPV_SEMANTIC_NONE && semantic < tgsi::kSemanticCount;
    return known ? tgsi::name(static_cast<tgsi::Semantic>(semantic)).data() : "";
}
