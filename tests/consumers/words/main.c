/* Converts files and prints of each its path, the number of words and their hash, or the first diagnostic. With every
 * compiler and on every machine, it must print the same (tools/test-platforms).
 *   words FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <tgsi2spv/tgsi2spv.h>

static char* read_file(const char* path, size_t* size) {
    enum { ROOM = 1 << 24 };
    FILE* file = fopen(path, "rb");
    char* text = malloc(ROOM);
    if (file == NULL || text == NULL || (*size = fread(text, 1, ROOM, file)) == ROOM) {
        fprintf(stderr, "words: cannot read '%s' as a whole\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static uint64_t hash_of(const tgsi2spv_module_info* module) {
    uint64_t hash = 1469598103934665603u; /* FNV-1a, a word at a time */
    for (uint32_t i = 0; i < module->word_count; i++) hash = (hash ^ module->words[i]) * 1099511628211u;
    return hash;
}

int main(int argc, char** argv) {
    tgsi2spv_context* context = NULL;
    tgsi2spv_device_caps everything = {.struct_size = sizeof everything};
    const tgsi2spv_options options = {.struct_size = sizeof options, .device = &everything};
    tgsi2spv_device_caps_set_everything(&everything);
    if (argc < 2 || tgsi2spv_context_create(NULL, &context) != TGSI2SPV_SUCCESS) return 2;
    for (int i = 1; i < argc; i++) {
        size_t size;
        char* text = read_file(argv[i], &size);
        const tgsi2spv_module* made;
        tgsi2spv_module_info module = {.struct_size = sizeof module};
        if (tgsi2spv_translate(context, text, size, NULL, &options, &made) != TGSI2SPV_SUCCESS) {
            tgsi2spv_diagnostic d = {.struct_size = sizeof d};
            if (tgsi2spv_context_get_diagnostic(context, 0, &d) != TGSI2SPV_SUCCESS) return 1;
            printf("%s: %u:%u: %s\n", argv[i], d.line, d.column, d.message);
        } else {
            tgsi2spv_module_get_info(made, &module);
            const uint64_t hash = hash_of(&module);
            printf("%s: %u words, %08x%08x\n", argv[i], (unsigned)module.word_count, (unsigned)(hash >> 32),
                   (unsigned)hash);
        }
        free(text);
    }
    tgsi2spv_context_destroy(context);
    return 0;
}
