#include "sim/run/child_runs.hpp"

#include <fmt/format.h>

#include <csignal>
#include <sstream>

#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/process/verdict.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/request_io.hpp"

namespace tcsim::run {
namespace {

process::Command command_of(const ChildRun& run, const std::string& program) {
  process::Command command{{program, "run", "--request", "-", "-f", "json", "-q"},
                           files::json_text(request_json(run.request), 1)};
  if (run.directory) {
    command.words.emplace_back("-o");
    command.words.push_back(run.directory->string());
  } else {
    command.words.emplace_back("--no-files");
  }
  return command;
}

/// The last line that is not empty, which in our own messages states the mistake.
std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// By its own word, or before it could say so.
bool is_interrupted(const process::ChildResult& child) {
  if (child.signal == 0) return child.status == kInterrupted;
  return child.signal == SIGINT || child.signal == SIGTERM || child.signal == SIGHUP;
}

ChildOutcome outcome_of(const process::ChildResult& child) {
  ChildOutcome outcome;
  outcome.started = child.started;
  if (!child.started) return outcome;
  const std::string verdict = process::verdict_of(child).words;
  auto result = nlohmann::ordered_json::parse(child.output, nullptr, /*allow_exceptions=*/false);
  const bool has_result = result.is_object();
  if (is_interrupted(child)) {
    outcome.status = kInterrupted;
    outcome.is_partial = true;
    outcome.failure = name(StopCause::kSignal);
    if (has_result) outcome.result = std::move(result);
    return outcome;
  }
  if (child.signal != 0) {
    outcome.status = kOurBug;
    outcome.failure =
        fmt::format("{}{}{}", verdict, child.errors.empty() ? "" : ": ", last_line(child.errors));
    return outcome;
  }
  if (has_result) outcome.result = std::move(result);
  outcome.status = child.status == kDone && !has_result ? kOurBug : child.status;
  if (outcome.status == kDone) return outcome;
  outcome.is_partial = child.status == kStopped;
  outcome.failure = fmt::format("{}: {}", verdict, last_line(child.errors));
  return outcome;
}

}  // namespace

std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

void run_children(const std::vector<ChildRun>& runs, const ChildPlan& plan,
                  const std::function<void(std::size_t index, const ChildOutcome&)>& finished) {
  std::vector<process::Command> commands;
  commands.reserve(runs.size());
  for (const ChildRun& run : runs) commands.push_back(command_of(run, plan.program.string()));
  process::PoolEvents events;
  events.finished = [&](std::size_t index, const process::ChildResult& child) {
    finished(index, outcome_of(child));
  };
  events.pending_signal = plan.pending_signal;
  process::ChildPool({plan.jobs, {}, {}}).run(commands, events);
}

}  // namespace tcsim::run
