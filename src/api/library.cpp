// The C functions that create, parse and convert. No exception leaves them: out of memory is a status.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <stdexcept>

#include "api/device.h"
#include "api/handles.h"
#include "api/hash.h"
#include "api/options.h"
#include "api/passthrough.h"
#include "api/record.h"
#include "api/versioned.h"
#include "tgsi/stage.h"

namespace tgsi2spv::api {
namespace {

constexpr auto kWrong = TGSI2SPV_ERROR_INVALID_ARGUMENT;

template <class Call>
tgsi2spv_status guarded(Call&& call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return TGSI2SPV_ERROR_OUT_OF_MEMORY;
    } catch (const std::length_error&) {
        return TGSI2SPV_ERROR_OUT_OF_MEMORY;
    } catch (...) {
        return TGSI2SPV_ERROR_INTERNAL;
    }
}

/// The same for calls that take a context. Discards the results of the last call, and workspaces that an exception left
/// half changed.
template <class Call>
tgsi2spv_status guarded(tgsi2spv_context& context, Call&& call) noexcept {
    context.diagnostics.clear();
    context.module.clear();
    const tgsi2spv_status status = guarded([&] {
        if (!context.core) context.core.emplace(&context.memory);
        return call(*context.core);
    });
    if (status == TGSI2SPV_ERROR_OUT_OF_MEMORY || status == TGSI2SPV_ERROR_INTERNAL) {
        context.core.reset();
        context.module.clear();
    }
    return status;
}

bool read_allocator(const tgsi2spv_allocator* from, CallerMemory& memory) {
    if (from == nullptr) return true;
    tgsi2spv_allocator allocator;
    if (!copy_in(from, allocator) || allocator.allocate == nullptr || allocator.release == nullptr) return false;
    memory = CallerMemory(allocator);
    return true;
}

/// The status of a refusal, from its first error.
tgsi2spv_status status_of(const std::vector<tgsi::Diagnostic>& diagnostics, tgsi2spv_status otherwise) {
    for (const tgsi::Diagnostic& d : diagnostics) {
        if (d.severity != tgsi::Severity::Error) continue;
        switch (d.code.cause()) {
            case tgsi::Cause::Program:
                return otherwise;
            case tgsi::Cause::Unsupported:
                return TGSI2SPV_ERROR_UNSUPPORTED;
            case tgsi::Cause::Argument:
                return kWrong;
            case tgsi::Cause::Limit:
                return TGSI2SPV_ERROR_LIMIT;
            case tgsi::Cause::Internal:
                return TGSI2SPV_ERROR_INTERNAL;
        }
    }
    return TGSI2SPV_ERROR_INTERNAL;  // refused without a reason
}

tgsi2spv_status refuse(tgsi2spv_context& context, std::string_view text, tgsi2spv_status otherwise) {
    context.diagnostics.add(context.core->diagnostics, text);
    return status_of(context.core->diagnostics, otherwise);
}

/// Refuses a struct of the caller: the reason becomes a diagnostic without a place in the text.
tgsi2spv_status refuse_argument(tgsi2spv_context& context, const char* why) {
    tgsi::Diagnostic d;
    d.code = "invalid-argument";
    d.message = why;
    context.core->diagnostics = {std::move(d)};
    context.diagnostics.add(context.core->diagnostics, {});
    return kWrong;
}

/// Refuses a call without what it needs. Nothing of the call before it is left.
tgsi2spv_status refuse_call(tgsi2spv_context* context) {
    if (context == nullptr) return kWrong;
    context->diagnostics.clear();
    context->module.clear();
    return kWrong;
}

bool parse_text(tgsi2spv_context& context, std::string_view text, const Request& request) {
    Options options;
    options.limits = context.limits;
    options.entry = request.info.entry;
    return parse(*context.core, text, options);
}

tgsi2spv_status convert_program(tgsi2spv_context& context, const tgsi::Program& program,
                                const tgsi::Registers& registers, std::string_view text, const Request& request) {
    Context& core = *context.core;
    if (request.options.linkage != nullptr && request.options.linkage->stage != program.stage)
        return refuse_argument(context, "tgsi2spv_options::linkage is for another stage");
    Options options = options_of(request);
    options.lower.max_operations = context.operations == 0 ? default_operations(text.size()) : context.operations;
    if (options.emit.debug_lines) options.emit.source = text;
    if (!lower(core, program, registers, options) || !optimise(core, options) || !emit(core, options))
        return refuse(context, text, TGSI2SPV_ERROR_UNSUPPORTED);
    reflect(core, options, context.reflection);
    if (request.device && !keeps_to(*request.device, options.emit.env, context.reflection, core.diagnostics))
        return refuse(context, text, TGSI2SPV_ERROR_UNSUPPORTED);
    if (request.device && request.options.linkage == nullptr)
        warn_of_locations(*request.device, context.reflection, core.diagnostics);
    context.diagnostics.add(core.diagnostics, text);
    return TGSI2SPV_SUCCESS;
}

tgsi2spv_status give(tgsi2spv_context& context, std::span<const uint32_t> words, bool from_cache,
                     tgsi2spv_module* module) {
    context.module.set(words, context.reflection);
    context.module.info.from_cache = from_cache ? 1 : 0;
    return module == nullptr || copy_out(context.module.info, module) ? TGSI2SPV_SUCCESS : kWrong;
}

/// The context's own text, which lives until the next call.
tgsi2spv_status give_text(const tgsi2spv_context& context, const char** text, size_t* bytes) {
    *text = context.text.c_str();
    *bytes = context.text.size();
    return TGSI2SPV_SUCCESS;
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

/// Why the module cannot be filled; null if it can. It is filled only at the end; until then it is empty, since what it
/// held belongs to the call before.
const char* empty_or_wrong(tgsi2spv_module* module) {
    if (module == nullptr) return nullptr;
    if (module->struct_size < sizeof(size_t)) return "tgsi2spv_module::struct_size is too small";
    const size_t bytes = std::min(module->struct_size, sizeof *module) - sizeof(size_t);
    std::memset(reinterpret_cast<char*>(module) + sizeof(size_t), 0, bytes);
    return nullptr;
}

tgsi2spv_status translate(tgsi2spv_context& context, std::string_view text, const Request& request,
                          const tgsi2spv_cache* cache, tgsi2spv_module* module) {
    Context& core = *context.core;
    std::optional<Key> key;
    const auto is_cached = [&] {
        std::pmr::vector<uint8_t> bytes(&context.memory);
        key = key_of(text, request, &context.memory);
        return cache->folder.load(*key, bytes) && read_record(bytes, core.words, context.reflection);
    };
    // Parsing refuses a text beyond the limit. An entry for which there is no memory is none.
    if (cache != nullptr && text.size() <= context.limits.text_bytes) {
        bool cached = false;
        (void)guarded([&] {
            cached = is_cached();
            return TGSI2SPV_SUCCESS;
        });
        if (cached) return give(context, core.words, true, module);
    }
    if (!parse_text(context, text, request)) return refuse(context, text, TGSI2SPV_ERROR_INVALID_TEXT);
    const tgsi2spv_status status = convert_program(context, core.program, core.registers, text, request);
    if (status != TGSI2SPV_SUCCESS) return status;
    if (key)  // a module that cannot be kept, for want of memory too, is a module
        (void)guarded([&] {
            const auto record = write_record(core.words, context.reflection, &context.memory);
            (void)cache->folder.store(*key, record, &context.memory);
            return TGSI2SPV_SUCCESS;
        });
    return give(context, core.words, false, module);
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
    context->module.release();
    context->reflection = spirv::Reflection(&context->memory);
    free_memory(context->text);
}

void tgsi2spv_context_destroy(tgsi2spv_context* context) noexcept {
    destroy(context);
}

tgsi2spv_status tgsi2spv_parse(tgsi2spv_context* context, const char* text, size_t bytes,
                               const tgsi2spv_parse_info* info, tgsi2spv_program** program) noexcept {
    if (program != nullptr) *program = nullptr;
    if (context == nullptr || program == nullptr || (text == nullptr && bytes != 0)) return refuse_call(context);
    return guarded(*context, [&](Context& core) {
        Request request;
        if (const char* why = read_request(info, nullptr, request)) return refuse_argument(*context, why);
        const std::string_view all(text, bytes);
        if (!parse_text(*context, all, request)) return refuse(*context, all, TGSI2SPV_ERROR_INVALID_TEXT);
        auto* made = create<tgsi2spv_program>(context->memory);
        const tgsi2spv_status status = guarded([&] {
            context->diagnostics.add(core.diagnostics, all);
            made->text = all;
            return TGSI2SPV_SUCCESS;
        });
        if (status != TGSI2SPV_SUCCESS) {
            destroy(made);
            return status;
        }
        made->program = std::move(core.program);
        made->registers = std::move(core.registers);
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

tgsi2spv_status tgsi2spv_passthrough_tess_ctrl(tgsi2spv_context* context, const tgsi2spv_program* program,
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

static_assert(TGSI2SPV_TOPOLOGY_POINTS == static_cast<int>(Topology::Points) &&
              TGSI2SPV_TOPOLOGY_TRIANGLE_FAN == static_cast<int>(Topology::TriangleFan) &&
              TGSI2SPV_POLYGON_FILL == static_cast<int>(PolygonMode::Fill) &&
              TGSI2SPV_POLYGON_POINT == static_cast<int>(PolygonMode::Point));
tgsi2spv_status tgsi2spv_passthrough_geometry(tgsi2spv_context* context, const tgsi2spv_program* program,
                                              const tgsi2spv_geometry_info* info, const char** text,
                                              size_t* bytes) noexcept {
    if (context == nullptr || program == nullptr || text == nullptr || bytes == nullptr) return refuse_call(context);
    return guarded(*context, [&](Context&) {
        tgsi2spv_geometry_info given{};
        if (!copy_in(info, given)) return refuse_argument(*context, refusal_of<"tgsi2spv_geometry_info">());
        if (given.reserved != 0) return refuse_argument(*context, "tgsi2spv_geometry_info::reserved is not 0");
        if (given.topology > TGSI2SPV_TOPOLOGY_TRIANGLE_FAN)
            return refuse_argument(*context, "tgsi2spv_geometry_info::topology is out of range");
        if (given.polygon_mode > TGSI2SPV_POLYGON_POINT)
            return refuse_argument(*context, "tgsi2spv_geometry_info::polygon_mode is out of range");
        PassthroughGeometry what;
        what.topology = static_cast<Topology>(given.topology);
        what.polygon_mode = static_cast<PolygonMode>(given.polygon_mode);
        what.provoking_last = given.provoking_last != 0;
        what.flat_shade = given.flat_shade != 0;
        what.line_stipple = given.line_stipple != 0;
        const tgsi::Program* const fragment = given.fragment == nullptr ? nullptr : &given.fragment->program;
        return give_shader(*context, *program,
                           passthrough_geometry(program->program, program->registers, fragment, what, &context->memory),
                           text, bytes);
    });
}

tgsi2spv_status tgsi2spv_link(tgsi2spv_context* context, const tgsi2spv_program* const* programs, size_t program_count,
                              const tgsi2spv_options* const* options, tgsi2spv_linkage** linkages) noexcept {
    constexpr size_t kMaxLinked = 1024;  // beyond, the lists cannot be what the count says
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
        lower::Capabilities capabilities;
        lower::LinkLimits limits = lower::kMaxOfAll;
        for (size_t i = 0; i < program_count; ++i) {
            if (const char* why = read_request(nullptr, options == nullptr ? nullptr : options[i], requests[i]))
                return refuse_argument(*context, why);
            requests[i].options.linkage = nullptr;
            all[i] = options_of(requests[i]);
            if (requests[i].device) {
                capabilities = all[i].capabilities;
                limits = link_limits_of(*requests[i].device);
            }
            stages[i] = {&programs[i]->program, &programs[i]->registers, &all[i].lower};
        }
        std::pmr::vector<lower::Linkage> made(&context->memory);
        for (size_t i = 0; i < program_count; ++i) made.emplace_back(&context->memory);
        size_t refused = 0;
        if (!lower::link({stages.data(), program_count}, capabilities, limits, made, core.diagnostics, &context->memory,
                         &refused))
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

tgsi2spv_status tgsi2spv_convert(tgsi2spv_context* context, const tgsi2spv_program* program,
                                 const tgsi2spv_options* options, tgsi2spv_module* module) noexcept {
    if (context == nullptr || program == nullptr) return refuse_call(context);
    return guarded(*context, [&](Context& core) {
        if (const char* why = empty_or_wrong(module)) return refuse_argument(*context, why);
        Request request;
        if (const char* why = read_request(nullptr, options, request)) return refuse_argument(*context, why);
        core.diagnostics.clear();
        const tgsi2spv_status status =
            convert_program(*context, program->program, program->registers, program->text, request);
        return status == TGSI2SPV_SUCCESS ? give(*context, core.words, false, module) : status;
    });
}

tgsi2spv_status tgsi2spv_translate(tgsi2spv_context* context, const char* text, size_t bytes,
                                   const tgsi2spv_parse_info* info, const tgsi2spv_options* options,
                                   tgsi2spv_cache* cache, tgsi2spv_module* module) noexcept {
    if (context == nullptr || (text == nullptr && bytes != 0)) return refuse_call(context);
    return guarded(*context, [&](Context&) {
        if (const char* why = empty_or_wrong(module)) return refuse_argument(*context, why);
        Request request;
        if (const char* why = read_request(info, options, request)) return refuse_argument(*context, why);
        return translate(*context, {text, bytes}, request, cache, module);
    });
}

tgsi2spv_status tgsi2spv_reflection_json(tgsi2spv_context* context, const char** json, size_t* bytes) noexcept {
    if (context == nullptr || json == nullptr || bytes == nullptr || context->module.words.empty()) return kWrong;
    return guarded([&] {
        context->text.clear();
        spirv::write_json(context->reflection, context->text);
        return give_text(*context, json, bytes);
    });
}

tgsi2spv_status tgsi2spv_hash_of(const char* text, size_t bytes, const tgsi2spv_parse_info* info,
                                 const tgsi2spv_options* options, tgsi2spv_hash* hash) noexcept {
    if ((text == nullptr && bytes != 0) || hash == nullptr) return kWrong;
    return guarded([&] {
        Request request;
        if (read_request(info, options, request) != nullptr) return kWrong;
        *hash = hash_of({text, bytes}, request);
        return TGSI2SPV_SUCCESS;
    });
}

tgsi2spv_status tgsi2spv_cache_open(const char* folder, const tgsi2spv_allocator* allocator,
                                    tgsi2spv_cache** cache) noexcept {
    if (cache == nullptr) return kWrong;
    *cache = nullptr;
    CallerMemory memory;
    if (folder == nullptr || !read_allocator(allocator, memory)) return kWrong;
    return guarded([&] {
        auto* made = create<tgsi2spv_cache>(memory);
        const tgsi2spv_status status =
            guarded([&] { return made->folder.open(folder) ? TGSI2SPV_SUCCESS : TGSI2SPV_ERROR_IO; });
        if (status == TGSI2SPV_SUCCESS)
            *cache = made;
        else
            destroy(made);
        return status;
    });
}

void tgsi2spv_cache_close(tgsi2spv_cache* cache) noexcept {
    destroy(cache);
}
