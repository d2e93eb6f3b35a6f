// Small OpenGL tests, each of something that takes an optional feature of Vulkan. A test draws a picture of 16 x 16
// pixels or takes a few numbers; `hidden` compares them with those of another driver, so a test needs no answer of its
// own. Prints a line for each: its name, and the bytes in hexadecimal digits, or "-" if the driver does not offer what
// it needs.
#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 16, MOST_NUMBERS = 16 };
enum Api { CORE, COMPATIBLE };
struct Test {
    const char* name;
    enum Api api;
    const char* needs;  // an extension, or null
    void (*draw)(void);
};

// Of the test that runs.
static bool refused;  // a shader, for want of an extension
static uint32_t numbers[MOST_NUMBERS];
static size_t number_count;
static GLuint target, texture;

static void say(uint32_t number) {
    if (number_count < MOST_NUMBERS) numbers[number_count++] = number;
}

#include "cases/common.inc"
#include "cases/primitives.inc"
#include "cases/pixels.inc"
#include "cases/textures.inc"

// ---- All of them

#define ARB "GL_ARB_"
static const struct Test kTests[] = {
#define TEST(name, needs) {#name, CORE, needs, name},
#define COMPATIBLE_TEST(name, needs) {#name, COMPATIBLE, needs, name},
    TEST(base_instance, ARB "base_instance") TEST(base_instance_indirect, ARB "base_instance") TEST(
        draw_parameters, ARB "shader_draw_parameters") TEST(restart_triangles, ARB "ES3_compatibility")
        TEST(restart_lines, ARB "ES3_compatibility") TEST(restart_strip, ARB "ES3_compatibility") TEST(
            restart_indirect, ARB "ES3_compatibility") TEST(restart_other_index,
                                                            NULL) TEST(fan, NULL) TEST(provoking_first,
                                                                                       NULL) TEST(provoking_last, NULL)
            TEST(polygon_lines, NULL) TEST(polygon_points, NULL) TEST(polygon_lines_culled, NULL) COMPATIBLE_TEST(
                edge_flags, NULL) COMPATIBLE_TEST(wide_lines, NULL) COMPATIBLE_TEST(stippled_lines, NULL)
                COMPATIBLE_TEST(diamond_lines, NULL) TEST(large_points, NULL) TEST(misaligned_vertices, NULL) TEST(
                    divided_instances, NULL) TEST(constant_attribute,
                                                  NULL) TEST(multi_indirect, ARB "multi_draw_indirect")
                    TEST(counted_indirect, ARB "indirect_parameters") TEST(geometry, NULL) TEST(
                        tessellation, ARB "tessellation_shader") TEST(tessellated_points, ARB
                                                                      "tessellation_shader") TEST(restart_patches, ARB
                                                                                                  "ES3_compatibility")
                        TEST(primitive_id, NULL) TEST(viewports, ARB "viewport_array") TEST(layers, NULL) TEST(
                            layer_from_vert,
                            "GL_AMD_vertex_shader_layer") TEST(capture,
                                                               NULL) TEST(capture_discarded, NULL)
                            TEST(capture_geometry, NULL) TEST(feedback_draw, ARB "transform_feedback2") TEST(
                                vertex_stores, ARB "shader_storage_buffer_object") TEST(vertex_textures, NULL)
                                TEST(doubles, ARB "gpu_shader_fp64") TEST(depth_clamped, ARB "depth_clamp") TEST(
                                    depth_clipped, NULL) TEST(depth_zero_to_one, ARB
                                                              "clip_control") TEST(depth_offset, NULL)
                                    TEST(depth_offset_clamped, ARB "polygon_offset_clamp") TEST(
                                        clip_distances,
                                        NULL) TEST(cull_distances, ARB "cull_distance")
                                        COMPATIBLE_TEST(user_planes, NULL) TEST(faces, NULL) TEST(
                                            face_stencils,
                                            NULL) TEST(exported_stencil, ARB
                                                       "shader_stencil_export") TEST(logic_operations, NULL)
                                            TEST(logic_operations_blended, NULL) TEST(logic_two_targets, NULL) TEST(
                                                alpha_to_one,
                                                NULL) TEST(alpha_to_one_and_coverage,
                                                           NULL) TEST(alpha_to_coverage,
                                                                      NULL) TEST(sample_mask, NULL)
                                                TEST(sample_shading, ARB "sample_shading") TEST(
                                                    min_samples,
                                                    ARB
                                                    "sample_shading") TEST(interpolation_at, ARB
                                                                           "gpu_shader5") TEST(blend_constants,
                                                                                               NULL) TEST(two_sources,
                                                                                                          NULL)
                                                    TEST(different_targets, NULL) TEST(
                                                        advanced_blend,
                                                        "GL_KHR_blend_equation_advanced") TEST(slice_target, NULL)
                                                        TEST(cube_array, ARB "texture_cube_map_array") TEST(
                                                            cube_seams,
                                                            NULL) TEST(gather_offsets, ARB
                                                                       "gpu_shader5") TEST(border, NULL)
                                                            TEST(border_plain, NULL) TEST(border_swizzled, NULL) TEST(
                                                                border_red_white,
                                                                NULL) TEST(swizzled,
                                                                           NULL) TEST(mirrored_once, ARB
                                                                                      "texture_mirror_clamp_to_edge")
                                                                COMPATIBLE_TEST(clamped, NULL) TEST(levels, NULL) TEST(
                                                                    biased_levels,
                                                                    NULL) TEST(depth_compared,
                                                                               NULL) TEST(depth_filtered, NULL)
                                                                    TEST(compressed_bc,
                                                                         "G"
                                                                         "L"
                                                                         "_"
                                                                         "E"
                                                                         "X"
                                                                         "T"
                                                                         "_"
                                                                         "t"
                                                                         "e"
                                                                         "x"
                                                                         "t"
                                                                         "u"
                                                                         "r"
                                                                         "e"
                                                                         "_"
                                                                         "c"
                                                                         "o"
                                                                         "m"
                                                                         "p"
                                                                         "r"
                                                                         "e"
                                                                         "s"
                                                                         "s"
                                                                         "i"
                                                                         "o"
                                                                         "n"
                                                                         "_"
                                                                         "s"
                                                                         "3"
                                                                         "t"
                                                                         "c") TEST(compressed_etc, ARB
                                                                                   "ES3_compatibility") TEST(texture_buffer,
                                                                                                             NULL)
                                                                        TEST(sampler_array, ARB "gpu_shader5") TEST(
                                                                            unbound_texture,
                                                                            NULL) TEST(image_stores, ARB
                                                                                       "shader_image_load_"
                                                                                       "store")
                                                                            TEST(image_loads, ARB "shader_image_load_"
                                                                                                  "store") TEST(
                                                                                image_atomics, ARB
                                                                                "shader_image_load_"
                                                                                "store") TEST(image_slice, ARB
                                                                                              "compute_shader")
                                                                                TEST(image_samples, NULL) TEST(
                                                                                    storage_in_frag,
                                                                                    ARB
                                                                                    "shader_"
                                                                                    "storage_"
                                                                                    "buffer_"
                                                                                    "object")
                                                                                    TEST(beyond_buffers, ARB "compute_"
                                                                                                             "shader") TEST(
                                                                                        shared_memory, ARB
                                                                                        "compute_"
                                                                                        "shader")
                                                                                        TEST(buffer_array, ARB "gpu_"
                                                                                                               "shader"
                                                                                                               "5") TEST(
                                                                                            votes, ARB "shader_group_"
                                                                                                       "vote")
                                                                                            TEST(generated, NULL) TEST(
                                                                                                generated_and_discarded,
                                                                                                NULL) TEST(generated_by_geometry,
                                                                                                           NULL)
                                                                                                TEST(
                                                                                                    generated_by_tessellation,
                                                                                                    ARB
                                                                                                    "tessellation_"
                                                                                                    "shader")
                                                                                                    TEST(samples_passed,
                                                                                                         NULL)
                                                                                                        TEST(statistics,
                                                                                                             ARB
                                                                                                             "pipeline_"
                                                                                                             "statistic"
                                                                                                             "s_query")
                                                                                                            TEST(
                                                                                                                conditions,
                                                                                                                NULL)
                                                                                                                TEST(
                                                                                                                    time_elapsed,
                                                                                                                    ARB
                                                                                                                    "ti"
                                                                                                                    "me"
                                                                                                                    "r_"
                                                                                                                    "qu"
                                                                                                                    "er"
                                                                                                                    "y")};

