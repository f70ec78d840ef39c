#include "sim/sweep/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/process/verdict.hpp"
#include "sim/report/network_report.hpp"
#include "sim/run/child_runs.hpp"
#include "sim/sweep/running.hpp"

namespace tcsim::sweep {
namespace {

using process::ChildResult;

constexpr std::size_t kLastLines = 20;

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

/// The points of the plan in the order in which shards count them, one per key.
std::vector<const Point*> counted_points(const Folder& folder) {
  std::set<std::string_view> keys;
  std::vector<const Point*> points;
  for (const Point& point : folder.plan().points)
    if (keys.insert(point.key).second) points.push_back(&point);
  const std::set<std::string> submitted = folder.submission();
  std::stable_partition(points.begin(), points.end(),
                        [&](const Point* point) { return submitted.contains(point->key); });
  return points;
}

/// Of a child that gave no result.
Failure failure_of(const ChildResult& ending, const run::ChildOutcome& outcome,
                   const Limits& limits) {
  Failure failure;
  failure.status = ending.status;
  failure.signal = ending.signal;
  const auto skipped = std::max(outcome.errors.size(), kLastLines) - kLastLines;
  failure.last_lines.assign(outcome.errors.begin() + static_cast<std::ptrdiff_t>(skipped),
                            outcome.errors.end());
  const process::Verdict verdict = process::verdict_of(ending);
  if (verdict.cause == process::Cause::kTimeLimit) {
    failure.state = PointState::kTimeLimit;
    failure.reason = fmt::format("took longer than {:g} s", limits.time_s);
  } else if (verdict.cause == process::Cause::kMemory && limits.memory_mib > 0) {
    failure.state = PointState::kMemoryLimit;
    failure.reason = fmt::format("needs more than {} MiB", limits.memory_mib);
  } else if (ending.signal != 0) {
    failure.state = PointState::kCrashed;
    failure.reason = verdict.words;
  } else {
    failure.state = ending.status == kOurBug ? PointState::kCrashed : PointState::kFailed;
    failure.reason = outcome.failure;
  }
  return failure;
}

/// The work on one shard.
class Shift {
 public:
  Shift(const Folder& folder, const WorkOptions& options, const WorkEvents& events)
      : folder_(folder), options_(options), events_(events), open_(open_points(folder, options)) {}

  WorkSummary run() {
    const std::filesystem::path root = std::filesystem::absolute(folder_.path());
    std::vector<process::Command> commands;
    commands.reserve(open_.size());
    for (const Point* point : open_) {
      commands.push_back({{options_.program}});
      std::ranges::copy(point->command, std::back_inserter(commands.back().words));
    }
    process::PoolEvents events;
    events.may_start = [this](std::size_t index) { return takes(index); };
    events.finished = [this](std::size_t index, const ChildResult& ending) {
      finished(index, ending);
    };
    events.pending_signal = events_.pending_signal;
    process::ChildPool({options_.jobs, root, folder_.plan().limits}).run(commands, events);
    summary_.interrupted = events_.pending_signal() != 0;
    return summary_;
  }

 private:
  /// Marks a point as running here, unless another process runs it or has run it meanwhile.
  bool takes(std::size_t index) {
    if (marks_.try_emplace(index, folder_, *open_[index]).first->second.is_ours()) {
      const PointRecord record = folder_.record(*open_[index]);
      if (record.corrupt) ++summary_.corrupt;
      if (wants(record, options_)) return true;
    }
    marks_.erase(index);
    ++left_to_others_;
    return false;
  }

  void finished(std::size_t index, const ChildResult& ending) {
    const auto mark = marks_.extract(index);  // goes when what became of the point is stored
    PointRecord record;
    run::ChildOutcome outcome = run::outcome_of(ending);
    const bool done = outcome.status == kDone;
    if (!done && ending.stopped) return;  // open, as before
    if (done) {
      record.state = PointState::kDone;
      record.result = std::move(outcome.result);
      refuse_other_machine(*open_[index], record.result);
      if (record.result.contains("steps"))
        record.result = report::network_summary(std::move(record.result));
      folder_.store_result(*open_[index], record.result);
    } else {
      record.failure = failure_of(ending, outcome, folder_.plan().limits);
      record.state = record.failure.state;
      folder_.store_failure(*open_[index], record.failure);
    }
    ++(done ? summary_.finished : summary_.failed);
    events_.announce(*open_[index], record,
                     static_cast<std::size_t>(summary_.finished) + summary_.failed,
                     open_.size() - left_to_others_);
  }

  /// A file that comes with tcsim, such as a library, may have changed since the plan was made.
  void refuse_other_machine(const Point& point, const nlohmann::ordered_json& result) const {
    if (result.value("machine_hash", "") == point.machine) return;
    throw FolderRefused(fmt::format(
        "{}: point {} ran on another machine than that of the plan, since a file that comes with "
        "tcsim has changed; run the SPEC again",
        folder_.path().string(), point.number));
  }

  const Folder& folder_;
  const WorkOptions& options_;
  const WorkEvents& events_;
  std::vector<const Point*> open_;
  std::size_t left_to_others_ = 0;
  WorkSummary summary_;
  std::map<std::size_t, RunningMark> marks_;
};

}  // namespace

std::vector<const Point*> open_points(const Folder& folder, const WorkOptions& options) {
  std::vector<const Point*> open;
  int number = 0;
  for (const Point* point : counted_points(folder)) {
    const bool ours = number++ % options.shards == options.shard;
    if (ours && wants(folder.record(*point), options)) open.push_back(point);
  }
  return open;
}

WorkSummary work(const Folder& folder, const WorkOptions& options, const WorkEvents& events) {
  return Shift(folder, options, events).run();
}

}  // namespace tcsim::sweep
