#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// Runs the command `argv`, the words of a command line with the program first, and returns the
/// exit status. `version` is that of the program. Exceptions of a command end here, with a message
/// on standard error; StandardStreams and StopWatch are the caller's.
int run_program(const std::vector<std::string>& argv, std::string_view version);

}  // namespace tcsim::cli
