// The log of all renderers.
#pragma once

#include <string>

namespace tgsi2spv::host {

/// Receives the log lines of all renderers, in place of stderr.
using LogSink = void (*)(const std::string& line);
void set_log(LogSink sink);
/// Writes a line to the log.
void log_line(const std::string& text);

}  // namespace tgsi2spv::host
