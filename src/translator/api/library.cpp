// The C functions that create, parse and convert. No exception leaves them: out of memory is a status.
#include <algorithm>
#include <array>
#include <cstring>

#include "api/calls.h"
#include "api/device.h"
#include "api/hash.h"
#include "api/options.h"
#include "api/versioned.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::api {
namespace {

bool read_allocator(const tgsi2spv_allocator* from, CallerMemory& memory) {
    if (from == nullptr) return true;
    tgsi2spv_allocator allocator;
    if (!copy_in(from, allocator) || allocator.allocate == nullptr || allocator.release == nullptr) return false;
    memory = CallerMemory(allocator);
    return true;
}

/// Where the reflection of the context's next module goes.
spirv::Reflection& reflection_of(tgsi2spv_context& context) {
    if (context.module == nullptr) context.module = create<tgsi2spv_module>(context.memory);
    return context.module->reflection;
}

tgsi2spv_status convert_program(tgsi2spv_context& context, const tgsi::Program& program,
                                const tgsi::Registers& registers, std::string_view text, const Request& request) {
    Context& core = *context.core;
    if (request.options.linkage != nullptr && request.options.linkage->stage != program.stage)
        return refuse_argument(context, "tgsi2spv_options::linkage is for another stage");
    Options options = options_of(request);
    options.lower.max_operations = operations_of(context, text.size());
    if (options.emit.debug_lines) options.emit.source = text;
    if (!lower(core, program, registers, options) || !optimise(core, options) || !emit(core, options))
        return refuse(context, text, TGSI2SPV_ERROR_UNSUPPORTED);
    spirv::Reflection& reflection = reflection_of(context);
    reflect(core, options, reflection);
    if (!keeps_to(request.device, options.emit.env, reflection, core.diagnostics))
        return refuse(context, text, TGSI2SPV_ERROR_UNSUPPORTED);
    if (request.options.linkage == nullptr) warn_of_locations(request.device, reflection, core.diagnostics);
    context.diagnostics.add(core.diagnostics, text);
    return TGSI2SPV_SUCCESS;
}

tgsi2spv_status give(tgsi2spv_context& context, std::span<const uint32_t> words, const tgsi2spv_module** module) {
    context.module->set(words);
    if (module != nullptr) *module = context.module;
    return TGSI2SPV_SUCCESS;
}

tgsi2spv_status translate(tgsi2spv_context& context, std::string_view text, const Request& request,
                          const tgsi2spv_module** module) {
    Context& core = *context.core;
    if (!parse_text(context, text, request)) return refuse(context, text, TGSI2SPV_ERROR_INVALID_TEXT);
    const tgsi2spv_status status = convert_program(context, core.program, core.registers, text, request);
    return status == TGSI2SPV_SUCCESS ? give(context, core.words, module) : status;
}

}  // namespace
}  // namespace tgsi2spv::api

using namespace tgsi2spv;
using namespace tgsi2spv::api;

tgsi2spv_status tgsi2spv_context_create(const tgsi2spv_context_info* info, tgsi2spv_context** context) noexcept {
    if (context == nullptr) return kWrong;
    *context = nullptr;
    tgsi2spv_context_info i;
    CallerMemory memory;
    tgsi::Limits limits;
    uint32_t operations = 0;
    if (!copy_in(info, i) || !read_allocator(i.allocator, memory) || !read_limits(i.limits, limits, operations))
        return kWrong;
    return guarded([&] {
        *context = create<tgsi2spv_context>(memory, limits, operations);
        return TGSI2SPV_SUCCESS;
    });
}

void tgsi2spv_context_trim(tgsi2spv_context* context) noexcept {
    if (context == nullptr) return;
    context->core.reset();
    context->diagnostics.clear();
    free_memory(context->diagnostics.all);
    discard_module(*context);
    free_memory(context->text);
}

void tgsi2spv_context_destroy(tgsi2spv_context* context) noexcept {
    destroy(context);
}

