#include "lower/evaluate.h"

#include "lower/invocation.h"

namespace tgsi2spv::test {

Evaluation evaluate(const ir::Module& module, const std::map<uint32_t, Words>& inputs,
                    const Surroundings& surroundings) {
    constexpr uint32_t kMostSteps = 10'000'000;
    SharedMemory memory;
    memory.buffers = surroundings.buffers;
    Elements of_work_group;
    Arithmetic arithmetic;
    Invocation invocation(module, inputs, surroundings, memory, of_work_group, arithmetic);
    while (invocation.run(kMostSteps) == Invocation::State::Waiting &&
           invocation.waiting_at().op == ir::Op::ControlBarrier)
        invocation.resume({});
    Evaluation result;
    result.outputs = std::move(invocation.outputs);
    result.io_outputs = std::move(memory.io_outputs);
    result.buffers = std::move(memory.buffers);
    result.undefined = std::move(invocation.undefined);
    result.killed = invocation.killed;
    result.error = std::move(invocation.error);
    if (invocation.state() == Invocation::State::Running) result.error = "it does not end";
    if (invocation.state() == Invocation::State::Waiting)
        result.error = "it needs other invocations: " + std::string(ir::info(invocation.waiting_at().op).name);
    return result;
}

}  // namespace tgsi2spv::test
