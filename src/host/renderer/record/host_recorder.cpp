#include "renderer/record/host_recorder.h"

#include <utility>

namespace tgsi2spv::host {
namespace {

bool is_swiftshader(const vulkan::DeviceReport& report) {
    return vulkan::driver_of(report.info.name) == vulkan::Driver::SwiftShader;
}

/// The device's features that shaders may use.
tgsi2spv_device_caps usable_caps(const vulkan::DeviceReport& report) {
    tgsi2spv_device_caps caps = report.caps;
    // It dies of them (docs/driver-bugs.md).
    if (is_swiftshader(report))
        caps.shader_storage_buffer_array_dynamic_indexing = caps.shader_storage_image_array_dynamic_indexing = 0;
    return caps;
}

}  // namespace

HostRecorder::HostRecorder(std::unique_ptr<vk::Device> the_device, const HostOptions& the_options)
    : HostState(std::move(the_device), the_options),
      pipeline_cache(*device, options.no_cache ? -1 : options.pipeline_file),
      dynamic(dynamic_pieces(*device)),
      device_caps(usable_caps(device->report())),
      limits_fetched_levels(is_swiftshader(device->report())),
      query_slots(stream) {}

}  // namespace tgsi2spv::host
