#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::validate {

/// The machine file that stands for a GPU of a measurement, and what must be changed in it.
struct GpuModel {
  std::string machine;
  std::vector<std::string> overrides;  ///< key.path=value
};

/// The machine behind the name of a board, "A100-SXM4-80GB". Nothing if no machine file stands for
/// it.
std::optional<GpuModel> gpu_named(std::string_view name);

}  // namespace tcsim::validate
