#pragma once

#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"

namespace tcsim::labs {

inline constexpr const char* kReportFile = "report.md";

/// The report to write: a section `## id (points)` for each written question, with what is asked.
std::string report_form(const Lab& lab, const Parameters& parameters);

/// What is missing in the report `text`, as `report.md: question: reason`: sections that are not
/// there, and those that hold nothing besides what is asked. Says nothing about what was written.
std::vector<std::string> report_mistakes(const std::string& text, const Lab& lab);

}  // namespace tcsim::labs
