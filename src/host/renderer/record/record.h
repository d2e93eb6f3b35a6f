// One draw into the command buffer, from inputs that stay as they are. No other file knows the state of the command
// buffer. To draw something else than a guest has bound, change a copy of the bindings, and draw from that.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "renderer/record/indirect.h"
#include "renderer/record/linked_program.h"
#include "renderer/record/stream_out.h"
#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostRecorder;

struct DrawInputs {
    const SubContext* guest = nullptr;   ///< whose queries count the draw
    const Bindings* bindings = nullptr;  ///< the guest's, or a copy
    virgl::Draw command{};
    VkPrimitiveTopology topology{};
    uint32_t patch_vertices = 0;
    bool counts_primitives = true;                  ///< false: the caller has counted them
    const RenderCondition* condition = nullptr;     ///< the device decides
    std::optional<IndirectDraws> indirect{};        ///< arguments in a buffer
    std::optional<CapturedCount> captured_count{};  ///< number of vertices that stream output captured
    std::span<const uint32_t> list{};               ///< the indices, if the CPU makes them (lists.h)
    uint32_t one_by_one = 0;                        ///< corners of a primitive, if each is a draw; 0: it is one draw
    std::span<const vk::Use> uses{};                ///< uses in addition to those of the bindings

    bool restarts() const { return command.indexed && command.primitive_restart; }
};

/// Takes over the changes of a guest's commands, before its draw.
void take_changes(HostRecorder& host, SubContext& guest);
/// Whether the device cannot fetch the vertices where they are (realign.h).
bool is_misaligned(HostRecorder& host, const DrawInputs& d);
/// The program of the stages. Null: memory is short.
std::shared_ptr<LinkedProgram> choose_program(HostRecorder& host, const DrawInputs& d);
/// Draws nothing if the library or the driver refuses the stages, or there are no indices.
Problem record(HostRecorder& host, const DrawInputs& d);

}  // namespace tgsi2spv::host
