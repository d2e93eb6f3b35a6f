#include "inputs/uses.h"

#include <algorithm>

#include "sampling/message.h"
#include "tgsi/program/survey.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::File;
using tgsi::Opcode;
using tgsi::Operand;
using tgsi::OperandType;

bool is_outside(File f) {
    return f == File::Input || f == File::Const || f == File::SystemValue;
}

/// Whether the operation's sources have the uses of its result.
bool passes_on(Opcode op) {
    switch (op) {
        case Opcode::MOV:
        case Opcode::ADD:
        case Opcode::MUL:
        case Opcode::MAD:
        case Opcode::FLR:
        case Opcode::MIN:
        case Opcode::MAX:
        case Opcode::CMP:
        case Opcode::UCMP:
        case Opcode::UADD:
        case Opcode::UMUL:
        case Opcode::UMAD:
        case Opcode::IMIN:
        case Opcode::IMAX:
        case Opcode::UMIN:
        case Opcode::UMAX:
            return true;
        default:
            return false;
    }
}

/// The number of handles that inputs may hold: the values of Use::Handle.
constexpr int32_t kHandles = 4;

struct UseScan {
    const tgsi::Program& program;
    Uses& uses;
    std::map<ComponentKey, Use> registers;  // TEMP and ADDR: how later code uses them
    tgsi::Target by_handle = tgsi::Target::None;
    int loops = 0;  // loops around the instruction

    void raise(const Operand& operand, uint8_t component, Use use) {
        // The first bracket of an input is a vertex: a use of one vertex applies to all.
        const int32_t dim = operand.file == File::Input ? 0 : operand.dim;
        const auto at = [&](int32_t index) {
            const ComponentKey key{operand.file, dim, index, component};
            auto& slot = is_outside(operand.file) ? uses.components[key] : registers[key];
            slot = std::max(slot, use);
        };
        if (!operand.index_is_relative || !is_outside(operand.file)) return at(operand.index);
        each_declared(operand, [&](int32_t index) { at(index); });
    }
    /// Calls f for the registers that an indirect operand may select: its array, or else its whole file.
    template <class F>
    void each_declared(const Operand& operand, F f) const {
        constexpr int32_t kMax = 1024;
        for (const auto& d : program.declarations) {
            if (d.file != operand.file || (operand.array_id != 0 && d.array_id != operand.array_id)) continue;
            for (int32_t i = d.first; i <= d.last && i < d.first + kMax; i++) f(i);
        }
    }
    void source(const Operand& operand, int c, Use use) {
        raise(operand, static_cast<uint8_t>(operand.component(c)), use);
    }

    /// Registers inside brackets are indices.
    void indices(const Operand& operand) {
        for (const auto* r : {program.dim_relative(operand), program.index_relative(operand)}) {
            if (r == nullptr) continue;
            Operand selector;
            selector.file = r->file;
            selector.dim = r->dim;
            selector.index = r->index;
            raise(selector, r->component, Use::Index);
        }
    }

    Use result_use(const Operand& dst, int c) {
        const auto found = registers.find({dst.file, dst.dim, dst.index, static_cast<uint8_t>(c)});
        return found == registers.end() ? Use::None : found->second;
    }

    static bool is_half(Use use) {
        return use == Use::DoubleLow || use == Use::DoubleHigh || use == Use::LongLow || use == Use::LongHigh;
    }

    Use wanted(Opcode op, OperandType type, Use result) const {
        if (op == Opcode::ARL || op == Opcode::ARR) return Use::FloatIndex;
        if (op == Opcode::IF || op == Opcode::IFC) return Use::Truth;
        if (op == Opcode::SIN || op == Opcode::COS || op == Opcode::SCS) return Use::Angle;
        if (op == Opcode::UARL) return Use::Index;
        const bool integral = type == OperandType::Int || type == OperandType::Uint;
        if ((op == Opcode::F2I || op == Opcode::F2U) && (result == Use::Index || result == Use::Texel))
            return Use::FloatIndex;
        if (op == Opcode::MOV && result != Use::None) return result;
        // A factor of an angle is not an angle, and a term of a sum that is tested for zero is not itself tested for
        // zero.
        const bool moved_only = is_half(result) || result == Use::Angle || result == Use::Truth;
        if (passes_on(op) && result != Use::None && !moved_only && !(op == Opcode::UCMP && integral)) return result;
        if (integral && loops > 0 && tgsi::info(op).family == tgsi::Family::compare)
            return type == OperandType::Int ? Use::SignedCount : Use::Count;
        if (integral) return Use::Integer;
        return Use::Float;
    }

