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
  kCopy,    ///< LDGSTS, any number of stages (Ampere on, at least four bytes at once)
  kStaged,  ///< LDG, then STS: through registers, two stages
  kBox,     ///< UTMALDG: boxes of tensors, any number of stages (Hopper on)
};

/// Which instructions multiply.
/// kGroup: products of warpgroups, which tiles with WarpRoles have.
/// kWeights: kLdsm with PackedWeights.
enum class MathKind : std::uint8_t { kSimt, kQuadPair, kLdsm, kSparse, kDouble, kGroup, kWeights };

/// What a kernel of a library computes: a product of matrices, or a convolution as one (implicit
/// GEMM).
enum class KernelUse : std::uint8_t { kProduct, kConvolution };

/// How many matrices the products are of that kernels compute.
enum class BatchUse : std::uint8_t { kAny, kOne, kSeveral };

/// Whether kernels multiply groups of rows (GemmProblem::groups), whose numbers they read.
enum class GroupUse : std::uint8_t { kNone, kAny, kOnly };

/// A CTA tile of a library with the stages in which it is built. `tile.stages` is unused, `tile.k`
/// counts as KernelFamily::k_unit_bytes says.
struct MenuTile {
  GemmTile tile;
  int least_stages = 2;
  int most_stages = 2;
  int line = 0;    ///< of the library file, from 1
  int column = 0;  ///< likewise
  int base = 0;    ///< 0: of Library::file, n: of the nth of Library::bases
};

/// By what a library's ranking multiplies the estimated time of a tile.
struct TilePreferences {
  struct Factor {
    int m = 0;
    int n = 0;
    int sliced_k = 1;
    double factor = 1;
  };
  /// A factor below 1 is for tiles that are more than half full in m and n, unless the empty side
  /// is this short: there is no tile of half of it.
  int smallest_side = 0;
  bool with_slices = true;  ///< false: a tile whose k is cut has factor 1
  std::vector<Factor> factors;
};

/// Where a library cuts k into slices.
struct SliceRule {
  std::vector<Element> operands;  ///< whose k is cut; empty: none
  std::vector<int> counts;        ///< of slices, ascending
  double margin = 1;              ///< on the estimated time of a tile with slices
  int most_waves = 0;             ///< of CTAs, all slices counted
  int least_k_tiles = 0;          ///< of two slices, each
  int least_k_tiles_of_more = 0;  ///< of more than two
  bool serial = false;            ///< slices add to D in order (GemmTile::serial_k)
  /// Larger CTA tiles than this (m n) are cut where they fill more than `larger_least_fill` of the
  /// machine and slices are `larger_least_depth` elements long; 0: they are cut as others.
  int larger_than = 0;
  double larger_least_fill = 0;
  std::int64_t larger_least_depth = 0;
};

/// CTA tiles (m n) of which a library has deep k-tiles alone: shallower ones come last where the
/// deep ones would fit into shared memory.
struct DeepTiles {
  int size = 0;  ///< m n; 0: none
  int k = 0;
  std::vector<Element> operands;
};

/// What the estimated time of a kernel is made of (docs/libraries.md), in SM cycles and shares.
struct TileCosts {
  double fill_cycles = 0;              ///< address setup and first stage
  double turn_round_cycles = 0;        ///< from the end of a CTA to the fill of the next
  double epilogue_cycles = 0;          ///< besides the stores
  double sliced_epilogue_cycles = 0;   ///< warp groups add their sums
  double epilogue_write_share = 1;     ///< of the SM's port to the L2
  double load_latency_cycles = 0;      ///< from a k-tile's request to its arrival
  double hand_over_cycles = 0;         ///< barrier, wait and first fragments of a copied k-tile
  double sliced_hand_over_cycles = 0;  ///< of a k-tile that warp groups divide
  double staged_hand_over_cycles = 0;  ///< stores to shared memory among them
  double staged_issue_share = 0;       ///< of a k-tile, over which register-staged loads are issued
  double staged_queue_share = 0;       ///< of DRAM's time for a wave, before a CTA's own data
  double dram_efficiency = 1;          ///< activations, turnarounds, refresh
  double half_line_efficiency = 1;     ///< copied rows of half a 128-byte line
  double single_move_cycles = 0;       ///< LDG and STS of 32 single elements
  double reduction_cycles = 0;         ///< the second launch of split-K, besides what follows
  double reduction_cycles_per_slice = 0;  ///< also of the turn of a slice that adds to D
  double reduction_l2_share = 1;          ///< of the L2's bandwidth, few loads of each thread
};

