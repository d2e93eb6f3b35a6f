/* SPDX-License-Identifier: MIT */
/* A renderer of TGSI shaders in C: draws one triangle with a texture on the first Vulkan device, twice through one
 * pipeline, with another alpha reference. docs/library.md explains the calls of the library.
 *
 *     cc draw.c $(pkg-config --cflags --libs tgsi2spv vulkan) -o draw && ./draw
 *     1520 pixels with a reference of 0.25, 888 with 0.75
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgsi2spv/tgsi2spv_vulkan.h>

enum { SIZE = 64, STAGES = 2, BINDINGS = 8, STATE = 31, FIRST_TEXTURE = 32 };

static const char* const texts[STAGES] = {
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0][0]\n"
    "MUL OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], IN[1]\nEND\n",
    "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL TEMP[0]\n"
    "TEX TEMP[0], IN[0].wwww, SAMP[0], 2D\nMUL OUT[0], IN[0], TEMP[0]\nEND\n"};
/* Position and colour. The triangle covers half of the target; alpha falls from 1 at the left to 0 at the right. */
static const float vertices[3][2][4] = {
    {{-1, -1, 0, 1}, {1, 1, 1, 1}}, {{1, -1, 0, 1}, {1, 1, 1, 0}}, {{-1, 1, 0, 1}, {1, 1, 1, 1}}};
static const float scale[4] = {1, 1, 1, 1};
/* Two texels: black where alpha is below a half, else white. */
static const uint8_t texels[2][4] = {{0, 0, 0, 255}, {255, 255, 255, 255}};

static void fail(const char* what) {
    fprintf(stderr, "draw: %s\n", what);
    exit(1);
}
#define CHECK(call) ((call) == VK_SUCCESS ? (void)0 : fail(#call))

typedef struct Gpu {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandBuffer commands;
    tgsi2spv_device_caps caps;
} Gpu;

static Gpu open_gpu(void) {
    Gpu gpu = {0};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application};
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance, &count, &gpu.physical) < 0 || count == 0) fail("no Vulkan device");

    /* Whatever the device has is enabled, and so counts as a capability. */
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                   .pNext = &features12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
    vkGetPhysicalDeviceFeatures2(gpu.physical, &features);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority}; /* family 0 draws on every known device */
    const VkDeviceCreateInfo created = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                        .pNext = &features,
                                        .queueCreateInfoCount = 1,
                                        .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(gpu.physical, &created, NULL, &gpu.device));
    tgsi2spv_vulkan_get_caps(gpu.physical, vkGetPhysicalDeviceProperties2, VK_API_VERSION_1_2, &created, &gpu.caps);

    vkGetDeviceQueue(gpu.device, 0, 0, &gpu.queue);
    VkCommandPool pool;
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    CHECK(vkCreateCommandPool(gpu.device, &pool_info, NULL, &pool));
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(gpu.device, &commands, &gpu.commands));
    return gpu;
}

static VkDeviceMemory allocate(const Gpu* gpu, VkMemoryRequirements needs, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        if ((needs.memoryTypeBits >> i & 1) == 0 || (memory.memoryTypes[i].propertyFlags & wanted) != wanted) continue;
        const VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = i};
        VkDeviceMemory made;
        CHECK(vkAllocateMemory(gpu->device, &info, NULL, &made));
        return made;
    }
    fail("no memory of this type");
    return VK_NULL_HANDLE;
}

