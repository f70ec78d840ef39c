#include "sim/cli/sweep_submit.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <iostream>

#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/read_file.hpp"
#include "sim/report/manifest.hpp"
#include "sim/sweep/estimate.hpp"
#include "sim/sweep/slurm.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using sweep::Folder;

constexpr double kSecondsPerTask = 60;  // a scheduler takes about a second to start a task

/// What `words` print; throws IoError if they fail.
std::string output_of(const std::vector<std::string>& words) {
  const std::string line = report::shell_line(words);
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) throw IoError("cannot start " + words.front());
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), length);
  const int state = ::pclose(pipe);
  if (state != 0)
    throw IoError(fmt::format("{}: status {} from: {}", words.front(),
                              WIFEXITED(state) ? WEXITSTATUS(state) : state, line));
  return text.substr(0, text.find_first_of("\n;"));
}

std::vector<std::string> work_words(const SweepOptions& options) {
  std::vector<std::string> words;
  if (options.work.jobs > 1) words = {"-j", std::to_string(options.work.jobs)};
  if (options.work.retry_failed) words.emplace_back("--retry-failed");
  if (options.work.retry_crashed) words.emplace_back("--retry-crashed");
  return words;
}

/// `asked` tasks, or as many as there are `open` points to divide among them.
int tasks_of(int asked, int open) {
  if (asked <= open) return asked;
  fmt::print(
      std::cerr,
      "tcsim sweep submit: --tasks {}: more than the open points of the sweep; taken as {}\n",
      asked, open);
  return open;
}

void submit_to_slurm(const Folder& folder, sweep::ArrayShape shape, const SweepOptions& options) {
  shape.at_once = options.at_once;
  shape.jobs = options.work.jobs;
  fs::create_directories(folder.path() / "slurm");
  folder.write("slurm/work.sh", array_script(folder, work_words(options)));
  folder.write("slurm/collect.sh", collect_script(folder));
  const std::string array = output_of(array_command(folder, shape, options.sbatch));
  fmt::print(std::cout, "array job {} with {}\n", array, text::counted(shape.tasks, "task"));
  const std::string collect = output_of(collect_command(folder, array, options.sbatch));
  fmt::print(std::cout, "collect job {} after it\ntcsim sweep status {}\n", collect,
             report::shell_line({folder.path().string()}));
}

}  // namespace

sweep::Plan read_plan(const std::string& file) {
  return sweep::make_plan(file, files::read_file(file, files::FileKind::kSpec));
}

int submit_sweep(const SweepOptions& options) {
  sweep::Plan plan = read_plan(options.target);
  const fs::path path = options.out.empty() ? fs::path("sweep-" + plan.name) : options.out;
  const sweep::FolderLock lock(path, sweep::FolderLock::Kind::kAlone);
  const Folder folder = Folder::prepare(path, std::move(plan));
  if (options.engine == "print" && (options.at_once > 0 || !options.sbatch.empty()))
    throw UsageError("--at-once and --sbatch have no effect with --engine print");
  const auto open = sweep::open_points(folder, options.work);
  if (open.empty()) {
    fmt::print(std::cout, "no point is open; run tcsim sweep collect {}\n",
               report::shell_line({path.string()}));
    return kDone;
  }
  folder.store_submission(open);
  const double seconds =
      sweep::estimate_of(open).seconds * sweep::measured_ratio(sweep::rows_of(folder));
  sweep::ArrayShape shape =
      sweep::array_for(seconds, static_cast<int>(open.size()), kSecondsPerTask);
  if (options.tasks > 0) shape.tasks = tasks_of(options.tasks, static_cast<int>(open.size()));
  if (options.engine == "print") {
    for (const std::string& line : work_lines(folder, shape.tasks, work_words(options)))
      fmt::print(std::cout, "{}\n", line);
  } else {
    submit_to_slurm(folder, shape, options);
  }
  return kDone;
}

}  // namespace tcsim::cli
