#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::process {

/// Of one child; 0: none.
struct Limits {
  double time_s = 0;            ///< from its start, by the clock on the wall
  std::int64_t memory_mib = 0;  ///< of address space
};

/// What a child may do whose input is hostile. It has a session and a process group of its own, in
/// which nothing lives longer than it; of the environment only `environment`, of descriptors only
/// the three standard ones, no new privileges, and limits on its output, files and processor time.
/// Where the kernel has Landlock it reads `readable`, the program, its libraries and its own
/// folder, and changes no file but those below `writable`.
struct Confinement {
  std::int64_t output_mib = 4;             ///< of each of its streams and files
  int descriptors = 64;                    ///< open at once
  std::vector<std::string> environment{};  ///< names of variables that it keeps
  std::vector<std::filesystem::path> readable{};
  std::vector<std::filesystem::path> writable{};
};

/// What a child runs and what stands on its standard input.
struct Command {
  std::vector<std::string> words;  ///< argv; the first is a path
  std::string input{};
};

/// How a child process ended.
struct ChildResult {
  int status = 0;          ///< exit status; meaningless if a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< killed at the time limit
  bool stopped = false;  ///< told to stop because a signal was pending; it may still have finished
  std::string output;    ///< everything on its standard output
  std::string errors;    ///< everything on its standard error
  bool started = false;  ///< false: never run, because the pool was told to stop
};

struct PoolOptions {
  int jobs = 1;                     ///< children at once, >= 1
  std::filesystem::path directory;  ///< in which they run; empty: the current one
  Limits limits;
  std::optional<Confinement> confinement{};
};

/// What the owner of a pool wants to know and to say.
struct PoolEvents {
  std::function<void(std::size_t)> started;                       ///< may be empty
  std::function<void(std::size_t, const ChildResult&)> finished;  ///< in the order of their ends
  /// Asked many times a second until it is not 0; then that signal goes to the running children,
  /// none is started any more, and the pool waits for the running ones.
  std::function<int()> pending_signal;
};

/// Runs commands in child processes, so that one that crashes, hangs or exhausts its memory takes
/// nothing else down. Children end with this process, even if that is killed.
class ChildPool {
 public:
  explicit ChildPool(PoolOptions options) : options_(std::move(options)) {}

  /// Runs every command and returns their results in the order of `commands`. Throws IoError if a
  /// process cannot be started; that and an exception of an event kill what still runs.
  std::vector<ChildResult> run(const std::vector<Command>& commands,
                               const PoolEvents& events) const;

 private:
  PoolOptions options_;
};

}  // namespace tcsim::process
