#include "sim/library/family_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/files/nearest.hpp"
#include "sim/library/library_reader.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::library {
namespace {

using config::StrictMap;
using config::TreeNode;
using kernels::KernelFamily;
using kernels::MenuTile;

constexpr int kMostStages = 32;
constexpr int kMostSlices = 1024;

int int_of(StrictMap& map, std::string_view key, int least, int most) {
  return static_cast<int>(map.integer(key, least, most));
}

template <typename Word>
std::vector<Word> listed(StrictMap& map, std::string_view key,
                         const std::vector<std::string_view>& words) {
  std::vector<Word> values;
  for (const std::size_t index : map.words(key, words)) values.push_back(static_cast<Word>(index));
  return values;
}

/// CTAs along m and n of D.
const std::vector<std::string_view>& cluster_words() {
  static const std::vector<std::string_view> words{"1x1", "2x1", "1x2", "4x1", "1x4",
                                                   "2x2", "2x4", "4x2", "8x1", "1x8"};
  return words;
}

/// Integers of packed weights, of four and of eight bits.
const std::vector<std::string_view>& weight_words() {
  static const std::vector<std::string_view> words{"int4", "int8"};
  return words;
}

/// "3" or "3-5".
void read_stages(StrictMap& map, MenuTile& row) {
  const std::string text = map.text("stages");
  const char* end = text.data() + text.size();
  auto [behind, error] = std::from_chars(text.data(), end, row.least_stages);
  row.most_stages = row.least_stages;
  if (error == std::errc{} && behind != end && *behind == '-') {
    const auto rest = std::from_chars(behind + 1, end, row.most_stages);
    behind = rest.ptr;
    error = rest.ec;
  }
  const bool is_good = error == std::errc{} && behind == end && row.least_stages >= 2 &&
                       row.least_stages <= row.most_stages && row.most_stages <= kMostStages;
  if (is_good) return;
  row.least_stages = row.most_stages = 2;
  map.mistake(
      map.place_of("stages"), "stages",
      fmt::format("expected stages as '3' or '3-5' of 2 to {}, got '{}'", kMostStages, text));
}

kernels::TilePreferences read_preferences(StrictMap map) {
  constexpr double kMostFactor = 100;
  kernels::TilePreferences preferences;
  preferences.smallest_side = int_of(map, "smallest_side", 1, 1 << 12);
  preferences.with_slices = map.flag("with_slices");
  for (const TreeNode& item : map.list("factors", /*required=*/true)) {
    StrictMap row(item, map.path_of("factors"), map.mistakes());
    const std::vector<int> sides = row.sizes("tile", 2);
    kernels::TilePreferences::Factor factor;
    if (!sides.empty()) {
      factor.m = sides[0];
      factor.n = sides[1];
    }
    factor.sliced_k = int_of(row, "sliced_k", 1, 32);
    factor.factor = row.number("factor", 1 / kMostFactor, kMostFactor);
    row.finish();
    preferences.factors.push_back(factor);
  }
  map.finish();
  return preferences;
}

kernels::SliceRule read_slices(StrictMap map) {
  constexpr int kMost = 1 << 20;
  kernels::SliceRule rule;
  rule.operands = listed<kernels::Element>(map, "operands", element_words());
  rule.counts = map.integers("counts", 2, kMostSlices);
  rule.margin = map.number("margin", 1, 100);
  rule.most_waves = int_of(map, "most_waves", 1, kMost);
  rule.least_k_tiles = int_of(map, "least_k_tiles", 1, kMost);
  rule.least_k_tiles_of_more = int_of(map, "least_k_tiles_of_more", 1, kMost);
  rule.serial = map.word("sums", {"workspace", "serial"}, 0) == 1;
  if (auto larger = map.section("larger", /*required=*/false)) {
    if (const std::vector<int> sides = larger->sizes("than", 2); !sides.empty())
      rule.larger_than = sides[0] * sides[1];
    rule.larger_least_fill = larger->number("least_fill", 0, 1);
    rule.larger_least_depth = larger->integer("least_depth", 0, kMost);
    larger->finish();
  }
  map.finish();
  return rule;
}

kernels::DeepTiles read_deep(StrictMap map) {
  kernels::DeepTiles deep;
  if (const std::vector<int> sides = map.sizes("tile", 2); !sides.empty())
    deep.size = sides[0] * sides[1];
  deep.k = int_of(map, "k", 1, 1 << 12);
  deep.operands = listed<kernels::Element>(map, "operands", element_words());
  map.finish();
  return deep;
}

kernels::WaveRule read_waves(StrictMap map) {
  constexpr double kMost = 1e6;
  constexpr int kMostCtas = 32;
  kernels::WaveRule rule;
  rule.least_k = int_of(map, "least_k", 1, 1 << 20);
  rule.slice_cycles = map.number("slice_cycles", 0, kMost);
  rule.sum_cycles = map.number("sum_cycles", 0, kMost);
  for (const TreeNode& item : map.list("tiles", /*required=*/true)) {
    StrictMap row(item, map.path_of("tiles"), map.mistakes());
    kernels::WaveRule::Tile tile;
    if (const std::vector<int> sides = row.sizes("tile", 2); !sides.empty()) {
      tile.m = sides[0];
      tile.n = sides[1];
    }
    tile.sliced_k = static_cast<int>(row.integer("sliced_k", 1, kMostCtas, 1));
    tile.cost = row.number("cost", 1e-3, 1e3);
    tile.lead = row.number("lead", 0, kMost);
    tile.idle = row.number("idle", 0, kMost);
    tile.ctas = int_of(row, "ctas", 1, kMostCtas);
    row.finish();
    rule.tiles.push_back(tile);
  }
  map.finish();
  return rule;
}

kernels::ClusterWaveRule::Factor read_factor(StrictMap map) {
  using Factor = kernels::ClusterWaveRule::Factor;
  constexpr int kMostSide = 512;
  constexpr int kMostMultiple = 64;
  constexpr int kMostCluster = 16;
  Factor factor;
  factor.rows = static_cast<int>(map.integer("rows", 0, kMostSide, 0));
  if (const auto roles = map.word("roles", {"any", "cooperative", "ping_pong"}, 0); roles > 0)
    factor.roles = static_cast<kernels::WarpRoles>(roles);
  if (const auto order = map.word("first", {"any", "rows", "weights"}, 0); order > 0)
    factor.swapped = order == 2;
  if (const std::vector<int> widths = map.sizes("width", 2, /*required=*/false); !widths.empty()) {
    factor.least_width = widths[0];
    factor.most_width = widths[1];
  }
  factor.multiple = static_cast<int>(map.integer("multiple", 0, kMostMultiple, 0));
  if (const std::vector<int> ctas = map.sizes("cluster", 2, /*required=*/false); !ctas.empty()) {
    factor.cluster_m = ctas[0];
    factor.cluster_n = ctas[1];
    if (std::max(ctas[0], ctas[1]) > kMostCluster)
      map.mistake(
          map.place_of("cluster"), "cluster",
          fmt::format("{}x{} has more than {} CTAs along a side", ctas[0], ctas[1], kMostCluster));
  }
  factor.factor = map.number("factor", 1e-3, 1e3);
  map.finish();
  return factor;
}

kernels::ClusterWaveRule read_cluster_waves(StrictMap map) {
  constexpr double kMost = 1e6;
  constexpr double kLeastRate = 1e-3;
  kernels::ClusterWaveRule rule;
  const auto cycles = [&](const char* key) { return map.number(key, 0, kMost); };
  const auto rate = [&](const char* key) { return map.number(key, kLeastRate, kMost); };
  rule.constant_cycles = cycles("constant_cycles");
  rule.ping_pong_tile_cycles = cycles("ping_pong_tile_cycles");
  rule.cooperative_tile_cycles = cycles("cooperative_tile_cycles");
  rule.ping_pong_area_cycles = cycles("ping_pong_area_cycles");
  rule.cooperative_area_cycles = cycles("cooperative_area_cycles");
  rule.k_tile_cycles = cycles("k_tile_cycles");
  rule.shared_share = cycles("shared_share");
  rule.fill_bytes = rate("fill_bytes");
  rule.l2_share = rate("l2_share");
  rule.dram_share = rate("dram_share");
  rule.started_rounds = cycles("started_rounds");
  rule.cta_cycles = cycles("cta_cycles");
  rule.cta_area_cycles = cycles("cta_area_cycles");
  rule.slices_cycles = cycles("slices_cycles");
  rule.slice_cycles = cycles("slice_cycles");
  rule.sum_cycles = cycles("sum_cycles");
  rule.least_k = int_of(map, "least_k", 1, 1 << 20);
  rule.most_slices = int_of(map, "most_slices", 1, 32);
  for (const TreeNode& item : map.list("factors", /*required=*/true))
    rule.factors.push_back(read_factor(StrictMap(item, map.path_of("factors"), map.mistakes())));
  map.finish();
  return rule;
}

/// Orders of the operands, clusters and boxes of D of the menu, and the rule that compares them.
void read_forms(StrictMap& map, KernelFamily& family) {
  if (family.math != kernels::MathKind::kGroup) return;
  family.has_both_orders = map.word("first", {"rows", "both"}, 0) == 1;
  family.has_half_boxes = map.word("boxes", {"whole", "half"}, 0) == 1;
  family.waits_each_k_tile = map.word("products", {"open", "waited"}, 0) == 1;
  for (MenuTile& row : family.tiles) {
    row.tile.half_boxes = family.has_half_boxes;
    row.tile.waits_each_k_tile = family.waits_each_k_tile;
  }
  if (map.find("clusters") != nullptr)
    for (const std::size_t index : map.words("clusters", cluster_words())) {
      const std::string_view word = cluster_words()[index];
      family.clusters.emplace_back(word[0] - '0', word[2] - '0');
    }
  if (const auto rule = map.section("cluster_waves", /*required=*/false))
    family.cluster_waves = read_cluster_waves(*rule);
}

kernels::PersistentCosts read_persistent(StrictMap map) {
  constexpr double kMost = 1e6;
  constexpr double kLeastShare = 0.01;
  constexpr double kMostShare = 16;  // of bytes that several SMs ask for at once
  kernels::PersistentCosts costs;
  costs.fill_cycles = map.number("fill_cycles", 0, kMost);
  costs.tile_cycles = map.number("tile_cycles", 0, kMost);
  costs.k_tile_cycles = map.number("k_tile_cycles", 0, kMost);
  costs.product_cycles = map.number("product_cycles", 0, kMost);
  costs.epilogue_cycles = map.number("epilogue_cycles", 0, kMost);
  costs.box_cycles = map.number("box_cycles", 0, kMost);
  costs.load_latency_cycles = map.number("load_latency_cycles", 0, kMost);
  costs.l2_share = map.number("l2_share", kLeastShare, kMostShare);
  costs.dram_efficiency = map.number("dram_efficiency", kLeastShare, 1);
  map.finish();
  return costs;
}

/// Refuses a tile of the menu that the rule of waves does not know.
void check_waves(StrictMap& map, const KernelFamily& family) {
  if (family.waves.tiles.empty()) return;
  for (const MenuTile& row : family.tiles)
    if (!family.waves.has(row.tile))
      map.mistake({row.line, row.column, 0, row.base}, "menu",
                  fmt::format("tile {}x{}, sliced_k {}, has no row in waves.tiles", row.tile.m,
                              row.tile.n, row.tile.sliced_k));
}

void read_menu_name(StrictMap& map, const Menus& menus, KernelFamily& family) {
  const std::string name = map.text("menu");
  if (name.empty()) return;
  if (const auto menu = menus.find(name); menu != menus.end()) {
    family.tiles = menu->second;
    return;
  }
  std::vector<std::string_view> names;
  for (const auto& [known, rows] : menus) names.push_back(known);
  map.mistake(
      map.place_of("menu"), "menu",
      fmt::format("'{}' is not a menu of this file{}", name, files::did_you_mean(name, names)));
}

/// Refuses tiles that no machine can build, whatever its size.
void check_tiles(StrictMap& map, const KernelFamily& family) {
  for (const MenuTile& row : family.tiles) {
    for (const kernels::Element input : family.operands) {
      const std::string problem = kernels::tile_problem(family, row, input);
      if (problem.empty()) continue;
      map.mistake(
          {row.line, row.column, 0, row.base}, "menu",
          fmt::format("tile {}x{}x{} of {} operands: {}", row.tile.m, row.tile.n, row.tile.k,
                      element_words()[static_cast<std::size_t>(input)], problem));
      break;
    }
  }
}

/// What may be left out.
void read_conventions(StrictMap& map, KernelFamily& family) {
  family.copies_lines = map.word("copy_hint", {"none", "ltc128b"}, 0) == 1;
  family.times_powers_of_two = map.word("timed_rows", {"exact", "power_of_two"}, 0) == 1;
  family.packs_taps = map.word("taps", {"one_per_k_tile", "packed"}, 1) == 1;
  family.batches =
      static_cast<kernels::BatchUse>(map.word("batches", {"any", "one", "several"}, 0));
  constexpr int kMostSharedBytes = 1 << 20;
  family.sm_shared_from = static_cast<int>(map.integer("sm_shared_from", 0, kMostSharedBytes, 0));
  family.groups =
      static_cast<kernels::GroupUse>(map.word("row_groups", {"none", "any", "only"}, 0));
  family.has_block_scales = map.word("scales", {"tensor", "block"}, 0) == 1;
  family.takes_fewest_waves = map.word("choice", {"estimates", "fewest_waves"}, 0) == 1;
  family.lends_names = map.word("tiles_by_name", {"own", "next_family"}, 0) == 1;
}

}  // namespace

