// Emits the module from its header to its last function.
#include "spirv/emit.h"

#include <algorithm>

#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

uint32_t version_of(TargetEnv env) {
    switch (env) {
        case TargetEnv::Vulkan10:
            return kSpirv10;
        case TargetEnv::Vulkan11:
            return kSpirv13;
        case TargetEnv::Vulkan12:
            return kSpirv15;
        case TargetEnv::Vulkan13:
            return kSpirv16;
    }
    return kSpirv10;
}

spv::ExecutionModel execution_model(ir::Stage stage) {
    switch (stage) {
        case ir::Stage::Vertex:
            return spv::ExecutionModel::Vertex;
        case ir::Stage::TessControl:
            return spv::ExecutionModel::TessellationControl;
        case ir::Stage::TessEval:
            return spv::ExecutionModel::TessellationEvaluation;
        case ir::Stage::Geometry:
            return spv::ExecutionModel::Geometry;
        case ir::Stage::Fragment:
            return spv::ExecutionModel::Fragment;
        case ir::Stage::Compute:
            return spv::ExecutionModel::GLCompute;
    }
    return spv::ExecutionModel::Vertex;
}

/// Whether GEOM uses several streams: this holds for the whole module, because every EMIT and every output then names
/// its stream.
bool uses_streams(const ir::Module& module) {
    if (module.entry.stage != ir::Stage::Geometry) return false;
    for (const ir::Variable& v : module.variables)
        if (v.kind == ir::VariableKind::Output && v.stream != 0) return true;
    for (const ir::Function& f : module.functions)
        for (const ir::Instruction& i : f.instructions)
            if ((i.op == ir::Op::EmitVertex || i.op == ir::Op::EndPrimitive) && i.aux != 0) return true;
    return false;
}

/// Sorts the Local variables into buckets by function.
void sort_locals(Emitter& emitter) {
    Workspace& w = emitter.w;
    w.first_local.assign(emitter.module.functions.size() + 1, 0);
    w.locals.clear();
    bool any = false;
    for (const ir::Variable& v : emitter.module.variables) {
        if (v.kind != ir::VariableKind::Local) continue;
        w.first_local[v.function + 1]++;
        any = true;
    }
    if (!any) return;
    for (size_t i = 1; i < w.first_local.size(); ++i) w.first_local[i] += w.first_local[i - 1];
    w.locals.resize(w.first_local.back());
    // Fills each bucket backwards, from its end to its start, which keeps the order; then the starts move to their own
    // index.
    for (uint32_t i = static_cast<uint32_t>(emitter.module.variables.size()); i-- > 0;) {
        const ir::Variable& v = emitter.module.variables[i];
        if (v.kind == ir::VariableKind::Local) w.locals[--w.first_local[v.function + 1]] = i;
    }
    for (size_t i = 1; i < w.first_local.size(); ++i) w.first_local[i - 1] = w.first_local[i];
    w.first_local.back() = static_cast<uint32_t>(w.locals.size());
}

/// Whether the emitted words contain an output with this builtin.
bool writes(const Emitter& emitter, ir::BuiltIn builtin) {
    for (size_t i = 0; i < emitter.module.variables.size(); ++i) {
        const ir::Variable& v = emitter.module.variables[i];
        if (v.kind == ir::VariableKind::Output && v.builtin == builtin && emitter.w.variable_ids[i]) return true;
    }
    return false;
}

class ExecutionModes {
  public:
    ExecutionModes(WordBuffer& out, Id entry) : out_(out), entry_(entry) {}
    void operator()(spv::ExecutionMode mode) { put(out_, spv::Op::OpExecutionMode, {entry_, mode}); }
    void operator()(spv::ExecutionMode mode, uint32_t a) { put(out_, spv::Op::OpExecutionMode, {entry_, mode, a}); }

  private:
    WordBuffer& out_;
    Id entry_;
};

spv::ExecutionMode mode_of(ir::InputPrimitive primitive) {
    switch (primitive) {
        case ir::InputPrimitive::Points:
            return spv::ExecutionMode::InputPoints;
        case ir::InputPrimitive::Lines:
            return spv::ExecutionMode::InputLines;
        case ir::InputPrimitive::LinesAdjacency:
            return spv::ExecutionMode::InputLinesAdjacency;
        case ir::InputPrimitive::Triangles:
            return spv::ExecutionMode::Triangles;
        case ir::InputPrimitive::TrianglesAdjacency:
            return spv::ExecutionMode::InputTrianglesAdjacency;
    }
    return spv::ExecutionMode::Max;
}

spv::ExecutionMode mode_of(ir::OutputPrimitive primitive) {
    switch (primitive) {
        case ir::OutputPrimitive::Points:
            return spv::ExecutionMode::OutputPoints;
        case ir::OutputPrimitive::LineStrip:
            return spv::ExecutionMode::OutputLineStrip;
        case ir::OutputPrimitive::TriangleStrip:
            return spv::ExecutionMode::OutputTriangleStrip;
    }
    return spv::ExecutionMode::Max;
}

