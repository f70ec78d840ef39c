#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tcsim::cli {

/// A command line that is wrong, with its status and the exact text on standard error.
struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  int status;
  std::string message;
};

inline void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.name; }

}  // namespace tcsim::cli
