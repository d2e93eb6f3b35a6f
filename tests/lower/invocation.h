// One invocation of a module, executed word by word. It stops where it needs others (derivatives, barriers,
// subgroups), so that an engine can run several. An engine also supplies the arithmetic.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/operations.h"
#include "lower/evaluate.h"

namespace tgsi2spv::test {

/// The memory that invocations share.
struct SharedMemory {
    std::map<uint32_t, std::vector<uint32_t>> buffers;  ///< as in Surroundings
    std::map<uint32_t, uint32_t> io_outputs;            ///< `io=buffers`: by word
};
/// The elements of variables in memory, by variable.
using Elements = std::map<uint32_t, std::vector<Words>>;

/// The product that an addition may be contracted with.
struct Factors {
    uint64_t a = 0, b = 0;
};

/// Operations of which SPIR-V does not determine each bit. These members round to nearest, keep denormals, contract
/// nothing, and read undefined words as 0.
class Arithmetic {
  public:
    virtual ~Arithmetic() = default;
    /// As test::component().
    virtual std::optional<Answer> component(const ir::Instruction& i, ir::Type from, const Operands& x);
    virtual uint32_t dot(std::span<const uint32_t> a, std::span<const uint32_t> b);
    virtual uint32_t pack_half(uint32_t number);
    virtual uint32_t unpack_half(uint32_t half);
    /// a * b + addend as one operation; nothing: the product is rounded by itself.
    virtual std::optional<uint64_t> contracted(ir::Type, const Factors&, uint64_t /*addend*/) { return std::nullopt; }
    virtual uint32_t undefined_word() { return 0; }
};

class Invocation {
  public:
    enum class State : uint8_t { Running, Waiting, Ended };

    Invocation(const ir::Module& module, const std::map<uint32_t, Words>& inputs, const Surroundings& surroundings,
               SharedMemory& memory, Elements& of_work_group, Arithmetic& arithmetic);
    /// Executes up to `steps` instructions.
    State run(uint32_t steps);
    State state() const { return state_; }

    /// Waiting: the instruction that needs other invocations, its operands, and whether `other` waits at the same one.
    const ir::Instruction& waiting_at() const;
    Words operand(size_t number) const;
    bool waits_with(const Invocation& other) const;
    /// In structured code, an invocation that is behind may still come to where `other` waits.
    bool is_behind(const Invocation& other) const;
    /// Completes that instruction.
    void resume(const Words& result);

    std::map<ir::BuiltIn, Words> builtins;  ///< those that differ from one invocation to another
    std::map<uint32_t, Words> outputs;
    std::vector<std::string> undefined;
    bool killed = false;
    std::string error;

  private:
    struct Frame {
        uint32_t id = 0;
        const ir::Function* function = nullptr;
        std::vector<Words> parameters, values;
        std::map<uint32_t, Words> seconds;
        uint32_t at = 0;  ///< the next instruction
        ir::BlockId block = 0;
    };
    const ir::Module& module_;
    const std::map<uint32_t, Words>& inputs_;
    const Surroundings& surroundings_;
    SharedMemory& memory_;
    Elements& of_work_group_;
    Arithmetic& arithmetic_;
    std::vector<Frame> frames_;
    Elements own_;  ///< Private and Local variables
    State state_ = State::Running;
    uint32_t nowhere_ = 0;

    Frame& frame() { return frames_.back(); }
    const Frame& frame() const { return frames_.back(); }
    void call(uint32_t function, std::vector<Words> parameters);
    void enter(ir::BlockId block, ir::BlockId from);
    void leave(const Words& returned);
    void terminate(const ir::Instruction& last);
    void step(uint32_t index);
    void wait();
    void fail(std::string why);
    void undefined_if(bool condition);

    Words value(ir::Value v) const;
    ir::Type type_of(ir::Value v) const { return ir::type_of(module_, *frame().function, v); }
    int width(ir::Value v) const { return type_of(v).components; }
    uint64_t wide(ir::Value v, uint32_t c) const;
    std::optional<Answer> component_of(const ir::Instruction& i, std::span<const uint32_t> args, uint32_t c);
    std::optional<Factors> factors_of(ir::Value v, uint32_t c) const;
    std::optional<uint64_t> contracted(const ir::Instruction& i, std::span<const uint32_t> args, uint32_t c);

    Words& element(const ir::Variable& v, uint32_t variable, std::span<const uint32_t>& indices);
    uint32_t selected(uint32_t variable, ir::Value index);
    std::vector<uint32_t>& buffer(uint32_t variable, std::span<const uint32_t> args);
    uint32_t& written(uint32_t variable, std::span<const uint32_t> indices);
    void load(const ir::Instruction& i, std::span<const uint32_t> args, Words& out);
    void constant(const ir::Instruction& i, std::span<const uint32_t> args, Words& out);
    void store(const ir::Instruction& i, std::span<const uint32_t> args);
    void atomic(const ir::Instruction& i, std::span<const uint32_t> args, Words& out);
    void image(const ir::Instruction& i, std::span<const uint32_t> args, Words& out);
    void bit_field(const ir::Instruction& i, std::span<const uint32_t> args, Words& out);
};

}  // namespace tgsi2spv::test
