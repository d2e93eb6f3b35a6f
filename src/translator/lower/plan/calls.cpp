// How large and how deep calls make a program: after a driver inlines them, it must stay within bounds.
#include <algorithm>
#include <string>

#include "lower/plan/plan.h"

namespace tgsi2spv::lower {
namespace {

constexpr uint32_t kCallDepthLimit = 256;

}  // namespace

bool measure_calls(const tgsi::Program& program, Plan& plan, std::vector<tgsi::Diagnostic>& diagnostics) {
    const auto refuse = [&](tgsi::Code code, uint32_t position, std::string_view message) {
        diagnostics.push_back({.code = code, .offset = position, .message = std::string(message), .hint = {}});
        return false;
    };
    enum : uint8_t { kNew, kOpen, kDone };
    const auto n = plan.functions.size();
    auto& stack = plan.scratch.open;
    auto& next_call = plan.scratch.order;
    next_call.assign(n, 0);
    auto& state = plan.scratch.call_states;
    state.assign(n, kNew);
    stack.assign(1, 0);
    state[0] = kOpen;
    for (uint32_t f = 0; f < n; ++f) {
        next_call[f] = plan.functions[f].first_call;
        plan.functions[f].inlined = plan.functions[f].end - plan.functions[f].begin + 1;
    }
    while (!stack.empty()) {
        const uint32_t f = stack.back();
        const uint32_t call = next_call[f];
        if (call == kNoIndex) {
            state[f] = kDone;
            stack.pop_back();
            for (uint32_t c = plan.functions[f].first_call; c != kNoIndex; c = plan.calls[c].next) {
                const FunctionPlan& callee = plan.functions[plan.calls[c].callee];
                plan.functions[f].inlined += callee.inlined;
                plan.functions[f].depth = std::max(plan.functions[f].depth, callee.depth + 1);
                if (plan.functions[f].inlined > kInlineLimit + program.instructions.size())
                    return refuse("inlined-size", plan.calls[c].position,
                                  "inlining the calls gives more than 1,000,000 instructions");
                if (plan.functions[f].depth > kCallDepthLimit)
                    return refuse("call-depth", plan.calls[c].position, "calls are nested more than 256 deep");
            }
            continue;
        }
        next_call[f] = plan.calls[call].next;
        const uint32_t callee = plan.calls[call].callee;
        if (state[callee] == kOpen) return refuse("recursion", plan.calls[call].position, "a subroutine calls itself");
        if (state[callee] == kNew) {
            state[callee] = kOpen;
            stack.push_back(callee);
        }
    }
    return true;
}

}  // namespace tgsi2spv::lower