tgsi2spv_status tgsi2spv_linkage_create(tgsi2spv_context* context, const tgsi2spv_program* const* programs,
                                        size_t program_count, const tgsi2spv_options* const* options,
                                        tgsi2spv_linkage** linkages) noexcept {
    constexpr size_t kMaxLinked = 1024;  // beyond, the count must be wrong
    if (program_count > kMaxLinked) return refuse_call(context);
    if (linkages != nullptr) std::fill_n(linkages, program_count, nullptr);
    if (context == nullptr || programs == nullptr || linkages == nullptr) return refuse_call(context);
    if (program_count > tgsi::kStageCount ||
        std::find(programs, programs + program_count, nullptr) != programs + program_count)
        return refuse_call(context);
    const tgsi2spv_status status = guarded(*context, [&](Context& core) {
        core.diagnostics.clear();
        std::array<Request, tgsi::kStageCount> requests;
        std::array<Options, tgsi::kStageCount> all;
        std::array<lower::LinkStage, tgsi::kStageCount> stages;
        const tgsi2spv_device_caps* device = &requests[0].device;
        for (size_t i = 0; i < program_count; ++i) {
            if (const char* why = read_request(nullptr, options == nullptr ? nullptr : options[i], requests[i]))
                return refuse_argument(*context, why);
            requests[i].options.linkage = nullptr;
            const bool is_compute = (requests[i].options.flags & TGSI2SPV_OPTION_RECORDS) != 0;
            if (const char* const lacks =
                    is_compute ? nullptr : missing_stage(requests[i].device, programs[i]->program.stage)) {
                core.diagnostics = {lacking(lacks)};
                return refuse(*context, {}, TGSI2SPV_ERROR_UNSUPPORTED);
            }
            all[i] = options_of(requests[i]);
            if (requests[i].options.device != nullptr) device = &requests[i].device;
            stages[i] = {&programs[i]->program, &programs[i]->registers, &all[i].lower};
        }
        std::pmr::vector<lower::Linkage> made(&context->memory);
        for (size_t i = 0; i < program_count; ++i) made.emplace_back(&context->memory);
        size_t refused = 0;
        if (!lower::link({stages.data(), program_count}, capabilities_of(*device), link_limits_of(*device), made,
                         core.diagnostics, &context->memory, &refused))
            return refuse(*context, program_count == 0 ? std::string_view{} : programs[refused]->text,
                          TGSI2SPV_ERROR_UNSUPPORTED);
        for (size_t i = 0; i < program_count; ++i) {
            linkages[i] = create<tgsi2spv_linkage>(context->memory);
            linkages[i]->linkage = std::move(made[i]);
            linkages[i]->stage = programs[i]->program.stage;
        }
        context->diagnostics.add(core.diagnostics, {});
        return TGSI2SPV_SUCCESS;
    });
    if (status != TGSI2SPV_SUCCESS)
        for (size_t i = 0; i < program_count; ++i) {
            destroy(linkages[i]);
            linkages[i] = nullptr;
        }
    return status;
}

void tgsi2spv_linkage_destroy(tgsi2spv_linkage* linkage) noexcept {
    destroy(linkage);
}

tgsi2spv_status tgsi2spv_program_convert(tgsi2spv_context* context, const tgsi2spv_program* program,
                                         const tgsi2spv_options* options, const tgsi2spv_module** module) noexcept {
    if (module != nullptr) *module = nullptr;
    if (context == nullptr || program == nullptr) return refuse_call(context);
    return guarded(*context, [&](Context& core) {
        Request request;
        if (const char* why = read_request(nullptr, options, request)) return refuse_argument(*context, why);
        core.diagnostics.clear();
        const tgsi2spv_status status =
            convert_program(*context, program->program, program->registers, program->text, request);
        return status == TGSI2SPV_SUCCESS ? give(*context, core.words, module) : status;
    });
}

tgsi2spv_status tgsi2spv_program_convert_each(tgsi2spv_context* context, const tgsi2spv_program* program,
                                              const tgsi2spv_options* const* options, size_t count,
                                              tgsi2spv_module** modules) noexcept {
    if (modules == nullptr) return refuse_call(context);
    std::fill_n(modules, count, nullptr);
    if (context == nullptr || program == nullptr) return refuse_call(context);
    tgsi2spv_status status = TGSI2SPV_SUCCESS;
    for (size_t i = 0; i < count && status == TGSI2SPV_SUCCESS; ++i) {
        status = tgsi2spv_program_convert(context, program, options == nullptr ? nullptr : options[i], nullptr);
        if (status == TGSI2SPV_SUCCESS) status = tgsi2spv_context_take_module(context, &modules[i]);
    }
    return status;
}

