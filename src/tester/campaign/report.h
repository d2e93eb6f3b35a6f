// A campaign's reports for machines and for people, made from its summary alone.
#pragma once

#include <string>
#include <string_view>

#include "campaign/summary.h"

namespace tgsi2spv::difftest {

/// Returns a report in JUnit's XML, with a suite per device and a test per case. Expected failures are skipped tests,
/// with their message; crashes, timeouts and lost devices are errors; an unexpected pass is a failure. The text of a
/// failure has the details and the shader, reduced if it was.
std::string junit_report(const Summary& summary);

/// Returns a self-contained HTML page: totals by device, stage and opcode, and for each failure its shader, inputs,
/// SPIR-V, bounds, answer and pictures.
std::string html_report(const Summary& summary);

/// The text of a result: its message, its attempts and the details, a line each.
std::string words_of(const CaseResult& result);

/// Escapes text for XML and HTML: <, >, &, double quotes. Invalid UTF-8 and characters that XML does not allow are
/// replaced.
std::string escaped(std::string_view text);

}  // namespace tgsi2spv::difftest
