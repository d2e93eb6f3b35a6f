#include "renderer/state/log.h"

#include <cstdio>

namespace tgsi2spv::host {
namespace {

LogSink log_sink = nullptr;

}  // namespace

void set_log(LogSink sink) {
    log_sink = sink;
}

void log_line(const std::string& text) {
    if (log_sink != nullptr)
        log_sink(text);
    else
        std::fprintf(stderr, "tgsi-host: %s\n", text.c_str());
}

}  // namespace tgsi2spv::host
