#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::results {

using Json = nlohmann::ordered_json;

/// A run as its directory holds it. Views take every number from here and count nothing anew.
struct StoredRun {
  std::string name;  ///< the directory as asked for
  Json stats;        ///< stats.json
  Json manifest;     ///< manifest.json

  /// The metric or fact called `name`; nothing where it does not apply or the run lacks it.
  [[nodiscard]] std::optional<double> number(std::string_view metric) const;
  /// The scope called `scope` of the counter tree, as sim/stats writes it. Throws files::IoError if
  /// there is none.
  [[nodiscard]] const Json& scope(std::string_view name) const;
};

/// A list of runs as its directory holds it.
struct StoredList {
  std::string name;
  Json rows;  ///< rows.json: number, machine, workload, title, status, reason, directory, result
  Json manifest;
};

/// True if `directory` holds a list (rows.json) and not a single run.
bool is_list(const std::filesystem::path& directory);

/// Reads a run. Throws files::IoError, which names the file, if it is missing, is not what tcsim
/// writes or comes from a version that this one cannot read.
StoredRun load_run(const std::filesystem::path& directory);

/// The same for a list.
StoredList load_list(const std::filesystem::path& directory);

}  // namespace tcsim::results
