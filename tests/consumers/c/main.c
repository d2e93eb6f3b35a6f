/* An outside user of the library in C, built by pkg-config: converts a shader and shows what there is to bind. */
#include <stdio.h>
#include <string.h>
#include <tgsi2spv/tgsi2spv.h>

static const char kShader[] =
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL CONST[0..1]\nDCL TEMP[0]\n"
    "TEX TEMP[0], IN[0], SAMP[0], 2D\nMAD OUT[0], TEMP[0], CONST[0], CONST[1]\nEND\n";

int main(void) {
    if (tgsi2spv_version() != TGSI2SPV_VERSION) return 1;
    tgsi2spv_context* context = NULL;
    tgsi2spv_program* program = NULL;
    if (tgsi2spv_context_create(NULL, &context) != TGSI2SPV_SUCCESS) return 1;
    if (tgsi2spv_program_parse(context, kShader, strlen(kShader), NULL, &program) != TGSI2SPV_SUCCESS) return 1;
    for (uint32_t flags = 0; flags <= TGSI2SPV_OPTION_EXACT; flags += TGSI2SPV_OPTION_EXACT) {
        const tgsi2spv_options options = {.struct_size = sizeof options, .flags = flags};
        const tgsi2spv_module* module = NULL;
        tgsi2spv_module_info info = {.struct_size = sizeof info};
        if (tgsi2spv_program_convert(context, program, &options, &module) != TGSI2SPV_SUCCESS) return 1;
        if (tgsi2spv_module_get_info(module, &info) != TGSI2SPV_SUCCESS) return 1;
        if (info.word_count < 5 || info.words[0] != 0x07230203) return 1;
        for (uint32_t i = 0; i < info.resource_count; i++) {
            tgsi2spv_resource r = {.struct_size = sizeof r};
            if (tgsi2spv_module_get_resource(module, i, &r) != TGSI2SPV_SUCCESS) return 1;
            printf("%s: set %u, binding %u\n", r.name, r.set, r.binding);
        }
    }
    tgsi2spv_program_destroy(program);
    if (tgsi2spv_program_parse(context, "FRAG\nADDD\n", 10, NULL, &program) != TGSI2SPV_ERROR_INVALID_TEXT) return 1;
    tgsi2spv_diagnostic d = {.struct_size = sizeof d};
    if (tgsi2spv_context_get_diagnostic(context, 0, &d) != TGSI2SPV_SUCCESS || d.line != 2) return 1;
    printf("%u:%u: %s\n", d.line, d.column, d.message);
    tgsi2spv_context_destroy(context);
    return 0;
}
