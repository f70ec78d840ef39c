#pragma once

#include <cctype>
#include <cstdint>
#include <string>

namespace tcsim::measure {

/// The names of a board in the tables.
struct Board {
  std::string gpu;    ///< `gpu` column of times and microbenchmarks, as `tcsim validate` knows it
  std::string token;  ///< first word of the names of the files with measured bits
};

namespace board_detail {

inline bool has(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

inline std::string form(const std::string& name, const char* sxm) {
  if (has(name, "PCIE") || has(name, "PCIe")) return "-PCIE";
  return has(name, "SXM") || has(name, "HBM3") ? sxm : "";
}

/// "NVIDIA RTX A6000" becomes "RTX-A6000".
inline std::string plain(const std::string& name) {
  const std::string brand = "NVIDIA ";
  std::string text = name.rfind(brand, 0) == 0 ? name.substr(brand.size()) : name;
  for (char& character : text)
    if (std::isalnum(static_cast<unsigned char>(character)) == 0) character = '-';
  return text;
}

}  // namespace board_detail

/// Names for what CUDA calls `name`, with `memory_bytes` of memory and compute capability `sm`
/// (75, 80, ...). The spellings are those of the reference tables; sources of the CUDA names: the
/// boards' device queries in the driver.
inline Board board_of(const std::string& name, std::int64_t memory_bytes, int sm) {
  using board_detail::form;
  using board_detail::has;
  const std::int64_t gib = memory_bytes >> 30;
  if (has(name, "V100"))
    return {"V100" + form(name, "-SXM2") + (gib > 20 ? "-32GB" : "-16GB"), "v100"};
  if (has(name, "Tesla T4") || name == "NVIDIA T4") return {"T4", "t4"};
  if (has(name, "A100"))
    return {"A100" + form(name, "-SXM4") + (gib > 45 ? "-80GB" : "-40GB"), "a100"};
  if (has(name, "GH200")) return {"GH200", "h200"};
  if (has(name, "H200")) return {has(name, "NVL") ? "H200-NVL-141GB" : "H200-SXM-141GB", "h200"};
  if (has(name, "H100")) {
    if (has(name, "NVL")) return {"H100-NVL-94GB", "h100"};
    return {"H100" + form(name, "-SXM5") + "-80GB", "h100"};
  }
  if (has(name, "L40S")) return {"L40S", "l40s"};
  return {board_detail::plain(name), "sm" + std::to_string(sm)};
}

}  // namespace tcsim::measure
