#include "machine/window/presenter.h"

#include <SDL_vulkan.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "vk/move.h"
#include "vulkan/enumerate.h"

namespace tgsi2spv::window {
namespace {

/// The guest's pictures have it (virtio_gpu::Screen).
constexpr VkFormat kFormat = VK_FORMAT_B8G8R8A8_UNORM;
constexpr VkImageSubresourceLayers kLayer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
/// A compositor may have no image for an invisible window.
constexpr uint64_t kToAcquire = 50'000'000, kToBeRead = 5'000'000'000;  // nanoseconds

VkOffset3D offset(uint32_t x, uint32_t y, int32_t z) {
    return {static_cast<int32_t>(x), static_cast<int32_t>(y), z};
}

void tell(const std::string& message) {
    std::fputs(fmt::format("tgsi-host: window: validation: {}\n", message).c_str(), stderr);
}

/// Mailbox does not wait for a compositor that shows nothing of the window.
VkPresentModeKHR mode_of(VkPhysicalDevice device, VkSurfaceKHR surface) {
    const auto modes = vulkan::enumerate<VkPresentModeKHR>(
        "vkGetPhysicalDeviceSurfacePresentModesKHR", [&](uint32_t* count, VkPresentModeKHR* items) {
            return vkGetPhysicalDeviceSurfacePresentModesKHR(device, surface, count, items);
        });
    const bool has = modes && std::ranges::find(*modes, VK_PRESENT_MODE_MAILBOX_KHR) != modes->end();
    return has ? VK_PRESENT_MODE_MAILBOX_KHR : VK_PRESENT_MODE_FIFO_KHR;
}

/// Of four bytes, without a conversion to sRGB: the guest's values are the screen's. Undefined: there is none.
VkSurfaceFormatKHR format_of(VkPhysicalDevice device, VkSurfaceKHR surface) {
    const auto formats = vulkan::enumerate<VkSurfaceFormatKHR>(
        "vkGetPhysicalDeviceSurfaceFormatsKHR", [&](uint32_t* count, VkSurfaceFormatKHR* items) {
            return vkGetPhysicalDeviceSurfaceFormatsKHR(device, surface, count, items);
        });
    for (const VkFormat wanted : {kFormat, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_A8B8G8R8_UNORM_PACK32})
        for (const VkSurfaceFormatKHR& format : formats ? *formats : std::vector<VkSurfaceFormatKHR>{})
            if (format.format == wanted) return format;
    return {};
}

void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout before, VkImageLayout after) {
    const VkImageMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                       .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                       .oldLayout = before,
                                       .newLayout = after,
                                       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .image = image,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
}

}  // namespace

tl::expected<std::unique_ptr<Presenter>, std::string> Presenter::create(SDL_Window* window, const std::string& device,
                                                                        bool validate) {
    std::unique_ptr<Presenter> self(new Presenter);
    unsigned count = 0;
    vulkan::InstanceOptions options{.validation = validate, .synchronization = validate, .judged = false};
    SDL_Vulkan_GetInstanceExtensions(window, &count, nullptr);
    options.extensions.resize(count);
    if (SDL_Vulkan_GetInstanceExtensions(window, &count, options.extensions.data()) == SDL_FALSE)
        return tl::unexpected(SDL_GetError());
    auto instance = vulkan::Instance::create(options);
    if (!instance) return tl::unexpected(sentence(instance.error()));
    self->instance_ = std::move(*instance);
    if (validate && !self->instance_->validates()) tell(vulkan::kNoValidation);
    const auto info = self->instance_->find_or_default(device);
    if (!info) return tl::unexpected(sentence(info.error()));
    if (SDL_Vulkan_CreateSurface(window, self->instance_->handle(), &self->surface_) == SDL_FALSE)
        return tl::unexpected(SDL_GetError());
    if (std::string why = self->open(*info); !why.empty()) return tl::unexpected(info->name + ": " + why);
    return self;
}

