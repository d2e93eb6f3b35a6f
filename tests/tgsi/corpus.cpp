#include "corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

std::vector<CorpusFile> read_corpus() {
    std::vector<CorpusFile> files;
    const char* root = std::getenv("TGSI2SPV_CORPUS");
    if (root == nullptr || *root == '\0') return files;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".tgsi") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        files.push_back({fs::relative(entry.path(), root).string(), {std::istreambuf_iterator<char>(file), {}}});
    }
    std::ranges::sort(files, {}, &CorpusFile::path);
    return files;
}
