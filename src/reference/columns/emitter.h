// Steps of one instruction: operands to columns, results to registers.
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
    /// What follows may not be executed by all lanes.
    void enter() { ++depth_; }
    void leave() { --depth_; }

    /// Component `component` of source `s` after swizzle and modifiers.
    Source source(const tgsi::Instruction& in, int s, int component);
    Source uniform(uint32_t word);
    Source uniform(float f) { return uniform(as_word(f)); }
    /// A step into a new column.
    Source emit(Action action, std::span<const Source> operands);
    Source emit(Action action, std::initializer_list<Source> operands) {
        return emit(action, std::span(operands.begin(), operands.size()));
    }
    Source word_function(WordFunction f, std::span<const Source> operands);
    Source float_function(FloatFunction f, std::span<const Source> operands);

    /// All of an instruction that is no flow; false where the other engine must do it.
    bool instruction(const tgsi::Instruction& in);
    /// The code, every column in its place.
    std::optional<Code> finish();
    /// The instruction has an operand that this engine does not reach.
    void refuse() { refused_ = true; }

  private:
    const tgsi::Program& program_;
    const tgsi::Registers& registers_;
    const Inputs& inputs_;
    Code code_;
    bool refused_ = false;
    int depth_ = 0;
    uint32_t columns_ = 0, scratch_ = 0, most_scratch_ = 0;
    size_t first_step_ = 0;  ///< of the instruction
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

    std::array<std::array<std::optional<Source>, 4>, 5> sources_{};  ///< of the instruction

    uint32_t column(tgsi::File file, int32_t index, int component, bool is_written);
    Source unmodified(const tgsi::Operand& o, int component);
    uint32_t table_of(const tgsi::Operand& o, int component);
    Source looked_up(const tgsi::Operand& o, int component);
    Source modified(const tgsi::Operand& o, tgsi::OperandType type, Source s);
    /// opcodes.cpp
    bool compute(const tgsi::Instruction& in, std::array<std::optional<Source>, 4>& result);
    void store(const tgsi::Instruction& in, std::array<std::optional<Source>, 4>& result);
    /// Has the step that made `from` write the column `to` at once, where no later step needs what stands there.
    bool retarget(Source from, uint32_t to);
};

}  // namespace tgsi2spv::reference::columns
