#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/cli/table.hpp"
#include "sim/sweep/work.hpp"

namespace tcsim::cli {

/// The options of the commands of `tcsim sweep`, checked.
struct SweepOptions {
  std::string target;  ///< SPEC.yaml, or the folder of a sweep
  std::filesystem::path out;
  sweep::WorkOptions work;
  std::string engine = "slurm";
  int tasks = 0;    ///< 0: by the estimate
  int at_once = 0;  ///< 0: no limit
  std::vector<std::string> sbatch;
  Format format = Format::kText;
  bool watch = false;
  bool quiet = false;
};

/// The options of one of them as text, bound to a CLI11 command.
class SweepOptionTexts {
 public:
  /// This object must outlive `command`.
  SweepOptionTexts(CLI::App& command, std::string name, const std::string& target);

  void add_out(CLI::App& command);
  void add_work(CLI::App& command, const char* jobs_default);
  void add_shard(CLI::App& command);
  void add_submit(CLI::App& command);
  void add_format(CLI::App& command, const std::string& forms = "text, json, csv or md");
  void add_watch(CLI::App& command);
  void add_quiet(CLI::App& command);

  /// Throws UsageError for the first value that is missing or wrong.
  [[nodiscard]] SweepOptions checked() const;

 private:
  [[nodiscard]] int number(const char* option, const std::string& text, int absent) const;

  std::string name_;
  std::string target_kind_;
  SweepOptions options_;
  std::string out_;
  std::string jobs_;
  std::string shard_;
  std::string tasks_;
  std::string at_once_;
  std::string format_ = "text";
  int absent_jobs_ = 1;
};

}  // namespace tcsim::cli
