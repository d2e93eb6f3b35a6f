// Runs GEOM, TESS_CTRL and TESS_EVAL on a device. A lane is an input primitive or a patch, numbered by gl_PrimitiveID,
// and all data goes through the buffers of lower/io_buffers.h. The other stages are shaders that do nothing.
#include <fmt/format.h>

#include <algorithm>

#include "cases/run/run_parts.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::File;
using tgsi::Semantic;
using tgsi::Stage;

/// The largest size of io buffer 1, over all lanes.
constexpr uint64_t kMaxOutputWords = 1u << 26;

VkPrimitiveTopology topology_of(uint32_t vertices) {
    switch (vertices) {
        case 1:
            return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        case 2:
            return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
        case 4:
            return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
        case 6:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
        default:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

/// Returns the number of vertices of an input patch: as many as the case gives.
uint32_t patch_vertices(const reference::Inputs& inputs) {
    int32_t highest = 0;
    for (const auto& [key, values] : inputs.inputs) highest = std::max(highest, key.first);
    return static_cast<uint32_t>(highest) + 1;
}

Semantic semantic_of(const api::Context& context, File file, int32_t index) {
    const auto* range = context.registers.find(file, index);
    return range == nullptr ? Semantic::None : context.program.declarations[range->declaration].semantic;
}

/// Sets system values that the draw of a patch of one vertex would give wrongly: those that the case does not give get
/// the values of the patch that the case means.
void complete_system_values(const api::Context& context, reference::Inputs& inputs) {
    if (context.program.stage != Stage::TessEval) return;
    const uint32_t vertices = patch_vertices(inputs);
    for (int32_t i = 0; i < context.registers.count(File::SystemValue); i++) {
        const auto semantic = semantic_of(context, File::SystemValue, i);
        if (inputs.system_values.count(i) != 0) continue;
        if (semantic == Semantic::VerticesIn)
            inputs.system_values[i].assign(inputs.lanes, {vertices, 0, 0, 0});
        else if (semantic == Semantic::TessCoord || semantic == Semantic::TessOuter || semantic == Semantic::TessInner)
            inputs.system_values[i].assign(inputs.lanes, {});
    }
}

/// Returns io buffer 0: for each lane, a block of all registers for each vertex, then the system values.
std::vector<uint32_t> input_words(const api::Context& context, const spirv::Reflection& reflection,
                                  const reference::Inputs& inputs) {
    const uint32_t slots = reflection.io_input_slots;
    const auto registers = static_cast<uint32_t>(context.registers.count(File::Input));
    const uint32_t vertices = tgsi::input_vertices(context.program);
    std::vector<uint32_t> words(size_t{inputs.lanes} * slots * 4);
    const auto fill = [&](uint32_t slot, const std::vector<reference::Vec4>& values) {
        for (uint32_t lane = 0; lane < std::min<size_t>(inputs.lanes, values.size()); lane++)
            std::copy(values[lane].begin(), values[lane].end(),
                      words.begin() + static_cast<std::ptrdiff_t>((size_t{lane} * slots + slot) * 4));
    };
    for (const auto& [key, values] : inputs.inputs) {
        const auto vertex = static_cast<uint32_t>(key.first), reg = static_cast<uint32_t>(key.second);
        if (vertex < vertices && reg < registers) fill(vertex * registers + reg, values);
    }
    // PRIM_ID comes from the draw, even as an input.
    for (uint32_t reg = 0; reg < registers; reg++) {
        const auto index = static_cast<int32_t>(reg);
        if (semantic_of(context, File::Input, index) != Semantic::PrimId || inputs.inputs.count({0, index}) != 0)
            continue;
        for (uint32_t lane = 0; lane < inputs.lanes; lane++) words[(size_t{lane} * slots + reg) * 4] = lane;
    }
    for (uint32_t i = 0; i < reflection.io_system_values.size(); i++)
        if (const auto sv = inputs.system_values.find(static_cast<int32_t>(reflection.io_system_values[i]));
            sv != inputs.system_values.end())
            fill(registers * vertices + i, sv->second);
    return words;
}

/// Returns the number of records that a lane has in io buffer 1.
uint32_t records(const tgsi::Program& program) {
    switch (program.stage) {
        case Stage::Geometry:
            return tgsi::invocations(program) * tgsi::most_emitted_vertices(program);
        case Stage::TessControl:
            return tgsi::output_vertices(program);
        default:
            return 1;
    }
}

using Vector = std::array<reference::Component, 4>;

struct Outputs {
    const api::Context& context;
    const std::vector<uint32_t>& words;
    uint32_t lanes;
    uint32_t slots;  ///< slots per record

    Vector vector(size_t record, uint32_t slot) const {
        Vector v;
        for (size_t c = 0; c < 4; c++) v[c] = known(words[(record * slots + slot) * 4 + c]);
        return v;
    }

    template <class F>
    void for_each_register(F&& f) const {
        for (int32_t i = 0; i < context.registers.count(File::Output); i++)
            if (context.registers.declared(File::Output, i)) f(i);
    }

    void read_vertices(reference::Result& result) const {  // GEOM
        const auto& program = context.program;
        const uint32_t invocations = tgsi::invocations(program), most = records(program) / invocations;
        result.emitted.resize(lanes);
        result.emitted_unknown.assign(lanes, false);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t begun[4] = {};  // primitives of earlier invocations, by stream
            for (uint32_t invocation = 0; invocation < invocations; invocation++) {
                uint32_t end[4] = {begun[0], begun[1], begun[2], begun[3]};
                for (uint32_t k = 0; k < most; k++) {
                    const size_t record = (size_t{lane} * invocations + invocation) * most + k;
                    const uint32_t mark = words[(record * slots + slots - 1) * 4];
                    if (mark == 0 || mark > 4) break;
                    reference::Emitted vertex;
                    vertex.stream = static_cast<uint8_t>(mark - 1);
                    vertex.primitive = begun[mark - 1] + words[(record * slots + slots - 1) * 4 + 1];
                    end[mark - 1] = vertex.primitive + 1;
                    for_each_register([&](int32_t i) { vertex.outputs[i] = vector(record, static_cast<uint32_t>(i)); });
                    result.emitted[lane].push_back(std::move(vertex));
                }
                std::copy(std::begin(end), std::end(end), std::begin(begun));
            }
        }
    }

    void read_patches(reference::Result& result) const {  // TESS_CTRL
        const uint32_t vertices = tgsi::output_vertices(context.program);
        for_each_register([&](int32_t i) {
            const bool per_vertex = tgsi::is_per_vertex(context.program, context.registers, File::Output, i);
            for (uint32_t v = 0; v < (per_vertex ? vertices : 1); v++) {
                auto& out = per_vertex ? result.vertex_outputs[{static_cast<int32_t>(v), i}] : result.outputs[i];
                for (uint32_t lane = 0; lane < lanes; lane++)
                    out.push_back(vector(size_t{lane} * vertices + v, static_cast<uint32_t>(i)));
            }
        });
    }

    void read_lanes(reference::Result& result) const {  // TESS_EVAL
        for_each_register([&](int32_t i) {
            for (uint32_t lane = 0; lane < lanes; lane++)
                result.outputs[i].push_back(vector(lane, static_cast<uint32_t>(i)));
        });
    }
};

/// Sets the stage under test, the stages that it needs, and a draw of one primitive per lane.
void set_up_draw(const api::Context& context, const reference::Inputs& inputs, harness::Job& job) {
    job.vertex.words = harness::primitive_vertex_shader();
    uint32_t vertices = 1;
    switch (context.program.stage) {
        case Stage::Geometry:
            job.geometry.words = context.words;
            vertices = tgsi::input_vertices(context.program);
            job.topology = topology_of(vertices);
            break;
        case Stage::TessControl:
            job.tess_control.words = context.words;
            job.tess_eval.words = harness::no_patch_evaluation_shader();
            job.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
            job.patch_control_points = vertices = patch_vertices(inputs);
            break;
        default:
            job.tess_control.words = harness::one_patch_control_shader();
            job.tess_eval.words = context.words;
            job.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
            break;
    }
    job.vertex_count = inputs.lanes * vertices;
}

}  // namespace

