#include "threads.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "everything.h"

namespace tgsi2spv::bench {
namespace {

struct Pass {
    double wall = 0;  ///< seconds
    double cpu = 0;   ///< seconds, over all threads
};

/// Converts every shader once; each thread takes the next 16 shaders when it is free.
Pass convert_all(const Corpus& corpus, std::vector<Context>& contexts) {
    constexpr size_t kShadersATime = 16;
    std::atomic<size_t> next = 0;
    std::vector<double> spent(contexts.size());
    const auto work = [&](size_t t) {
        const double start = thread_nanoseconds();
        for (;;) {
            const size_t first = next.fetch_add(kShadersATime);
            if (first >= corpus.shaders.size()) break;
            const size_t last = std::min(first + kShadersATime, corpus.shaders.size());
            for (size_t i = first; i < last; ++i)
                benchmark::DoNotOptimize(contexts[t].translate(corpus.shaders[i].text, everything).words().data());
        }
        spent[t] = thread_nanoseconds() - start;
    };
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (size_t t = 1; t < contexts.size(); ++t) threads.emplace_back(work, t);
    work(0);
    for (std::thread& t : threads) t.join();
    Pass pass;
    pass.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const double s : spent) pass.cpu += s * 1e-9;
    return pass;
}

/// Measures the rate of two threads relative to one thread's. Measured by the clock, other processes on the machine
/// lower the rate. Measured by the processor time that the corpus takes, memory bandwidth and locks that the threads
/// share lower it.
void two_threads(benchmark::State& state, const Corpus& corpus) {
    std::vector<Context> one(1), two(2);
    convert_all(corpus, one);
    convert_all(corpus, two);
    Pass a, b;
    for (auto _ : state) {
        const Pass alone = convert_all(corpus, one), both = convert_all(corpus, two);
        a.wall += alone.wall;
        a.cpu += alone.cpu;
        b.wall += both.wall;
        b.cpu += both.cpu;
    }
    state.counters["times_the_rate_of_one"] = a.wall / b.wall;
    state.counters["by_processor_time"] = 2 * a.cpu / b.cpu;
    state.counters["shaders_per_second"] =
        static_cast<double>(state.iterations()) * static_cast<double>(corpus.shaders.size()) / b.wall;
}

}  // namespace

void register_threads(const Corpus& corpus) {
    benchmark::RegisterBenchmark("two_threads", [&corpus](benchmark::State& s) { two_threads(s, corpus); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

}  // namespace tgsi2spv::bench
