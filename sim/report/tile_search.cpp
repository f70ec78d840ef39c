#include "sim/report/tile_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/report/layout.hpp"
#include "sim/report/or_null.hpp"

namespace tcsim::report {
namespace {

double order_of(const TriedTile& tile) {
  return tile.time_us.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

const TriedTile* TileSearch::best() const {
  const auto least = std::ranges::min_element(tiles, {}, order_of);
  return least == tiles.end() || !least->time_us ? nullptr : &*least;
}

std::optional<double> TileSearch::lost() const {
  const TriedTile* const least = best();
  if (least == nullptr || !tiles.front().time_us) return {};
  return *tiles.front().time_us / *least->time_us - 1;
}

std::string tile_search_sentence(const TileSearch& search) {
  const TriedTile* const best = search.best();
  const auto lost = search.lost();
  if (best == nullptr || !lost) return "No tile could be compared with the library's choice.";
  if (best == &search.tiles.front())
    return fmt::format("None of the {} top-ranked tiles is faster than the library's choice, {}.",
                       search.tiles.size(), best->tile);
  return fmt::format(
      "The library's choice, {}, takes {:.1f} % longer than the best of the {} top-ranked "
      "tiles, {}.",
      search.tiles.front().tile, 100 * *lost, search.tiles.size(), best->tile);
}

std::string tile_search_text(const TileSearch& search) {
  std::vector<TriedTile> sorted = search.tiles;
  std::ranges::stable_sort(sorted, {}, order_of);
  std::vector<std::vector<std::string>> rows;
  for (const TriedTile& tile : sorted)
    rows.push_back({tile.tile, tile.time_us ? fmt::format("{:.2f}", *tile.time_us) : "-",
                    tile.time_us && search.tiles.front().time_us
                        ? fmt::format("{:.3f}", *search.tiles.front().time_us / *tile.time_us)
                        : "-",
                    tile.tile == search.tiles.front().tile ? "the library's choice" : tile.reason});
  return fmt::format("  {}\n\n{}", tile_search_sentence(search),
                     indented(aligned_table({{"tile", "us", "x as fast", ""}, rows})));
}

nlohmann::ordered_json tile_search_json(const TileSearch& search) {
  const auto lost = search.lost();
  nlohmann::ordered_json json{{"sentence", tile_search_sentence(search)},
                              {"best", search.best() == nullptr ? "" : search.best()->tile},
                              {"lost", or_null(lost)},
                              {"tried", nlohmann::ordered_json::array()}};
  for (const TriedTile& tile : search.tiles)
    json["tried"].push_back(
        {{"tile", tile.tile}, {"time_us", or_null(tile.time_us)}, {"reason", tile.reason}});
  return json;
}

}  // namespace tcsim::report
