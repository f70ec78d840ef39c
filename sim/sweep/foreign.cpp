#include "sim/sweep/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "sim/config/error.hpp"
#include "sim/files/read_file.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/manifest.hpp"
#include "sim/run/program.hpp"
#include "sim/sweep/input_name.hpp"
#include "sim/sweep/spec_checks.hpp"
#include "sim/text/name.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
using Words = std::span<const std::string>;

constexpr std::string_view kProgramFolder = "bin/";
constexpr std::string_view kTrace = "trace:";
constexpr std::string_view kNetwork = "net:";
constexpr std::array<std::string_view, 4> kLastWords{"-f", "json", "-q", "--no-files"};

void check(std::string_view what, std::string_view name) {
  if (const std::string mistake = text::name_mistake(name); !mistake.empty())
    throw config::ConfigError({fmt::format("plan.json: {}: {}", what, mistake)});
}

bool is_input(std::string_view word) {
  return word.starts_with(kInputFolder) &&
         text::name_mistake(word.substr(kInputFolder.size())).empty();
}

bool is_workload(std::string_view word) {
  if (word.starts_with(kTrace)) return is_input(word.substr(kTrace.size()));
  if (word.starts_with(kNetwork)) {
    const std::string_view name = word.substr(kNetwork.size());
    return is_input(name) || networks::is_shipped(std::string(name));
  }
  return !word.starts_with('-') && word.find('/') == std::string_view::npos &&
         word.substr(0, word.find(':')) != "csv";
}

/// The inputs that a command reads.
std::vector<std::string> inputs_of(const Point& point) {
  std::vector<std::string> inputs{point.command.at(3)};
  const std::string_view work = point.command.at(1);
  for (const std::string_view kind : {kTrace, kNetwork})
    if (work.starts_with(kind) && is_input(work.substr(kind.size())))
      inputs.emplace_back(work.substr(kind.size()));
  return inputs;
}

void check_input(const Folder& folder, const std::string& name) {
  const fs::path file = folder.path() / name;
  std::error_code error;
  const bool is_file = fs::symlink_status(file, error).type() == fs::file_type::regular;
  if (is_file) {
    if (is_named_by(name, files::read_file(file, files::FileKind::kInput))) return;
  }
  throw FolderRefused(
      fmt::format("{}: {}; run the SPEC again, which copies it anew", file.string(),
                  is_file ? "not the file that was copied here" : "no file, or a link to one"));
}

}  // namespace

void refuse_links(const fs::path& path) {
  for (const char* name :
       {"points", "failed", "inputs", "bin", "running", "scratch", "plots", "slurm"}) {
    std::error_code none;
    const fs::file_type type = fs::symlink_status(path / name, none).type();
    if (type != fs::file_type::directory && type != fs::file_type::not_found)
      throw FolderRefused((path / name).string() +
                          ": not a folder, or a link to one, which no sweep makes; remove it, or "
                          "choose another folder with -o");
  }
}

void check_file_names(const Plan& plan) {
  check("name", plan.name);
  if (!plan.program.starts_with(kProgramFolder))
    throw config::ConfigError({"plan.json: program: not in bin/"});
  check("program", std::string_view(plan.program).substr(kProgramFolder.size()));
  for (const PlotRequest& plot : plan.plots) check("plots", plot.name);
  for (const Point& point : plan.points) check("key", point.key);
}

bool is_command_of_a_point(const std::vector<std::string>& command) {
  Words words(command);
  if (words.size() < 4 + kLastWords.size() || words[0] != "run" || !is_workload(words[1]) ||
      words[2] != "-m" || !is_input(words[3]) ||
      !std::ranges::equal(words.last(kLastWords.size()), kLastWords))
    return false;
  words = words.subspan(4, words.size() - 4 - kLastWords.size());
  while (!words.empty()) {
    if (words[0] == "-j" && words.size() > 1 && words[1] == "1") {
      words = words.subspan(2);
      continue;
    }
    const bool is_change = words[0] == "--set";
    if (!is_change && !(words[0].starts_with("--") && is_run_option(words[0].substr(2))))
      return false;
    words = words.subspan(1);
    if (words.empty() || words[0].starts_with('-')) {
      if (is_change) return false;  // an option without a value may be a flag, --set is none
      continue;
    }
    if (is_change && words[0].find('=') == std::string::npos) return false;
    words = words.subspan(1);
  }
  return true;
}

void refuse_foreign_work(const Folder& folder) {
  const Plan& plan = folder.plan();
  if (plan.program != run::this_program_name())
    throw FolderRefused(fmt::format(
        "{}: its points are for {}, which is not this program; run the SPEC again with this one, "
        "or, if you trust the folder, start: {}",
        folder.path().string(), plan.program,
        report::shell_line(
            {(folder.path() / plan.program).string(), "sweep", "work", folder.path().string()})));
  std::set<std::string> inputs;
  for (const Point& point : plan.points) {
    if (!is_command_of_a_point(point.command))
      throw FolderRefused(
          fmt::format("{}: point {}: '{}' is not a command of a sweep; run the SPEC "
                      "again",
                      (folder.path() / "plan.json").string(), point.number,
                      text::one_line(report::shell_line(point.command))));
    for (const std::string& name : inputs_of(point)) inputs.insert(name);
  }
  for (const std::string& name : inputs) check_input(folder, name);
}

}  // namespace tcsim::sweep
