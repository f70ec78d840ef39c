#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/json/view.hpp"

namespace tcsim::results {

using json::Json;
using json::View;

/// What reports of a directory without checksums say.
inline constexpr const char* kNotVerified =
    "not verified: the tcsim that wrote the directory stored no checksums";

/// A run as its directory holds it. Views take every number from here and count nothing anew.
struct StoredRun {
  std::string name;      ///< the directory as asked for
  View stats;            ///< stats.json
  View manifest;         ///< manifest.json
  bool verified = true;  ///< false: of a tcsim that stored no checksums, so nobody knows

  /// The metric or fact called `metric`; nothing where it does not apply or the run lacks it.
  [[nodiscard]] std::optional<double> number(std::string_view metric) const;
  /// The scope called `scope_name` of the counter tree, as sim/stats writes it. Throws
  /// config::ConfigError if there is none.
  [[nodiscard]] View scope(std::string_view scope_name) const;
};

/// A list of runs as its directory holds it.
struct StoredList {
  std::string name;
  View rows;  ///< rows.json: number, machine, workload, title, status, reason, directory, result
  View manifest;
  bool verified = true;  ///< as StoredRun::verified
};

/// The machine of a result and what was changed in it: "a100, clocks.sm_mhz=1000".
std::string setting_of(const View& result);

/// True if `directory` holds a list (rows.json) and not a single run.
bool is_list(const std::filesystem::path& directory);

/// Throws IoError if `directory` is missing or no directory; UsageError if it holds instances that
/// share a machine, which have no report.
void require_run_directory(const std::filesystem::path& directory);

/// A run and a list from documents in memory, checked as those in files, but for checksums.
StoredRun run_of(const std::string& name, const View& stats, const View& manifest);
StoredList list_of(const std::string& name, const View& rows, const View& manifest);

/// Reads a run and checks all of it: form, types, ranges and the checksums of its manifest. Throws
/// IoError if a file cannot be read; config::ConfigError, `file: key: reason`, if it is not
/// what tcsim writes, was changed since, or comes from a version that this one cannot read.
StoredRun load_run(const std::filesystem::path& directory);

/// The same for a list.
StoredList load_list(const std::filesystem::path& directory);

}  // namespace tcsim::results
