#include "scaling.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "corpus.h"

namespace tgsi2spv::bench {
namespace {

constexpr int kRegisters = 64;

std::string head() {
    return fmt::format(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..15]\nDCL TEMP[0..{}]\nDCL ADDR[0]\n"
        "IMM[0] FLT32 {{1.0, 2.0, 3.0, 4.0}}\nIMM[1] INT32 {{0, 1, 1000, 7}}\n",
        kRegisters - 1);
}

std::string tail() {
    return "ADD OUT[0], TEMP[0], TEMP[1]\nEND\n";
}

std::string arithmetic(int i) {
    return fmt::format("MAD TEMP[{}], TEMP[{}].yzwx, CONST[{}], IN[0]\n", i % kRegisters, (i + 1) % kRegisters, i % 16);
}

std::string straight(int n) {
    std::string s = head();
    for (int i = 0; i < n; ++i) s += arithmetic(i);
    return s + tail();
}

/// Many small IFs one after another: many phis.
std::string branches(int n) {
    std::string s = head();
    for (int i = 0; i < n / 4; ++i) {
        s += fmt::format("USNE TEMP[2].x, TEMP[{}].xxxx, IMM[1].xxxx\nUIF TEMP[2].xxxx\n", i % kRegisters);
        s += arithmetic(i) + "ENDIF\n";
    }
    return s + tail();
}

/// One loop with k BRKs that each carry m registers.
std::string breaks(int n) {
    std::string s = head() + "BGNLOOP\n";
    for (int i = 0; i < n / 4; ++i) {
        s += arithmetic(i);
        s += fmt::format("UIF TEMP[{}].xxxx\nBRK\nENDIF\n", i % kRegisters);
    }
    return s + "BRK\nENDLOOP\n" + tail();
}

/// Loops in loops, 32 deep, repeated.
std::string loops(int n) {
    constexpr int kDepth = 32;
    std::string s = head();
    for (int i = 0; i < n / (5 * kDepth) + 1; ++i) {
        for (int d = 0; d < kDepth; ++d) s += "BGNLOOP\n" + arithmetic(i + d);
        for (int d = 0; d < kDepth; ++d) s += fmt::format("BRK\nENDLOOP\n{}", arithmetic(d));
    }
    return s + tail();
}

std::string indirect(int n) {
    std::string s = head();
    for (int i = 0; i < n / 2; ++i)
        s += fmt::format("ARL ADDR[0].x, TEMP[{}].xxxx\nADD TEMP[{}], CONST[ADDR[0].x+1], TEMP[ADDR[0].x+2]\n",
                         i % kRegisters, (i + 3) % kRegisters);
    return s + tail();
}

void convert(benchmark::State& state, std::string (*make)(int)) {
    std::string text = make(static_cast<int>(state.range(0)));
    api::Options o = options();
    o.limits.text_bytes = 256u << 20;
    o.limits.instructions = 2'000'000;
    api::Context context;
    if (!api::convert(context, text, o)) {
        state.SkipWithError(context.diagnostics.empty() ? "refused" : context.diagnostics[0].message.c_str());
        return;
    }
    const double start = thread_nanoseconds();
    for (auto _ : state) benchmark::DoNotOptimize(api::convert(context, text, o));
    const double spent = thread_nanoseconds() - start;
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(text.size()));
    state.counters["instructions"] = static_cast<double>(context.program.instructions.size());
    state.counters["ns_per_instruction"] =
        spent / static_cast<double>(state.iterations()) / static_cast<double>(context.program.instructions.size());
    state.counters["words"] = static_cast<double>(context.words.size());
}

}  // namespace

void register_scaling() {
    auto add = [](const char* name, std::string (*make)(int), int most = 1'000'000) {
        benchmark::RegisterBenchmark(name, [make](benchmark::State& s) { convert(s, make); })
            ->RangeMultiplier(10)
            ->Range(10, most)
            ->Unit(benchmark::kMillisecond);
    };
    add("scaling/straight", straight);
    add("scaling/branches", branches);
    add("scaling/breaks", breaks);
    add("scaling/loops", loops);
    // Bounds checks take some ten ids an instruction, of the 4,194,303 that SPIR-V allows a module (Universal Limits).
    add("scaling/indirect", indirect, 200'000);
}

}  // namespace tgsi2spv::bench