spv::ExecutionMode mode_of(ir::TessDomain domain) {
    switch (domain) {
        case ir::TessDomain::Triangles:
            return spv::ExecutionMode::Triangles;
        case ir::TessDomain::Isolines:
            return spv::ExecutionMode::Isolines;
        case ir::TessDomain::Quads:
            return spv::ExecutionMode::Quads;
    }
    return spv::ExecutionMode::Max;
}

spv::ExecutionMode mode_of(ir::TessSpacing spacing) {
    switch (spacing) {
        case ir::TessSpacing::Equal:
            return spv::ExecutionMode::SpacingEqual;
        case ir::TessSpacing::FractionalOdd:
            return spv::ExecutionMode::SpacingFractionalOdd;
        case ir::TessSpacing::FractionalEven:
            return spv::ExecutionMode::SpacingFractionalEven;
    }
    return spv::ExecutionMode::Max;
}

void fragment_modes(Emitter& emitter, ExecutionModes& mode) {
    const ir::EntryPoint& entry = emitter.module.entry;
    mode(spv::ExecutionMode::OriginUpperLeft);
    if (entry.early_fragment_tests) mode(spv::ExecutionMode::EarlyFragmentTests);
    if (entry.post_depth_coverage) {
        emitter.w.requirements.add(spv::Capability::SampleMaskPostDepthCoverage);
        mode(spv::ExecutionMode::PostDepthCoverage);
    }
    if (entry.depth_replacing || writes(emitter, ir::BuiltIn::FragDepth)) {
        mode(spv::ExecutionMode::DepthReplacing);
        if (entry.depth_layout == ir::DepthLayout::Greater) mode(spv::ExecutionMode::DepthGreater);
        if (entry.depth_layout == ir::DepthLayout::Less) mode(spv::ExecutionMode::DepthLess);
        if (entry.depth_layout == ir::DepthLayout::Unchanged) mode(spv::ExecutionMode::DepthUnchanged);
    }
    if (writes(emitter, ir::BuiltIn::FragStencilRef)) mode(spv::ExecutionMode::StencilRefReplacingEXT);
}

void tessellation_modes(const ir::EntryPoint& entry, ExecutionModes& mode) {
    mode(mode_of(entry.tess_domain));
    mode(mode_of(entry.tess_spacing));
    mode(entry.tess_clockwise ? spv::ExecutionMode::VertexOrderCw : spv::ExecutionMode::VertexOrderCcw);
    if (entry.tess_points) mode(spv::ExecutionMode::PointMode);
}

/// Whether some dimension of the work group is a specialization constant.
bool is_open(const ir::EntryPoint& entry) {
    return std::any_of(entry.local_size_ids.begin(), entry.local_size_ids.end(),
                       [](uint32_t id) { return id != ir::kNone; });
}

void execution_modes(Emitter& emitter, WordBuffer& out) {
    const ir::EntryPoint& entry = emitter.module.entry;
    const Id main = emitter.w.function_ids[entry.function];
    ExecutionModes mode(out, main);
    switch (entry.stage) {
        case ir::Stage::Vertex:
            break;
        case ir::Stage::TessControl:
            mode(spv::ExecutionMode::OutputVertices, entry.output_vertices);
            break;
        case ir::Stage::TessEval:
            tessellation_modes(entry, mode);
            break;
        case ir::Stage::Geometry:
            if (emitter.streams) emitter.w.requirements.add(spv::Capability::GeometryStreams);
            mode(mode_of(entry.input_primitive));
            mode(spv::ExecutionMode::Invocations, entry.invocations);
            mode(mode_of(entry.output_primitive));
            mode(spv::ExecutionMode::OutputVertices, entry.max_vertices);
            break;
        case ir::Stage::Fragment:
            fragment_modes(emitter, mode);
            break;
        case ir::Stage::Compute:
            put(out, spv::Op::OpExecutionMode,
                {main, spv::ExecutionMode::LocalSize, entry.local_size[0], entry.local_size[1], entry.local_size[2]});
            if (is_open(entry)) emitter.work_group_size();  // overrides the mode
            break;
    }
    if (entry.transform_feedback) {
        emitter.w.requirements.add(spv::Capability::TransformFeedback);
        mode(spv::ExecutionMode::Xfb);
    }
    if (entry.float_controls) {
        emitter.w.requirements.add(spv::Capability::SignedZeroInfNanPreserve);
        mode(spv::ExecutionMode::SignedZeroInfNanPreserve, 32);
    }
    if (entry.float_controls_64 && emitter.w.requirements.has(spv::Capability::Float64)) {
        emitter.w.requirements.add(spv::Capability::SignedZeroInfNanPreserve);
        mode(spv::ExecutionMode::SignedZeroInfNanPreserve, 64);
    }
    if (entry.round_to_even) {
        emitter.w.requirements.add(spv::Capability::RoundingModeRTE);
        mode(spv::ExecutionMode::RoundingModeRTE, 32);
    }
}

