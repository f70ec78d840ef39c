#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::process {

/// Limits of one child; 0: no limit.
struct Limits {
  double time_s = 0;            ///< wall-clock time since its start
  std::int64_t memory_mib = 0;  ///< address space
};

/// What a child with hostile input may do. It has its own session and process group, in which
/// nothing outlives it. It receives only the variables `environment`, only the three standard
/// descriptors, no new privileges, and limits on its output, files and processor time. If the
/// kernel has Landlock, it can read `readable`, the program, its libraries and its own folder, and
/// can change only files below `writable`.
struct Confinement {
  std::int64_t output_mib = 4;             ///< for each of its streams and files
  int descriptors = 64;                    ///< open at once
  std::vector<std::string> environment{};  ///< names of the variables that it keeps
  std::vector<std::filesystem::path> readable{};
  std::vector<std::filesystem::path> writable{};
};

/// What a child runs, and its standard input.
struct Command {
  std::vector<std::string> words;  ///< argv; the first is a path
  std::string input{};
};

/// How a child process ended.
struct ChildResult {
  int status = 0;          ///< exit status; meaningless if a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< killed at the time limit
  bool stopped = false;  ///< told to stop because a signal was pending; it may have finished anyway
  std::string output;    ///< everything on its standard output
  std::string errors;    ///< everything on its standard error
  bool started = false;  ///< false: never ran, because the pool was told to stop or may not
};

struct PoolOptions {
  int jobs = 1;                     ///< children at once, >= 1
  std::filesystem::path directory;  ///< in which the children run; empty: the current one
  Limits limits;
  std::optional<Confinement> confinement{};
};

/// Callbacks through which the owner of a pool follows and stops it.
struct PoolEvents {
  /// Asked before each child is started; false: it never is. May be empty.
  std::function<bool(std::size_t)> may_start;
  /// In the order in which they end.
  std::function<void(std::size_t, const ChildResult&)> finished;
  /// Polled many times a second until it is not 0. Then that signal is sent to the running
  /// children, no further child is started, and the pool waits for the running ones.
  std::function<int()> pending_signal;
};

/// Runs commands in child processes, so that one that crashes, hangs or exhausts its memory does
/// not affect the others. Children end with this process, even if it is killed.
class ChildPool {
 public:
  explicit ChildPool(PoolOptions options) : options_(std::move(options)) {}

  /// Runs every command and returns their results in the order of `commands`. Throws IoError if a
  /// process cannot be started. That, or an exception from an event, kills the children that still
  /// run.
  std::vector<ChildResult> run(const std::vector<Command>& commands,
                               const PoolEvents& events) const;

 private:
  PoolOptions options_;
};

}  // namespace tcsim::process
