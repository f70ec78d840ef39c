#pragma once

#include <string>
#include <vector>

#include "sim/cli/table.hpp"

namespace tcsim::cli {

/// What `library score` is asked.
struct ScoreRequest {
  std::string file;
  std::vector<std::string> libraries;  ///< asked before those of the machines
  std::string machine;                 ///< stands for every GPU of the file; empty: by their names
  bool shows_rows = false;             ///< every row instead of the shares
};

/// `library score FILE`: how often the chooser takes the tile of the named kernel. Throws
/// ContentError for mistakes in the file, NotCovered where no row can be scored.
std::string score_library(const ScoreRequest& request, Format format);

}  // namespace tcsim::cli
