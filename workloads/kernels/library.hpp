#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/kernels/attention/attention_family.hpp"
#include "workloads/kernels/cluster_wave_rule.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/wave_rule.hpp"

namespace tcsim::kernels {

/// How k-tiles reach shared memory.
enum class Mover : std::uint8_t {
  kCopy,    ///< LDGSTS, any number of stages (Ampere and later, at least four bytes at once)
  kStaged,  ///< LDG, then STS: through registers, two stages
  kBox,     ///< UTMALDG: boxes of tensors, any number of stages (Hopper and later)
};

/// Which instructions multiply.
/// kGroup: products of warpgroups, for tiles with WarpRoles.
/// kWeights: kLdsm with PackedWeights.
enum class MathKind : std::uint8_t { kSimt, kQuadPair, kLdsm, kSparse, kDouble, kGroup, kWeights };

/// What a kernel of a library computes: a product of matrices, or a convolution as one (implicit
/// GEMM).
enum class KernelUse : std::uint8_t { kProduct, kConvolution };

/// How many matrices the products have that the kernels compute.
enum class BatchUse : std::uint8_t { kAny, kOne, kSeveral };

/// Whether kernels multiply groups of rows (GemmProblem::groups), whose numbers they read.
enum class GroupUse : std::uint8_t { kNone, kAny, kOnly };

/// A CTA tile of a library and the numbers of stages in which it is built. `tile.stages` is unused;
/// `tile.k` counts in the unit that KernelFamily::k_unit_bytes states.
struct MenuTile {
  GemmTile tile;
  int least_stages = 2;
  int most_stages = 2;
  int line = 0;    ///< in the library file, from 1
  int column = 0;  ///< in the library file, from 1
  int base = 0;    ///< 0: in Library::file, n: in the nth of Library::bases
};

/// Factors by which a library's ranking multiplies the estimated time of a tile.
struct TilePreferences {
  struct Factor {
    int m = 0;
    int n = 0;
    int sliced_k = 1;
    double factor = 1;
  };
  /// A factor below 1 applies only to tiles that are more than half full in m and n. A half-empty
  /// side this short does not count, since there is no tile of half of it.
  int smallest_side = 0;
  bool with_slices = true;  ///< false: a tile whose k is cut has factor 1
  std::vector<Factor> factors;
};

/// When a library cuts k into slices.
struct SliceRule {
  std::vector<Element> operands;  ///< operand formats whose k is cut; empty: none
  std::vector<int> counts;        ///< numbers of slices, ascending
  double margin = 1;              ///< on the estimated time of a tile with slices
  int most_waves = 0;             ///< waves of CTAs, counting all slices
  int least_k_tiles = 0;          ///< per slice, with two slices
  int least_k_tiles_of_more = 0;  ///< per slice, with more than two
  bool serial = false;            ///< slices add to D in order (GemmTile::serial_k)
  /// CTA tiles with m n above this are cut if they fill more than `larger_least_fill` of the
  /// machine and their slices are at least `larger_least_depth` elements long; 0: they are cut like
  /// the others.
  int larger_than = 0;
  double larger_least_fill = 0;
  std::int64_t larger_least_depth = 0;
};

/// CTA tile size (m n) that a library has only with deep k-tiles: shallower tiles come last if the
/// deep ones would fit into shared memory.
struct DeepTiles {
  int size = 0;  ///< m n; 0: none
  int k = 0;
  std::vector<Element> operands;
};

/// The terms of a kernel's estimated time (docs/libraries.md), in SM cycles and shares.
struct TileCosts {
  double fill_cycles = 0;              ///< address setup and first stage
  double turn_round_cycles = 0;        ///< from the end of a CTA to the fill of the next
  double epilogue_cycles = 0;          ///< in addition to the stores
  double sliced_epilogue_cycles = 0;   ///< warp groups add their sums
  double epilogue_write_share = 1;     ///< share of the SM's port to the L2
  double load_latency_cycles = 0;      ///< from a k-tile's request to its arrival
  double hand_over_cycles = 0;         ///< barrier, wait and first fragments of a copied k-tile
  double sliced_hand_over_cycles = 0;  ///< the same for a k-tile that warp groups divide
  double staged_hand_over_cycles = 0;  ///< including stores to shared memory
  double staged_issue_share = 0;  ///< share of a k-tile in which register-staged loads are issued
  double staged_queue_share = 0;  ///< of DRAM's time for a wave, the share before a CTA's own data
  double dram_efficiency = 1;     ///< activations, turnarounds, refresh
  double half_line_efficiency = 1;  ///< copied rows of half a 128-byte line
  double single_move_cycles = 0;    ///< LDG and STS of 32 single elements
  double reduction_cycles = 0;      ///< the second launch of split-K, without the parts that follow
  double reduction_cycles_per_slice = 0;  ///< also for the turn of a slice that adds to D
  /// share of the L2's bandwidth, with few loads per thread
  double reduction_l2_share = 1;
};

/// The same for persistent warpgroup kernels (warpgroup_cost.hpp).
struct PersistentCosts {
  double fill_cycles = 0;          ///< from the start of a CTA to its first products
  double tile_cycles = 0;          ///< from tile to tile of a consumer, without its epilogue
  double k_tile_cycles = 0;        ///< waits and arrivals of a k-tile
  double product_cycles = 0;       ///< per product, in addition to its multiply-adds
  double epilogue_cycles = 0;      ///< without the boxes of D
  double box_cycles = 0;           ///< per box of D with 64 rows of 128 bytes
  double load_latency_cycles = 0;  ///< from a k-tile's request to its arrival
  double l2_share = 1;             ///< share of the L2's bandwidth
  double dram_efficiency = 1;      ///< activations, turnarounds, refresh
};

/// Kernels of one kind that a library has, and the rule by which it picks among them.
struct KernelFamily {
  std::string library;  ///< name of the library
  std::string name;     ///< within it
  std::vector<KernelUse> uses;
  MathKind math = MathKind::kLdsm;
  std::vector<Mover> movers;
  std::vector<Element> operands;
  std::vector<Element> results;
  std::vector<MenuTile> tiles;
  /// Bytes of an operand that one unit of a tile's k stands for; 0: k counts elements.
  int k_unit_bytes = 0;
  bool copies_lines = false;  ///< LDGSTS with LTC128B: the L2 fetches whole lines
  /// Rows are rounded up to a power of two before tiles are compared.
  bool times_powers_of_two = false;
  /// Convolutions: a k-tile holds channels of several taps if a tap has few. False: every tap has
  /// its own k-tiles, however few its channels.
  bool packs_taps = true;
  /// Tiles of the next family that computes the same can also be asked for by name.
  bool lends_names = false;
  BatchUse batches = BatchUse::kAny;
  GroupUse groups = GroupUse::kNone;
  bool has_block_scales = false;    ///< only problems with GemmProblem::block_scales
  std::vector<int> weight_bits;     ///< bits of PackedWeights, only with MathKind::kWeights
  bool takes_fewest_waves = false;  ///< uses the rule of fewest_waves.hpp instead of estimates
  int sm_shared_from = 0;           ///< only for SMs with at least this much shared memory, bytes
  TilePreferences preferences{};
  SliceRule slices{};
  DeepTiles deep{};
  WaveRule waves{};  ///< compares tiles instead of estimates, if it has rows
  /// The same for MathKind::kGroup.
  std::optional<ClusterWaveRule> cluster_waves{};
  /// For MathKind::kGroup: the menu has every tile with each of these clusters (along m and n).
  /// With both orders it also has the tile with weights as the first operand, its sides exchanged.
  /// Empty: the tiles state their own clusters.
  std::vector<std::pair<int, int>> clusters{};
  bool has_both_orders = false;
  bool has_half_boxes = false;     ///< GemmTile::half_boxes
  bool waits_each_k_tile = false;  ///< GemmTile::waits_each_k_tile
  TileCosts costs{};
  std::optional<PersistentCosts> persistent{};  ///< only for MathKind::kGroup

