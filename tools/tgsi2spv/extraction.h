// tgsi2spv --extract: the shaders of a log as files.
#pragma once

#include <functional>
#include <string>

namespace tools {

/// Text that is not a shader's, and where it is about.
struct ExtractionNote {
    std::string file, code, message;
    uint32_t line = 0;        ///< line of the file; 0: none
    bool is_warning = false;  ///< otherwise a note
};

struct Extraction {
    size_t shaders = 0;         ///< number of different shaders
    bool lost = false;          ///< something of a shader: a warning says it
    std::string file, trouble;  ///< a file that cannot be read or written, and why; empty: none
    bool is_output = false;     ///< the file is an output
};

/// Writes each different shader of a log to `folder` as 0001-frag.tgsi, …, and index.csv: file, line of the log and
/// stage of each shader, also of those that are in the file of an equal one.
Extraction extract_log(const std::string& log, const std::string& folder,
                       const std::function<void(const ExtractionNote&)>& tell);

}  // namespace tools