/// Returns why not, or an empty string.
std::string Presenter::open(const vulkan::DeviceInfo& info) {
    auto device = vk::Device::create(info, {}, {VK_KHR_SWAPCHAIN_EXTENSION_NAME});
    if (!device) return sentence(device.error());
    device_ = std::move(*device);
    VkBool32 presents = VK_FALSE;
    vkGetPhysicalDeviceSurfaceSupportKHR(info.handle, device_->family(), surface_, &presents);
    if (presents == VK_FALSE || format_of(info.handle, surface_).format == VK_FORMAT_UNDEFINED)
        return "cannot show anything in a window";
    memory_ = std::make_unique<vk::Memory>(*device_, budget_);
    stream_ = std::make_unique<vk::Stream>(*device_, *memory_);
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    return vkCreateFence(device_->handle(), &fence, nullptr, &acquired_) == VK_SUCCESS ? "" : "no memory";
}

Presenter::~Presenter() {
    if (stream_) {
        stream_->finish();
        vkDestroySwapchainKHR(device_->handle(), swapchain_, nullptr);
        vkDestroyFence(device_->handle(), acquired_, nullptr);
    }
    picture_ = nullptr;
    stream_ = nullptr;
    memory_ = nullptr;
    device_ = nullptr;
    if (surface_ != VK_NULL_HANDLE) vkDestroySurfaceKHR(instance_->handle(), surface_, nullptr);
    if (instance_) tell_messages();
}

void Presenter::tell_messages() {
    for (const std::string& message : instance_->take_messages()) tell(message);
}

