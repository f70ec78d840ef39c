#include "sim/sweep/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "sim/sweep/process_pool.hpp"

namespace tcsim::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLastLines = 20;
constexpr int kInternalError = 70;  // exit statuses of tcsim run
constexpr int kStoppedEarly = 4;

bool wants(const PointRecord& record, const WorkOptions& options) {
  switch (record.state) {
    case PointState::kDone:
      return false;
    case PointState::kOpen:
      return true;
    case PointState::kFailed:
      return options.retry_failed;
    case PointState::kCrashed:
    case PointState::kTimeLimit:
    case PointState::kMemoryLimit:
      return options.retry_crashed;
  }
  return true;
}

std::vector<std::string> last_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.size() > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  return lines;
}

/// Of a child that gave no result.
Failure failure_of(const Ending& ending, const Limits& limits) {
  Failure failure;
  failure.status = ending.status;
  failure.signal = ending.signal;
  failure.last_lines = last_lines(ending.errors);
  const bool out_of_memory =
      limits.memory_mib > 0 && (ending.errors.find("bad_alloc") != std::string::npos ||
                                ending.errors.find("annot allocate memory") != std::string::npos);
  if (ending.timed_out) {
    failure.state = PointState::kTimeLimit;
    failure.reason = fmt::format("took longer than {:g} s", limits.time_s);
  } else if (out_of_memory) {
    failure.state = PointState::kMemoryLimit;
    failure.reason = fmt::format("needs more than {} MiB", limits.memory_mib);
  } else if (ending.signal != 0) {
    failure.state = PointState::kCrashed;
    failure.reason = fmt::format("ended by signal {}", ending.signal);
  } else {
    failure.state = ending.status == kInternalError ? PointState::kCrashed : PointState::kFailed;
    const char* partial = ending.status == kStoppedEarly ? "stopped early" : "no result";
    failure.reason = fmt::format("status {}: {}", ending.status,
                                 failure.last_lines.empty() ? partial : failure.last_lines.front());
  }
  return failure;
}

PointRecord take(const Folder& folder, const Point& point, const Ending& ending) {
  PointRecord record;
  record.result = Json::parse(ending.output, nullptr, /*allow_exceptions=*/false);
  if (ending.signal == 0 && ending.status == 0 && record.result.is_object()) {
    record.state = PointState::kDone;
    folder.store_result(point, record.result);
    return record;
  }
  record.result = Json();
  record.failure = failure_of(ending, folder.plan().limits);
  record.state = record.failure.state;
  folder.store_failure(point, record.failure);
  return record;
}

}  // namespace

std::vector<const Point*> open_points(const Folder& folder, const WorkOptions& options) {
  std::set<std::string> keys;
  std::vector<const Point*> open;
  int number = 0;
  for (const Point& point : folder.plan().points) {
    if (!keys.insert(point.key).second) continue;
    const bool ours = number++ % options.shards == options.shard;
    if (ours && wants(folder.record(point), options)) open.push_back(&point);
  }
  return open;
}

WorkSummary work(
    const Folder& folder, const WorkOptions& options,
    const std::function<void(const Point&, const PointRecord&, std::size_t, std::size_t)>& announce,
    const std::function<int()>& pending_signal) {
  const std::vector<const Point*> open = open_points(folder, options);
  const std::filesystem::path root = std::filesystem::absolute(folder.path());
  WorkSummary summary;
  std::vector<Command> commands;
  commands.reserve(open.size());
  for (const Point* point : open) {
    if (folder.record(*point).corrupt) ++summary.corrupt;
    Command command{{(root / folder.plan().program).string()}, point->key};
    command.words.insert(command.words.end(), point->command.begin(), point->command.end());
    commands.push_back(std::move(command));
  }
  ProcessPool(options.jobs, root, root / "scratch", folder.plan().limits)
      .run(
          commands,
          [&](std::size_t index, const Ending& ending) {
            const PointRecord record = take(folder, *open[index], ending);
            ++(record.state == PointState::kDone ? summary.finished : summary.failed);
            announce(*open[index], record,
                     static_cast<std::size_t>(summary.finished + summary.failed), open.size());
          },
          pending_signal);
  summary.interrupted = pending_signal() != 0;
  return summary;
}

}  // namespace tcsim::sweep
