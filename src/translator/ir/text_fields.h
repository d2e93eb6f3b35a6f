// The named fields of a variable, an image operation and an entry point: one list each, for both the printer and the
// parser. A field with its default value is not written.
#pragma once

#include "ir/module.h"

namespace tgsi2spv::ir {

template <class Visitor>
void visit_fields(Variable& variable, Visitor&& field) {
    field("array0", variable.array[0]);
    field("array1", variable.array[1]);
    field("function", variable.function);
    field("index", variable.index);
    field("builtin", variable.builtin);
    field("location", variable.location);
    field("component", variable.component);
    field("dual_source", variable.dual_source);
    field("interpolation", variable.interpolation);
    field("at", variable.sample_location);
    field("invariant", variable.invariant);
    field("patch", variable.patch);
    field("signed_words", variable.is_signed);
    field("viewport_relative", variable.viewport_relative);
    field("storage", variable.storage);
    field("coherent", variable.coherent);
    field("volatile", variable.is_volatile);
    field("restricted", variable.restricted);
    field("aliased", variable.aliased);
    field("non_readable", variable.non_readable);
    field("non_writable", variable.non_writable);
    field("zero_initialised", variable.zero_initialised);
    field("stream", variable.stream);
    field("captured", variable.captured);
    field("xfb_buffer", variable.xfb_buffer);
    field("xfb_offset", variable.xfb_offset);
    field("xfb_stride", variable.xfb_stride);
    field("dim", variable.image.dim);
    field("layers", variable.image.array);
    field("depth", variable.image.depth);
    field("ms", variable.image.ms);
    field("sampled", variable.image.sampled);
    field("signed", variable.image.sampled_is_signed);
    field("format", variable.image.format);
    field("semantic", variable.semantic);
    field("semantic_index", variable.semantic_index);
    field("name", variable.name);
}

template <class Visitor>
void visit_fields(ImageOp& op, Visitor&& field) {
    field("dref", op.dref);
    field("bias", op.bias);
    field("lod", op.lod);
    field("grad", op.grad);
    field("const_offset", op.const_offset);
    field("offset", op.offset);
    field("const_offsets", op.const_offsets);
    field("sample", op.sample);
    field("min_lod", op.min_lod);
    field("sparse", op.sparse);
    field("non_uniform", op.non_uniform);
    field("component", op.component);
}

template <class Visitor>
void visit_fields(EntryPoint& point, Visitor&& field) {
    field("early_fragment_tests", point.early_fragment_tests);
    field("post_depth_coverage", point.post_depth_coverage);
    field("blend_equations", point.blend_equations);
    field("depth_replacing", point.depth_replacing);
    field("stencil_export", point.stencil_export);
    field("depth_layout", point.depth_layout);
    field("float_controls", point.float_controls);
    field("float_controls_64", point.float_controls_64);
    field("round_to_even", point.round_to_even);
    field("local_size_x", point.local_size[0]);
    field("local_size_y", point.local_size[1]);
    field("local_size_z", point.local_size[2]);
    field("local_size_id_x", point.local_size_ids[0]);
    field("local_size_id_y", point.local_size_ids[1]);
    field("local_size_id_z", point.local_size_ids[2]);
    field("invocations", point.invocations);
    field("max_vertices", point.max_vertices);
    field("output_vertices", point.output_vertices);
    field("input_primitive", point.input_primitive);
    field("output_primitive", point.output_primitive);
    field("tess_domain", point.tess_domain);
    field("tess_spacing", point.tess_spacing);
    field("tess_clockwise", point.tess_clockwise);
    field("tess_points", point.tess_points);
    field("transform_feedback", point.transform_feedback);
}

/// The number of a variable instruction's arguments that are access indices.
inline size_t index_count(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::Store:
        case Op::InterpSample:
        case Op::InterpOffset:
            return instruction.num_args == 0 ? 0 : instruction.num_args - 1;
        case Op::Atomic: {
            const auto operands = static_cast<uint32_t>(atomic_operands(static_cast<AtomicOp>(instruction.sub)));
            return instruction.num_args < operands ? 0 : instruction.num_args - operands;
        }
        default:
            return instruction.num_args;
    }
}

}  // namespace tgsi2spv::ir
