// What a campaign leaves for machines and for people, made of its sums alone.
#pragma once

#include <string>
#include <string_view>

#include "difftest/campaign/summary.h"

namespace tgsi2spv::difftest {

/// JUnit's XML: a suite a device, a test a case. Expected failures are skipped tests with their reason; crashes,
/// timeouts and lost devices are errors; an unexpected pass is a failure.
std::string junit_report(const Summary& summary);

/// One page that needs nothing beside it: totals by device, stage and opcode, and for each failure its shader, inputs,
/// SPIR-V, bounds, answer and pictures.
std::string html_report(const Summary& summary);

/// Text for XML and HTML: <, >, &, quotes, what is no UTF-8 and what XML has no place for.
std::string escaped(std::string_view text);

}  // namespace tgsi2spv::difftest
