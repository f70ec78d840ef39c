#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/serve/lane.hpp"

namespace tcsim::serve {

/// A command of this program that reads what a client wrote.
struct ConfinedCommand {
  std::vector<std::string> words;  ///< after the program: "peak", "a100", ...
  std::string input{};             ///< on standard input
  std::filesystem::path folder;    ///< in which it runs
  bool writes = false;             ///< into its folder; else nowhere
  double time_s = 0;               ///< wall time
  int memory_mib = 0;
  std::vector<std::filesystem::path> readable{};  ///< in addition to what tcsim ships
};

/// A child that reads its folder, what tcsim ships and `readable`, and has no descriptor and no
/// variable of this process (process::Confinement). Throws IoError.
Launch launch_of(const ConfinedCommand& command);

/// One hash of the running program and of all that it ships and reads: equal hashes give equal
/// results. Throws IoError.
std::string program_hash();

}  // namespace tcsim::serve
