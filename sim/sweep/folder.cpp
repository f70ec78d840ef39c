#include "sim/sweep/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/read_file.hpp"
#include "sim/json/parse.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/manifest.hpp"
#include "sim/run/program.hpp"
#include "sim/sweep/foreign.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
using json::Json;
using json::View;

constexpr std::array<std::pair<PointState, std::string_view>, 6> kStates{{
    {PointState::kOpen, "open"},
    {PointState::kDone, "done"},
    {PointState::kFailed, "failed"},
    {PointState::kCrashed, "crashed"},
    {PointState::kTimeLimit, "time limit"},
    {PointState::kMemoryLimit, "memory limit"},
}};

constexpr const char* kSubmitted = "submitted";

/// The text of a file; nothing if there is none. One that is too large or no text is
/// damaged as one is that is cut short: it becomes an empty one.
std::optional<std::string> text_of(const fs::path& path) {
  if (!fs::exists(path)) return {};
  try {
    return files::read_file(path, files::FileKind::kRun);
  } catch (const files::ContentError&) {
    return "";
  } catch (const IoError&) {
    return "";
  }
}

/// A body with the hash of its text, so that a file that is damaged is known as such.
std::string sealed(const Json& body) {
  const Json whole{{"checksum", report::hash_text(files::json_text(body))}, {"body", body}};
  return files::json_text(whole) + "\n";
}

/// The body of a sealed file. Throws config::ConfigError if it is not whole.
View unsealed(const std::string& text, const fs::path& path) {
  const View json = json::parse(text, path.string());
  View body = json.at("body");
  if (!json.at("checksum").is(report::hash_text(files::json_text(body.json()))))
    json.at("checksum").refuse("does not fit the body");
  return body;
}

/// What views of a sweep read of a result. Throws config::ConfigError if it is none.
void check_result(const View& result) {
  (void)result.items();
  if (const auto kernels = result.find("kernels"))
    for (const View& kernel : kernels->elements())
      if (const auto tile = kernel.find("tile")) (void)tile->get<std::string>();
  if (const auto simulation = result.find("simulation"))
    if (const auto wall_s = simulation->find("wall_s"))
      (void)wall_s->number(0, std::numeric_limits<double>::max());
}

fs::path file_of(const fs::path& folder, const char* kind, const Point& point) {
  return folder / kind / (point.key + ".json");
}

/// Throws config::ConfigError if `body` is none.
Failure failure_from(const View& body) {
  Failure failure;
  const auto word = body.at("state").get<std::string>();
  for (const auto& [state, text] : kStates) {
    if (text == word) failure.state = state;
  }
  if (failure.state == PointState::kOpen || failure.state == PointState::kDone)
    body.at("state").refuse("is no failure");
  failure.status = body.at("status").get<int>();
  failure.signal = body.at("signal").get<int>();
  failure.reason = body.at("reason").get<std::string>();
  for (const View& line : body.at("last_lines").elements())
    failure.last_lines.push_back(line.get<std::string>());
  return failure;
}

void make_folders(const fs::path& path) {
  for (const char* name : {"points", "failed", "inputs", "bin", "running"}) {
    std::error_code error;
    fs::create_directories(path / name, error);
    if (error) throw IoError((path / name).string() + ": " + error.message());
  }
}

constexpr std::array<std::string_view, 12> kOwnNames{
    "report.html", "lock",    "running", "points", "failed",    "inputs",
    "bin",         "scratch", "plots",   "slurm",  "plan.json", kSubmitted};

/// A folder whose plan was lost may be taken up again, one with other things in it may not.
void refuse_other_content(const fs::path& path) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(path, none)) {
    const std::string name = entry.path().filename().string();
    const bool own = std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end() ||
                     name.starts_with("plan.json.") || name.starts_with("sweep.") ||
                     name.starts_with("totals.csv");
    if (!own)
      throw FolderRefused(
          fmt::format("{}: holds '{}', which is not part of a sweep; choose another folder "
                      "with -o",
                      path.string(), name));
  }
}

/// What processes that were killed left behind.
void clear_leftovers(const fs::path& path) {
  for (const char* name : {"", "points", "failed", "inputs", "bin"})
    files::remove_unfinished(path / name);
  for (const auto& entry : fs::directory_iterator(path / "running")) fs::remove(entry.path());
}

}  // namespace

std::string_view state_text(PointState state) {
  return std::find_if(kStates.begin(), kStates.end(),
                      [&](const auto& row) { return row.first == state; })
      ->second;
}

Folder::Folder(fs::path path, Plan plan) : path_(std::move(path)), plan_(std::move(plan)) {}

