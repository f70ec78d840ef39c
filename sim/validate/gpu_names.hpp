#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tcsim::validate {

/// The machine file for a GPU of a measurement, and what must be changed in it.
struct GpuModel {
  std::string machine;
  std::vector<std::string> overrides;  ///< key.path=value
};

/// The boards that the machines of the configs folder stand for, by the names that their files list
/// under descriptive.measured_as.
class GpuNames {
 public:
  /// Reads every machine of the folder. Throws config::ConfigError for one with mistakes, and where
  /// two claim the same name; IoError for one that cannot be read.
  GpuNames();

  /// `machine` stands for every board.
  explicit GpuNames(std::string machine) : only_(GpuModel{std::move(machine), {}}) {}

  /// The machine of the board of this name, "A100-SXM4-80GB". Nothing if no machine file stands for
  /// it.
  [[nodiscard]] std::optional<GpuModel> find(std::string_view name) const;

 private:
  std::optional<GpuModel> only_;
  std::map<std::string, GpuModel, std::less<>> models_;
};

}  // namespace tcsim::validate
