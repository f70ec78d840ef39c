#include "sim/results/stored_run.hpp"

#include "sim/errors/errors.hpp"
#include "sim/json/parse.hpp"
#include "sim/report/checksum.hpp"
#include "sim/results/stored_run_checks.hpp"

namespace tcsim::results {
namespace {

namespace fs = std::filesystem;

std::optional<View> find_scope(const View& scopes, std::string_view name) {
  for (const auto& [key, scope] : scopes.items()) {
    if (key == name) return scope;
    if (auto found = find_scope(scope.at("children"), name)) return found;
  }
  return std::nullopt;
}

/// Throws IoError for a run without results, unless its manifest states that they were written.
void refuse_unfinished(const fs::path& directory) {
  const View manifest = json::read(directory / "manifest.json");
  const auto complete = manifest.find("complete");
  if (complete && complete->is_boolean() && complete->get<bool>()) return;
  const auto stopped_by = manifest.find("stopped_by");
  if (stopped_by && stopped_by->is("running"))
    throw IoError(directory.string() + ": has no results yet");
  throw IoError(directory.string() + ": the run ended before it had results");
}

}  // namespace

std::optional<double> StoredRun::number(std::string_view metric) const {
  for (const char* group : {"metrics", "facts"}) {
    const auto found = stats.at(group).find(metric);
    if (!found) continue;
    const View value = found->at("value");
    if (value.is_number()) return value.get<double>();
  }
  return std::nullopt;
}

View StoredRun::scope(std::string_view scope_name) const {
  if (auto found = find_scope(stats.at("counters"), scope_name)) return *std::move(found);
  stats.at("counters").refuse("counts no " + std::string(scope_name));
}

std::string setting_of(const View& result) {
  auto words = result.at("machine").get<std::string>();
  if (result.contains("overrides"))  // which older results of networks do not name
    for (const View& change : result.at("overrides").elements())
      words += ", " + change.get<std::string>();
  return words;
}

bool is_list(const fs::path& directory) {
  return fs::exists(directory / "rows.json") && !fs::exists(directory / "stats.json");
}

void require_run_directory(const fs::path& directory) {
  if (!fs::exists(directory))
    throw IoError(directory.string() + ": there is no such directory or file");
  if (!fs::is_directory(directory))
    throw IoError(directory.string() + ": is not the directory of a run");
  if (fs::exists(directory / "streams.json") && !fs::exists(directory / "stats.json"))
    throw UsageError(
        directory.string() +
        ": holds a run of instances that share the machine, which has streams.json and "
        "no report");
  if (fs::exists(directory / "plan.json") && !fs::exists(directory / "stats.json"))
    throw UsageError(directory.string() + ": is a sweep; tcsim sweep status reads it");
}

StoredRun run_of(const std::string& name, const View& stats, const View& manifest) {
  check_version(stats);
  check_manifest(manifest);
  StoredRun run{name, stats, manifest};
  check_run(run);
  return run;
}

StoredList list_of(const std::string& name, const View& rows, const View& manifest) {
  check_manifest(manifest);
  StoredList list{name, rows, manifest};
  check_list(list);
  return list;
}

StoredRun load_run(const fs::path& directory) {
  require_run_directory(directory);
  if (!fs::exists(directory / "stats.json") && fs::exists(directory / "manifest.json"))
    refuse_unfinished(directory);
  const View stats = json::read(directory / "stats.json");
  check_version(stats);
  const View manifest = json::read(directory / "manifest.json");
  check_manifest(manifest);
  const bool verified = report::verify_directory(directory, manifest, "stats.json");
  StoredRun run = run_of(directory.string(), stats, manifest);
  run.verified = verified;
  return run;
}

StoredList load_list(const fs::path& directory) {
  const View rows = json::read(directory / "rows.json");
  const View manifest = json::read(directory / "manifest.json");
  check_manifest(manifest);
  const bool verified = report::verify_directory(directory, manifest, "rows.json");
  StoredList list = list_of(directory.string(), rows, manifest);
  list.verified = verified;
  return list;
}

}  // namespace tcsim::results