Folder Folder::prepare(const fs::path& path, Plan plan) {
  if (fs::exists(path / "plan.json")) {
    const Folder earlier = open(path);
    if (earlier.plan().name != plan.name)
      throw FolderRefused(
          fmt::format("{}: holds the sweep '{}', not '{}'; choose another folder with -o",
                      path.string(), earlier.plan().name, plan.name));
  } else {
    refuse_other_content(path);
  }
  refuse_links(path);
  make_folders(path);
  clear_leftovers(path);
  plan.program = run::copy_this_program(path);
  for (const InputFile& input : plan.inputs) files::write_atomically(path / input.name, input.text);
  files::write_atomically(path / "plan.json", files::json_text(to_json(plan), 1) + "\n");
  files::sync_folder(path);
  return {path, std::move(plan)};
}

Folder Folder::open(const fs::path& path) {
  if (!fs::exists(path / "plan.json"))
    throw FolderRefused(path.string() +
                        ": no sweep here (no plan.json); start one with tcsim "
                        "sweep run SPEC.yaml -o " +
                        report::shell_line({path.string()}));
  refuse_links(path);
  try {
    const std::string text = files::read_file(path / "plan.json", files::FileKind::kPlan);
    Plan plan = plan_from(json::parse(text, (path / "plan.json").string()));
    check_file_names(plan);
    return {path, std::move(plan)};
  } catch (const config::ConfigError& error) {
    throw FolderRefused(fmt::format(
        "{}\n{}: cannot be used; remove it and run the SPEC again, results in points/ are kept",
        error.what(), (path / "plan.json").string()));
  }
}

PointRecord Folder::record(const Point& point) const {
  PointRecord record;
  const fs::path result_file = file_of(path_, "points", point);
  if (const auto text = text_of(result_file)) {
    try {
      const View body = unsealed(*text, result_file);
      if (body.at("key").is(point.key)) {
        check_result(body.at("result"));
        record.state = PointState::kDone;
        record.result = body.at("result").json();
        return record;
      }
    } catch (const config::ConfigError&) {  // told as damage, whatever it is
    }
    record.corrupt = true;
  }
  const fs::path failure_file = file_of(path_, "failed", point);
  if (const auto text = text_of(failure_file)) {
    try {
      record.failure = failure_from(unsealed(*text, failure_file));
      record.state = record.failure.state;
    } catch (const config::ConfigError&) {
      record.corrupt = true;
    }
  }
  return record;
}

void Folder::store_result(const Point& point, const Json& result) const {
  const Json body{{"key", point.key},
                  {"inputs", point.inputs},
                  {"revision", plan_.revision},
                  {"command", point.command},
                  {"result", result}};
  files::write_atomically(file_of(path_, "points", point), sealed(body));
  files::sync_folder(path_ / "points");
  forget_failure(point);
}

void Folder::store_failure(const Point& point, const Failure& failure) const {
  const Json body{{"key", point.key},
                  {"inputs", point.inputs},
                  {"revision", plan_.revision},
                  {"command", point.command},
                  {"state", state_text(failure.state)},
                  {"status", failure.status},
                  {"signal", failure.signal},
                  {"reason", failure.reason},
                  {"last_lines", failure.last_lines}};
  files::write_atomically(file_of(path_, "failed", point), sealed(body));
}

void Folder::forget_failure(const Point& point) const {
  std::error_code ignored;
  fs::remove(file_of(path_, "failed", point), ignored);
}

void Folder::write(const std::string& file, const std::string& text) const {
  files::write_atomically(path_ / file, text);
}

void Folder::store_submission(const std::vector<const Point*>& points) const {
  std::string keys;
  for (const Point* point : points) keys += point->key + "\n";
  write(kSubmitted, keys);
}

std::set<std::string> Folder::submission() const {
  std::istringstream keys(text_of(path_ / kSubmitted).value_or(""));
  return {std::istream_iterator<std::string>(keys), {}};
}

int Folder::count_stale() const {
  std::set<std::string> keys;
  std::set<std::string> inputs;
  for (const Point& point : plan_.points) {
    keys.insert(point.key);
    inputs.insert(point.inputs);
  }
  int stale = 0;
  for (const auto& entry : fs::directory_iterator(path_ / "points")) {
    if (entry.path().extension() != ".json" || keys.contains(entry.path().stem().string()))
      continue;
    try {
      const View body = unsealed(text_of(entry.path()).value_or(""), entry.path());
      if (inputs.contains(body.at("inputs").get<std::string>())) ++stale;
    } catch (const config::ConfigError&) {  // damaged, so of no use to anybody
    }
  }
  return stale;
}

}  // namespace tcsim::sweep
