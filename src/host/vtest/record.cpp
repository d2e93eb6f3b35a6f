#include "vtest/record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <variant>

#include "virgl/decode.h"

namespace tgsi2spv::vtest {

using virgl::Outcome;

namespace {

std::array<uint32_t, kTransferRecordWords> words_of(const virgl::TransferRequest& request) {
    return std::bit_cast<std::array<uint32_t, kTransferRecordWords>>(request);
}

std::array<uint32_t, kTransferRecordWords + 2> words_of(const virgl::TransferRequest& request, uint64_t offset) {
    std::array<uint32_t, kTransferRecordWords + 2> out{};
    std::ranges::copy(words_of(request), out.begin());
    out[kTransferRecordWords] = static_cast<uint32_t>(offset);
    out[kTransferRecordWords + 1] = static_cast<uint32_t>(offset >> 32);
    return out;
}

/// The resource whose shared memory a command reads; 0: none.
uint32_t memory_read_by(const virgl::Command& command) {
    if (const auto* t = std::get_if<virgl::Transfer>(&command)) return t->to_host ? t->request.handle : 0;
    if (const auto* t = std::get_if<virgl::CopyTransfer>(&command)) return t->from_host ? 0 : t->staging;
    return 0;
}

}  // namespace

Recorder::Recorder(virgl::Renderer& renderer, Sink sink) : renderer_(renderer), sink_(std::move(sink)) {
    const virgl::CapsV2& caps = renderer_.caps();
    const uint32_t size = sizeof caps;
    using Part = std::span<const std::byte>;
    for (const Part part : {Part(std::as_bytes(std::span(kMagic))), Part(std::as_bytes(std::span(&size, 1))),
                            Part(std::as_bytes(std::span(&caps, 1)))})
        works_ = works_ && sink_(part);
}

void Recorder::put(RecordKind kind, std::span<const uint32_t> words, std::span<const std::byte> bytes) {
    if (!works_) return;
    const std::array header{static_cast<uint32_t>(kind), static_cast<uint32_t>(words.size_bytes() + bytes.size())};
    record_.clear();
    using Part = std::span<const std::byte>;
    for (const Part part : {Part(std::as_bytes(std::span(header))), Part(std::as_bytes(words)), bytes})
        record_.insert(record_.end(), part.begin(), part.end());
    works_ = sink_(record_);
}

/// Records where a resource's shared memory differs from the recording so far, in whole blocks.
void Recorder::put_changes(RecordKind kind, uint32_t handle) {
    constexpr size_t kBlock = 256;
    const auto found = resources_.find(handle);
    if (found == resources_.end() || found->second.memory == nullptr) return;
    Resource& resource = found->second;
    const std::span<std::byte> now = resource.memory->bytes;
    resource.seen.resize(now.size());
    const auto differs = [&](size_t at) {
        return std::memcmp(now.data() + at, resource.seen.data() + at, std::min(kBlock, now.size() - at)) != 0;
    };
    for (size_t at = 0; at < now.size();) {
        size_t end = at;
        while (end < now.size() && differs(end)) end += kBlock;
        if (end == at) {
            at += kBlock;
            continue;
        }
        end = std::min(end, now.size());
        // The guest may write at any time: record the copy that is kept.
        const std::span<std::byte> kept = std::span(resource.seen).subspan(at, end - at);
        std::memcpy(kept.data(), now.data() + at, kept.size());
        put(kind, std::array{handle, static_cast<uint32_t>(at)}, kept);
        at = end;
    }
}

Outcome Recorder::create_resource(const virgl::ResourceRequest& request, std::shared_ptr<virgl::SharedMemory> memory) {
    const auto size = static_cast<uint32_t>(memory == nullptr ? 0 : memory->bytes.size());
    put(RecordKind::Create,
        std::array{request.handle, request.target, request.format, request.bind, request.width, request.height,
                   request.depth, request.array_size, request.last_level, request.samples, size});
    const bool only_memory = (request.bind & ~(virgl::kBindCustom | virgl::kBindStaging)) == 0;
    resources_[request.handle] = {memory, {}, only_memory};
    const Outcome outcome = renderer_.create_resource(request, std::move(memory));
    if (outcome != Outcome::Done) {  // the handle is free for another one
        put(RecordKind::Destroy, {&request.handle, 1});
        resources_.erase(request.handle);
    }
    return outcome;
}

Outcome Recorder::destroy_resource(uint32_t handle) {
    put(RecordKind::Destroy, {&handle, 1});
    resources_.erase(handle);
    return renderer_.destroy_resource(handle);
}

Outcome Recorder::submit(virgl::Words words) {
    for (size_t at = 0; at < words.size();) {
        const auto command = virgl::decode_command(words, at);
        if (!command) break;  // the renderer stops here, too
        if (const uint32_t read = memory_read_by(*command); read != 0) put_changes(RecordKind::Memory, read);
    }
    put(RecordKind::Submit, words);
    return renderer_.submit(words);
}

Outcome Recorder::write(const virgl::TransferRequest& request, std::span<const std::byte> data) {
    put(RecordKind::Write, words_of(request), data);
    return renderer_.write(request, data);
}

Outcome Recorder::read(const virgl::TransferRequest& request, std::span<std::byte> data) {
    const Outcome outcome = renderer_.read(request, data);
    put(RecordKind::Read, words_of(request), data);
    return outcome;
}

Outcome Recorder::write_from_memory(const virgl::TransferRequest& request, uint64_t offset) {
    put_changes(RecordKind::Memory, request.handle);
    put(RecordKind::WriteFromMemory, words_of(request, offset));
    return renderer_.write_from_memory(request, offset);
}

Outcome Recorder::read_to_memory(const virgl::TransferRequest& request, uint64_t offset) {
    // The guest's writes there are not the expected writes of the host.
    put_changes(RecordKind::Memory, request.handle);
    put(RecordKind::ReadToMemory, words_of(request, offset));
    if (const auto found = resources_.find(request.handle); found != resources_.end())
        found->second.reads = !found->second.only_memory;
    return renderer_.read_to_memory(request, offset);
}

bool Recorder::busy(uint32_t handle, bool wait) {
    // Polls of a busy device change nothing, and their number varies.
    if (renderer_.busy(handle, wait)) return true;
    put(RecordKind::Wait, {&handle, 1});
    if (const auto found = resources_.find(handle); found != resources_.end() && found->second.reads) {
        put_changes(RecordKind::Expected, handle);
        put(RecordKind::Compare, {&handle, 1});
        found->second.reads = false;
    }
    return false;
}

}  // namespace tgsi2spv::vtest
