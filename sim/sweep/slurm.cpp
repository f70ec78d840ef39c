#include "sim/sweep/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/report/manifest.hpp"

namespace tcsim::sweep {
namespace {

std::string root_of(const Folder& folder) {
  return std::filesystem::absolute(folder.path()).lexically_normal().string();
}

std::string program_of(const Folder& folder) {
  return (std::filesystem::path(root_of(folder)) / folder.plan().program).string();
}

/// `path` as sbatch takes it in the name of a log, where % begins a pattern.
std::string log_pattern(const std::string& path) {
  std::string pattern;
  for (const char c : path) pattern += c == '%' ? std::string("%%") : std::string(1, c);
  return pattern;
}

std::vector<std::string> common_options(const Folder& folder, const char* log) {
  return {"sbatch",
          "--parsable",
          "--job-name=" + folder.plan().name,
          "--chdir=" + root_of(folder),
          "--open-mode=append",
          "--output=" + log_pattern(root_of(folder)) + "/slurm/" + log};
}

}  // namespace

ArrayShape array_for(double seconds, int points, double seconds_per_task) {
  const double tasks = std::ceil(seconds / seconds_per_task);
  return {static_cast<int>(std::clamp(tasks, 1.0, std::max(1.0, static_cast<double>(points))))};
}

std::vector<std::string> work_lines(const Folder& folder, int tasks,
                                    const std::vector<std::string>& further) {
  std::vector<std::string> lines;
  for (int task = 0; task < tasks; ++task) {
    std::vector<std::string> words{
        program_of(folder), "sweep",   "work",
        root_of(folder),    "--shard", fmt::format("{}/{}", task, tasks)};
    words.insert(words.end(), further.begin(), further.end());
    lines.push_back(report::shell_line(words));
  }
  return lines;
}

std::string array_script(const Folder& folder, const std::vector<std::string>& further) {
  std::vector<std::string> words{program_of(folder), "sweep", "work", root_of(folder)};
  words.insert(words.end(), further.begin(), further.end());
  return fmt::format(
      "#!/bin/sh\n"
      "exec {} --shard \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\"\n",
      report::shell_line(words));
}

std::string collect_script(const Folder& folder) {
  return "#!/bin/sh\nexec " +
         report::shell_line({program_of(folder), "sweep", "collect", root_of(folder)}) + "\n";
}

std::vector<std::string> array_command(const Folder& folder, const ArrayShape& shape,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> words = common_options(folder, "work-%a.log");
  words.emplace_back("--requeue");
  words.push_back(fmt::format("--array=0-{}{}", shape.tasks - 1,
                              shape.at_once > 0 ? fmt::format("%{}", shape.at_once) : ""));
  if (shape.jobs > 1) words.push_back(fmt::format("--cpus-per-task={}", shape.jobs));
  if (const std::int64_t memory_mib = folder.plan().limits.memory_mib; memory_mib > 0)
    words.push_back(fmt::format("--mem={}M", shape.jobs * memory_mib));
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(root_of(folder) + "/slurm/work.sh");
  return words;
}

std::vector<std::string> collect_command(const Folder& folder, const std::string& array_job,
                                         const std::vector<std::string>& options) {
  std::vector<std::string> words = common_options(folder, "collect.log");
  words.push_back("--dependency=afterany:" + array_job);
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(root_of(folder) + "/slurm/collect.sh");
  return words;
}

}  // namespace tcsim::sweep
