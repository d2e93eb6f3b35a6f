// The C functions. Each checks its arguments, and lets no exception out: a monitor is a C program.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "renderer/debug.h"
#include "renderer/renderer.h"
#include "virgl/log_rate.h"
#include "virglrenderer/abi.h"
#include "virglrenderer/virtual_machine.h"

namespace {

using namespace tgsi2spv;
using virglrenderer::Resource;
using virglrenderer::row_bytes;
using virglrenderer::VirtualMachine;

/// One per process, as in the interface. It is not destroyed at exit: drivers may be gone by then.
VirtualMachine* machine = nullptr;
virgl_debug_callback_type debug_callback = nullptr;
virgl::LogRate log_rate;

/// Calls action(machine); `failure` if there is no machine, or the call throws.
template <class Result, class Action>
Result with_machine(Result failure, const Action& action) noexcept {
    if (machine == nullptr) return failure;
    try {
        return action(*machine);
    } catch (...) {
        return failure;
    }
}
template <class Action>
void with_machine(const Action& action) noexcept {
    with_machine(0, [&](VirtualMachine& vm) {
        action(vm);
        return 0;
    });
}

__attribute__((format(printf, 1, 2))) void call_debug(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    debug_callback(format, arguments);
    va_end(arguments);
}

void print(const std::string& line) {
    if (debug_callback != nullptr)
        call_debug("%s\n", line.c_str());
    else
        std::fprintf(stderr, "virglrenderer: %s\n", line.c_str());
}

/// A guest can cause any number of lines, and some have its words.
void log_to_monitor(const std::string& line) {
    const virgl::LogRate::Answer answer = log_rate.line();
    if (answer == virgl::LogRate::Answer::WriteThatLinesAreMissing) print(virgl::kLinesAreMissing);
    if (answer == virgl::LogRate::Answer::Write) print(line.substr(0, virgl::kMostLineBytes));
}

host::HostOptions options_of_environment() {
    host::HostOptions options;
    if (const char* device = std::getenv("TGSI_HOST_DEVICE")) options.device = device;
    if (const char* words = std::getenv("TGSI_HOST_DEBUG"))
        if (const std::string unknown = add_debug_words(options, words); !unknown.empty())
            log_to_monitor("TGSI_HOST_DEBUG: there is no '" + unknown + "'");
    if (const char* mib = std::getenv("TGSI_HOST_LIMIT_MEMORY"))
        options.memory_limit = std::clamp(std::strtoull(mib, nullptr, 10), 16ull, 1ull << 20) << 20;
    return options;
}

int start(void* cookie, virgl_renderer_callbacks* callbacks) {
    host::set_log(log_to_monitor);
    auto renderer = host::make_renderer(options_of_environment());
    if (!renderer) {
        log_to_monitor(renderer.error());
        return ENODEV;
    }
    auto made = std::make_unique<VirtualMachine>();
    made->cookie = cookie;
    made->callbacks = callbacks;
    made->renderer = std::move(*renderer);
    machine = made.release();
    return 0;
}

constexpr uint32_t kVirgl = 1, kVirgl2 = 2;

}  // namespace

VIRGL_ABI int virgl_renderer_init(void* cookie, int flags, virgl_renderer_callbacks* callbacks) {
    constexpr int kNoVirgl = 1 << 7, kNewestCallbacks = 4;
    if (callbacks == nullptr || callbacks->version < 1 || callbacks->version > kNewestCallbacks ||
        callbacks->write_fence == nullptr || (flags & kNoVirgl) != 0)
        return EINVAL;
    if (machine != nullptr) return machine->cookie == cookie && machine->callbacks == callbacks ? 0 : EBUSY;
    try {
        return start(cookie, callbacks);
    } catch (...) {
        return ENOMEM;
    }
}

VIRGL_ABI void virgl_renderer_cleanup(void*) {
    with_machine([](VirtualMachine& vm) { reset(vm); });
    delete std::exchange(machine, nullptr);
}
VIRGL_ABI void virgl_renderer_reset() {
    with_machine([](VirtualMachine& vm) { reset(vm); });
}
VIRGL_ABI void virgl_renderer_poll() {
    with_machine([](VirtualMachine& vm) { poll(vm); });
}
VIRGL_ABI int virgl_renderer_get_poll_fd() {
    return -1;
}
VIRGL_ABI void virgl_renderer_force_ctx_0() {}
VIRGL_ABI virgl_debug_callback_type virgl_set_debug_callback(virgl_debug_callback_type callback) {
    return std::exchange(debug_callback, callback);
}

