// Replaces libFuzzer: runs a target on the given files and folders, such as a seed corpus or a finding, and on some
// changes of each if the target has a mutator. The input in use is in TARGET.input, for after a crash.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "target.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) __attribute__((weak));
extern "C" size_t LLVMFuzzerMutate(uint8_t*, size_t size, size_t) {
    return size;
}

namespace {

constexpr size_t kMost = 16384;
constexpr unsigned kChanges = 8;

}  // namespace

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    std::vector<fs::path> paths;
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            paths.emplace_back(argv[i]);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
            if (entry.is_regular_file()) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    const std::string in_use = fs::path(argv[0]).filename().string() + ".input";
    unsigned seed = 0;
    const auto run = [&](const std::vector<uint8_t>& input) {
        std::ofstream(in_use, std::ios::binary) << fuzz::text_of(input.data(), input.size());
        LLVMFuzzerTestOneInput(input.data(), input.size());
    };
    for (const fs::path& path : paths) {
        std::ifstream in(path, std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(in), {});
        // Vectors of the exact size, so that a sanitizer sees reads past the end.
        run({bytes.begin(), bytes.end()});
        for (unsigned i = 0; i < kChanges && LLVMFuzzerCustomMutator != nullptr && bytes.size() < kMost; ++i) {
            std::vector<uint8_t> changed(bytes.begin(), bytes.end());
            changed.resize(kMost);
            const size_t size = LLVMFuzzerCustomMutator(changed.data(), bytes.size(), kMost, ++seed);
            run({changed.begin(), changed.begin() + static_cast<ptrdiff_t>(size)});
        }
    }
    std::printf("%zu inputs\n", paths.size() + seed);
    return paths.empty() ? 1 : 0;
}
