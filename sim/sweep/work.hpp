#pragma once

#include <functional>

#include "sim/sweep/folder.hpp"

namespace tcsim::sweep {

/// Which points to run and how.
struct WorkOptions {
  int shard = 0;  ///< points shard, shard + shards, ... in the order in which they are counted
  int shards = 1;
  int jobs = 1;
  bool retry_failed = false;               ///< points that tcsim run refused or gave up
  bool retry_crashed = false;              ///< points that a signal, a limit or a bug ended
  std::string program = "/proc/self/exe";  ///< that runs them; this one, even if its file goes
};

struct WorkSummary {
  int finished = 0;  ///< run now, with a result
  int failed = 0;    ///< run now, without
  int corrupt = 0;   ///< run again because their files were damaged
  bool interrupted = false;
};

/// Points of the shard that have no result yet, one per key. Shards count first the points that
/// were open at the last submission (Folder::store_submission), then the others, each in the order
/// of the plan: so the tasks of a submission have equally many open points, and a task that is
/// started again has those that it had.
std::vector<const Point*> open_points(const Folder& folder, const WorkOptions& options);

struct WorkEvents {
  /// Called after each point with the number of those that ended and of all.
  std::function<void(const Point&, const PointRecord&, std::size_t, std::size_t)> announce;
  /// Asked many times a second; a signal is passed to the running points, which stay open unless
  /// they still finish.
  std::function<int()> pending_signal;
};

/// Runs the open points of the shard with `options.program`, not with the folder's bin/. Leaves
/// those that another process runs, or has run meanwhile, to that one. Throws IoError if a result
/// cannot be stored, and FolderRefused if a point ran on another machine than that of the plan.
WorkSummary work(const Folder& folder, const WorkOptions& options, const WorkEvents& events);

}  // namespace tcsim::sweep
