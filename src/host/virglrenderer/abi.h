// The C interface of libvirglrenderer.so.1 as virtual machine monitors call it: layouts and names are its, all else is
// ours.
#pragma once

#include <sys/uio.h>

#include <cstdarg>
#include <cstdint>

#define VIRGL_ABI extern "C" __attribute__((visibility("default")))

struct virgl_renderer_gl_ctx_param;

/// Members from write_context_fence on are there from version 3 on. Those that make GL contexts are never called.
struct virgl_renderer_callbacks {
    int version;
    void (*write_fence)(void* cookie, uint32_t fence);
    void* (*create_gl_context)(void* cookie, int scanout, virgl_renderer_gl_ctx_param* param);
    void (*destroy_gl_context)(void* cookie, void* context);
    int (*make_current)(void* cookie, int scanout, void* context);
    int (*get_drm_fd)(void* cookie);
    void (*write_context_fence)(void* cookie, uint32_t context, uint32_t ring, uint64_t fence);
};

struct virgl_renderer_resource_create_args {
    uint32_t handle, target, format, bind, width, height, depth, array_size, last_level, nr_samples, flags;
};

struct virgl_renderer_resource_info {
    uint32_t handle, virgl_format, width, height, depth, flags, tex_id, stride;
    int drm_fourcc;
};

struct virgl_box {
    uint32_t x, y, z, w, h, d;
};

using virgl_debug_callback_type = void (*)(const char* format, va_list arguments);
