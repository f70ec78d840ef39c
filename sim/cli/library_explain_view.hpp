#pragma once

#include <string>
#include <vector>

#include "sim/cli/table.hpp"

namespace tcsim::cli {

/// What `library explain` is asked.
struct ExplainRequest {
  std::string workload;  ///< gemm:..., conv:... or attn:...
  std::string machine;
  std::vector<std::string> overrides;  ///< key.path=value
  std::vector<std::string> libraries;  ///< asked before those of the machine
  std::string unit;                    ///< tensor, cuda-core; empty: as for `tcsim run`
};

/// `library explain`: the candidates for a workload, the parts of their estimated times, the
/// pick and why. Throws NotCovered where there is no kernel or nothing to choose.
std::string explain_choice(const ExplainRequest& request, Format format);

}  // namespace tcsim::cli