/// Header, capabilities, extensions, memory model, entry point and modes: known only after everything else.
void emit_head(Emitter& emitter) {
    Workspace& w = emitter.w;
    // The requirements still need to see the modes, although the modes come later in the words.
    w.modes.clear();
    execution_modes(emitter, w.modes);
    w.head.clear();
    uint32_t* header = w.head.grow(5);
    header[0] = spv::MagicNumber;
    header[1] = emitter.version;
    header[2] = 0;  // no registered generator
    header[4] = 0;
    w.requirements.emit(w.head);
    if (emitter.glsl) put_string(w.head, spv::Op::OpExtInstImport, emitter.glsl, "GLSL.std.450");
    put(w.head, spv::Op::OpMemoryModel, {spv::AddressingModel::Logical, spv::MemoryModel::GLSL450});

    const std::string_view name = emitter.options.entry_point;
    const size_t words = 3 + name.size() / 4 + 1 + w.interface.size();
    if (words > emitter.options.max_instruction_words)
        return emitter.fail("instruction-limit", "the entry point's interface needs more than " +
                                                     std::to_string(emitter.options.max_instruction_words) + " words");
    w.head.push(static_cast<uint32_t>(words) << 16 | static_cast<uint32_t>(spv::Op::OpEntryPoint));
    w.head.push(static_cast<uint32_t>(execution_model(emitter.module.entry.stage)));
    w.head.push(w.function_ids[emitter.module.entry.function]);
    push_string(w.head, name);
    for (Id id : w.interface) w.head.push(id);
    w.head[3] = emitter.next_id;
}

void begin(Emitter& emitter) {
    Workspace& w = emitter.w;
    emitter.version = version_of(emitter.options.env);
    emitter.streams = uses_streams(emitter.module);
    w.names.clear();
    w.annotations.clear();
    w.globals.clear();
    w.code.clear();
    w.interner.clear();
    w.requirements.clear(emitter.version, emitter.module.entry.stage, emitter.options.layers_by_geometry);
    w.type_ids = {};
    w.pointer_ids = {};
    w.small_constants = {};
    w.constant_ids.assign(emitter.module.constants.size(), 0);
    w.variable_ids.assign(emitter.module.variables.size(), 0);
    w.interface.clear();
    w.placed.clear();
    w.function_ids.resize(emitter.module.functions.size());
    for (Id& id : w.function_ids) id = emitter.new_id();
    sort_locals(emitter);
    if (emitter.options.debug_lines) begin_lines(emitter);
}

void declare_outputs(Emitter& emitter) {
    for (uint32_t v = 0; v < emitter.module.variables.size(); ++v)
        if (ir::is_always_declared(emitter.module.variables[v])) emitter.variable(v);
    emitter.check_ids();
}

}  // namespace

void Emitter::fail(std::string_view code, std::string message, uint32_t at) {
    if (failed) return;
    failed = true;
    error.code = code;
    error.message = std::move(message);
    error.offset_plus_one = at;
}

void Emitter::check_ids() {
    if (next_id > options.max_id)
        fail("id-limit", "the module needs more than " + std::to_string(options.max_id) + " ids");
}

void Emitter::close(size_t start, spv::Op op, uint32_t at, std::string_view what) {
    const size_t words = w.code.size() - start;
    if (words > options.max_instruction_words)
        return fail("instruction-limit",
                    std::string(what) + " needs more than " + std::to_string(options.max_instruction_words) + " words",
                    at);
    w.code[start] = static_cast<uint32_t>(words) << 16 | static_cast<uint32_t>(op);
}

void WorkspaceDeleter::operator()(Workspace* workspace) const {
    std::pmr::polymorphic_allocator<>(workspace->memory).delete_object(workspace);
}

WorkspacePtr make_workspace(std::pmr::memory_resource* memory) {
    return WorkspacePtr(std::pmr::polymorphic_allocator<>(memory).new_object<Workspace>(memory));
}

bool emit(const ir::Module& module, const EmitOptions& options, Workspace& workspace, std::pmr::vector<uint32_t>& words,
          EmitError& error) {
    Emitter e(module, options, workspace, error);
    begin(e);
    for (uint32_t f = 0; f < module.functions.size() && !e.failed; ++f) e.emit_function(f);
    if (!e.failed) declare_outputs(e);
    if (!e.failed) emit_head(e);
    if (!e.failed) e.check_bindings();
    if (e.failed) {
        words.clear();
        return false;
    }
    const WordBuffer* sections[] = {&workspace.head,        &workspace.modes,   &workspace.names,
                                    &workspace.annotations, &workspace.globals, &workspace.code};
    size_t total = 0;
    for (const WordBuffer* s : sections) total += s->size();
    words.resize(total);
    uint32_t* next = words.data();
    for (const WordBuffer* s : sections) next = std::copy_n(s->words().data(), s->size(), next);
    return true;
}

}  // namespace tgsi2spv::spirv
