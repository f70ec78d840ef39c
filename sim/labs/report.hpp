#pragma once

#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"

namespace tcsim::labs {

inline constexpr const char* kReportFile = "report.md";

/// The report form: a section `## id (points)` for each written question, with the question.
std::string report_form(const Lab& lab, const Parameters& parameters);

/// What is missing in the report `text`, as `report.md: question: reason`: absent sections, and
/// sections without a word or number that a reader sees beside the question; TODO and TBD are none.
/// Does not judge what was written.
std::vector<std::string> report_mistakes(const std::string& text, const Lab& lab);

}  // namespace tcsim::labs
