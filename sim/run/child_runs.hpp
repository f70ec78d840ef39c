#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/process/child_pool.hpp"
#include "sim/run/request.hpp"

namespace tcsim::run {

/// A single run in its own process, so that a crash ends nothing else.
struct ChildRun {
  RunRequest request;
  std::optional<std::filesystem::path> directory{};  ///< of its files; nothing: it writes none
};

/// Its outcome.
// NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
struct ChildOutcome {
  bool started = false;  ///< false: it was never run, because the work was stopped
  int status = kInterrupted;
  nlohmann::ordered_json result;    ///< as report::run_json; null if there is none
  std::vector<std::string> errors;  ///< lines of its standard error, without empty ones
  /// "status 3: reason", "ended by signal 11"; empty if done. The reason is the first of `errors`:
  /// the first mistake that the command reports.
  std::string failure;
  bool is_partial = false;  ///< stopped early; the result, if any, covers the start
};

/// The outcome of a process that ran `tcsim run -f json -q`. It is done only if it printed a
/// result.
ChildOutcome outcome_of(const process::ChildResult& child);

/// How children are run.
struct ChildPlan {
  int jobs = 1;  ///< at once
  /// Called many times a second; the signal is passed to the children, and no further child is
  /// started.
  std::function<int()> pending_signal;
  std::string program = "/proc/self/exe";  ///< tcsim; this one, even if its file goes
};

/// The path of the running program; another file may lie there by now.
std::filesystem::path this_program();

/// Runs every request; its process reads it as JSON from standard input. `finished` is called for
/// each one in the order in which they end. Throws IoError if a process cannot be started.
void run_children(const std::vector<ChildRun>& runs, const ChildPlan& plan,
                  const std::function<void(std::size_t index, const ChildOutcome&)>& finished);

}  // namespace tcsim::run
