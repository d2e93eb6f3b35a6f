/* Drives libvirglrenderer.so.1 as a virtual machine's monitor does: draws a recording whose resources lie in scattered
 * pages, and compares what is read; then what one context must not do to another. Argument: the recording. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

struct box {
    uint32_t x, y, z, w, h, d;
};
struct resource_args {
    uint32_t handle, target, format, bind, width, height, depth, array_size, last_level, nr_samples, flags;
};
struct resource_info {
    uint32_t handle, format, width, height, depth, flags, tex_id, stride;
    int fourcc;
};
struct callbacks {
    int version;
    void (*write_fence)(void *cookie, uint32_t fence);
    void *unused[4];
};
typedef void (*debug_callback)(const char *format, va_list arguments);
int virgl_renderer_init(void *cookie, int flags, struct callbacks *callbacks);
void virgl_renderer_cleanup(void *cookie);
void virgl_renderer_reset(void);
void virgl_renderer_poll(void);
void virgl_renderer_get_cap_set(uint32_t set, uint32_t *version, uint32_t *size);
void virgl_renderer_fill_caps(uint32_t set, uint32_t version, void *caps);
int virgl_renderer_context_create(uint32_t context, uint32_t length, const char *name);
void virgl_renderer_context_destroy(uint32_t context);
void virgl_renderer_ctx_attach_resource(int context, int resource);
void virgl_renderer_ctx_detach_resource(int context, int resource);
int virgl_renderer_resource_create(struct resource_args *args, struct iovec *pieces, uint32_t count);
void virgl_renderer_resource_unref(uint32_t resource);
int virgl_renderer_resource_attach_iov(int resource, struct iovec *pieces, int count);
void virgl_renderer_resource_detach_iov(int resource, struct iovec **pieces, int *count);
int virgl_renderer_resource_get_info(int resource, struct resource_info *info);
int virgl_renderer_submit_cmd(void *words, int context, int count);
int virgl_renderer_create_fence(int fence, uint32_t context);
int virgl_renderer_transfer_read_iov(uint32_t resource, uint32_t context, uint32_t level, uint32_t stride,
                                     uint32_t layer_stride, struct box *box, uint64_t offset, struct iovec *pieces,
                                     int count);
int virgl_renderer_transfer_write_iov(uint32_t resource, uint32_t context, int level, uint32_t stride,
                                      uint32_t layer_stride, struct box *box, uint64_t offset, struct iovec *pieces,
                                      unsigned count);
void *virgl_renderer_get_cursor_data(uint32_t resource, uint32_t *width, uint32_t *height);
debug_callback virgl_set_debug_callback(debug_callback callback);

enum { kResources = 4096, kContext = 7, kPage = 4096 };

static int failures, messages, cookie;
static uint32_t last_fence;

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            failures++;                                                       \
        }                                                                     \
    } while (0)

static void on_fence(void *its, uint32_t fence) {
    CHECK(its == &cookie);
    CHECK(fence > last_fence);
    last_fence = fence;
}

static void on_message(const char *format, va_list arguments) {
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    if (strstr(line, "validation:") != NULL) messages++;
    fputs(line, stderr);
}

/* A resource's memory: pages in reverse order, and of each only a part. */
struct memory {
    uint32_t size;
    int count;
    struct iovec *pieces;
    unsigned char *pages, *expected;
};
static struct memory memories[kResources];

static struct memory *memory_of(uint32_t handle) {
    if (handle < kResources) return &memories[handle];
    fprintf(stderr, "the recording names resource %u\n", handle);
    exit(1);
}

static void make_memory(struct memory *m, uint32_t size) {
    const uint32_t part = 3001; /* no multiple of anything */
    m->size = size;
    m->count = (int)((size + part - 1) / part);
    m->pieces = calloc((size_t)m->count + 1, sizeof *m->pieces);
    m->pages = calloc((size_t)m->count + 1, kPage);
    m->expected = calloc((size_t)size + 1, 1);
    for (int i = 0; i < m->count; i++) {
        const uint32_t before = (uint32_t)i * part;
        m->pieces[i].iov_base = m->pages + (size_t)(m->count - 1 - i) * kPage + 77;
        m->pieces[i].iov_len = size - before < part ? size - before : part;
    }
}

static void free_memory(struct memory *m) {
    free(m->pieces);
    free(m->pages);
    free(m->expected);
    memset(m, 0, sizeof *m);
}

static unsigned char *byte_at(const struct memory *m, uint32_t offset) {
    return (unsigned char *)m->pieces[offset / 3001].iov_base + offset % 3001;
}

static void wait_for_device(void) {
    static uint32_t fence;
    const struct timespec pause = {0, 100000};
    CHECK(virgl_renderer_create_fence((int)++fence, kContext) == 0);
    for (int i = 0; i < 600000 && last_fence != fence; i++) {
        virgl_renderer_poll();
        if (last_fence != fence) nanosleep(&pause, NULL);
    }
    CHECK(last_fence == fence);
}

