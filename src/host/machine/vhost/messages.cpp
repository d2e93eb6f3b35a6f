#include "machine/vhost/messages.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

namespace tgsi2spv::vhost {
namespace {

constexpr const char* kCut = "vhost-user: the connection ended in the middle of a message";

struct Shape {
    Request request;
    uint32_t least, most;  ///< bytes of the payload
    uint32_t files;        ///< most files that come with it
};
constexpr uint32_t kOfTable = 8 + kMostRegions * sizeof(RegionMessage), kOfConfig = sizeof(ConfigMessage) + 256;
constexpr Shape kShapes[] = {
    {Request::GetFeatures, 0, 0, 0},
    {Request::SetFeatures, 8, 8, 0},
    {Request::SetOwner, 0, 0, 0},
    {Request::ResetOwner, 0, 0, 0},
    {Request::SetMemTable, 8, kOfTable, kMostRegions},
    {Request::SetVringNum, 8, 8, 0},
    {Request::SetVringAddr, 40, 40, 0},
    {Request::SetVringBase, 8, 8, 0},
    {Request::GetVringBase, 8, 8, 0},
    {Request::SetVringKick, 8, 8, 1},
    {Request::SetVringCall, 8, 8, 1},
    {Request::SetVringErr, 8, 8, 1},
    {Request::GetProtocolFeatures, 0, 0, 0},
    {Request::SetProtocolFeatures, 8, 8, 0},
    {Request::GetQueueNum, 0, 0, 0},
    {Request::SetVringEnable, 8, 8, 0},
    {Request::SetBackendSocket, 0, 0, 1},
    {Request::GetConfig, sizeof(ConfigMessage), kOfConfig, 0},
    {Request::SetConfig, sizeof(ConfigMessage), kOfConfig, 0},
    {Request::GpuSetSocket, 0, 0, 1},
    {Request::ResetDevice, 0, 0, 0},
};

}  // namespace

tl::expected<Received, std::string> receive(int socket, Message& message) {
    message = {};
    const auto head = std::as_writable_bytes(std::span(&message.header, 1));
    const ssize_t got = process::receive_with_files(socket, head, message.files, 0);
    if (got == 0) return Received::End;
    if (got < 0) return tl::unexpected("vhost-user: cannot read: " + std::generic_category().message(errno));
    Header& header = message.header;
    if (process::read_all(socket, head.subspan(static_cast<size_t>(got))) != process::Got::All)
        return tl::unexpected(std::string(kCut));
    const Shape* const shape = std::ranges::find(kShapes, message.request(), &Shape::request);
    if (shape == std::end(kShapes))
        return tl::unexpected(fmt::format("vhost-user: request {} was not offered", header.request));
    if ((header.flags & kVersionMask) != kVersion || (header.flags & kReply) != 0)
        return tl::unexpected(fmt::format("vhost-user: request {} has flags {:#x}", header.request, header.flags));
    if (header.size < shape->least || header.size > shape->most)
        return tl::unexpected(fmt::format("vhost-user: request {} has a payload of {} bytes, not {} to {}",
                                          header.request, header.size, shape->least, shape->most));
    if (message.files.size() > shape->files)
        return tl::unexpected(fmt::format("vhost-user: request {} came with {} files, more than {}", header.request,
                                          message.files.size(), shape->files));
    message.payload.resize(header.size);
    if (process::read_all(socket, message.payload) != process::Got::All) return tl::unexpected(std::string(kCut));
    return Received::All;
}

bool send_reply(int socket, const Header& request, const void* payload, size_t bytes) {
    std::array<std::byte, sizeof(Header) + kMostPayload> out;
    if (bytes > kMostPayload) return false;
    const Header header{request.request, kVersion | kReply, static_cast<uint32_t>(bytes)};
    std::memcpy(out.data(), &header, sizeof header);
    if (bytes > 0) std::memcpy(out.data() + sizeof header, payload, bytes);
    return process::write_all(socket, std::span(out).first(sizeof header + bytes));
}

}  // namespace tgsi2spv::vhost