    void texture(const tgsi::Instruction& inst) {
        sampling::Refusal refusal;
        const auto message = sampling::message_of(program, inst, refusal);
        const auto srcs = program.srcs(inst);
        if (!message) {
            for (const auto& s : srcs)
                for (int c = 0; c < 4; c++) source(s, c, Use::Float);
            return;
        }
        const auto& m = *message;
        const auto param = [&](const sampling::Param& p, Use use) {
            if (p.present() && p.source < srcs.size()) source(srcs[p.source], p.component, use);
        };
        const bool fetch = m.cls == sampling::Class::Fetch || m.cls == sampling::Class::Query;
        for (const auto& p : m.coord)
            param(p, fetch                                  ? Use::Texel
                     : m.surface.rect                       ? Use::TexelCoordinate
                     : m.surface.dim == sampling::Dim::Cube ? Use::Direction
                                                            : Use::Coordinate);
        param(m.layer, fetch ? Use::Texel : Use::Layer);
        param(m.reference, Use::Reference);
        param(m.divisor, Use::Divisor);
        param(m.lod, fetch ? Use::Index : Use::Small);
        param(m.bias, Use::Bias);
        for (const auto& p : m.ddx) param(p, Use::Gradient);
        for (const auto& p : m.ddy) param(p, Use::Gradient);
        param(m.sample_index, Use::Index);
        param(m.component, Use::Index);
        for (const auto& o : program.offsets(inst))
            for (int c = 0; c < 3; c++) source(o, c, Use::Index);
        if (m.bindless && m.texture_source < srcs.size()) {
            source(srcs[m.texture_source], 0, Use::Handle);
            by_handle = inst.target;
        }
        if (m.texture_source < srcs.size() && !m.bindless) {
            const auto sampled = [&](int32_t index) {
                auto& target = uses.textures[index];
                if (target == tgsi::Target::None) target = inst.target;
                // A depth texture's sampler compares, even if only a level is queried and nothing is compared.
                uses.compared[index] |= m.surface.shadow || tgsi::shape(inst.target).shadow;
                uses.implicit_level[index] |=
                    m.cls == sampling::Class::Sample3D && !m.lod_is_zero && !m.lod.present() && !m.ddx[0].present();
            };
            const auto& texture = srcs[m.texture_source];
            if (texture.index_is_relative)
                each_declared(texture, sampled);
            else
                sampled(texture.index);
        }
    }

    /// Records an access to an image with the target that the instruction means (semantics: Text): BUFFER if none is
    /// given.
    void image(const tgsi::Instruction& inst, const Operand& operand, int32_t index) {
        const tgsi::Declaration* const declaration = is_memory(operand.file) ? declaration_of(operand) : nullptr;
        auto& use = uses.images[index];
        const bool resource = operand.file == File::Resource;
        auto target = inst.target;
        if (target == tgsi::Target::None)
            target = resource && declaration != nullptr ? declaration->target : tgsi::Target::Buffer;
        if (use.target == tgsi::Target::None) use.target = target;
        if (use.format == 0) use.format = inst.format;
        if (use.format == 0 && declaration != nullptr) use.format = declaration->format;
        // RAW is 32-bit words (semantics: Memory).
        if (is_raw(operand)) use.format = tgsi::format_from_name("R32_UINT").value_or(0);
        const bool reads = inst.op == Opcode::LOAD || inst.op == Opcode::STORE || inst.op == Opcode::RESQ;
        use.atomic |= !reads;
    }

    /// The last declaration of the register.
    const tgsi::Declaration* declaration_of(const Operand& operand) const {
        const tgsi::Declaration* declaration = nullptr;
        for (const auto& d : program.declarations)
            if (d.file == operand.file && d.first <= operand.index && operand.index <= d.last) declaration = &d;
        return declaration;
    }
    bool is_raw(const Operand& operand) const {
        const auto* const d = operand.file == File::Resource ? declaration_of(operand) : nullptr;
        return d != nullptr && d->raw;
    }
    bool is_image(const Operand& operand) const {
        if (operand.file != File::Resource) return operand.file == File::Image;
        const auto* const d = declaration_of(operand);
        return d != nullptr && (d->target != tgsi::Target::Buffer || !d->raw);
    }

