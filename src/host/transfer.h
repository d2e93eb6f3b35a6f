// Bytes of the guest into resources, and back.
#pragma once

#include <span>

#include "host/host.h"

namespace tgsi2spv::host {

/// `data` begins with the box's first byte.
Problem write_box(Host& host, Resource& resource, const virgl::TransferRequest& request,
                  std::span<const std::byte> data);
/// The bytes are there once the current batch is done. `owner` keeps `data` until then.
Problem read_box(Host& host, Resource& resource, const virgl::TransferRequest& request, std::span<std::byte> data,
                 std::shared_ptr<const void> owner);

Problem transfer(Host& host, const virgl::Transfer& command);
Problem transfer(Host& host, const virgl::CopyTransfer& command);
Problem transfer(Host& host, const virgl::InlineWrite& command);

}  // namespace tgsi2spv::host
