// The meaning of a module, as the caller wants it.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/options/bounds.h"
#include "lower/options/state.h"
#include "lower/options/workarounds.h"
#include "tgsi/program/program.h"

namespace tgsi2spv::lower {

struct Linkage;        // linkage.h
struct StreamOutputs;  // stream_output.h

/// CONST[buffer] is in the push constants, starting at byte `offset`, a multiple of 16.
struct PushConstants {
    uint32_t buffer = 0;
    uint32_t offset = 0;
};

/// The meaning of a module, as the caller wants it.
struct Options {
    // ---- the meaning of the text
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    /// The number of words in each MEMORY register of a kind, which no text gives. Reads outside give 0. Vulkan
    /// promises 4,096 words of shared memory, and says nothing of private memory (4,096 words are too many for NVIDIA).
    uint32_t shared_words = 4096, private_words = 2048;
    /// MEMORY, and outputs of TESS_CTRL, start as zeros (own_memory.h).
    bool zero_memory = false;
    /// By IMAGE register: its PIPE_FORMAT (tgsi/tables/formats.h), where the text names none, or another one of the
    /// same type. 0: unknown; texels are then treated as floats.
    std::vector<uint16_t> image_formats{};
    /// Bindless: the length of each descriptor array that handles select from.
    uint32_t handles = 32;

    // ---- where things are bound
    /// The TEX family uses separate texture and sampler descriptors, as the SAMPLE family does. Handles still select
    /// among combined descriptors.
    bool separate_samplers = false;
    /// Constant buffers that are push constants instead, each starting at its own byte of the range.
    std::vector<PushConstants> push_constants{};
    /// The varyings of this stage's neighbours in its pipeline (link.h). Null: the fixed table of locations.h.
    const Linkage* linkage = nullptr;
    /// Transform feedback of the last stage before rasterization (stream_output.h). Not with io_buffers.
    const StreamOutputs* stream_outputs = nullptr;
    /// Stage inputs and outputs are storage-buffer accesses indexed by vertex, invocation or pixel (io_buffers.h).
    bool io_buffers = false;
    /// All stages before the rasterizer; implies io_buffers: compute shaders, whose outputs are records for callers
    /// that draw without the device's own stages (records.h).
    bool records = false;
    /// io_buffers only: bit n of word n/32 set: the system value with tgsi::Semantic n comes from the input buffer.
    uint32_t buffered_system_values[2] = {};
    bool buffers(tgsi::Semantic semantic) const {
        const auto n = static_cast<uint32_t>(semantic);
        return io_buffers && (buffered_system_values[n / 32] >> n % 32 & 1) != 0;
    }

    // ---- the state of the pipeline around the module
    /// VERT, TESS_EVAL: no other stage comes between this one and the rasterizer. If linkage is set,
    /// Linkage::before_rasterizer is used instead. Only the last such stage converts positions, and only it has the
    /// state of `state` that is for the last stage.
    bool before_rasterizer = true;
    /// TGSI's −1..1 depth becomes Vulkan's 0..1. Not with io_buffers.
    bool convert_depth_range = true;
    bool flip_y = false;
    /// FRAG: COLOR[1] is the second source of blending for target 0.
    bool dual_source = false;
    /// VERT, TESS_EVAL: points will be drawn, so a shader without PSIZE must write PointSize = 1. A stage that makes
    /// points itself (TES_POINT_MODE, GS_OUTPUT_PRIMITIVE POINTS) always does so.
    bool draws_points = false;
    /// State that the module has to emulate; specialization constants then choose it.
    State state{};
    /// The constant buffer for values of `state` that a specialization constant cannot hold: state_buffer.
    uint32_t state_buffer = 31;

    // ---- promises of the caller
    /// NoContraction on all float arithmetic; SignedZeroInfNanPreserve and RTE where the device has them. For judged
    /// modules.
    bool exact = false;
    /// Position outputs are Invariant.
    bool invariant_position = true;
    Bounds bounds{};
    /// Every class of `bounds` is Trust.
    bool trust_indices = false;
    Conversions conversions = Conversions::Saturate;
    /// An instruction may have an offset that no Vulkan operand can express (from a register, or beyond the device's
    /// range). This promises that the samplers of such instructions read one level: they do not blend two levels, and
    /// have no bias, no anisotropy and no level limits. Without the promise these offsets are refused unless level 0 is
    /// read, because the second level would need an offset of its own.
    bool offsets_read_one_level = false;
    /// All loops and calls of an invocation end after this many iterations and calls together (turns.h); 0: no guard.
    uint32_t max_iterations = 0;
    /// The most instructions that may be made: the later steps take time and memory in proportion.
    uint32_t max_operations = 1u << 24;

    // ---- how the module is made
    Workarounds workarounds{};
    /// Fold and number instructions as they are made (ir/builder.h); otherwise the module is as the families wrote it.
    bool simplify = true;
    /// Skip unused values that loops compute (plan/needed.cpp), before they cost phis.
    bool drop_unneeded = true;
};

/// The policy for an access of this class when it is out of range.
inline OutOfRange policy(const Options& options, OutOfRange Bounds::*access) {
    return options.trust_indices ? OutOfRange::Trust : options.bounds.*access;
}

}  // namespace tgsi2spv::lower