/// The same of persistent kernels of warpgroups (warpgroup_cost.hpp).
struct PersistentCosts {
  double fill_cycles = 0;          ///< from the start of a CTA to its first products
  double tile_cycles = 0;          ///< from tile to tile of a consumer, besides its epilogue
  double k_tile_cycles = 0;        ///< waits and arrivals of a k-tile
  double product_cycles = 0;       ///< of a product, beyond its multiply-adds
  double epilogue_cycles = 0;      ///< besides the boxes of D
  double box_cycles = 0;           ///< of a box of D of 64 rows of 128 bytes
  double load_latency_cycles = 0;  ///< from a k-tile's request to its arrival
  double l2_share = 1;             ///< of the L2's bandwidth
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
  int k_unit_bytes = 0;              ///< bytes of an operand that k of a tile counts; 0: elements
  bool copies_lines = false;         ///< LDGSTS with LTC128B: the L2 fetches whole lines
  bool times_powers_of_two = false;  ///< rows are rounded up to one before tiles are compared
  /// Convolutions: a k-tile holds channels of several taps where one has few. False: every tap has
  /// k-tiles of its own, however few its channels.
  bool packs_taps = true;
  /// Tiles of the next family that computes the same can be asked for by name, too.
  bool lends_names = false;
  BatchUse batches = BatchUse::kAny;
  GroupUse groups = GroupUse::kNone;
  bool has_block_scales = false;    ///< GemmProblem::block_scales, and no others
  std::vector<int> weight_bits;     ///< of PackedWeights, with MathKind::kWeights alone
  bool takes_fewest_waves = false;  ///< its rule instead of estimates, fewest_waves.hpp
  int sm_shared_from = 0;           ///< only for SMs with as much shared memory, bytes
  TilePreferences preferences{};
  SliceRule slices{};
  DeepTiles deep{};
  WaveRule waves{};  ///< by which tiles are compared instead of by estimates, if it has rows
  /// Of MathKind::kGroup: likewise.
  std::optional<ClusterWaveRule> cluster_waves{};
  /// Of MathKind::kGroup: every tile of the menu is there with each of these clusters (along m and
  /// n), and, with both orders, for weights as the first operand too, its sides exchanged. Empty:
  /// clusters are those of the tiles.
  std::vector<std::pair<int, int>> clusters{};
  bool has_both_orders = false;
  bool has_half_boxes = false;     ///< GemmTile::half_boxes
  bool waits_each_k_tile = false;  ///< GemmTile::waits_each_k_tile
  TileCosts costs{};
  std::optional<PersistentCosts> persistent{};  ///< of MathKind::kGroup alone

  [[nodiscard]] bool may_cut(Element operands_of) const;
  /// `tile`, of the library's file, with k in elements of `input`.
  [[nodiscard]] GemmTile in_elements(GemmTile tile, Element input) const;
  /// The tiles with their stages, most stages first, k in elements of `input`.
  [[nodiscard]] std::vector<GemmTile> menu(Element input) const;

 private:
  /// `tile` in both orders, with all clusters.
  void add_forms(GemmTile tile, std::vector<GemmTile>& menu) const;
};

/// What a vendor's library has: kernels and how it picks. Read from a file by sim/library.
struct Library {
  std::string name;
  std::string description;
  std::string file;                    ///< where it was read
  std::vector<std::string> bases;      ///< files on which it builds, each on the next one
  std::string identity;                ///< hash of what the files say, comments excepted
  std::vector<KernelFamily> families;  ///< of products and convolutions
  std::vector<AttentionFamily> attention;
};

/// What a kernel is wanted for.
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

/// That no library of `target` has a kernel, in one sentence.
std::string why_no_family(const Target& target);

}  // namespace tcsim::kernels
