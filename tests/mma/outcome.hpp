#pragma once

#include <sstream>
#include <string>

namespace tcsim::mma {

/// What a command gave back and wrote.
struct Outcome {
  int status;
  std::string out;
  std::string errors;
};

/// `command` takes the streams for output and errors and returns its status.
template <typename Command>
Outcome outcome_of(const Command& command) {
  std::ostringstream out;
  std::ostringstream errors;
  const int status = command(out, errors);
  return {status, out.str(), errors.str()};
}

}  // namespace tcsim::mma