VIRGL_ABI void virgl_renderer_get_cap_set(uint32_t set, uint32_t* version, uint32_t* size) {
    if (version != nullptr) *version = set == kVirgl || set == kVirgl2 ? set : 0;
    if (size != nullptr) *size = set == kVirgl ? sizeof(virgl::CapsV1) : set == kVirgl2 ? sizeof(virgl::CapsV2) : 0;
}
VIRGL_ABI void virgl_renderer_fill_caps(uint32_t set, uint32_t, void* caps) {
    if (caps == nullptr) return;
    with_machine([&](VirtualMachine& vm) {
        if (set == kVirgl) {
            virgl::CapsV1 first = vm.renderer->caps().v1;
            first.max_version = 1;
            std::memcpy(caps, &first, sizeof first);
        } else if (set == kVirgl2) {
            std::memcpy(caps, &vm.renderer->caps(), sizeof(virgl::CapsV2));
        }
    });
}

VIRGL_ABI int virgl_renderer_context_create_with_flags(uint32_t context, uint32_t flags, uint32_t, const char*) {
    constexpr uint32_t kCapSetMask = 0xff;
    if (context == 0 || (flags & kCapSetMask) > kVirgl2) return EINVAL;
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        if (!vm.contexts.insert(context).second) return 0;
        if (vm.renderer->create_context(context) == virgl::Outcome::Done) return 0;
        vm.contexts.erase(context);
        return EINVAL;
    });
}
VIRGL_ABI int virgl_renderer_context_create(uint32_t context, uint32_t length, const char* name) {
    return virgl_renderer_context_create_with_flags(context, kVirgl, length, name);
}
VIRGL_ABI void virgl_renderer_context_destroy(uint32_t context) {
    with_machine([&](VirtualMachine& vm) {
        if (vm.contexts.erase(context) == 0) return;
        vm.renderer->destroy_context(context);
        for (auto& [handle, resource] : vm.resources) resource.contexts.erase(context);
    });
}
VIRGL_ABI void virgl_renderer_ctx_attach_resource(int context, int handle) {
    with_machine([&](VirtualMachine& vm) {
        Resource* const resource = find_resource(vm, static_cast<uint32_t>(handle));
        if (resource == nullptr || !vm.contexts.contains(static_cast<uint32_t>(context))) return;
        vm.renderer->attach(static_cast<uint32_t>(context), resource->info.handle);
        resource->contexts.insert(static_cast<uint32_t>(context));
    });
}
VIRGL_ABI void virgl_renderer_ctx_detach_resource(int context, int handle) {
    with_machine([&](VirtualMachine& vm) {
        Resource* const resource = find_resource(vm, static_cast<uint32_t>(handle));
        if (resource != nullptr && resource->contexts.erase(static_cast<uint32_t>(context)) != 0)
            vm.renderer->detach(static_cast<uint32_t>(context), resource->info.handle);
    });
}
VIRGL_ABI int virgl_renderer_submit_cmd(void* buffer, int context, int words) {
    const bool aligned = reinterpret_cast<uintptr_t>(buffer) % alignof(uint32_t) == 0;
    if (words < 0 || !aligned || (buffer == nullptr && words > 0)) return EINVAL;
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        if (!vm.contexts.contains(static_cast<uint32_t>(context))) return EINVAL;
        const virgl::Words all{static_cast<const uint32_t*>(buffer), static_cast<size_t>(words)};
        return vm.renderer->submit(static_cast<uint32_t>(context), all) == virgl::Outcome::Done ? 0 : EINVAL;
    });
}

VIRGL_ABI int virgl_renderer_resource_create(virgl_renderer_resource_create_args* args, iovec* pieces, uint32_t count) {
    if (args == nullptr || count > INT32_MAX) return EINVAL;
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        return pieces == nullptr ? create_resource(vm, *args)
                                 : create_resource(vm, *args, pieces, static_cast<int>(count));
    });
}
VIRGL_ABI void virgl_renderer_resource_unref(uint32_t handle) {
    with_machine([&](VirtualMachine& vm) { destroy_resource(vm, handle); });
}
VIRGL_ABI int virgl_renderer_resource_attach_iov(int handle, iovec* pieces, int count) {
    return with_machine(
        EINVAL, [&](VirtualMachine& vm) { return attach_memory(vm, static_cast<uint32_t>(handle), pieces, count); });
}
VIRGL_ABI void virgl_renderer_resource_detach_iov(int handle, iovec** pieces, int* count) {
    if (pieces != nullptr) *pieces = nullptr;
    if (count != nullptr) *count = 0;
    with_machine([&](VirtualMachine& vm) {
        Resource* const resource = find_resource(vm, static_cast<uint32_t>(handle));
        if (resource == nullptr) return;
        if (pieces != nullptr) *pieces = resource->pieces;
        if (count != nullptr) *count = resource->piece_count;
        detach_memory(vm, *resource);
    });
}
VIRGL_ABI void virgl_renderer_resource_set_priv(uint32_t handle, void* its) {
    with_machine([&](VirtualMachine& vm) {
        if (Resource* const resource = find_resource(vm, handle)) resource->its = its;
    });
}
VIRGL_ABI void* virgl_renderer_resource_get_priv(uint32_t handle) {
    return with_machine<void*>(nullptr, [&](VirtualMachine& vm) -> void* {
        const Resource* const resource = find_resource(vm, handle);
        return resource == nullptr ? nullptr : resource->its;
    });
}
VIRGL_ABI int virgl_renderer_resource_get_info(int handle, virgl_renderer_resource_info* info) {
    if (info == nullptr) return EINVAL;
    *info = {};
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        const Resource* const resource = find_resource(vm, static_cast<uint32_t>(handle));
        if (resource == nullptr) return EINVAL;
        const virgl_renderer_resource_create_args& a = resource->info;
        *info = {a.handle, a.format, a.width, a.height, a.depth, a.flags, 0, row_bytes(a), 0};
        return 0;
    });
}

