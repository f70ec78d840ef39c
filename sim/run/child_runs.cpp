#include "sim/run/child_runs.hpp"

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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

/// By its own word, or before it could say so.
bool is_interrupted(const process::ChildResult& child) {
  if (child.signal == 0) return child.status == kInterrupted;
  return child.signal == SIGINT || child.signal == SIGTERM || child.signal == SIGHUP;
}

}  // namespace

ChildOutcome outcome_of(const process::ChildResult& child) {
  ChildOutcome outcome;
  outcome.started = child.started;
  if (!child.started) return outcome;
  const std::string verdict = process::verdict_of(child).words;
  outcome.errors = lines_of(child.errors);
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
    outcome.failure = outcome.errors.empty() ? verdict : verdict + ": " + outcome.errors.front();
    return outcome;
  }
  if (has_result) outcome.result = std::move(result);
  outcome.status = child.status == kDone && !has_result ? kOurBug : child.status;
  if (outcome.status == kDone) return outcome;
  outcome.is_partial = child.status == kStopped;
  const char* const unsaid = outcome.is_partial ? "stopped early" : "no result";
  outcome.failure = verdict + ": " + (outcome.errors.empty() ? unsaid : outcome.errors.front());
  return outcome;
}

std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

void run_children(const std::vector<ChildRun>& runs, const ChildPlan& plan,
                  const std::function<void(std::size_t index, const ChildOutcome&)>& finished) {
  std::vector<process::Command> commands;
  commands.reserve(runs.size());
  for (const ChildRun& run : runs) commands.push_back(command_of(run, plan.program));
  process::PoolEvents events;
  events.finished = [&](std::size_t index, const process::ChildResult& child) {
    finished(index, outcome_of(child));
  };
  events.pending_signal = plan.pending_signal;
  process::ChildPool({plan.jobs, {}, {}}).run(commands, events);
}

}  // namespace tcsim::run
