#pragma once

#include <string>
#include <vector>

#include "sim/sweep/folder.hpp"

namespace tcsim::sweep {

/// How a sweep is cut into the tasks of a job array.
struct ArrayShape {
  int tasks = 1;
  int at_once = 0;  ///< 0: as many as the cluster starts
  int jobs = 1;     ///< points of a task at once
};

/// Tasks that hold at least `seconds_per_task` of `seconds`, at most `points` of them.
ArrayShape array_for(double seconds, int points, double seconds_per_task);

/// "tcsim sweep work ... --shard k/n" lines for any other engine.
std::vector<std::string> work_lines(const Folder& folder, int tasks,
                                    const std::vector<std::string>& further);

/// The batch scripts: each task runs its shard, then one job collects. `further` are words for
/// tcsim sweep work.
std::string array_script(const Folder& folder, const std::vector<std::string>& further);
std::string collect_script(const Folder& folder);

/// sbatch with `options` of the user's; the script is the last word.
std::vector<std::string> array_command(const Folder& folder, const ArrayShape& shape,
                                       const std::vector<std::string>& options);
std::vector<std::string> collect_command(const Folder& folder, const std::string& array_job,
                                         const std::vector<std::string>& options);

}  // namespace tcsim::sweep