const std::vector<std::string_view>& element_words() {
  static const std::vector<std::string_view> words(kernels::kElementNames.begin(),
                                                   kernels::kElementNames.end());
  return words;
}

const std::vector<std::string_view>& math_words() {
  static const std::vector<std::string_view> words{
      "cuda_cores", "quad_pair_mma", "mma", "sparse_mma", "dmma", "wgmma", "weight_only_mma"};
  return words;
}

const std::vector<std::string_view>& mover_words() {
  static const std::vector<std::string_view> words{"copy", "staged", "tma"};
  return words;
}

const std::vector<std::string_view>& use_words() {
  static const std::vector<std::string_view> words{"product", "convolution"};
  return words;
}

MenuTile read_menu_tile(StrictMap map) {
  constexpr int kMostGroups = 32;
  MenuTile row;
  row.line = map.place().line;
  row.column = map.place().column;
  row.base = map.place().base;
  if (const std::vector<int> sides = map.sizes("tile", 3); !sides.empty()) {
    row.tile.m = sides[0];
    row.tile.n = sides[1];
    row.tile.k = sides[2];
  }
  if (const std::vector<int> warps = map.sizes("warps", 2); !warps.empty()) {
    row.tile.warps_m = warps[0];
    row.tile.warps_n = warps[1];
  }
  read_stages(map, row);
  row.tile.sliced_k = static_cast<int>(map.integer("sliced_k", 1, kMostGroups, 1));
  row.tile.roles = static_cast<kernels::WarpRoles>(
      map.word("roles", {"uniform", "cooperative", "ping_pong"}, 0));
  if (const std::vector<int> ctas = map.sizes("cluster", 2, /*required=*/false); !ctas.empty()) {
    row.tile.cluster_m = ctas[0];
    row.tile.cluster_n = ctas[1];
  }
  map.finish();
  return row;
}