/* A buffer that the host can write and read. */
static VkBuffer make_buffer(const Gpu* gpu, VkDeviceSize bytes, VkBufferUsageFlags usage, const void* data,
                            void** map) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = usage};
    VkBuffer buffer;
    CHECK(vkCreateBuffer(gpu->device, &info, NULL, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(gpu->device, buffer, &needs);
    const VkDeviceMemory memory =
        allocate(gpu, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    void* mapped;
    CHECK(vkBindBufferMemory(gpu->device, buffer, memory, 0));
    CHECK(vkMapMemory(gpu->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    if (data != NULL) memcpy(mapped, data, bytes);
    if (map != NULL) *map = mapped;
    return buffer;
}

static void refuse(const tgsi2spv_context* context) {
    tgsi2spv_diagnostic d = {.struct_size = sizeof d};
    if (tgsi2spv_context_get_diagnostic(context, 0, &d) == TGSI2SPV_SUCCESS)
        fprintf(stderr, "%u:%u: %s %s\n", d.line, d.column, d.message, d.feature);
    fail("a shader is refused");
}

/* The alpha reference is data: a draw can change it without another pipeline. Both stages have one set: constant
 * buffers from binding 0 on, textures with their samplers from FIRST_TEXTURE on. */
static void convert(const Gpu* gpu, tgsi2spv_module* modules[STAGES]) {
    tgsi2spv_context* context;
    if (tgsi2spv_context_create(NULL, &context) != TGSI2SPV_SUCCESS) fail("out of memory");
    const tgsi2spv_state state = {.struct_size = sizeof state,
                                  .data = {1u << TGSI2SPV_SPEC_ALPHA_REFERENCE},
                                  .flags = TGSI2SPV_STATE_ALPHA_TEST,
                                  .constant_buffer = STATE};
    const tgsi2spv_options options = {.struct_size = sizeof options,
                                      .device = &gpu->caps,
                                      .state = &state,
                                      .kinds = {[TGSI2SPV_RESOURCE_CONSTANT_BUFFER] = {.is_set = 1},
                                                [TGSI2SPV_RESOURCE_COMBINED_IMAGE] = {1, 0, FIRST_TEXTURE}}};
    tgsi2spv_shader shaders[STAGES];
    for (int i = 0; i < STAGES; i++) shaders[i] = (tgsi2spv_shader){texts[i], strlen(texts[i]), &options};
    if (tgsi2spv_translate_pipeline(context, shaders, STAGES, modules, NULL) != TGSI2SPV_SUCCESS) refuse(context);
    tgsi2spv_context_destroy(context);
}

typedef struct Pipeline {
    VkDescriptorSetLayout set;
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkPipeline pipeline;
} Pipeline;

static void make_layouts(const Gpu* gpu, tgsi2spv_module* const modules[STAGES], Pipeline* p) {
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    uint32_t count = 0;
    for (int i = 0; i < STAGES; i++) {
        count = tgsi2spv_vulkan_add_bindings(modules[i], 0, bindings, count, BINDINGS);
        if (count > BINDINGS) fail("too many bindings");
    }
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    CHECK(vkCreateDescriptorSetLayout(gpu->device, &info, NULL, &p->set));
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &p->set};
    CHECK(vkCreatePipelineLayout(gpu->device, &layout, NULL, &p->layout));
}

static void make_pass(const Gpu* gpu, Pipeline* p) {
    const VkAttachmentDescription target = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                            .samples = VK_SAMPLE_COUNT_1_BIT,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    const VkSubpassDependency copied = {.srcSubpass = 0,
                                        .dstSubpass = VK_SUBPASS_EXTERNAL,
                                        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                        .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &target,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 1,
                                         .pDependencies = &copied};
    CHECK(vkCreateRenderPass(gpu->device, &info, NULL, &p->pass));
}

/* The alpha function is GREATER: a specialization constant, since a driver compiles another comparison for each. */
static void make_pipeline(const Gpu* gpu, tgsi2spv_module* const modules[STAGES], Pipeline* p) {
    const tgsi2spv_vulkan_spec_value values[] = {{TGSI2SPV_SPEC_ALPHA_FUNC, 4}};
    VkSpecializationMapEntry entries[1];
    const VkSpecializationInfo specialization = tgsi2spv_vulkan_specialization(values, 1, entries);
    VkPipelineShaderStageCreateInfo stages[STAGES];
    VkVertexInputAttributeDescription attributes[2];
    uint32_t attribute_count = 0;
    for (int i = 0; i < STAGES; i++) {
        tgsi2spv_module_info m = {.struct_size = sizeof m};
        tgsi2spv_module_get_info(modules[i], &m);
        const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                               .codeSize = m.word_count * sizeof *m.words,
                                               .pCode = m.words};
        stages[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = tgsi2spv_vulkan_stage(m.stage),
                                                      .pName = "main",
                                                      .pSpecializationInfo = &specialization};
        CHECK(vkCreateShaderModule(gpu->device, &info, NULL, &stages[i].module));
        for (uint32_t k = 0; m.stage == TGSI2SPV_STAGE_VERTEX && k < m.input_count; k++) {
            tgsi2spv_variable v = {.struct_size = sizeof v};
            tgsi2spv_module_get_input(modules[i], k, &v);
            if (v.builtin == TGSI2SPV_NO_BUILTIN && attribute_count < 2)
                attributes[attribute_count++] = (VkVertexInputAttributeDescription){
                    v.location, 0, tgsi2spv_vulkan_attribute_format(&v), v.location * (uint32_t)sizeof vertices[0][0]};
        }
    }
    const VkVertexInputBindingDescription stride = {0, sizeof vertices[0], VK_VERTEX_INPUT_RATE_VERTEX};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &stride,
        .vertexAttributeDescriptionCount = attribute_count,
        .pVertexAttributeDescriptions = attributes};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {.width = SIZE, .height = SIZE, .maxDepth = 1};
    const VkRect2D scissor = {.extent = {SIZE, SIZE}};
    const VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                    .viewportCount = 1,
                                                    .pViewports = &viewport,
                                                    .scissorCount = 1,
                                                    .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState written = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &written};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = STAGES,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &view,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pColorBlendState = &blend,
                                               .layout = p->layout,
                                               .renderPass = p->pass};
    CHECK(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline));
}