VIRGL_ABI int virgl_renderer_transfer_read_iov(uint32_t handle, uint32_t context, uint32_t level, uint32_t stride,
                                               uint32_t layer_stride, virgl_box* box, uint64_t offset, iovec* pieces,
                                               int count) {
    if (count < 0) return EINVAL;
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        const std::span<const iovec> given(pieces, pieces == nullptr ? 0 : static_cast<size_t>(count));
        return transfer(vm, {handle, context, level, stride, layer_stride, box, offset, given}, false);
    });
}
VIRGL_ABI int virgl_renderer_transfer_write_iov(uint32_t handle, uint32_t context, int level, uint32_t stride,
                                                uint32_t layer_stride, virgl_box* box, uint64_t offset, iovec* pieces,
                                                unsigned count) {
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        const std::span<const iovec> given(pieces, pieces == nullptr ? 0 : count);
        return transfer(vm, {handle, context, static_cast<uint32_t>(level), stride, layer_stride, box, offset, given},
                        true);
    });
}
/// A copy that the caller frees, rows of 32-bit texels; null if the resource has other texels.
VIRGL_ABI void* virgl_renderer_get_cursor_data(uint32_t handle, uint32_t* width, uint32_t* height) {
    constexpr uint32_t kLargest = 128;
    if (width == nullptr || height == nullptr) return nullptr;
    return with_machine<void*>(nullptr, [&](VirtualMachine& vm) -> void* {
        const Resource* const resource = find_resource(vm, handle);
        if (resource == nullptr) return nullptr;
        const virgl_renderer_resource_create_args& a = resource->info;
        if (a.width > kLargest || a.height > kLargest || row_bytes(a) != a.width * 4) return nullptr;
        const size_t bytes = size_t{row_bytes(a)} * a.height;
        std::unique_ptr<void, void (*)(void*)> data(std::calloc(1, bytes), std::free);
        if (data == nullptr) return nullptr;
        const iovec piece{data.get(), bytes};
        const virgl_box all{0, 0, 0, a.width, a.height, 1};
        if (transfer(vm, {handle, 0, 0, 0, 0, &all, 0, {&piece, 1}}, false) != 0) return nullptr;
        *width = a.width;
        *height = a.height;
        return data.release();
    });
}

VIRGL_ABI int virgl_renderer_create_fence(int id, uint32_t context) {
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        return add_fence(vm, {0, static_cast<uint32_t>(id), context, 0, false});
    });
}
VIRGL_ABI int virgl_renderer_context_create_fence(uint32_t context, uint32_t, uint32_t ring, uint64_t id) {
    return with_machine(EINVAL, [&](VirtualMachine& vm) {
        if (!vm.contexts.contains(context) || vm.callbacks->version < 3 || vm.callbacks->write_context_fence == nullptr)
            return EINVAL;
        return add_fence(vm, {0, id, context, ring, true});
    });
}
VIRGL_ABI void virgl_renderer_context_poll(uint32_t) {
    virgl_renderer_poll();
}
VIRGL_ABI int virgl_renderer_context_get_poll_fd(uint32_t) {
    return -1;
}

// Textures of a GL, memory of Vulkan's guests, files: this host does not have them, but monitors need the names.
VIRGL_ABI void virgl_renderer_get_rect(int, iovec*, unsigned, uint32_t, int, int, int, int) {}
VIRGL_ABI int virgl_renderer_get_fd_for_texture(uint32_t, int*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_get_fd_for_texture2(uint32_t, int*, int*, int*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_import_eglimage(virgl_renderer_resource_create_args*, void*) {
    return ENOTSUP;
}
VIRGL_ABI int virgl_renderer_execute(void*, uint32_t) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_create_blob(const void*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_import_blob(const void*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_export_blob(uint32_t, uint32_t*, int*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_map(uint32_t, void**, uint64_t*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_unmap(uint32_t) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_resource_get_map_info(uint32_t, uint32_t*) {
    return -ENOTSUP;
}
VIRGL_ABI int virgl_renderer_export_fence(uint32_t, int*) {
    return -ENOTSUP;
}
