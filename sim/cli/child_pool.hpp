#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace tcsim::cli {

/// How a child process ended.
struct ChildResult {
  int status = 0;        ///< exit status; meaningless if a signal ended it
  int signal = 0;        ///< the signal that ended it, or 0
  std::string output;    ///< everything on its standard output
  std::string errors;    ///< everything on its standard error
  bool started = false;  ///< false: never run, because the pool was told to stop
};

/// Runs commands in child processes, so that one that crashes takes nothing else down.
class ChildPool {
 public:
  /// At most `jobs` children at once, >= 1.
  explicit ChildPool(int jobs) : jobs_(jobs) {}

  /// Runs every command (argv; the first element is a path) and returns their results in the order
  /// of `commands`. `finished(i, result)` is called as each ends, in the order in which they end.
  /// `pending_signal` is asked several times a second; once it is not 0, that signal goes to the
  /// running children, none is started any more, and the pool waits for the running ones. Throws
  /// files::IoError if no process can be started.
  std::vector<ChildResult> run(const std::vector<std::vector<std::string>>& commands,
                               const std::function<void(std::size_t, const ChildResult&)>& finished,
                               const std::function<int()>& pending_signal) const;

 private:
  int jobs_;
};

}  // namespace tcsim::cli