static bool has_extension(const char* name) {
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (strcmp((const char*)glGetStringi(GL_EXTENSIONS, (GLuint)i), name) == 0) return true;
    return false;
}

static void print_bytes(const void* data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) printf("%02x", ((const uint8_t*)data)[i]);
}

static void run(const struct Test* test) {
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    texture = make_target(GL_RGBA8);
    bind_target(GL_COLOR_ATTACHMENT0, texture);
    glBindTexture(GL_TEXTURE_2D, 0);
    glViewport(0, 0, SIZE, SIZE);
    glClearColor(0.1F, 0.2F, 0.4F, 0.8F);
    glClear(GL_COLOR_BUFFER_BIT);
    refused = false;
    number_count = 0;
    test->draw();
    if (refused) {
        puts("-");
        return;
    }
    uint8_t pixels[SIZE][SIZE][4] = {{{0}}};
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    print_bytes(pixels, sizeof pixels);
    printf(" ");
    print_bytes(numbers, number_count * sizeof numbers[0]);
    printf(" %x\n", glGetError());
}

int main(int count, char** names) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API)) return 1;
    for (size_t i = 0; i < sizeof kTests / sizeof kTests[0]; i++) {
        const struct Test* const test = &kTests[i];
        bool wanted = count < 2;
        for (int n = 1; n < count; n++) wanted |= strcmp(names[n], test->name) == 0;
        if (!wanted) continue;
        const EGLint profile = test->api == COMPATIBLE ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                                                       : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
        const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     3,
                                     EGL_CONTEXT_MINOR_VERSION,
                                     2,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     profile,
                                     EGL_NONE};
        const EGLContext context = eglCreateContext(display, NULL, EGL_NO_CONTEXT, attributes);
        printf("%s ", test->name);
        if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) ||
            (test->needs != NULL && !has_extension(test->needs)))
            puts("-");
        else
            run(test);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
    }
    return 0;
}
