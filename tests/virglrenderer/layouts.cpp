// Compiles only if our declarations are those of the installed libvirglrenderer.
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "virglrenderer/abi.h"

#define VIRGL_RENDERER_UNSTABLE_APIS
namespace theirs {
#include <virgl/virglrenderer.h>
}

#define SAME_SIZE(type) static_assert(sizeof(type) == sizeof(theirs::type))
#define SAME_PLACE(type, member) static_assert(offsetof(type, member) == offsetof(theirs::type, member))
SAME_SIZE(virgl_renderer_resource_create_args);
SAME_PLACE(virgl_renderer_resource_create_args, nr_samples);
SAME_PLACE(virgl_renderer_resource_create_args, flags);
SAME_SIZE(virgl_renderer_resource_info);
SAME_PLACE(virgl_renderer_resource_info, flags);
SAME_PLACE(virgl_renderer_resource_info, tex_id);
SAME_PLACE(virgl_renderer_resource_info, drm_fourcc);
SAME_PLACE(virgl_renderer_callbacks, write_fence);
SAME_PLACE(virgl_renderer_callbacks, get_drm_fd);
SAME_PLACE(virgl_renderer_callbacks, write_context_fence);
