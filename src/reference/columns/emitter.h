// Emits the steps of one instruction: from operands to columns, and from results to registers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>

#include "reference/columns/code.h"
#include "reference/machine.h"

namespace tgsi2spv::reference::columns {

class Emitter {
  public:
    Emitter(const tgsi::Program& p, const tgsi::Registers& r, const Inputs& i, const Context& c);

    Code& code() { return code_; }
    const Context& context() const { return code_.context; }
    const tgsi::Program& program() const { return program_; }
    void begin(const tgsi::Instruction& in);
    /// From here to leave(), not all lanes may execute.
    void enter() { ++depth_; }
    void leave() { --depth_; }

    /// Returns component `component` of source `s`, with swizzle and modifiers.
    Source source(const tgsi::Instruction& in, int s, int component);
    Source uniform(uint32_t word);
    Source uniform(float f) { return uniform(as_word(f)); }
    /// Emits a step that writes a new column.
    Source emit(Action action, std::span<const Source> operands);
    Source emit(Action action, std::initializer_list<Source> operands) {
        return emit(action, std::span(operands.begin(), operands.size()));
    }
    Source word_function(WordFunction f, std::span<const Source> operands);
    Source float_function(FloatFunction f, std::span<const Source> operands);

    /// Emits an instruction that is not flow. Returns false if only the interpreter can execute it.
    bool instruction(const tgsi::Instruction& in);
    /// Returns the code, with final positions of all columns.
    std::optional<Code> finish();
    /// Called if the instruction has an operand that this engine does not support.
    void refuse() { refused_ = true; }

  private:
    const tgsi::Program& program_;
    const tgsi::Registers& registers_;
    const Inputs& inputs_;
    Code code_;
    bool refused_ = false;
    int depth_ = 0;
    uint32_t columns_ = 0, scratch_ = 0, most_scratch_ = 0;
    size_t first_step_ = 0;  ///< of the current instruction
    bool contract_ = false;
    uint32_t origin_ = 0;
    struct Key {
        tgsi::File file;
        int32_t index;
        int component;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, uint32_t> registers_of_;
    std::unordered_map<uint32_t, uint32_t> uniforms_;
    std::map<std::tuple<tgsi::File, int32_t, uint16_t, int>, uint32_t> tables_;

    std::array<std::array<std::optional<Source>, 4>, 5> sources_{};  ///< of the current instruction

    uint32_t column(tgsi::File file, int32_t index, int component, bool is_written);
    Source unmodified(const tgsi::Operand& o, int component);
    uint32_t table_of(const tgsi::Operand& o, int component);
    Source looked_up(const tgsi::Operand& o, int component);
    Source modified(const tgsi::Operand& o, tgsi::OperandType type, Source s);
    /// Defined in opcodes.cpp.
    bool compute(const tgsi::Instruction& in, std::array<std::optional<Source>, 4>& result);
    void store(const tgsi::Instruction& in, std::array<std::optional<Source>, 4>& result);
    /// Makes the step that computed `from` write column `to` directly, if no later step needs the old contents of `to`.
    bool retarget(Source from, uint32_t to);
};

}  // namespace tgsi2spv::reference::columns
