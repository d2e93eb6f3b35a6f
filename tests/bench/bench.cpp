// Text to words over the corpus, each step and the whole: one thread, one reused context. One iteration of a benchmark
// is one pass over all shaders; `bytes_per_second` counts bytes of text.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <vector>

#include "corpus.h"
#include "ir/passes/pipeline.h"
#include "lower/lower.h"
#include "scaling.h"
#include "tgsi/program/registers.h"
#include "threads.h"

namespace tgsi2spv::bench {
namespace {

/// Sets the counters of a benchmark that ran `state.iterations()` passes in `nanoseconds`.
void count(benchmark::State& state, const Corpus& corpus, double nanoseconds) {
    const auto passes = static_cast<double>(state.iterations());
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(corpus.bytes));
    state.counters["ns_per_instruction"] = nanoseconds / passes / static_cast<double>(corpus.instructions);
}

/// Includes gather() and check().
void parse(benchmark::State& state, const Corpus& corpus) {
    api::Context context;
    const api::Options o = options();
    const double start = thread_nanoseconds();
    for (auto _ : state)
        for (const Shader& s : corpus.shaders) benchmark::DoNotOptimize(api::parse(context, s.text, o));
    count(state, corpus, thread_nanoseconds() - start);
}

/// Collects the results of `make` in a context for each shader: the input of the next step.
template <class T, class Make>
std::vector<T> prepare(const Corpus& corpus, Make&& make) {
    std::vector<T> all;
    all.reserve(corpus.shaders.size());
    for (const Shader& s : corpus.shaders) all.push_back(make(s));
    return all;
}

void lower(benchmark::State& state, const Corpus& corpus) {
    api::Options o = options();
    auto programs = prepare<tgsi::Program>(corpus, [&](const Shader& s) {
        api::Context c;
        api::parse(c, s.text, o);
        return std::move(c.program);
    });
    lower::WorkspacePtr workspace = lower::make_workspace();
    ir::Module module;
    tgsi::Registers registers;
    std::vector<tgsi::Diagnostic> diagnostics;
    const double start = thread_nanoseconds();
    for (auto _ : state)
        for (const tgsi::Program& p : programs) {
            diagnostics.clear();
            tgsi::gather(p, registers);
            benchmark::DoNotOptimize(
                lower::lower({p, registers, {}, o.lower, o.capabilities, *workspace, module, diagnostics}));
        }
    count(state, corpus, thread_nanoseconds() - start);
}

/// Returns the modules after lowering and, if `optimised`, after the passes.
std::vector<ir::Module> lowered(const Corpus& corpus, bool optimised) {
    const api::Options o = options();
    return prepare<ir::Module>(corpus, [&](const Shader& s) {
        api::Context c;
        api::parse(c, s.text, o);
        api::lower(c, o);
        if (optimised) api::optimise(c, o);
        return std::move(c.module);
    });
}

void passes(benchmark::State& state, const Corpus& corpus) {
    const std::vector<ir::Module> modules = lowered(corpus, false);
    ir::PassMemory memory;
    ir::PassOptions o = options().passes;
    std::vector<ir::Module> work;
    double spent = 0;
    for (auto _ : state) {
        state.PauseTiming();
        work = modules;
        state.ResumeTiming();
        const double start = thread_nanoseconds();
        for (ir::Module& m : work) benchmark::DoNotOptimize(ir::optimise(m, o, memory));
        spent += thread_nanoseconds() - start;
    }
    count(state, corpus, spent);
}

void emit(benchmark::State& state, const Corpus& corpus) {
    const std::vector<ir::Module> modules = lowered(corpus, true);
    spirv::WorkspacePtr workspace = spirv::make_workspace();
    spirv::EmitOptions o;
    std::pmr::vector<uint32_t> words;
    spirv::EmitError error;
    const double start = thread_nanoseconds();
    for (auto _ : state)
        for (const ir::Module& m : modules) benchmark::DoNotOptimize(spirv::emit(m, o, *workspace, words, error));
    count(state, corpus, thread_nanoseconds() - start);
}

void whole(benchmark::State& state, const Corpus& corpus) {
    api::Options o = options();
    api::Context context;
    const double start = thread_nanoseconds();
    for (auto _ : state)
        for (const Shader& s : corpus.shaders) benchmark::DoNotOptimize(api::convert(context, s.text, o));
    count(state, corpus, thread_nanoseconds() - start);
}

}  // namespace
}  // namespace tgsi2spv::bench

int main(int argc, char** argv) {
    using namespace tgsi2spv::bench;
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    static const Corpus corpus = load_corpus();
    if (corpus.shaders.empty()) {
        std::fprintf(stderr, "tgsi2spv-bench: no corpus (TGSI2SPV_CORPUS): only the scaling benchmarks run\n");
    } else {
        std::fprintf(stderr, "tgsi2spv-bench: %zu shaders, %llu bytes, %llu instructions; %zu files do not convert\n",
                     corpus.shaders.size(), static_cast<unsigned long long>(corpus.bytes),
                     static_cast<unsigned long long>(corpus.instructions), corpus.refused);
        auto add = [](const char* name, void (*f)(benchmark::State&, const Corpus&)) {
            benchmark::RegisterBenchmark(name, [f](benchmark::State& s) {
                f(s, corpus);
            })->Unit(benchmark::kMillisecond);
        };
        add("parse", parse);
        add("lower", lower);
        add("passes", passes);
        add("emit", emit);
        add("whole", whole);
        register_threads(corpus);
    }
    register_scaling();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
