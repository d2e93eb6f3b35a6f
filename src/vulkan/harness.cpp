// The harness: SPIR-V and inputs to outputs on a Vulkan device.
