#include "sim/library/attention_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/library/library_reader.hpp"

namespace tcsim::library {
namespace {

using config::StrictMap;
using config::TreeNode;
using kernels::AttentionFamily;
using kernels::AttentionTile;
using kernels::FusedForm;

constexpr int kMostBytes = 1 << 24;
constexpr int kLargestDim = 256;

/// What is generated: rows of Q, keys of a block and warps in these numbers.
void check_tile(StrictMap& map, const kernels::FusedTile& tile) {
  constexpr int kRowsOfAWarp = 16;  // of an MMA
  constexpr int kKeyStep = 16;
  constexpr int kMostKeys = 256;
  if ((tile.warps != 4 && tile.warps != 8) || tile.rows % (kRowsOfAWarp * tile.warps) != 0 ||
      tile.rows > 2 * kRowsOfAWarp * 4)
    map.mistake(map.place_of("warps"), "warps",
                fmt::format("{} rows are none for {} warps; 64 rows take 4, 128 rows 4 or 8",
                            tile.rows, tile.warps));
  if (tile.keys % kKeyStep != 0 || tile.keys > kMostKeys)
    map.mistake(
        map.place_of("tile"), "tile",
        fmt::format("{} keys are no multiple of {} up to {}", tile.keys, kKeyStep, kMostKeys));
}

AttentionTile read_tile(StrictMap map, bool is_paged) {
  AttentionTile row;
  row.line = map.place().line;
  row.column = map.place().column;
  const std::vector<int> sides = map.sizes("tile", 2);
  row.tile.warps = static_cast<int>(map.integer("warps", 1, 32));
  if (!sides.empty()) {
    row.tile.rows = sides[0];
    row.tile.keys = sides[1];
    check_tile(map, row.tile);
  }
  row.most_dim = map.integer("most_dim", 1, kLargestDim);
  row.is_causal_only = map.flag("causal_only", false);
  row.sm_shared_below = static_cast<int>(map.integer("sm_shared_below", 1, kMostBytes, 0));
  row.cta_shared_below = static_cast<int>(map.integer("cta_shared_below", 1, kMostBytes, 0));
  if (is_paged) {
    row.tile.keeps_query = map.flag("keeps_query", false);
    row.tile.is_persistent = map.flag("persistent", false);
  }
  map.finish();
  return row;
}

std::vector<AttentionTile> read_tiles(StrictMap& map, bool is_paged) {
  std::vector<AttentionTile> tiles;
  for (const TreeNode& item : map.list("tiles", /*required=*/true))
    tiles.push_back(read_tile({item, map.path_of("tiles"), map.mistakes()}, is_paged));
  return tiles;
}

kernels::KeySplits read_splits(StrictMap map, bool is_paged) {
  constexpr int kMostSplits = 128;      // of a paged kernel's combining launch
  constexpr int kMostWholeSplits = 32;  // the other one holds a weight of each in registers
  constexpr int kMostSequences = 1 << 20;
  kernels::KeySplits splits;
  splits.tiles = read_tiles(map, is_paged);
  splits.full_share = map.number("full_share", 0.01, 1);
  splits.nearly_best = map.number("nearly_best", 0.01, 1);
  splits.ctas_per_sm = static_cast<int>(map.integer("ctas_per_sm", 1, 32));
  splits.most = static_cast<int>(map.integer("most", 1, is_paged ? kMostSplits : kMostWholeSplits));
  splits.whole_blocks = static_cast<int>(map.integer("whole_blocks", 0, kMostBytes));
  splits.skips_equal = map.flag("skips_equal");
  if (is_paged) {
    splits.schedule.emplace();
    if (auto schedule = map.section("schedule")) {
      splits.schedule->margin = schedule->number("margin", 1, 100);
      splits.schedule->most_sequences = schedule->integer("most_sequences", 1, kMostSequences);
      schedule->finish();
    }
  }
  map.finish();
  return splits;
}

/// Which instructions and how tiles come in; a mistake where no kernel goes with both.
FusedForm read_form(StrictMap& map) {
  const auto math = static_cast<kernels::MathKind>(map.word("multiply", math_words()));
  const auto mover = static_cast<kernels::Mover>(map.word("load", mover_words()));
  if (math == kernels::MathKind::kLdsm)
    return mover == kernels::Mover::kCopy ? FusedForm::kAsync : FusedForm::kTuring;
  if (math != kernels::MathKind::kQuadPair || mover != kernels::Mover::kStaged)
    map.mistake(map.place_of("multiply"), "multiply",
                "attention is multiplied by mma, or by quad_pair_mma with load: staged");
  return FusedForm::kQuadPairs;
}

}  // namespace

AttentionFamily read_attention_family(StrictMap& map) {
  AttentionFamily family;
  const bool is_paged = map.word("algorithm", {"fused", "paged"}) == 1;
  family.algorithm =
      is_paged ? kernels::AttentionAlgorithm::kPaged : kernels::AttentionAlgorithm::kFused;
  family.form = read_form(map);
  for (const std::size_t index : map.words("operands", element_words()))
    family.operands.push_back(static_cast<kernels::Element>(index));
  family.tiles = read_tiles(map, is_paged);
  if (const auto splits = map.section("splits", /*required=*/false))
    family.splits = read_splits(*splits, is_paged);
  map.finish();
  return family;
}

}  // namespace tcsim::library
