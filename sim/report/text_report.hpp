#pragma once

#include <string>

#include "sim/report/run_record.hpp"

namespace tcsim::report {

/// One screen for people: time, rate, the three utilisations, speed-of-light bars, where the cycles
/// went, waves, the bottleneck and what to try.
std::string text_report(const RunRecord& record);

/// The same facts as Markdown tables.
std::string markdown_report(const RunRecord& record);

}  // namespace tcsim::report