    /// LOAD, STORE, ATOM*, RESQ: records the uses of addresses and data.
    void memory(const tgsi::Instruction& inst) {
        const auto srcs = program.srcs(inst), dsts = program.dsts(inst);
        const bool stores = inst.op == Opcode::STORE;
        if (stores ? dsts.empty() : srcs.empty()) return;
        const Operand& resource = stores ? dsts[0] : srcs[0];
        const bool handle = !is_memory(resource.file);
        const bool texels = handle || is_image(resource);
        if (handle) {
            source(resource, 0, Use::ImageHandle);
            for (int32_t i = 0; i < kHandles; i++) image(inst, resource, i);
        } else if (texels) {
            image(inst, resource, resource.index_is_relative ? kAnyImage : resource.index);
        }
        const size_t address = stores ? 0 : 1;
        if (inst.op == Opcode::RESQ || srcs.size() <= address) return;
        for (int c = 0; c < (texels ? 4 : 1); c++)
            source(srcs[address], c, texels && !(c == 0 && is_raw(resource)) ? Use::Texel : Use::Address);
        for (size_t i = address + 1; i < srcs.size(); i++)
            for (int c = 0; c < 4; c++) source(srcs[i], c, texels && stores ? Use::Float : Use::Integer);
    }

    void instruction(const tgsi::Instruction& inst) {
        const auto& info = tgsi::info(inst.op);
        const auto dsts = program.dsts(inst);
        const auto srcs = program.srcs(inst);
        Use results[4] = {};
        for (int c = 0; c < 4; c++)
            if (!dsts.empty() && (dsts[0].write_mask >> c & 1) != 0) results[c] = result_use(dsts[0], c);
        for (const auto& d : dsts) {
            indices(d);
            for (int c = 0; c < 4; c++)
                if ((d.write_mask >> c & 1) != 0 && !d.index_is_relative && !d.dim_is_relative)
                    registers.erase({d.file, d.dim, d.index, static_cast<uint8_t>(c)});
        }
        for (const auto& s : srcs) indices(s);
        if (info.family == tgsi::Family::texture) return texture(inst);
        if (info.form == tgsi::Form::memory) return memory(inst);
        for (size_t i = 0; i < srcs.size(); i++) {
            const auto type = info.src[std::min<size_t>(i, info.src.size() - 1)];
            const bool interpolates = inst.op == Opcode::INTERP_OFFSET || inst.op == Opcode::INTERP_SAMPLE;
            if (interpolates && i == 1) {
                for (int c = 0; c < 4; c++) source(srcs[i], c, Use::Place);
            } else if (type == OperandType::Double) {
                for (int c = 0; c < 4; c++) source(srcs[i], c, c % 2 == 0 ? Use::DoubleLow : Use::DoubleHigh);
            } else if (type == OperandType::Int64 || type == OperandType::Uint64) {
                for (int c = 0; c < 4; c++) source(srcs[i], c, c % 2 == 0 ? Use::LongLow : Use::LongHigh);
            } else if (info.shape == tgsi::Shape::component) {
                for (int c = 0; c < 4; c++)
                    if (dsts.empty() || (dsts[0].write_mask >> c & 1) != 0)
                        source(srcs[i], c, wanted(inst.op, type, results[c]));
            } else {
                const int count = info.shape == tgsi::Shape::scalar ? 1 : 4;
                for (int c = 0; c < count; c++) source(srcs[i], c, wanted(inst.op, type, Use::None));
            }
        }
    }
};

}  // namespace

Use Uses::of(tgsi::File file, int32_t dim, int32_t index, uint8_t component) const {
    const auto found = components.find({file, dim, index, component});
    return found == components.end() ? Use::None : found->second;
}

Uses find_uses(const tgsi::Program& program) {
    Uses uses;
    UseScan walk{program, uses, {}, tgsi::Target::None};
    for (int round = 0; round < 2; round++)
        for (size_t i = program.instructions.size(); i-- > 0;) {
            const auto& instruction = program.instructions[i];
            // In this direction, a loop begins at its ENDLOOP.
            walk.loops += instruction.op == Opcode::ENDLOOP ? 1 : instruction.op == Opcode::BGNLOOP ? -1 : 0;
            walk.instruction(instruction);
        }
    // Textures that only handles select.
    for (int32_t i = 0; i < kHandles && walk.by_handle != tgsi::Target::None; i++)
        uses.textures.try_emplace(i, walk.by_handle);
    return uses;
}

}  // namespace tgsi2spv::difftest
