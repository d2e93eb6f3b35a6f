// A window's side of Vulkan: a swapchain, and the guest's picture, which is scaled onto it.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "machine/virtio_gpu/link.h"
#include "vk/stream.h"
#include "vulkan/instance.h"

struct SDL_Window;

namespace tgsi2spv::window {

using virtio_gpu::Rect;

enum class Shown : uint8_t {
    Done,
    Later,  ///< the compositor has no image for it now
    Lost,   ///< the device or the surface
};

class Presenter {
  public:
    /// `device`: as Instance::find() takes it; empty: the default device. Fails with a sentence.
    static tl::expected<std::unique_ptr<Presenter>, std::string> create(SDL_Window* window, const std::string& device,
                                                                        bool validate);
    ~Presenter();
    Presenter(const Presenter&) = delete;
    Presenter& operator=(const Presenter&) = delete;

    /// The largest width and height of a picture.
    uint32_t most_extent() const { return device_->report().limits.maxImageDimension2D; }
    /// The guest's picture has another size, and is black. False: no memory.
    bool resize(uint32_t width, uint32_t height);
    /// A rectangle of the picture has changed. False: no memory.
    bool put(const virtio_gpu::Picture& picture, const Rect& where);
    /// Shows the picture at a place of the window, whose size is in texels. Around it, the window is black.
    Shown present(VkExtent2D window, const Rect& place);
    /// Prints the validation layer's messages.
    void tell_messages();

  private:
    /// A window needs no more than a few of its largest pictures.
    static constexpr uint64_t kMostBytes = uint64_t{4} << 30;

    Presenter() = default;
    std::string open(const vulkan::DeviceInfo& info);
    VkResult make_swapchain(VkExtent2D window);
    VkResult acquire(uint32_t& image);
    void record(VkImage target, const Rect& place);

    std::unique_ptr<vulkan::Instance> instance_;
    VkSurfaceKHR surface_ = VK_NULL_HANDLE;
    std::unique_ptr<vk::Device> device_;
    vk::Budget budget_{kMostBytes};
    std::unique_ptr<vk::Memory> memory_;
    std::unique_ptr<vk::Stream> stream_;
    std::shared_ptr<vk::Image> picture_;

    VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
    VkExtent2D extent_{};  ///< size of its images
    VkExtent2D window_{};  ///< the window's for which it was made; 0: the next present() makes another one
    std::vector<VkImage> images_;
    VkFence acquired_ = VK_NULL_HANDLE;
};

}  // namespace tgsi2spv::window
