#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// How a child process ended.
struct Ending {
  int status = 0;          ///< exit status; meaningless if a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< ended by this pool at the time limit
  double wall_s = 0;
  std::string output;
  std::string errors;
};

/// A command for a child process.
struct Command {
  std::vector<std::string> words;  ///< the first is a path
  std::string name;                ///< of its files in the scratch folder
};

/// Runs commands as child processes in `directory`, so that one that crashes, hangs or exhausts
/// its memory takes nothing else down. Children end with this process, even if that is killed.
class ProcessPool {
 public:
  /// At most `jobs` at once, >= 1. What children print goes through files in `scratch`.
  ProcessPool(int jobs, std::filesystem::path directory, std::filesystem::path scratch,
              Limits limits);

  /// Calls `finished(i, ending)` as each ends. `pending_signal` is asked many times a second; once
  /// it is not 0, running children are killed without a call of `finished` and nothing is started
  /// any more. Throws files::IoError if no process can be started; an exception of `finished`
  /// kills the rest too.
  void run(const std::vector<Command>& commands,
           const std::function<void(std::size_t, const Ending&)>& finished,
           const std::function<int()>& pending_signal) const;

 private:
  int jobs_;
  std::filesystem::path directory_;
  std::filesystem::path scratch_;
  Limits limits_;
};

}  // namespace tcsim::sweep
