#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/mma/input_error.hpp"

namespace tcsim::mma {

/// `tcsim mma tile`: replays whole instructions on register images.
struct TileOptions {
  std::vector<std::string> files;  ///< JSON lines, plain or gzipped; see parse_tile.
  std::optional<numerics::TensorArithmetic> core{};  ///< In the place of what the files say.
};

/// Prints tiles, mismatching tiles and the first lane and register that differ. Mistakes go to
/// `errors` as one line. Returns a Status: kMismatch if any tile differs.
int run_mma_tile(const TileOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace tcsim::mma
