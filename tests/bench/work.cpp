// One conversion for callgrind to count: `work FILE` converts the shader in a context that is warm, the last time in a
// function by that name. tests/bench/count-work compares the machine instructions that took with what it should take.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "corpus.h"

/// The name that callgrind's --toggle-collect asks for.
extern "C" [[gnu::noinline]] bool counted(tgsi2spv::api::Context& context, const std::string& text,
                                          const tgsi2spv::api::Options& options) {
    return tgsi2spv::api::convert(context, text, options);
}

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: tgsi2spv-work FILE\n");
        return 2;
    }
    std::ifstream in(argv[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const tgsi2spv::api::Options options = tgsi2spv::bench::options();
    tgsi2spv::api::Context context;
    for (int warm = 0; warm < 2; ++warm)
        if (!tgsi2spv::api::convert(context, text, options)) {
            std::fprintf(stderr, "tgsi2spv-work: %s does not convert\n", argv[1]);
            return 1;
        }
    return counted(context, text, options) ? 0 : 1;
}
