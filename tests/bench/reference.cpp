#include "reference.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <set>

#include "plain_interpreter.h"
#include "reference/run.h"
#include "tgsi/check.h"
#include "tgsi/parse.h"

namespace tgsi2spv::bench {
namespace {

constexpr uint32_t kLanesOfACase = 4096;
constexpr size_t kShaders = 50;

struct Case {
    tgsi::Program program;
    tgsi::Registers registers;
    reference::Inputs inputs;
    size_t arithmetic = 0;
};

size_t arithmetic_of(const tgsi::Program& program) {
    return static_cast<size_t>(std::ranges::count_if(program.instructions, [](const tgsi::Instruction& in) {
        const tgsi::Family family = tgsi::info(in.op).family;
        return in.op != tgsi::Opcode::MOV && (family == tgsi::Family::arithmetic || family == tgsi::Family::compare ||
                                              family == tgsi::Family::integer || family == tgsi::Family::convert);
    }));
}

void fill(Case& c) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> near(0.25F, 2);
    const auto word = [&] { return std::bit_cast<uint32_t>(near(random)); };
    c.inputs.lanes = kLanesOfACase;
    for (int32_t i = 0; i < c.registers.count(tgsi::File::Input); ++i) {
        auto& lanes = c.inputs.inputs[{0, i}];
        lanes.resize(kLanesOfACase);
        for (auto& lane : lanes)
            for (uint32_t& w : lane) w = word();
    }
    for (int32_t d = 0; d < std::max(c.registers.dims(tgsi::File::Const), 1); ++d) {
        auto& words = c.inputs.constants[static_cast<uint32_t>(d)];
        words.resize(static_cast<size_t>(c.registers.count(tgsi::File::Const, d)) * 4);
        for (uint32_t& w : words) w = word();
    }
}

constexpr uint64_t kMaxInstructions = 100'000;

/// Returns the number of instructions executed, or 0 if some lane does not end.
uint64_t interpret(const Case& c) {
    PlainInterpreter interpreter(c.program, c.registers, c.inputs.constants);
    // Stores as many output words as the reference does.
    std::vector<std::vector<reference::Vec4>> outputs(interpreter.outputs.size());
    for (auto& lanes : outputs) lanes.resize(kLanesOfACase);
    for (uint32_t first = 0; first < kLanesOfACase; first += 4) {
        for (size_t i = 0; i < interpreter.inputs.size(); ++i)
            for (size_t k = 0; k < 4; ++k)
                for (size_t x = 0; x < 4; ++x)
                    interpreter.inputs[i][x][k] = c.inputs.inputs.at({0, static_cast<int32_t>(i)})[first + k][x];
        if (!interpreter.run(kMaxInstructions)) return 0;
        for (size_t i = 0; i < outputs.size(); ++i)
            for (size_t k = 0; k < 4; ++k)
                for (size_t x = 0; x < 4; ++x) outputs[i][first + k][x] = interpreter.outputs[i][x][k];
    }
    benchmark::DoNotOptimize(outputs);
    return interpreter.lane_instructions;
}

const std::vector<Case>& cases(const Corpus& corpus) {
    static const std::vector<Case> all = [&] {
        std::vector<Case> found;
        std::set<std::string> seen;
        for (const Shader& s : corpus.shaders) {
            if (!seen.insert(s.text).second) continue;
            Case c;
            std::vector<tgsi::Diagnostic> diagnostics;
            if (!tgsi::parse(s.text, {}, c.program, diagnostics) || !tgsi::check(c.program, {}, diagnostics)) continue;
            if (!PlainInterpreter::knows(c.program)) continue;
            c.registers = tgsi::gather(c.program);
            c.arithmetic = arithmetic_of(c.program);
            found.push_back(std::move(c));
        }
        std::ranges::stable_sort(found, std::greater<>(), &Case::arithmetic);
        found.resize(std::min(found.size(), 2 * kShaders));
        for (Case& c : found) fill(c);
        // Excludes shaders that do not end with these inputs.
        std::erase_if(found, [](const Case& c) { return interpret(c) == 0; });
        found.resize(std::min(found.size(), kShaders));
        return found;
    }();
    return all;
}

/// Measures `run(case)`, which returns the number of instructions that it executed over all lanes.
template <class Run>
void measure(benchmark::State& state, const Corpus& corpus, Run run) {
    const std::vector<Case>& all = cases(corpus);
    double spent = 0, mean = 0;
    uint64_t instructions = 0;
    for (auto _ : state)
        for (const Case& c : all) {
            const double start = thread_nanoseconds();
            const uint64_t executed = run(c);
            const double time = thread_nanoseconds() - start;
            spent += time;
            instructions += executed;
            mean += time / static_cast<double>(executed);
        }
    state.counters["ns_per_lane_instruction"] = spent / static_cast<double>(instructions);
    state.counters["mean_of_shaders"] =
        mean / static_cast<double>(all.size()) / static_cast<double>(state.iterations());
    state.counters["lane_instructions"] = static_cast<double>(instructions) / static_cast<double>(state.iterations());
}

uint64_t refer(const Case& c, bool bounds) {
    reference::Options o;
    o.fast_values = !bounds;
    const reference::Result result = reference::run(c.program, c.registers, c.inputs, o);
    benchmark::DoNotOptimize(&result);
    return result.instructions;
}

}  // namespace

void register_reference(const Corpus& corpus) {
    const auto add = [&](const char* name, auto run) {
        benchmark::RegisterBenchmark(name, [&corpus, run](benchmark::State& s) {
            measure(s, corpus, run);
        })->Unit(benchmark::kMillisecond);
    };
    add("plain_interpreter", interpret);
    add("reference", [](const Case& c) { return refer(c, false); });
    add("reference_bounds", [](const Case& c) { return refer(c, true); });
}

}  // namespace tgsi2spv::bench
