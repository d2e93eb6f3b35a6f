// The draws of a command, and their vertices, for who assembles primitives on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "renderer/emulate/assemble.h"
#include "renderer/state/problem.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// A draw, direct or read from an indirect one.
struct DrawArguments {
    uint32_t first = 0, count = 0, instances = 1, first_instance = 0, draw_id = 0;
    int32_t bias = 0;
    bool indexed = false;
};

using UseDraw = std::function<Problem(const DrawArguments&)>;
/// Calls `use` for each draw of the command that has vertices and instances: itself, or those that it reads from a
/// buffer, of which there may be millions. Ends with the first problem of `use`.
Problem for_each_draw(HostState& host, const virgl::Draw& command, const UseDraw& use);
/// The vertices of a draw; of indices, those that the buffer has.
uint32_t count_of(const Bindings& context, const DrawArguments& a);
/// None, if there is nothing to read. Empty: memory is short, or the device is lost. May copy all indices.
std::optional<VertexNumbers> numbers_of(HostState& host, const Bindings& context, const virgl::Draw& command,
                                        const DrawArguments& a);

}  // namespace tgsi2spv::host
