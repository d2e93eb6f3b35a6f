// One piece of an emulated draw (emulate.h): its primitives fit in bounded memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/stream.h"
#include "renderer/draw/program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// A draw, direct or read from an indirect one.
struct DrawArguments {
    uint32_t first = 0, count = 0, instances = 1, first_instance = 0, draw_id = 0;
    int32_t bias = 0;
    bool indexed = false;
};

/// What all pieces of a draw share.
struct EmulatedDraw {
    const Shader* vert = nullptr;
    const Shader* geom = nullptr;  ///< null: only stream output is emulated
    uint32_t corners = 0;          ///< of a primitive that is assembled
    uint32_t vertex_words = 0;     ///< of VERT's records
    // GEOM, or VERT's again if there is none.
    uint32_t invocations = 1, most_vertices = 0, words = 0;
    VkPrimitiveTopology lists = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;  ///< what is captured and drawn last
    uint32_t captured = 0;                                         ///< bit n: buffer n
    bool last_provokes = false, draws = false;                     ///< draws: there is a last draw
    bool numbers = false;                                          ///< without GEOM: FRAG reads PRIMID
    DrawArguments arguments{};

    /// Whether records are drawn; else VERT is as ever.
    bool draws_records() const { return draws && (geom != nullptr || numbers); }
    const Shader& last() const { return geom != nullptr ? *geom : *vert; }
    uint64_t emitted_bytes() const { return uint64_t{4} * invocations * most_vertices * words; }
};

/// Primitives as numbers of vertices, `corners` of each.
struct DrawPiece {
    std::vector<uint32_t> vertices;
    uint32_t low = 0, high = 0;  ///< of these numbers
    uint32_t first_primitive = 0, first_instance = 0, instances = 1;
    uint32_t records() const { return high - low + 1; }  ///< of an instance
};

/// Words for the device to read as a storage buffer, in this batch. No data: no memory.
gpu::Staging stage_words(Host& host, std::span<const uint32_t> words);

/// False: no memory.
bool run_piece(Host& host, SubContext& context, const EmulatedDraw& draw, const DrawPiece& piece);

/// What a program with records is made for: VERT's (1), or GEOM's (2).
ModuleState records_state(const SubContext& context, const EmulatedDraw& draw, uint8_t records);

}  // namespace tgsi2spv::host
