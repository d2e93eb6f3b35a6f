// Conversions for callgrind to count: `work FILE…` converts each shader twice to warm up the context, then all of them
// once more in the function named below. tests/bench/count-work compares the number of machine instructions of that
// function with the expected one; several files at once give a profile of a realistic load. `work --text NAME N` does
// the same with a text of about N instructions (scaling_texts.h), `work --texts` prints the names. `work --cold N…`
// calls that function for every text and every N, each time with a new context: valgrind takes seconds to start and to
// warm up. `work --hostile BYTES` does so for each text of hostile_texts.h, and prints its name.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.h"
#include "hostile_texts.h"
#include "scaling_texts.h"

/// callgrind's --toggle-collect names this function.
extern "C" [[gnu::noinline]] bool counted(tgsi2spv::api::Context& context, const std::vector<std::string>& texts,
                                          const tgsi2spv::api::Options& options) {
    bool ok = true;
    for (const std::string& text : texts) ok &= tgsi2spv::api::convert(context, text, options);
    return ok;
}

int main(int argc, char** argv) {
    using tgsi2spv::bench::scaling_texts;
    const std::string_view first = argc < 2 ? "" : argv[1];
    if (argc < 2 || (first == "--text" && argc != 4) || (first == "--hostile" && argc != 3)) {
        std::fprintf(stderr,
                     "usage: tgsi2spv-work FILE... | --text NAME N | --texts | --cold N... | --hostile BYTES\n");
        return 2;
    }
    tgsi2spv::api::Options options = tgsi2spv::bench::options();
    options.limits.text_bytes = 64u << 20;
    tgsi2spv::api::Context context;
    std::vector<std::string> texts;
    if (first == "--texts") {
        for (const auto& text : scaling_texts()) std::puts(text.name);
        return 0;
    }
    if (first == "--cold") {
        for (const auto& text : scaling_texts())
            for (int i = 2; i < argc; ++i) {
                options.lower.io_buffers = text.io_buffers;
                tgsi2spv::api::Context fresh;
                if (!counted(fresh, {text.make(std::atoi(argv[i]))}, options)) return 1;
            }
        return 0;
    }
    if (first == "--hostile") {  // whether they convert does not matter
        for (const auto& text : tgsi2spv::bench::kHostileTexts) {
            tgsi2spv::api::Context fresh;
            (void)counted(fresh, {text.make(static_cast<size_t>(std::atoi(argv[2])))}, options);
            std::puts(text.name);
        }
        return 0;
    }
    if (first == "--text") {
        for (const auto& text : scaling_texts())
            if (std::string_view(text.name) == argv[2]) {
                texts.push_back(text.make(std::atoi(argv[3])));
                options.lower.io_buffers = text.io_buffers;
            }
    } else {
        for (int i = 1; i < argc; ++i) {
            std::ifstream in(argv[i], std::ios::binary);
            texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }
    }
    for (const std::string& text : texts)
        for (int warm = 0; warm < 2; ++warm)
            if (!tgsi2spv::api::convert(context, text, options)) {
                std::fprintf(stderr, "tgsi2spv-work: does not convert: %s\n", text.substr(0, 200).c_str());
                return 1;
            }
    return !texts.empty() && counted(context, texts, options) ? 0 : 1;
}
