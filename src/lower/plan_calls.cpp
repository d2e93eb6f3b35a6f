// How large and how deep calls make a program: after a driver inlines them, it must stay within bounds.
#include <algorithm>
#include <string>

#include "lower/plan.h"

namespace tgsi2spv::lower {
namespace {

constexpr uint32_t kCallDepthLimit = 256;

}  // namespace

bool measure_calls(const tgsi::Program& program, Plan& p, std::vector<tgsi::Diagnostic>& diagnostics) {
    const auto refuse = [&](tgsi::Code code, uint32_t position, std::string_view message) {
        diagnostics.push_back({.code = code, .offset = position, .message = std::string(message), .hint = {}});
        return false;
    };
    enum : uint8_t { kNew, kOpen, kDone };
    const auto n = p.functions.size();
    auto& stack = p.scratch.open;
    auto& next_call = p.scratch.order;
    next_call.assign(n, 0);
    auto& state = p.scratch.call_states;
    state.assign(n, kNew);
    stack.assign(1, 0);
    state[0] = kOpen;
    for (uint32_t f = 0; f < n; ++f) {
        next_call[f] = p.functions[f].first_call;
        p.functions[f].inlined = p.functions[f].end - p.functions[f].begin + 1;
    }
    while (!stack.empty()) {
        const uint32_t f = stack.back();
        const uint32_t call = next_call[f];
        if (call == kNoIndex) {
            state[f] = kDone;
            stack.pop_back();
            for (uint32_t c = p.functions[f].first_call; c != kNoIndex; c = p.calls[c].next) {
                const FunctionPlan& callee = p.functions[p.calls[c].callee];
                p.functions[f].inlined += callee.inlined;
                p.functions[f].depth = std::max(p.functions[f].depth, callee.depth + 1);
                if (p.functions[f].inlined > kInlineLimit + program.instructions.size())
                    return refuse("inlined-size", p.calls[c].position,
                                  "inlining the calls gives more than 1,000,000 instructions");
                if (p.functions[f].depth > kCallDepthLimit)
                    return refuse("call-depth", p.calls[c].position, "calls are nested more than 256 deep");
            }
            continue;
        }
        next_call[f] = p.calls[call].next;
        const uint32_t callee = p.calls[call].callee;
        if (state[callee] == kOpen) return refuse("recursion", p.calls[call].position, "a subroutine calls itself");
        if (state[callee] == kNew) {
            state[callee] = kOpen;
            stack.push_back(callee);
        }
    }
    return true;
}

}  // namespace tgsi2spv::lower
