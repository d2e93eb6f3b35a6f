// The real shaders that TGSI2SPV_CORPUS names.
#pragma once

#include <string>
#include <vector>

struct CorpusFile {
    std::string path;  ///< relative to the corpus
    std::string text;
};

/// Empty where the variable is not set; tests then say so.
std::vector<CorpusFile> read_corpus();