tgsi2spv_status tgsi2spv_translate(tgsi2spv_context* context, const char* text, size_t bytes,
                                   const tgsi2spv_parse_info* info, const tgsi2spv_options* options,
                                   const tgsi2spv_module** module) noexcept {
    if (module != nullptr) *module = nullptr;
    if (context == nullptr || (text == nullptr && bytes != 0)) return refuse_call(context);
    return guarded(*context, [&](Context&) {
        Request request;
        if (const char* why = read_request(info, options, request)) return refuse_argument(*context, why);
        return translate(*context, {text, bytes}, request, module);
    });
}

tgsi2spv_status tgsi2spv_translate_pipeline(tgsi2spv_context* context, const tgsi2spv_shader* shaders, size_t count,
                                            tgsi2spv_module** modules, size_t* refused) noexcept {
    if (modules != nullptr && count <= tgsi::kStageCount) std::fill_n(modules, count, nullptr);
    if (context == nullptr || shaders == nullptr || modules == nullptr || count > tgsi::kStageCount) {
        if (refused != nullptr) *refused = count;
        return refuse_call(context);
    }
    std::array<tgsi2spv_program*, tgsi::kStageCount> programs{};
    std::array<tgsi2spv_linkage*, tgsi::kStageCount> linkages{};
    std::array<const tgsi2spv_options*, tgsi::kStageCount> options{};
    tgsi2spv_status status = TGSI2SPV_SUCCESS;
    size_t at = 0;
    for (; at < count && status == TGSI2SPV_SUCCESS; ++at) {
        options[at] = shaders[at].options;
        status = tgsi2spv_program_parse(context, shaders[at].text, shaders[at].bytes, nullptr, &programs[at]);
    }
    if (status == TGSI2SPV_SUCCESS) {
        status = tgsi2spv_linkage_create(context, programs.data(), count, options.data(), linkages.data());
        at = status == TGSI2SPV_SUCCESS ? 0 : count + 1;
    }
    for (; at < count && status == TGSI2SPV_SUCCESS; ++at) {
        tgsi2spv_options linked;
        copy_in(options[at], linked);  // linkage_create() has read them
        linked.linkage = linkages[at];
        status = tgsi2spv_program_convert(context, programs[at], &linked, nullptr);
        if (status == TGSI2SPV_SUCCESS) status = tgsi2spv_context_take_module(context, &modules[at]);
    }
    for (size_t i = 0; i < count; ++i) {
        tgsi2spv_program_destroy(programs[i]);
        tgsi2spv_linkage_destroy(linkages[i]);
        if (status == TGSI2SPV_SUCCESS) continue;
        tgsi2spv_module_destroy(modules[i]);
        modules[i] = nullptr;
    }
    if (refused != nullptr && status != TGSI2SPV_SUCCESS) *refused = at - 1;
    return status;
}

tgsi2spv_status tgsi2spv_module_write_json(const tgsi2spv_module* module, tgsi2spv_context* context, const char** json,
                                           size_t* bytes) noexcept {
    if (module == nullptr || context == nullptr || json == nullptr || bytes == nullptr || module->words.empty())
        return kWrong;
    return guarded([&] {
        context->text.clear();
        spirv::write_json(module->reflection, context->text);
        return give_text(*context, json, bytes);
    });
}

tgsi2spv_status tgsi2spv_limits_set_guest(tgsi2spv_limits* limits) noexcept {
    tgsi2spv_limits guest{};
    guest.text_bytes = 1u << 20;
    guest.instructions = 1u << 16;
    guest.registers = 1u << 14;
    guest.errors = 4;
    return copy_out(guest, limits) ? TGSI2SPV_SUCCESS : kWrong;
}

tgsi2spv_status tgsi2spv_device_caps_set_everything(tgsi2spv_device_caps* caps) noexcept {
    return copy_out(device_with_everything(), caps) ? TGSI2SPV_SUCCESS : kWrong;
}

tgsi2spv_status tgsi2spv_text_hash(const char* text, size_t bytes, const tgsi2spv_parse_info* info,
                                   const tgsi2spv_options* options, tgsi2spv_hash* hash) noexcept {
    if ((text == nullptr && bytes != 0) || hash == nullptr) return kWrong;
    return guarded([&] {
        Request request;
        if (read_request(info, options, request) != nullptr) return kWrong;
        *hash = hash_of({text, bytes}, request);
        return TGSI2SPV_SUCCESS;
    });
}
