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

/// A single run in a process of its own, so that one that crashes takes nothing else down.
struct ChildRun {
  RunRequest request;
  std::optional<std::filesystem::path> directory{};  ///< of its files; nothing: it writes none
};

/// What came of it.
// NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
struct ChildOutcome {
  bool started = false;  ///< false: it was never run, because the work was told to stop
  int status = kInterrupted;
  nlohmann::ordered_json result;    ///< as report::run_json; null if there is none
  std::vector<std::string> errors;  ///< lines of its standard error, without empty ones
  /// "status 3: reason", "ended by signal 11"; empty if done. The reason is the first of `errors`,
  /// the first mistake of those that one command tells.
  std::string failure;
  bool is_partial = false;  ///< stopped early; the result, if any, tells of the start
};

/// Of a process that ran `tcsim run -f json -q`. It is done only if it has printed a result.
ChildOutcome outcome_of(const process::ChildResult& child);

/// How children are run.
struct ChildPlan {
  std::filesystem::path program;  ///< tcsim
  int jobs = 1;                   ///< at once
  /// Asked many times a second; the signal goes to the children, and no further one is started.
  std::function<int()> pending_signal;
};

/// The running program.
std::filesystem::path this_program();

/// Runs every request, which goes to its process as JSON on standard input. `finished` hears of
/// each in the order of their ends. Throws IoError if a process cannot be started.
void run_children(const std::vector<ChildRun>& runs, const ChildPlan& plan,
                  const std::function<void(std::size_t index, const ChildOutcome&)>& finished);

}  // namespace tcsim::run
