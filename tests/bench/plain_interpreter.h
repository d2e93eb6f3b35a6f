// A naive interpreter, the yardstick for the reference's speed: it dispatches every opcode for four lanes, and each
// operation is a scalar loop over them. It supports floats, words and structured flow of VERT and FRAG.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::bench {

using Words = std::vector<uint32_t>;

class PlainInterpreter {
  public:
    PlainInterpreter(const tgsi::Program& program, const tgsi::Registers& registers,
                     const std::map<uint32_t, Words>& constants);
    /// Whether the interpreter supports everything that the program needs.
    static bool knows(const tgsi::Program& program);

    /// A register of four lanes, indexed by component, then by lane.
    using Register = std::array<std::array<uint32_t, 4>, 4>;
    std::vector<Register> inputs, outputs;
    /// Executes four lanes: reads `inputs`, writes `outputs`. Returns false if they do not end within `most`
    /// instructions.
    bool run(uint64_t most);
    uint64_t lane_instructions = 0;

  private:
    const tgsi::Program& program_;
    const std::map<uint32_t, Words>& constants_;
    const Words* first_constants_ = nullptr;
    std::vector<Register> temps_, addresses_;
    std::vector<uint32_t> partner_;  ///< of IF: ELSE or ENDIF; of ELSE: ENDIF; of ENDLOOP: BGNLOOP
    using Lanes = std::array<uint32_t, 4>;
    Lanes fetch(const tgsi::Instruction& in, int source, int component) const;
    Lanes fetch_direct(tgsi::File file, int32_t dim, int32_t index, int component) const;
    void store(const tgsi::Instruction& in, int component, const Lanes& value, unsigned exec);
    template <class F>
    void each1(const tgsi::Instruction& in, unsigned exec, F f);
    template <class F>
    void each2(const tgsi::Instruction& in, unsigned exec, F f);
    template <class F>
    void each3(const tgsi::Instruction& in, unsigned exec, F f);
    template <class F>
    void scalar1(const tgsi::Instruction& in, unsigned exec, F f);
    void dot(const tgsi::Instruction& in, unsigned exec, int products);
    bool compute(const tgsi::Instruction& in, unsigned exec);
};

}  // namespace tgsi2spv::bench
