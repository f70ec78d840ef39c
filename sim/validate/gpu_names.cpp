#include "sim/validate/gpu_names.hpp"

#include <array>

namespace tcsim::validate {
namespace {

struct Row {
  std::string_view gpu;
  std::string_view machine;
  std::string_view overrides;  ///< separated by spaces
};

// Clocks, SMs and memory of the variants: data sheets of the boards. A100 without a form is taken
// as the SXM4 board with 40 GB. H800 and A800 differ from H100 and A100 in NVLink and FP64 only.
constexpr std::array<Row, 24> kRows{{
    {"V100-SXM2-16GB", "v100", ""},
    {"V100-SXM2-32GB", "v100", ""},
    {"V100", "v100", ""},
    {"V100-PCIE-16GB", "v100", "clocks.sm_mhz=1380"},
    {"V100-PCIE-32GB", "v100", "clocks.sm_mhz=1380"},
    {"V100-PCIE", "v100", "clocks.sm_mhz=1380"},
    {"T4", "t4", ""},
    {"A100", "a100", ""},
    {"A100-SXM4", "a100", ""},
    {"A100-SXM4-40GB", "a100", ""},
    {"A100-40GB", "a100", ""},
    {"A100-PCIE-40GB", "a100", ""},
    {"A100-PCIE", "a100", ""},
    {"A100-80GB", "a100-80gb", ""},
    {"A100-SXM4-80GB", "a100-80gb", ""},
    {"A100-PCIE-80GB", "a100-80gb", "clocks.memory_mhz=1512"},
    {"A800-SXM-80GB", "a100-80gb", ""},
    {"H100", "h100", ""},
    {"H100-SXM5", "h100", ""},
    {"H100-SXM5-80GB", "h100", ""},
    {"H800-SXM-80GB", "h100", ""},
    {"GH200", "h200", ""},
    {"H200", "h200", ""},
    {"H200-SXM-141GB", "h200", ""},
}};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::optional<GpuModel> gpu_named(std::string_view name) {
  for (const Row& row : kRows)
    if (row.gpu == name) return GpuModel{std::string(row.machine), words_of(row.overrides)};
  return std::nullopt;
}

}  // namespace tcsim::validate