/* Binds what the modules name: CONST[0], the state, and the texture. */
static VkDescriptorSet write_set(const Gpu* gpu, tgsi2spv_module* const modules[STAGES], const Pipeline* p,
                                 VkBuffer constants, VkBuffer state, const VkDescriptorImageInfo* texture) {
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, BINDINGS},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, BINDINGS}};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(gpu->device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &p->set};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(gpu->device, &info, &set));
    for (int i = 0; i < STAGES; i++) {
        tgsi2spv_module_info m = {.struct_size = sizeof m};
        tgsi2spv_module_get_info(modules[i], &m);
        for (uint32_t k = 0; k < m.resource_count; k++) {
            tgsi2spv_resource r = {.struct_size = sizeof r};
            tgsi2spv_module_get_resource(modules[i], k, &r);
            const VkDescriptorBufferInfo buffer = {r.index == STATE ? state : constants, 0, VK_WHOLE_SIZE};
            const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                .dstSet = set,
                                                .dstBinding = r.binding,
                                                .descriptorCount = 1,
                                                .descriptorType = tgsi2spv_vulkan_descriptor_type(&r),
                                                .pImageInfo = texture,
                                                .pBufferInfo = &buffer}; /* the type says which one is read */
            vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
        }
    }
    return set;
}

static VkImage make_image(const Gpu* gpu, VkExtent3D extent, VkImageUsageFlags usage, VkImageView* view) {
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = extent,
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = usage};
    VkImage image;
    CHECK(vkCreateImage(gpu->device, &info, NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(gpu->device, image, &needs);
    CHECK(vkBindImageMemory(gpu->device, image, allocate(gpu, needs, 0), 0));
    const VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                             .image = image,
                                             .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                             .format = info.format,
                                             .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    CHECK(vkCreateImageView(gpu->device, &view_info, NULL, view));
    return image;
}

static void begin(const Gpu* gpu) {
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(gpu->commands, &info));
}

static void submit(const Gpu* gpu) {
    CHECK(vkEndCommandBuffer(gpu->commands));
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &gpu->commands};
    CHECK(vkQueueSubmit(gpu->queue, 1, &info, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(gpu->queue));
}