static uint64_t compared, different;

static void perform(uint32_t kind, const uint32_t *w, const unsigned char *bytes, uint32_t size) {
    struct memory *m = kind == 3 ? NULL : memory_of(w[0]);
    struct box box;
    if (kind >= 4 && kind <= 7) box = (struct box){w[4], w[5], w[6], w[7], w[8], w[9]};
    switch (kind) {
        case 1: {
            struct resource_args args = {w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], 0};
            make_memory(m, w[10]);
            CHECK(virgl_renderer_resource_create(&args, NULL, 0) == 0);
            if (w[10] > 0) CHECK(virgl_renderer_resource_attach_iov((int)w[0], m->pieces, m->count) == 0);
            virgl_renderer_ctx_attach_resource(kContext, (int)w[0]);
            break;
        }
        case 2: {
            struct iovec *pieces = NULL;
            int count = 0;
            virgl_renderer_resource_detach_iov((int)w[0], &pieces, &count);
            CHECK(m->size == 0 || (pieces == m->pieces && count == m->count));
            virgl_renderer_ctx_detach_resource(kContext, (int)w[0]);
            virgl_renderer_resource_unref(w[0]);
            free_memory(m);
            break;
        }
        case 3:
            CHECK(virgl_renderer_submit_cmd((void *)w, kContext, (int)(size / 4)) == 0);
            break;
        case 6:
            CHECK(virgl_renderer_transfer_write_iov(w[0], kContext, (int)w[1], w[2], w[3], &box, w[10], NULL, 0) == 0);
            break;
        case 7:
            CHECK(virgl_renderer_transfer_read_iov(w[0], kContext, w[1], w[2], w[3], &box, w[10], NULL, 0) == 0);
            break;
        case 8:
            wait_for_device();
            break;
        case 9:
        case 10:
            for (uint32_t i = 0; i < size - 8; i++) {
                m->expected[w[1] + i] = bytes[8 + i];
                if (kind == 9) *byte_at(m, w[1] + i) = bytes[8 + i];
            }
            break;
        case 11:
            for (uint32_t i = 0; i < m->size; i++) {
                const int by = abs(*byte_at(m, i) - m->expected[i]);
                compared++;
                different += by > 2;
            }
            break;
        default:
            fprintf(stderr, "a record of kind %u\n", kind);
            exit(1);
    }
}

static void draw_recording(const char *path) {
    FILE *file = fopen(path, "rb");
    char magic[24];
    uint32_t caps_size, header[2];
    CHECK(virgl_renderer_context_create(kContext, 5, "gears") == 0);
    if (file == NULL || fread(magic, 24, 1, file) != 1 || memcmp(magic, "tgsi-host recording 1.0\n", 24) != 0 ||
        fread(&caps_size, 4, 1, file) != 1 || fseek(file, caps_size, SEEK_CUR) != 0) {
        fprintf(stderr, "%s: not a recording\n", path);
        exit(1);
    }
    while (fread(header, sizeof header, 1, file) == 1) {
        uint32_t *words = calloc(1, (size_t)header[1] + 64);
        if (header[1] > 0 && fread(words, header[1], 1, file) != 1) failures++;
        perform(header[0], words, (const unsigned char *)words, header[1]);
        free(words);
    }
    fclose(file);
    printf("%llu bytes compared, %llu differ by more than 2\n", (unsigned long long)compared,
           (unsigned long long)different);
    CHECK(compared > 100000); /* a picture, at least */
    CHECK(different * 200 <= compared);
}

/* CLEAR_TEXTURE of a resource's first level, 8 by 8. */
static int clear(int context, uint32_t resource, uint32_t texel) {
    uint32_t words[] = {47 | 12u << 16, resource, 0, 0, 0, 0, 8, 8, 1, texel, 0, 0, 0};
    return virgl_renderer_submit_cmd(words, context, 13);
}

static uint32_t first_texel(uint32_t resource, uint32_t context) {
    uint32_t texels[64] = {0};
    struct iovec piece[2] = {{texels, 130}, {(char *)texels + 130, 126}};
    struct box all = {0, 0, 0, 8, 8, 1};
    CHECK(virgl_renderer_transfer_read_iov(resource, context, 0, 0, 0, &all, 0, piece, 2) == 0);
    CHECK(texels[0] == texels[63]);
    return texels[0];
}

