#pragma once

#include <string>
#include <vector>

#include "sim/cli/table.hpp"
#include "workloads/kernels/attention/attention_family.hpp"

namespace tcsim::cli {

/// `library list`: the shipped libraries in one line each.
std::string list_libraries(Format format);

/// `library show NAME|FILE`: kernels and tiles; with `machine` which of them it cannot build,
/// and why.
std::string show_library(const std::string& library, const std::string& machine, Format format);

/// A tile of a family of attention kernels.
struct ListedTile {
  const kernels::AttentionTile* row = nullptr;  ///< of the family
  bool is_split = false;                        ///< for CTAs that share keys
  std::string purpose;  ///< "dim to 64, causal, SM below 131072 B": what it is for
};

/// Those of `family`, which outlives them, in its order.
std::vector<ListedTile> tiles_of(const kernels::AttentionFamily& family);

}  // namespace tcsim::cli
