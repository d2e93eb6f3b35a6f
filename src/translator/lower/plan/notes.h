// The plan's records about operands: which registers a function touches, reads or selects from.
#pragma once

#include <algorithm>
#include <span>

#include "lower/plan/plan.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

struct OperandNotes {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    Plan& p;
    uint32_t function = 0;  ///< index in Plan::functions of the function that the operands belong to
    bool plain_read[tgsi::kFileCount] = {}, plain_written[tgsi::kFileCount] = {};

    /// Most operands of main name directly a register that no other function touches: there is nothing to record.
    void begin_function(uint32_t f) {
        using tgsi::File;
        function = f;
        for (const File file : {File::Null, File::Temp, File::Address, File::Predicate, File::Immediate})
            plain_read[static_cast<size_t>(file)] = plain_written[static_cast<size_t>(file)] = function == 0;
        plain_read[static_cast<size_t>(File::Output)] = function == 0 && !has_vertices(program.stage, File::Output);
    }

    void source(const tgsi::Operand& operand) {
        if (is_plain(plain_read, operand)) return;
        if (is_direct(operand))
            read(operand.file, operand.index, operand.has_dim ? operand.dim : 0, operand.swizzle);
        else
            general_source(operand);
    }
    void destination(const tgsi::Operand& operand) {
        if (is_plain(plain_written, operand)) return;
        if (!is_direct(operand)) return general_destination(operand);
        const uint32_t slot = slot_of(p.slots, operand.file, operand.index);
        if (slot == kNoIndex) return;
        touch(slot);
        if (operand.file == tgsi::File::Output)
            p.output_masks[static_cast<size_t>(operand.index)] |= operand.write_mask;
    }
    /// Records the memory that an instruction loads, stores or changes.
    void memory(const tgsi::Instruction& instruction);

    /// A register that several functions touch lives in memory.
    void touch(uint32_t slot) {
        if (slot != kNoIndex && function != 0) p.in_memory[slot] = 1;
    }

  private:
    static bool is_plain(const bool* files, const tgsi::Operand& operand) {
        return files[static_cast<size_t>(operand.file)] && !operand.index_is_relative && !operand.dim_is_relative;
    }
    bool is_direct(const tgsi::Operand& operand) const {
        return !operand.index_is_relative && !operand.dim_is_relative && !has_vertices(program.stage, operand.file);
    }

    /// `swizzle` names the components, as in Operand.
    void read(tgsi::File file, int32_t index, int32_t dim, uint8_t swizzle) {
        using tgsi::File;
        switch (file) {
            case File::Temp:
            case File::Address:
            case File::Output:
            case File::Predicate:
                touch(slot_of(p.slots, file, index));
                break;
            case File::Input:
                if (static_cast<size_t>(index) < p.input_masks.size()) use(File::Input, p.input_masks, index, swizzle);
                break;
            case File::SystemValue:
                if (static_cast<size_t>(index) < p.system_masks.size())
                    use(File::SystemValue, p.system_masks, index, swizzle);
                break;
            case File::Const:
                if (static_cast<size_t>(dim) < p.const_counts.size())
                    p.const_counts[static_cast<size_t>(dim)] =
                        std::max(p.const_counts[static_cast<size_t>(dim)], index + 1);
                break;
            default:
                break;
        }
    }

    /// The masks hold the union over all functions; each function also has its own list of uses.
    void use(tgsi::File file, std::span<uint8_t> masks, int32_t index, uint8_t swizzle) {
        const uint8_t mask = kSelected[swizzle];
        masks[static_cast<size_t>(index)] |= mask;
        FunctionPlan& f = p.functions[function];
        auto& seen = file == tgsi::File::Input ? p.scratch.last_write
                                               : p.scratch.order;  // scratch: register -> its place in uses + 1
        uint32_t& place = seen[static_cast<size_t>(index)];
        if (place <= f.uses) {
            p.uses.push_back({file, mask, static_cast<uint32_t>(index)});
            place = static_cast<uint32_t>(p.uses.size());
        } else {
            p.uses[place - 1].mask |= mask;
        }
    }

    void general_source(const tgsi::Operand& operand);
    void general_destination(const tgsi::Operand& operand);
    void indirect(const tgsi::Operand& operand, bool write);
    void relative(const tgsi::Operand& operand);
    void interface(const tgsi::Operand& operand, bool write);
    uint8_t& noted(const tgsi::Operand& operand, const tgsi::Range* range);
    void interface_range(const tgsi::Operand& operand, std::span<uint8_t> masks);
    void output_range(const tgsi::Operand& operand);
};

}  // namespace tgsi2spv::lower