static void keep_contexts_apart(void) {
    struct resource_args mine = {3001, 2, 67, 10, 8, 8, 1, 1, 0, 0, 1}, other = mine;
    struct resource_info info;
    struct box all = {0, 0, 0, 8, 8, 1}, outside = {4, 4, 0, 8, 8, 1};
    uint32_t nonsense[2] = {0xffffffff, 0}, texels[64] = {0}, width = 0, height = 0;
    struct iovec piece = {texels, sizeof texels};
    void *cursor;
    other.handle = 3002;
    for (int context = 1; context <= 3; context++) CHECK(virgl_renderer_context_create((uint32_t)context, 1, "c") == 0);
    CHECK(virgl_renderer_context_create(0, 1, "c") != 0);
    CHECK(virgl_renderer_resource_create(&mine, NULL, 0) == 0);
    CHECK(virgl_renderer_resource_create(&mine, NULL, 0) != 0);
    CHECK(virgl_renderer_resource_create(&other, NULL, 0) == 0);
    virgl_renderer_ctx_attach_resource(1, 3001);
    virgl_renderer_ctx_attach_resource(2, 3002);
    CHECK(clear(1, 3001, 0x11111111) == 0);
    CHECK(clear(2, 3002, 0x22222222) == 0);
    /* Context 3 draws to what is not attached to it; that ends its drawing, and nobody else's. */
    CHECK(clear(3, 3001, 0x33333333) != 0);
    virgl_renderer_ctx_attach_resource(3, 3001);
    CHECK(clear(3, 3001, 0x33333333) != 0);
    CHECK(virgl_renderer_submit_cmd(nonsense, 2, 2) != 0);
    CHECK(clear(2, 3002, 0x44444444) != 0);
    CHECK(first_texel(3001, 1) == 0x11111111);
    CHECK(first_texel(3002, 0) == 0x22222222);
    CHECK(clear(1, 3001, 0x55555555) == 0);
    CHECK(first_texel(3001, 1) == 0x55555555);
    /* Transfers. */
    CHECK(virgl_renderer_transfer_read_iov(3002, 1, 0, 0, 0, &all, 0, &piece, 1) != 0);
    CHECK(virgl_renderer_transfer_write_iov(3002, 1, 0, 0, 0, &all, 0, &piece, 1) != 0);
    CHECK(virgl_renderer_transfer_read_iov(3001, 1, 0, 0, 0, &outside, 0, &piece, 1) != 0);
    CHECK(virgl_renderer_transfer_read_iov(3001, 1, 0, 0, 0, &all, 4, &piece, 1) != 0);
    CHECK(virgl_renderer_transfer_read_iov(3001, 1, 0, 0, 0, NULL, 0, &piece, 1) != 0);
    CHECK(virgl_renderer_transfer_read_iov(3001, 1, 0, 0, 0, &all, 0, NULL, 0) != 0); /* it has no memory */
    virgl_renderer_ctx_detach_resource(1, 3001);
    CHECK(virgl_renderer_transfer_read_iov(3001, 1, 0, 0, 0, &all, 0, &piece, 1) != 0);
    CHECK(clear(1, 3001, 0x66666666) != 0);
    /* A new context of the same number begins anew, and with nothing attached. */
    virgl_renderer_context_destroy(2);
    CHECK(virgl_renderer_context_create(2, 1, "c") == 0);
    CHECK(clear(2, 3002, 0x77777777) != 0);
    /* What else a monitor asks. */
    CHECK(virgl_renderer_resource_get_info(3001, &info) == 0);
    CHECK(info.width == 8 && info.height == 8 && info.format == 67 && info.stride == 32 && info.tex_id == 0 &&
          info.flags == 1);
    CHECK(virgl_renderer_resource_get_info(999, &info) != 0);
    cursor = virgl_renderer_get_cursor_data(3001, &width, &height);
    CHECK(cursor != NULL && width == 8 && height == 8 && *(uint32_t *)cursor == 0x55555555);
    free(cursor);
    CHECK(virgl_renderer_submit_cmd(NULL, 1, 4) != 0);
    CHECK(virgl_renderer_submit_cmd(nonsense, 99, 2) != 0);
    CHECK(virgl_renderer_submit_cmd(nonsense, 0, 2) != 0);
    virgl_renderer_reset();
    CHECK(virgl_renderer_resource_get_info(3001, &info) != 0);
    CHECK(virgl_renderer_context_create(1, 1, "c") == 0);
}

int main(int argc, char **argv) {
    struct callbacks callbacks = {1, on_fence, {NULL}};
    uint32_t version = 0, size = 0;
    unsigned char caps[4096] = {0};
    if (argc != 2) return 2;
    virgl_set_debug_callback(on_message);
    CHECK(virgl_renderer_submit_cmd(caps, 1, 1) != 0); /* before there is anything */
    CHECK(virgl_renderer_init(&cookie, 0, NULL) != 0);
    if (virgl_renderer_init(&cookie, 0, &callbacks) != 0) return 1;
    virgl_renderer_get_cap_set(2, &version, &size);
    CHECK(version == 2 && size > 308 && size <= sizeof caps);
    virgl_renderer_fill_caps(2, version, caps);
    CHECK(*(uint32_t *)caps >= 1);
    virgl_renderer_get_cap_set(4, &version, &size);
    CHECK(version == 0 && size == 0);
    draw_recording(argv[1]);
    virgl_renderer_reset();
    keep_contexts_apart();
    virgl_renderer_cleanup(&cookie);
    CHECK(messages == 0);
    return failures != 0;
}