KernelFamily read_family(StrictMap& map, const Menus& menus) {
  KernelFamily family;
  family.uses = listed<kernels::KernelUse>(map, "computes", use_words());
  family.math = static_cast<kernels::MathKind>(map.word("multiply", math_words()));
  family.movers = listed<kernels::Mover>(map, "load", mover_words());
  family.operands = listed<kernels::Element>(map, "operands", element_words());
  family.results = listed<kernels::Element>(map, "results", element_words());
  read_menu_name(map, menus, family);
  constexpr int kHalves = 2;
  family.k_unit_bytes = map.word("k_unit", {"element", "two_bytes"}) == 1 ? kHalves : 0;
  read_conventions(map, family);
  if (const auto preferences = map.section("preferences", /*required=*/false))
    family.preferences = read_preferences(*preferences);
  if (const auto slices = map.section("slices", /*required=*/false))
    family.slices = read_slices(*slices);
  if (const auto deep = map.section("deep", /*required=*/false)) family.deep = read_deep(*deep);
  if (const auto waves = map.section("waves", /*required=*/false))
    family.waves = read_waves(*waves);
  read_forms(map, family);
  if (family.math == kernels::MathKind::kWeights)
    for (const std::size_t index : map.words("weights", weight_words()))
      family.weight_bits.push_back(index == 0 ? 4 : 8);
  if (family.math == kernels::MathKind::kGroup)
    if (const auto costs = map.section("persistent", /*required=*/true))
      family.persistent = read_persistent(*costs);
  map.finish();
  if (map.is_sound()) check_tiles(map, family);
  if (map.is_sound()) check_waves(map, family);
  return family;
}

}  // namespace tcsim::library
