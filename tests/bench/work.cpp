// Conversions for callgrind to count: `work FILE…` converts each shader twice to warm up the context, then all of them
// once more in the function named below. tests/bench/count-work compares the number of machine instructions of that
// function with the expected one; several files at once give a profile of a realistic load.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "corpus.h"

/// callgrind's --toggle-collect names this function.
extern "C" [[gnu::noinline]] bool counted(tgsi2spv::api::Context& context, const std::vector<std::string>& texts,
                                          const tgsi2spv::api::Options& options) {
    bool ok = true;
    for (const std::string& text : texts) ok &= tgsi2spv::api::convert(context, text, options);
    return ok;
}

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: tgsi2spv-work FILE...\n");
        return 2;
    }
    const tgsi2spv::api::Options options = tgsi2spv::bench::options();
    tgsi2spv::api::Context context;
    std::vector<std::string> texts;
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        for (int warm = 0; warm < 2; ++warm)
            if (!tgsi2spv::api::convert(context, texts.back(), options)) {
                std::fprintf(stderr, "tgsi2spv-work: %s does not convert\n", argv[i]);
                return 1;
            }
    }
    return counted(context, texts, options) ? 0 : 1;
}
