// Bytes of the guest into resources, and back.
#pragma once

#include <memory>
#include <span>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

/// `data` begins with the box's first byte.
Problem write_box(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                  std::span<const std::byte> data);
/// In memory, the box's first byte is at `offset`.
Problem write_box(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                  const virgl::SharedMemory& memory, uint64_t offset);
/// The bytes are there once the current batch is done.
Problem read_box(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                 std::shared_ptr<virgl::SharedMemory> memory, uint64_t offset);

Problem transfer(HostRecorder& host, const virgl::Transfer& command);
Problem transfer(HostRecorder& host, const virgl::CopyTransfer& command);
Problem transfer(HostRecorder& host, const virgl::InlineWrite& command);

}  // namespace tgsi2spv::host
