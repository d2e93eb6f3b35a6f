#include "renderer/emulate/arguments.h"

#include <algorithm>
#include <cstring>

#include "renderer/record/indirect.h"
#include "renderer/state/host_state.h"

namespace tgsi2spv::host {

Problem for_each_draw(HostState& host, const virgl::Draw& command, const UseDraw& use) {
    const auto use_if_drawn = [&](const DrawArguments& a) {
        return a.count == 0 || a.instances == 0 ? Problem(Problem::None) : use(a);
    };
    if (command.indirect_resource == 0)
        return use_if_drawn({.first = command.indexed ? 0 : command.start,
                             .count = command.count,
                             .instances = std::max(command.instance_count, 1U),
                             .first_instance = command.start_instance,
                             .draw_id = command.draw_id,
                             .bias = command.indexed ? command.index_bias : 0,
                             .indexed = command.indexed});
    IndirectDraws draws;
    if (prepare_indirect(host, command, draws) != Problem::None ||
        !host.stream.wait(draws.arguments->buffer->uses.last_batch))
        return Problem::None;
    uint32_t count = draws.draws;
    if (draws.counts != nullptr) {
        uint32_t counted = 0;
        if (!host.stream.wait(draws.counts->buffer->uses.last_batch)) return Problem::None;
        std::memcpy(&counted, draws.counts->buffer->mapped() + draws.count_offset, 4);
        count = std::min(count, counted);
    }
    for (uint32_t i = 0; i < count; i++) {
        const std::byte* const at = draws.arguments->buffer->mapped() + draws.offset + VkDeviceSize{draws.stride} * i;
        std::array<uint32_t, 5> words{};
        std::memcpy(words.data(), at, command.indexed ? 20 : 16);
        DrawArguments a{
            .first = words[2], .count = words[0], .instances = words[1], .draw_id = i, .indexed = command.indexed};
        a.first_instance = words[command.indexed ? 4 : 3];
        if (command.indexed) std::memcpy(&a.bias, &words[3], 4);
        if (const Problem p = use_if_drawn(a)) return p;
    }
    return Problem::None;
}

namespace {

uint64_t begin_of_indices(const Bindings& context, const DrawArguments& a) {
    return uint64_t{context.index_offset} + uint64_t{a.first} * context.index_size;
}

}  // namespace

uint32_t count_of(const Bindings& context, const DrawArguments& a) {
    if (!a.indexed) return a.count;
    if (context.index_buffer == nullptr) return 0;
    const uint64_t start = begin_of_indices(context, a), size = context.index_buffer->buffer->size();
    return start >= size ? 0 : static_cast<uint32_t>(std::min<uint64_t>(a.count, (size - start) / context.index_size));
}

std::optional<VertexNumbers> numbers_of(HostState& host, const Bindings& context, const virgl::Draw& command,
                                        const DrawArguments& a) {
    if (!a.indexed) return VertexNumbers{.first = a.first, .count = a.count};
    const uint32_t count = count_of(context, a);
    if (count == 0) return VertexNumbers{};
    vk::Buffer& buffer = *context.index_buffer->buffer;
    if (!host.stream.wait(buffer.uses.written_batch)) return std::nullopt;
    VertexNumbers numbers{
        .count = count, .indices = buffer.mapped() + begin_of_indices(context, a), .index_bytes = context.index_size};
    // They are read twice, and count lists that are made after the first time.
    if (const uint64_t bytes = uint64_t{numbers.count} * numbers.index_bytes; buffer.is_imported()) {
        if (!or_reclaim(host, [&] { return host.budget.has_room(bytes); })) return std::nullopt;
        struct Copy {
            vk::Charge charge;
            std::vector<std::byte> bytes;
        };
        const auto copy = std::make_shared<Copy>(
            Copy{vk::Charge(host.budget, bytes), std::vector<std::byte>(numbers.indices, numbers.indices + bytes)});
        numbers.indices = copy->bytes.data();
        numbers.owner = copy;
    }
    if (command.primitive_restart) numbers.restart = command.restart_index;
    return numbers;
}

}  // namespace tgsi2spv::host
