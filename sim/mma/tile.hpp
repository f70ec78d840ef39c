#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "models/numerics/tensor_arithmetic.hpp"

namespace tcsim::mma {

/// `tcsim mma tile`: replays whole instructions on register images.
struct TileOptions {
  std::vector<std::string> files;  ///< JSON lines, plain or gzipped; see parse_tile.
  std::optional<numerics::TensorArithmetic> core{};  ///< Replaces what the files name.
};

/// Prints tiles, mismatching tiles and the first lane and register that differ; returns whether
/// every tile agrees. Throws as parse_tile, UsageError for no tiles, IoError for a file that cannot
/// be read.
bool replay_tiles(const TileOptions& options, std::ostream& out);

}  // namespace tcsim::mma
