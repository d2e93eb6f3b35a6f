// Texture instructions: gathers the parameters of their message per lane; textures/sample does the rest.
#include "reference/families/families.h"
#include "reference/textures/sample.h"
#include "reference/textures/texel.h"

namespace tgsi2spv::reference {
namespace {

/// The index that a resource operand names in a lane. False if it may be more than one, or if nothing is declared: the
/// caller then chooses the resource. A sampler without a declaration is the one that the inputs have there.
bool resource_index(const Machine& machine, const tgsi::Operand& operand, const Value* relative, uint32_t lane,
                    uint32_t& index) {
    index = static_cast<uint32_t>(operand.index);
    if (!relative && operand.file == tgsi::File::Sampler) return true;
    if (relative) index += relative[lane].value;
    return declaration_at(machine, operand.file, index) && (!relative || is_exact(relative[lane]));
}

const Value* relative_column(Machine& machine, const tgsi::Operand& operand) {
    const tgsi::Relative* r = machine.program.index_relative(operand);
    if (!r) return nullptr;
    tgsi::Operand named;
    named.file = r->file;
    named.index = r->index;
    named.has_dim = r->has_dim;
    named.dim = r->dim;
    return read(machine, named, r->component);
}

/// SAMP2HND, IMG2HND: the low word of a handle is the register's index; the rest of the 64 bits has no meaning
/// (semantics: Textures).
void handle(Frame& frame) {
    const tgsi::Operand& o = frame.m.program.srcs(frame.instruction)[0];
    const Value* relative = relative_column(frame.m, o);
    Value *low = frame.scratch(), *rest = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        uint32_t index = 0;
        low[lane] = resource_index(frame.m, o, relative, lane, index) ? exact(index) : unknown(index);
        rest[lane] = unknown();
    }
    frame.result = {low, rest, rest, rest};
}

}  // namespace

bool makes_handle(tgsi::Opcode op) {
    return op == tgsi::Opcode::SAMP2HND || op == tgsi::Opcode::IMG2HND;
}

void texture(Frame& frame) {
    Machine& m = frame.m;
    if (makes_handle(frame.op())) return handle(frame);
    const auto at = static_cast<size_t>(&frame.instruction - m.program.instructions.data());
    const sampling::Message* message = &m.messages->all[m.messages->of_instruction[at]];
    const auto srcs = m.program.srcs(frame.instruction);
    const tgsi::Operand& texture_operand = srcs[message->texture_source];
    const tgsi::Operand& sampler_operand =
        message->sampler_source < srcs.size() ? srcs[message->sampler_source] : texture_operand;
    const Value* handle = message->bindless ? frame.src(message->texture_source, 0) : nullptr;
    const Value* texture_relative = handle ? nullptr : relative_column(m, texture_operand);
    const Value* sampler_relative = handle ? nullptr : relative_column(m, sampler_operand);

    // Offsets that are in registers.
    std::array<std::array<const Value*, 3>, 4> offsets{};
    const auto offset_operands = m.program.offsets(frame.instruction);
    if (!message->offsets_are_immediate)
        for (size_t i = 0; i < offset_operands.size() && i < 4; ++i)
            for (int axis = 0; axis < 3; ++axis)
                offsets[i][static_cast<size_t>(axis)] =
                    frame.operand(offset_operands[i], offset_operands[i].component(axis), tgsi::OperandType::Int);

    std::vector<TextureLane> lanes(m.lanes);
    std::vector<std::array<Value, 4>> results(m.lanes);
    for (uint32_t lane : m.active) {
        TextureLane& l = lanes[lane];
        l.wants = true;
        l.takes_part = (m.exec[lane] & kMust) && (m.parted.of_quad.empty() || m.parted.of_quad[lane / 4] == 0);
        uint32_t index = 0;
        if (handle) {
            index = handle[lane].value;
            l.binding.known = is_exact(handle[lane]);
        } else {
            l.binding.known = resource_index(m, texture_operand, texture_relative, lane, index);
        }
        uint32_t sampler_index = index;
        if (!handle && message->sampler_source < srcs.size())
            l.binding.known &= resource_index(m, sampler_operand, sampler_relative, lane, sampler_index);
        bind(m.inputs, *message, index, sampler_index, l.binding);
        l.binding.border_is_of_floats = message->separate && !m.messages->borders.of_integers(sampler_index);
        // No declaration gives a handle's texture a type: it is read as floats, which Vulkan forbids for integer
        // formats.
        if (handle && l.binding.texture && message->cls != sampling::Class::Query)
            l.binding.known = l.binding.known && !Image(*l.binding.texture).integer();
        read_parameters(
            *message, l,
            [&](uint8_t source, uint8_t component) {
                // A reference is a float. The table calls TG4's second source an integer, the component.
                if (message->reference == sampling::Param{source, component})
                    return frame.src(source, component, tgsi::OperandType::Float)[lane];
                return frame.src(source, component)[lane];
            },
            [&](int i, int axis) { return offsets[static_cast<size_t>(i)][static_cast<size_t>(axis)][lane]; });
    }
    execute(*message, lanes, m.options, results);
    for (int c = 0; c < 4; ++c) {
        if (!frame.writes(c)) continue;
        Value* out = frame.scratch();
        for (uint32_t lane : m.active) {
            out[lane] = message->channel_mask >> c & 1 ? results[lane][static_cast<size_t>(c)] : unknown();
            if (frame.c.nominal) out[lane] = exact(out[lane].value);
        }
        frame.result[static_cast<size_t>(c)] = out;
    }
}

}  // namespace tgsi2spv::reference
