#include "corpus.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tgsi2spv::bench {

api::Options options() {
    api::Options o;
    o.passes.verify = false;
    return o;
}

Corpus load_corpus() {
    Corpus corpus;
    const char* root = std::getenv("TGSI2SPV_CORPUS");
    if (!root) return corpus;
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
        if (entry.path().extension() == ".tgsi") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());

    api::Context context;
    api::Options o = options();
    for (std::string& path : paths) {
        std::ifstream in(path, std::ios::binary);
        Shader s{path, {std::istreambuf_iterator<char>(in), {}}, 0};
        if (!api::convert(context, s.text, o)) {
            ++corpus.refused;
            continue;
        }
        s.instructions = static_cast<uint32_t>(context.program.instructions.size());
        corpus.bytes += s.text.size();
        corpus.instructions += s.instructions;
        corpus.shaders.push_back(std::move(s));
    }
    return corpus;
}

double thread_nanoseconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace tgsi2spv::bench