/* The image and the sampler of SAMP[0]. */
static VkDescriptorImageInfo make_texture(const Gpu* gpu) {
    const VkExtent3D extent = {2, 1, 1};
    VkDescriptorImageInfo texture = {.imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkImage image =
        make_image(gpu, extent, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &texture.imageView);
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                         .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    CHECK(vkCreateSampler(gpu->device, &sampler, NULL, &texture.sampler));
    const VkBuffer staging = make_buffer(gpu, sizeof texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels, NULL);
    begin(gpu);
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(gpu->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
    const VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = extent};
    vkCmdCopyBufferToImage(gpu->commands, staging, image, barrier.newLayout, 1, &whole);
    barrier.srcAccessMask = barrier.dstAccessMask;
    barrier.oldLayout = barrier.newLayout;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.newLayout = texture.imageLayout;
    vkCmdPipelineBarrier(gpu->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
    submit(gpu);
    return texture;
}

static VkImage make_target(const Gpu* gpu, const Pipeline* p, VkFramebuffer* framebuffer) {
    VkImageView view;
    const VkExtent3D extent = {SIZE, SIZE, 1};
    const VkImage image =
        make_image(gpu, extent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, &view);
    const VkFramebufferCreateInfo frame = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = p->pass,
                                           .attachmentCount = 1,
                                           .pAttachments = &view,
                                           .width = SIZE,
                                           .height = SIZE,
                                           .layers = 1};
    CHECK(vkCreateFramebuffer(gpu->device, &frame, NULL, framebuffer));
    return image;
}

int main(void) {
    const Gpu gpu = open_gpu();
    tgsi2spv_module* modules[STAGES];
    convert(&gpu, modules);
    Pipeline p;
    make_layouts(&gpu, modules, &p);
    make_pass(&gpu, &p);
    make_pipeline(&gpu, modules, &p);

    const VkBuffer corners = make_buffer(&gpu, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices, NULL);
    const VkBuffer constants = make_buffer(&gpu, sizeof scale, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, scale, NULL);
    void *mapped, *pixels;
    const VkBuffer state =
        make_buffer(&gpu, sizeof(tgsi2spv_state_buffer), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, NULL, &mapped);
    const VkBuffer picture = make_buffer(&gpu, 4 * SIZE * SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL, &pixels);
    const VkDescriptorImageInfo texture = make_texture(&gpu);
    const VkDescriptorSet set = write_set(&gpu, modules, &p, constants, state, &texture);
    VkFramebuffer framebuffer;
    const VkImage image = make_target(&gpu, &p, &framebuffer);

    uint32_t drawn[2] = {0};
    const float references[2] = {0.25f, 0.75f};
    for (int turn = 0; turn < 2; turn++) {
        tgsi2spv_state_buffer values = {0};
        memcpy(&values.values[TGSI2SPV_SPEC_ALPHA_REFERENCE], &references[turn], sizeof(float));
        memcpy(mapped, &values, sizeof values);
        begin(&gpu);
        const VkClearValue black = {.color = {.float32 = {0, 0, 0, 0}}};
        const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                            .renderPass = p.pass,
                                            .framebuffer = framebuffer,
                                            .renderArea = {.extent = {SIZE, SIZE}},
                                            .clearValueCount = 1,
                                            .pClearValues = &black};
        const VkDeviceSize zero = 0;
        vkCmdBeginRenderPass(gpu.commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(gpu.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        vkCmdBindDescriptorSets(gpu.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
        vkCmdBindVertexBuffers(gpu.commands, 0, 1, &corners, &zero);
        vkCmdDraw(gpu.commands, 3, 1, 0, 0);
        vkCmdEndRenderPass(gpu.commands);
        const VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                         .imageExtent = {SIZE, SIZE, 1}};
        vkCmdCopyImageToBuffer(gpu.commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture, 1, &whole);
        submit(&gpu);
        for (int i = 0; i < SIZE * SIZE; i++) drawn[turn] += ((const uint8_t*)pixels)[4 * i] != 0;
    }
    for (int i = 0; i < STAGES; i++) tgsi2spv_module_destroy(modules[i]);
    printf("%u pixels with a reference of %g, %u with %g\n", drawn[0], references[0], drawn[1], references[1]);
    return 0; /* the driver frees what is left */
}