  [[nodiscard]] bool may_cut(Element operands_of) const;
  /// `tile` from the library's file, with k in elements of `input`.
  [[nodiscard]] GemmTile in_elements(GemmTile tile, Element input) const;
  /// The tiles with their stages, most stages first, k in elements of `input`.
  [[nodiscard]] std::vector<GemmTile> menu(Element input) const;

 private:
  /// Adds `tile` in both orders and with all clusters.
  void add_forms(GemmTile tile, std::vector<GemmTile>& menu) const;
};

/// What a vendor's library has: kernels and the rules by which it picks. sim/library reads it from
/// a file.
struct Library {
  std::string name;
  std::string description;
  std::string file;                    ///< the file that was read
  std::vector<std::string> bases;      ///< files on which it builds; each builds on the next one
  std::string identity;                ///< hash of the files' content without comments
  std::vector<KernelFamily> families;  ///< kernels of products and convolutions
  std::vector<AttentionFamily> attention;
};

/// What a caller wants a kernel for.
struct FamilyWish {
  KernelUse use = KernelUse::kProduct;
  MathKind math = MathKind::kLdsm;
  Mover mover = Mover::kCopy;
  Element operands = Element::kFp16;
  Element results = Element::kFp16;
  std::int64_t batch = 1;
  int sm_shared_bytes = 0;
  bool block_scales = false;
  bool is_grouped = false;
  int weight_bits = 0;
};

/// The families of `libraries` that have kernels for `wish`, in the order of the libraries. Each
/// keeps its library alive.
std::vector<std::shared_ptr<const KernelFamily>> families_for(const Libraries& libraries,
                                                              const FamilyWish& wish);

/// States in one sentence that no library of `target` has a kernel.
std::string why_no_family(const Target& target);

}  // namespace tcsim::kernels
