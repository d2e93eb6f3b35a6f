// Runs a compute shader on the first device, for reports to the authors of drivers: `cc compute-one-texture.c
// -lvulkan`, then `a.out MODULE [BIAS]`. Binding 0 is an image of 4 × 4 R32_SFLOAT texels with a sampler; its levels
// are 1, 2 and 4, and the sampler is nearest but blends levels, with mipLodBias BIAS. Binding 1 is a storage buffer of
// zeros, whose first eight floats are printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                     \
    do {                                                \
        const VkResult result = (call);                 \
        if (result != VK_SUCCESS) {                     \
            fprintf(stderr, "%s: %d\n", #call, result); \
            exit(1);                                    \
        }                                               \
    } while (0)

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static uint32_t words[1 << 16];

static void make_device(void) {
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkInstance instance;
    CHECK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &physical);  // VK_INCOMPLETE if there are more
    if (count == 0) exit(1);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(physical, &features);
    printf("%s, shaderResourceResidency %u\n", properties.deviceName, features.shaderResourceResidency);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo all = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queues,
                                    .pEnabledFeatures = &features};
    CHECK(vkCreateDevice(physical, &all, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
}

static VkDeviceMemory allocate(VkMemoryRequirements needs) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
        if (++type == memory.memoryTypeCount) exit(1);
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    VkDeviceMemory made;
    CHECK(vkAllocateMemory(device, &info, NULL, &made));
    return made;
}

static VkBuffer make_buffer(float** content) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 256,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    CHECK(vkCreateBuffer(device, &info, NULL, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    const VkDeviceMemory memory = allocate(needs);
    CHECK(vkBindBufferMemory(device, buffer, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void**)content));
    memset(*content, 0, 256);
    return buffer;
}

static VkImage make_image(void) {
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R32_SFLOAT,
                                    .extent = {4, 4, 1},
                                    .mipLevels = 3,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkImage image;
    CHECK(vkCreateImage(device, &info, NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image, &needs);
    CHECK(vkBindImageMemory(device, image, allocate(needs), 0));
    return image;
}

static const VkImageSubresourceRange all_levels = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 3, 0, 1};

static VkDescriptorSet make_set(VkDescriptorSetLayout* layout, VkImage image, float bias, VkBuffer results) {
    const VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    CHECK(vkCreateDescriptorSetLayout(device, &layout_info, NULL, layout));
    const VkDescriptorPoolSize sizes[2] = {{bindings[0].descriptorType, 1}, {bindings[1].descriptorType, 1}};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = layout};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(device, &set_info, &set));
    const VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                             .image = image,
                                             .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                             .format = VK_FORMAT_R32_SFLOAT,
                                             .subresourceRange = all_levels};
    const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                              .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                              .mipLodBias = bias,
                                              .maxLod = VK_LOD_CLAMP_NONE};
    VkDescriptorImageInfo sampled = {.imageLayout = VK_IMAGE_LAYOUT_GENERAL};
    CHECK(vkCreateImageView(device, &view_info, NULL, &sampled.imageView));
    CHECK(vkCreateSampler(device, &sampler_info, NULL, &sampled.sampler));
    const VkDescriptorBufferInfo stored = {results, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstSet = set,
                                             .dstBinding = 0,
                                             .descriptorCount = 1,
                                             .descriptorType = bindings[0].descriptorType,
                                             .pImageInfo = &sampled},
                                            {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstSet = set,
                                             .dstBinding = 1,
                                             .descriptorCount = 1,
                                             .descriptorType = bindings[1].descriptorType,
                                             .pBufferInfo = &stored}};
    vkUpdateDescriptorSets(device, 2, writes, 0, NULL);
    return set;
}

static VkPipeline make_pipeline(const char* path, const VkDescriptorSetLayout* set, VkPipelineLayout* layout) {
    FILE* const file = fopen(path, "rb");
    if (file == NULL) exit(2);
    const size_t bytes = fread(words, 1, sizeof words, file);
    fclose(file);
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = set};
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, layout));
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"},
                                        .layout = *layout};
    CHECK(vkCreateShaderModule(device, &module_info, NULL, &info.stage.module));
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

static void fill(VkCommandBuffer commands, VkBuffer texels, VkImage image) {
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = all_levels};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
    const VkBufferImageCopy levels[3] = {{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {4, 4, 1}},
                                         {64, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1}, {0, 0, 0}, {2, 2, 1}},
                                         {80, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 2, 0, 1}, {0, 0, 0}, {1, 1, 1}}};
    vkCmdCopyBufferToImage(commands, texels, image, VK_IMAGE_LAYOUT_GENERAL, 3, levels);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    make_device();
    float *texels, *results;
    const VkBuffer source = make_buffer(&texels), stored = make_buffer(&results);
    for (int i = 0; i < 21; i++) texels[i] = i < 16 ? 1 : i < 20 ? 2 : 4;
    const VkImage image = make_image();
    VkDescriptorSetLayout set_layout;
    const VkDescriptorSet set = make_set(&set_layout, image, argc > 2 ? strtof(argv[2], NULL) : 0, stored);
    VkPipelineLayout layout;
    const VkPipeline pipeline = make_pipeline(argv[1], &set_layout, &layout);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(device, &info, &commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    fill(commands, source, image);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, 1, 1, 1);
    CHECK(vkEndCommandBuffer(commands));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    for (int i = 0; i < 8; i++) printf("%g ", results[i]);
    printf("\n");
    return 0;
}