bool Presenter::resize(uint32_t width, uint32_t height) {
    picture_ = vk::Image::create(*device_, *memory_,
                                 {.format = kFormat,
                                  .extent = {width, height, 1},
                                  .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    return picture_ != nullptr && begin_image(*stream_, picture_);
}

bool Presenter::put(const virtio_gpu::Picture& picture, const Rect& where) {
    if (picture_ == nullptr || where.empty()) return true;
    const auto staging = stream_->stage(VkDeviceSize{where.width} * where.height * virtio_gpu::kPixelBytes, 4);
    if (staging.data == nullptr) return false;
    auto* to = reinterpret_cast<uint32_t*>(staging.data);
    for (uint32_t y = where.y; y < where.y + where.height; y++)
        to = std::copy_n(&picture.pixels[size_t{y} * picture.columns + where.x], where.width, to);
    const vk::ImageBox box{.x = where.x, .y = where.y, .width = where.width, .height = where.height};
    const vk::Status done = copy_to_image(*stream_, staging, picture_, VK_IMAGE_ASPECT_COLOR_BIT, box);
    stream_->submit();
    return done == vk::Status::Done;
}

/// VK_NOT_READY: the window has no texels.
VkResult Presenter::make_swapchain(VkExtent2D window) {
    const VkPhysicalDevice device = device_->physical();
    VkSurfaceCapabilitiesKHR can{};
    window_ = {};
    const VkResult known = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device, surface_, &can);
    if (known != VK_SUCCESS) return known;
    // Wayland's surfaces take their size from the images.
    const VkExtent2D& least = can.minImageExtent;
    const VkExtent2D& most = can.maxImageExtent;
    VkExtent2D extent = can.currentExtent.width != UINT32_MAX ? can.currentExtent : window;
    if (most.width < least.width || most.height < least.height) return VK_NOT_READY;
    extent = {std::clamp(extent.width, least.width, most.width), std::clamp(extent.height, least.height, most.height)};
    if (extent.width == 0 || extent.height == 0) return VK_NOT_READY;
    const VkSurfaceFormatKHR format = format_of(device, surface_);
    const bool opaque = (can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0;
    const VkSwapchainKHR before = std::exchange(swapchain_, VK_NULL_HANDLE);
    const VkSwapchainCreateInfoKHR info{
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = surface_,
        .minImageCount = std::min(can.minImageCount + 1, can.maxImageCount != 0 ? can.maxImageCount : UINT32_MAX),
        .imageFormat = format.format,
        .imageColorSpace = format.colorSpace,
        .imageExtent = extent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .preTransform = can.currentTransform,
        .compositeAlpha = opaque ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
        .presentMode = mode_of(device, surface_),
        .clipped = VK_TRUE,
        .oldSwapchain = before};
    const VkResult made = vkCreateSwapchainKHR(device_->handle(), &info, nullptr, &swapchain_);
    vkDeviceWaitIdle(device_->handle());
    vkDestroySwapchainKHR(device_->handle(), before, nullptr);
    if (made != VK_SUCCESS) swapchain_ = VK_NULL_HANDLE;
    if (made != VK_SUCCESS) return made;
    const auto images = vulkan::enumerate<VkImage>("vkGetSwapchainImagesKHR", [&](uint32_t* count, VkImage* items) {
        return vkGetSwapchainImagesKHR(device_->handle(), swapchain_, count, items);
    });
    if (!images) return VK_ERROR_OUT_OF_HOST_MEMORY;
    images_ = *images;
    extent_ = extent;
    window_ = window;
    return VK_SUCCESS;
}

/// An image that nothing reads any more.
VkResult Presenter::acquire(uint32_t& image) {
    const VkResult got =
        vkAcquireNextImageKHR(device_->handle(), swapchain_, kToAcquire, VK_NULL_HANDLE, acquired_, &image);
    if (got != VK_SUCCESS && got != VK_SUBOPTIMAL_KHR) return got;
    if (vkWaitForFences(device_->handle(), 1, &acquired_, VK_TRUE, kToBeRead) != VK_SUCCESS)
        return VK_ERROR_DEVICE_LOST;
    vkResetFences(device_->handle(), 1, &acquired_);
    return got;
}

void Presenter::record(VkImage target, const Rect& place) {
    constexpr VkImageLayout kTo = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    // A window that has just become smaller than the place is black until it is drawn again.
    const bool fits = picture_ != nullptr && inside(place, extent_.width, extent_.height);
    if (fits) stream_->order({vk::reads(picture_)});
    const VkCommandBuffer commands = stream_->commands();
    change_layout(commands, target, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
    if (!fits || place != Rect{0, 0, extent_.width, extent_.height}) {
        constexpr VkClearColorValue kBlack{.float32 = {0, 0, 0, 1}};
        constexpr VkImageSubresourceRange kAll{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdClearColorImage(commands, target, kTo, &kBlack, 1, &kAll);
        change_layout(commands, target, kTo, kTo);
    }
    if (fits) {
        const VkExtent3D& all = picture_->info().extent;
        const VkImageBlit blit{
            .srcSubresource = kLayer,
            .srcOffsets = {{}, offset(all.width, all.height, 1)},
            .dstSubresource = kLayer,
            .dstOffsets = {offset(place.x, place.y, 0), offset(place.x + place.width, place.y + place.height, 1)}};
        const bool same = place.width == all.width && place.height == all.height;
        vkCmdBlitImage(commands, picture_->handle(), VK_IMAGE_LAYOUT_GENERAL, target, kTo, 1, &blit,
                       same ? VK_FILTER_NEAREST : VK_FILTER_LINEAR);
    }
    change_layout(commands, target, kTo, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

Shown Presenter::present(VkExtent2D window, const Rect& place) {
    uint32_t image = 0;
    const bool fits = window_.width == window.width && window_.height == window.height;
    VkResult got = fits ? acquire(image) : VK_ERROR_OUT_OF_DATE_KHR;
    if (got == VK_ERROR_OUT_OF_DATE_KHR) {
        got = make_swapchain(window);
        if (got == VK_SUCCESS) got = acquire(image);
    }
    if (got == VK_TIMEOUT || got == VK_NOT_READY || got == VK_ERROR_OUT_OF_DATE_KHR) return Shown::Later;
    if (got != VK_SUCCESS && got != VK_SUBOPTIMAL_KHR) return Shown::Lost;
    record(images_[image], place);
    // The host waits for this work, so the compositor needs no semaphore.
    if (!stream_->wait(stream_->current())) return Shown::Lost;
    const VkPresentInfoKHR present{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .swapchainCount = 1,
                                   .pSwapchains = &swapchain_,
                                   .pImageIndices = &image};
    const VkResult shown = vkQueuePresentKHR(device_->queue(), &present);
    if (shown != VK_SUCCESS || got != VK_SUCCESS) window_ = {};
    if (shown == VK_ERROR_OUT_OF_DATE_KHR) return Shown::Later;
    return shown == VK_SUCCESS || shown == VK_SUBOPTIMAL_KHR ? Shown::Done : Shown::Lost;
}

}  // namespace tgsi2spv::window
