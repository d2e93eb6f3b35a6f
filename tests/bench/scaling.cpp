#include "scaling.h"

#include <benchmark/benchmark.h>
#include <string>

#include "corpus.h"
#include "scaling_texts.h"

namespace tgsi2spv::bench {
namespace {

void convert(benchmark::State& state, const ScalingText& kind) {
    std::string text = kind.make(static_cast<int>(state.range(0)));
    api::Options o = options();
    o.lower.io_buffers = kind.io_buffers;
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
    for (const ScalingText& text : scaling_texts())
        benchmark::RegisterBenchmark((std::string("scaling/") + text.name).c_str(),
                                     [&text](benchmark::State& s) { convert(s, text); })
            ->RangeMultiplier(10)
            ->Range(10, text.most)
            ->Unit(benchmark::kMillisecond);
}

}  // namespace tgsi2spv::bench