tl::expected<reference::Result, VulkanTrouble> run_primitives(harness::Device& device, api::Context& context,
                                                              const reference::Inputs& given,
                                                              const VulkanOptions& options) {
    const auto& program = context.program;
    const uint32_t vertices = patch_vertices(given);
    if (program.stage != Stage::Geometry && vertices > device.report().limits.maxTessellationPatchSize &&
        device.report().features.tessellationShader)
        return trouble(Trouble::Case,
                       fmt::format("patches of {} vertices, more than maxTessellationPatchSize", vertices));
    for (const auto& [index, values] : given.system_values)
        if (semantic_of(context, File::SystemValue, index) == Semantic::InvocationId)
            return trouble(Trouble::Case,
                           fmt::format("SV[{}] is INVOCATIONID, which the device computes and cannot be given", index));
    reference::Inputs inputs = given;
    complete_system_values(context, inputs);

    auto conversion = judged_conversion(device, context, inputs, options);
    buffer_system_values(context, inputs, conversion.lower);
    const auto converted = convert_judged(context, conversion, options);
    if (!converted) return tl::unexpected<VulkanTrouble>(converted.error());
    const auto& reflection = *converted;
    harness::Job job;
    job.timeout_ns = options.settings.timeout_ns;
    set_up_draw(context, inputs, job);

    const uint64_t count = uint64_t{inputs.lanes} * records(program);
    const uint32_t slots = reflection.io_output_slots;
    if (count * slots * 4 > kMaxOutputWords) return trouble(Trouble::Case, "the vertices have more than 2^26 words");
    uint32_t io[3] = {};
    io[0] = add_buffer(job, input_words(context, reflection, inputs), false);
    std::vector<uint32_t> outputs(static_cast<size_t>(count * slots * 4), options.unwritten);
    if (program.stage == Stage::Geometry)
        for (size_t record = 0; record < count; record++) outputs[((record + 1) * slots - 1) * 4] = 0;  // no vertex yet
    io[1] = add_buffer(job, std::move(outputs), true);
    io[2] = add_buffer(job, {0, 0, inputs.lanes, 0, 0}, false);
    bind_io(reflection, io, job);
    const auto ran = run_job(device, context.program, reflection, inputs, job, options);
    if (!ran) return tl::unexpected(ran.error());
    reference::Result result;
    const Outputs back{context, ran->buffers[io[1]], inputs.lanes, slots};
    switch (program.stage) {
        case Stage::Geometry:
            back.read_vertices(result);
            break;
        case Stage::TessControl:
            back.read_patches(result);
            break;
        default:
            back.read_lanes(result);
            break;
    }
    read_memory(reflection, inputs, job, *ran, result);
    return result;
}

}  // namespace tgsi2spv::difftest
