#include "sim/cli/sweep_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "sim/cli/command_tree.hpp"
#include "sim/errors/errors.hpp"
#include "sim/text/number.hpp"

namespace tcsim::cli {
namespace {

/// Reads "k/n" with 0 <= k < n.
std::pair<int, int> shard_of(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto shard = text::number_of<int>(std::string_view(text).substr(0, slash));
  const auto shards =
      text::number_of<int>(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (shard && shards && *shard >= 0 && *shard < *shards) return {*shard, *shards};
  throw UsageError("tcsim sweep work: --shard: '" + text +
                   "' is not K/N with K from 0 to N-1, for example 0/4");
}

}  // namespace

SweepOptionTexts::SweepOptionTexts(CLI::App& command, std::string name, const std::string& target)
    : name_(std::move(name)), target_kind_(target) {
  command.add_option("target", options_.target, target);
}

void SweepOptionTexts::add_out(CLI::App& command) {
  command.add_option("-o,--out", out_, "Folder of the sweep; default: sweep-NAME");
}

void SweepOptionTexts::add_work(CLI::App& command, const char* jobs_default) {
  if (jobs_default != std::string_view("1"))
    absent_jobs_ = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command.add_option("-j,--jobs", jobs_, fmt::format("Points at once; default: {}", jobs_default));
  command.add_flag("--retry-failed", options_.work.retry_failed,
                   "Run points again that tcsim run refused");
  command.add_flag("--retry-crashed", options_.work.retry_crashed,
                   "Run points again that a signal, a limit or a defect ended");
}

void SweepOptionTexts::add_shard(CLI::App& command) {
  command.add_option("--shard", shard_,
                     "K/N: points K, K+N, K+2N, ..., first of those submitted last; default: 0/1");
}

void SweepOptionTexts::add_submit(CLI::App& command) {
  command.add_option("--engine", options_.engine,
                     "slurm, or print: command lines for anything else (default: slurm)");
  command.add_option("--tasks", tasks_, "Tasks of the array; default: at least 60 s of work each");
  command.add_option("--at-once", at_once_, "Tasks that may run at the same time");
  add_repeatable(command, "--sbatch", options_.sbatch,
                 "A word for sbatch, for example --sbatch=--partition=short; repeatable");
}

void SweepOptionTexts::add_format(CLI::App& command, const std::string& forms) {
  command.add_option("-f,--format", format_, forms + " (default: text)");
}

void SweepOptionTexts::add_watch(CLI::App& command) {
  command.add_flag("--watch", options_.watch, "Repeat every two seconds until no point is open");
}

void SweepOptionTexts::add_quiet(CLI::App& command) {
  command.add_flag("-q,--quiet", options_.quiet, "No progress");
}

int SweepOptionTexts::number(const char* option, const std::string& text, int absent) const {
  if (text.empty()) return absent;
  constexpr int kMost = 1'000'000;
  const auto value = text::number_of<int>(text);
  if (!value || *value < 1 || *value > kMost)
    throw UsageError(fmt::format("tcsim sweep {}: {}: '{}' is not a whole number from 1 to {}",
                                 name_, option, text, kMost));
  return *value;
}

SweepOptions SweepOptionTexts::checked() const {
  SweepOptions options = options_;
  if (options.target.empty())
    throw UsageError(fmt::format("tcsim sweep {}: which one? Give {}", name_, target_kind_));
  options.out = out_;
  options.work.jobs = number("--jobs", jobs_, absent_jobs_);
  options.tasks = number("--tasks", tasks_, 0);
  options.at_once = number("--at-once", at_once_, 0);
  if (!shard_.empty()) std::tie(options.work.shard, options.work.shards) = shard_of(shard_);
  if (options.engine != "slurm" && options.engine != "print")
    throw UsageError("tcsim sweep submit: --engine: '" + options.engine +
                     "' is not one of slurm, print");
  options.format = parse_format(format_);
  return options;
}

}  // namespace tcsim::cli
