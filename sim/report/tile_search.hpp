#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::report {

/// A tile that was simulated.
struct TriedTile {
  std::string tile;
  std::optional<double> time_us{};
  std::string reason{};  ///< why there is no time; empty otherwise
};

/// The top-ranked tiles of a library for a product or a convolution, each simulated.
struct TileSearch {
  std::vector<TriedTile> tiles{};  ///< the library's choice first

  /// The one that takes least, the first of several; null if none has a time.
  [[nodiscard]] const TriedTile* best() const;
  /// By how much the library's choice takes longer than the best, relative; nothing if it has no
  /// time.
  [[nodiscard]] std::optional<double> lost() const;
};

/// "The library's choice, 128x128x32, takes 3.1 % longer than the best of 8 tiles, ...".
std::string tile_search_sentence(const TileSearch& search);
/// The sentence and a table, the fastest first.
std::string tile_search_text(const TileSearch& search);
/// The object `tiles` of JSON output.
nlohmann::ordered_json tile_search_json(const TileSearch& search);

}  // namespace tcsim::report
