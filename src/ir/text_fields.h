// The named fields of a variable, an image operation and an entry point: one list each, for both the printer and the
// parser. A field with its default value is not written.
#pragma once

#include "ir/module.h"

namespace tgsi2spv::ir {

template <class Visitor>
void visit_fields(Variable& v, Visitor&& field) {
    field("array0", v.array[0]);
    field("array1", v.array[1]);
    field("function", v.function);
    field("index", v.index);
    field("builtin", v.builtin);
    field("location", v.location);
    field("component", v.component);
    field("dual_source", v.dual_source);
    field("interpolation", v.interpolation);
    field("at", v.sample_location);
    field("invariant", v.invariant);
    field("patch", v.patch);
    field("signed_words", v.is_signed);
    field("viewport_relative", v.viewport_relative);
    field("storage", v.storage);
    field("coherent", v.coherent);
    field("volatile", v.is_volatile);
    field("restricted", v.restricted);
    field("aliased", v.aliased);
    field("non_readable", v.non_readable);
    field("non_writable", v.non_writable);
    field("zero_initialised", v.zero_initialised);
    field("stream", v.stream);
    field("captured", v.captured);
    field("xfb_buffer", v.xfb_buffer);
    field("xfb_offset", v.xfb_offset);
    field("xfb_stride", v.xfb_stride);
    field("dim", v.image.dim);
    field("layers", v.image.array);
    field("depth", v.image.depth);
    field("ms", v.image.ms);
    field("sampled", v.image.sampled);
    field("signed", v.image.sampled_is_signed);
    field("format", v.image.format);
    field("semantic", v.semantic);
    field("semantic_index", v.semantic_index);
    field("name", v.name);
}

template <class Visitor>
void visit_fields(ImageOp& i, Visitor&& field) {
    field("dref", i.dref);
    field("bias", i.bias);
    field("lod", i.lod);
    field("grad", i.grad);
    field("const_offset", i.const_offset);
    field("offset", i.offset);
    field("const_offsets", i.const_offsets);
    field("sample", i.sample);
    field("min_lod", i.min_lod);
    field("sparse", i.sparse);
    field("non_uniform", i.non_uniform);
    field("component", i.component);
}

template <class Visitor>
void visit_fields(EntryPoint& e, Visitor&& field) {
    field("early_fragment_tests", e.early_fragment_tests);
    field("post_depth_coverage", e.post_depth_coverage);
    field("blend_equations", e.blend_equations);
    field("depth_replacing", e.depth_replacing);
    field("stencil_export", e.stencil_export);
    field("depth_layout", e.depth_layout);
    field("float_controls", e.float_controls);
    field("float_controls_64", e.float_controls_64);
    field("round_to_even", e.round_to_even);
    field("local_size_x", e.local_size[0]);
    field("local_size_y", e.local_size[1]);
    field("local_size_z", e.local_size[2]);
    field("local_size_id_x", e.local_size_ids[0]);
    field("local_size_id_y", e.local_size_ids[1]);
    field("local_size_id_z", e.local_size_ids[2]);
    field("invocations", e.invocations);
    field("max_vertices", e.max_vertices);
    field("output_vertices", e.output_vertices);
    field("input_primitive", e.input_primitive);
    field("output_primitive", e.output_primitive);
    field("tess_domain", e.tess_domain);
    field("tess_spacing", e.tess_spacing);
    field("tess_clockwise", e.tess_clockwise);
    field("tess_points", e.tess_points);
    field("transform_feedback", e.transform_feedback);
}

/// The number of a variable instruction's arguments that are access indices.
inline size_t index_count(const Instruction& i) {
    switch (i.op) {
        case Op::Store:
        case Op::InterpSample:
        case Op::InterpOffset:
            return i.num_args == 0 ? 0 : i.num_args - 1;
        case Op::Atomic: {
            const auto operands = static_cast<uint32_t>(atomic_operands(static_cast<AtomicOp>(i.sub)));
            return i.num_args < operands ? 0 : i.num_args - operands;
        }
        default:
            return i.num_args;
    }
}

}  // namespace tgsi2spv::ir
