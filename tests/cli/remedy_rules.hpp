#pragma once

#include <string>
#include <vector>

namespace tcsim::cli {

/// A rule of advice and the runs on which it is tried.
struct RemedyRule {
  std::string name;
  std::string cause;    ///< of the remedy
  std::string binding;  ///< what the verdicts of the runs name first
  std::string option;   ///< start of the first value that the remedy gives
  std::vector<std::string> runs;
};

const std::vector<RemedyRule>& remedy_rules();

}  // namespace tcsim::cli
