#include "sim/results/stored_run.hpp"

#include <fmt/format.h>

#include "sim/files/read_file.hpp"
#include "sim/report/json_report.hpp"

namespace tcsim::results {
namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = files::read_file(path);
  Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw files::IoError(path.string() + ": is damaged: not a JSON document");
  return json;
}

void check_run(const fs::path& path, const Json& stats) {
  const auto refuse = [&](const std::string& reason) {
    throw files::IoError(path.string() + ": " + reason);
  };
  if (!stats.is_object() || !stats.contains("schema_version"))
    refuse("is not the statistics of a run");
  if (stats["schema_version"] != report::kSchemaVersion)
    refuse(fmt::format("has schema version {}; this tcsim reads {}", stats["schema_version"].dump(),
                       report::kSchemaVersion));
  for (const char* part : {"title", "verdict", "facts", "metrics", "counters", "kernels",
                           "cycles_by_reason", "speed_of_light", "activity"}) {
    if (!stats.contains(part))
      refuse(fmt::format("has no '{}', as an older tcsim wrote it; run the workload again", part));
  }
}

const Json* find_scope(const Json& scopes, std::string_view name) {
  for (const auto& [key, scope] : scopes.items()) {
    if (key == name) return &scope;
    if (const Json* found = find_scope(scope.at("children"), name)) return found;
  }
  return nullptr;
}

}  // namespace

std::optional<double> StoredRun::number(std::string_view metric) const {
  for (const char* group : {"metrics", "facts"}) {
    const Json& values = stats.at(group);
    const auto found = values.find(std::string(metric));
    if (found != values.end() && found->at("value").is_number())
      return found->at("value").get<double>();
  }
  return std::nullopt;
}

const Json& StoredRun::scope(std::string_view scope_name) const {
  const Json* found = find_scope(stats.at("counters"), scope_name);
  if (found == nullptr)
    throw files::IoError(fmt::format("{}: stats.json counts no {}", name, scope_name));
  return *found;
}

bool is_list(const fs::path& directory) {
  return fs::exists(directory / "rows.json") && !fs::exists(directory / "stats.json");
}

StoredRun load_run(const fs::path& directory) {
  if (!fs::is_directory(directory))
    throw files::IoError(directory.string() + ": is not the directory of a run");
  StoredRun run{directory.string(), read_json(directory / "stats.json"),
                read_json(directory / "manifest.json")};
  check_run(directory / "stats.json", run.stats);
  return run;
}

StoredList load_list(const fs::path& directory) {
  return {directory.string(), read_json(directory / "rows.json"),
          read_json(directory / "manifest.json")};
}

}  // namespace tcsim::results
