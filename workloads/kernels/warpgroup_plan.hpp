#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/isa/async_operands.hpp"
#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/group_mma.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/sparse_metadata.hpp"
#include "workloads/kernels/stream_k.hpp"

// What the programs of a warp-specialised kernel share (warp_specialised.hpp).
namespace tcsim::kernels::warpgroups {

inline constexpr int kRowBytes = 128;  ///< row of a k-tile, and of a box of D: the widest swizzle
inline constexpr isa::TileSwizzle kSwizzle = isa::TileSwizzle::k128;
inline constexpr int kPatternBytes = isa::pattern_bytes(kSwizzle);
inline constexpr int kStoreBuffers = 2;                          ///< per consumer, for boxes of D
inline constexpr int kStoreBytes = isa::kGroupRows * kRowBytes;  ///< largest box of D
inline constexpr isa::Variable kTileLoop = isa::Variable::kLoop0;
inline constexpr isa::Variable kStepLoop = isa::Variable::kLoop1;

inline constexpr int kFactorBytes = 4;  ///< FP32
inline constexpr int kMetadataRowBytes = MetadataOrder::kChunksOfWord / 2;
inline constexpr int kMostConsumers = 3;  ///< multiplying warpgroups, after the producer's
inline constexpr int kFirstSums = 8;

/// Registers of a thread. All warpgroups start with `launch`; then the producer gives some of its
/// registers to the consumers.
struct RegisterBudget {
  int launch;
  int producer;
  int consumer;
};
/// Sources: hopper.md 5; one consumer has the same budget as two.
constexpr RegisterBudget register_budget(int consumers) {
  return consumers < kMostConsumers ? RegisterBudget{168, 40, 232} : RegisterBudget{128, 32, 160};
}

/// Tensor maps of the kernel, and buffers of the same numbers. WarpgroupPlan states those of row
/// groups and of the epilogue.
enum Map : int {
  kMapA,
  kMapB,
  kMapD,
  kMapScaleA,
  kMapMetadata = kMapScaleA,
  kMapRestOfD = kMapScaleA
};
/// Buffer of the block scales of B, after that of kMapScaleA.
inline constexpr int kScaleB = kMapScaleA + 1;

/// Adds consumer * weight, for warps after the producer's warpgroup.
void add_consumer(isa::Expression& sum, std::int64_t weight);

/// Guard that only the first warp of each warpgroup passes; that warp signals for the warpgroup.
int first_warp(ProgramBuilder& builder);

/// The format of the products of `problem`, or nothing.
std::optional<isa::GroupFormats> formats_of(const GemmProblem& problem);

/// True if B lies across k and products can take it only from registers, as their first operand;
/// tiles are then swapped.
bool takes_b_first(const GemmProblem& problem);

/// Numbers that all parts of a kernel share. If the tile is swapped, problem and tile are those of
/// D^T = B^T A^T: m is the problem's n, and columns of what the warpgroups multiply are rows of D
/// in memory.
struct WarpgroupPlan {
  GemmProblem problem;
  GemmTile tile;
  isa::Opcode product{};
  std::int64_t tiles_m = 0;  ///< tiles of a cluster along m, of one matrix
  std::int64_t tiles_n = 0;
  std::int64_t rows = 0;     ///< rows of cluster tiles, over all matrices
  std::int64_t tiles = 0;    ///< over all matrices and slices of k
  std::int64_t k_tiles = 0;  ///< per slice
  std::int64_t strip = 1;    ///< width, in tiles along n, of the strips that order the tiles
  std::int64_t grid = 0;     ///< clusters
  std::optional<StreamK> stream_k{};

  /// k-tiles of a tap. Requires images.
  [[nodiscard]] std::int64_t tap_k_tiles() const {
    return ceil_div<std::int64_t>(problem.images->channels, tile.k);
  }
  /// Positions in the ring of stages that a tile takes. DeepGEMM's loops are whole rounds: a tile
  /// begins with the first stage, and stages of its last round that have no k-tile are passed on
  /// empty ("unaligned cases" of fp8_gemm.cuh).
  [[nodiscard]] std::int64_t ring_places() const {
    if (!problem.block_scales) return k_tiles;
    return ceil_div<std::int64_t>(k_tiles, tile.stages) * tile.stages;
  }
  /// Number of multiplying warpgroups.
  [[nodiscard]] int consumers() const { return tile.warps_m * tile.warps_n / isa::kGroupWarps; }
  /// True if every warp loads from a stage: factors, metadata, or A.
  [[nodiscard]] bool warps_read_stages() const {
    return problem.block_scales || problem.sparse || a_in_registers();
  }
  /// How many warps signal that a stage has been read: one warp of each warpgroup, whose products
  /// are executed as one; all warps if each loads from the stage.
  [[nodiscard]] int readers() const {
    const int warps = warps_read_stages() ? isa::kGroupWarps : 1;
    return is_ping_pong() ? warps : consumers() * warps;
  }
  [[nodiscard]] bool is_ping_pong() const { return tile.roles == WarpRoles::kPingPong; }
  /// True if rows of A lie along m, and of B along n. A box of a k-tile then has kRowBytes of those
  /// rows, with k rows.
  [[nodiscard]] bool a_is_turned() const { return problem.layout_a == Layout::kTransposed; }
  [[nodiscard]] bool b_is_turned() const { return problem.layout_b == Layout::kNormal; }
  /// True if A is in registers. Products can read operands that lie across k from shared memory
  /// only if their elements have 16 bits. TF32 operands come from registers instead, which is
  /// possible for A (CUTLASS's sm90_mma_tma_gmma_rs_warpspecialized).
  [[nodiscard]] bool a_in_registers() const { return a_is_turned() && bytes() > 2; }
  [[nodiscard]] int bytes() const { return element_bytes(problem.input); }
  [[nodiscard]] int output_bytes() const { return element_bytes(problem.output); }
  [[nodiscard]] int a_bytes() const { return tile.m * kRowBytes; }
  /// Bytes of B in a k-tile. Its rows have kRowBytes, or twice that if A is sparse: boxes of
  /// kRowBytes one after another.
  [[nodiscard]] int boxes_of_b() const { return problem.sparse ? 2 : 1; }
  [[nodiscard]] int b_bytes() const { return tile.n * kRowBytes * boxes_of_b(); }
  [[nodiscard]] int stage_bytes() const { return a_bytes() + b_bytes(); }
  /// Words of metadata per lane, for a k-tile of a block of 64 rows.
  [[nodiscard]] int metadata_words() const {
    const int chunk = MetadataOrder::chunk_elements(problem.input);
    return problem.sparse ? tile.k / chunk / MetadataOrder::kChunksOfWord : 0;
  }
  /// CTAs of a cluster, cluster_m along m and cluster_n along n. CTAs in one row of it share rows
  /// of A, CTAs in one column share columns of B. Rank = place along m + cluster_m * place along n.
  [[nodiscard]] int cluster() const { return tile.cluster_m * tile.cluster_n; }
  [[nodiscard]] bool shares_a() const { return tile.cluster_n > 1; }
  [[nodiscard]] bool shares_b() const { return tile.cluster_m > 1; }
  /// Rows of A and columns of B that a CTA reads.
  [[nodiscard]] int rows_read() const { return tile.m / tile.cluster_n; }
  [[nodiscard]] int columns_read() const { return tile.n / tile.cluster_m; }
  /// weight * (place of the CTA along m or n in its cluster, or of the CTA `other` places further,
  /// cyclically).
  [[nodiscard]] isa::Term place_m(std::int64_t weight, int other = 0) const;
  [[nodiscard]] isa::Term place_n(std::int64_t weight, int other = 0) const;
  /// Number of CTAs whose stages this one writes, including itself, and that write its stages.
  [[nodiscard]] int partners() const { return tile.cluster_m + tile.cluster_n - 1; }
  /// The rank of the CTA that is so many places further along m and n.
  [[nodiscard]] isa::Expression rank_of(int other_m, int other_n) const;
  /// Bytes of factors, or of metadata, for the rows of A of a k-tile; 0 if there are none.
  [[nodiscard]] int scale_bytes() const {
    if (problem.sparse) return metadata_words() * kMetadataRowBytes * tile.m;
    return problem.block_scales ? kFactorBytes * tile.m : 0;
  }
  /// True if cooperating consumers divide the rows of a tile; they divide its columns if rows are
  /// too few.
  [[nodiscard]] bool divides_rows() const {
    return !is_ping_pong() && tile.m % (consumers() * isa::kGroupRows) == 0;
  }
  [[nodiscard]] bool divides_columns() const { return !is_ping_pong() && !divides_rows(); }
  [[nodiscard]] int consumer_rows() const { return divides_rows() ? tile.m / consumers() : tile.m; }
  [[nodiscard]] int consumer_columns() const {
    return divides_columns() ? tile.n / consumers() : tile.n;
  }
  /// Buffers after those of factors: of row groups, of the epilogue.
  [[nodiscard]] int group_buffer() const {
    if (problem.sparse) return kMapMetadata + 1;
    return problem.block_scales ? kScaleB + 1 : kMapD + 1;
  }
  [[nodiscard]] int post_buffer() const { return group_buffer() + (problem.is_grouped() ? 1 : 0); }
  /// With stream-K: buffer of the flags; the workspace follows it.
  [[nodiscard]] int flag_buffer() const;
  /// Parts of shared tiles that consumers hand over; at least one.
  [[nodiscard]] std::int64_t shared_parts() const {
    return std::max<std::int64_t>(1, stream_k->deal().shared_tiles) * cluster() * consumers();
  }
  /// Rows of cluster tiles that `count` rows of D take.
  [[nodiscard]] std::int64_t row_tiles(std::int64_t count) const {
    return ceil_div<std::int64_t>(count, std::int64_t{tile.m} * tile.cluster_m);
  }
  /// True if tiles extend beyond the last row or column of D, partly or, because clusters are
  /// whole, completely.
  [[nodiscard]] bool tiles_pass_rows() const {
    return tiles_m * tile.cluster_m * tile.m > problem.m;
  }
  [[nodiscard]] bool tiles_pass_columns() const {
    return tiles_n * tile.cluster_n * tile.n > problem.n;
  }
  /// With slices of k, each slice has its own D, which holds the sums of its part.
  [[nodiscard]] bool has_slices() const { return tile.split_k > 1; }
  [[nodiscard]] std::int64_t results() const { return problem.batch * tile.split_k; }
  /// A consumer multiplies blocks of 64 rows by parts of its columns.
  [[nodiscard]] int blocks() const { return consumer_rows() / isa::kGroupRows; }
  [[nodiscard]] int parts() const { return ceil_div(consumer_columns(), isa::kMostGroupWidth); }
  [[nodiscard]] int width() const { return consumer_columns() / parts(); }
  [[nodiscard]] int sums_of_part() const { return isa::opcode_info(product).dst_registers; }
  [[nodiscard]] int sums() const { return blocks() * parts() * sums_of_part(); }
  /// With block scales: the sums of a k-tile, after those of the tile; factors of two rows, read
  /// and multiplied; factors of the columns' first block and the next.
  [[nodiscard]] int first_partial() const { return kFirstSums + sums(); }
  [[nodiscard]] int first_factor() const { return first_partial() + sums(); }
  /// With a sparse A: metadata words of block after block, after the sums.
  [[nodiscard]] int first_metadata() const { return kFirstSums + sums(); }
  /// With A in registers: the fragments of a k-tile, block after block, step by step, after the
  /// sums.
  [[nodiscard]] int first_fragment() const { return kFirstSums + sums(); }
  [[nodiscard]] int fragments() const {
    return blocks() * steps() * isa::opcode_info(product).src_registers[0];
  }
  [[nodiscard]] int first_after_sums() const {
    constexpr int kFactors = 10;
    if (a_in_registers()) return first_fragment() + fragments();
    if (problem.sparse) return first_metadata() + blocks() * metadata_words();
    return problem.block_scales ? first_factor() + kFactors : first_partial();
  }
  /// True if the columns of a tile may lie in two blocks of factors.
  [[nodiscard]] bool straddles_blocks() const {
    return problem.block_scales && kScaledBlock % tile.n != 0;
  }
  [[nodiscard]] int steps() const { return kRowBytes / isa::kGroupRowBytes; }
  /// DeepGEMM's first version stores D as one box per tile, without reordering its rows, and waits
  /// until the box has been read. Others send box after box through buffers
  /// (warpgroup_epilogue.hpp).
  [[nodiscard]] bool stores_whole_tiles() const { return problem.block_scales; }
  /// Rows of a box of D. With FP32 results, a whole tile may be larger than a box.
  [[nodiscard]] int store_rows() const {
    const bool fits = tile.m * store_row_bytes() <= isa::TensorMap::kMostBoxBytes;
    return stores_whole_tiles() && fits ? tile.m : isa::kGroupRows;
  }
  /// Number of warps that meet for a box of D.
  [[nodiscard]] int meeting_warps() const {
    return isa::kGroupWarps * (stores_whole_tiles() ? consumers() : 1);
  }
  /// Bytes of a row of a box of D, as wide as parts of columns allow; 0 if they allow none.
  [[nodiscard]] int store_row_bytes() const;
  /// Columns of a box. With half boxes, the last box may hold the rest of a part; other boxes
  /// divide parts.
  [[nodiscard]] int store_columns() const;
  [[nodiscard]] int rest_of_columns() const { return width() % store_columns(); }
  /// Swizzle of a box with so many columns.
  [[nodiscard]] isa::TileSwizzle store_swizzle(int columns) const;
  /// Bytes from row to row of a box with so many columns; swapped: from column to column.
  [[nodiscard]] int store_pitch(int columns) const {
    return tile.swapped ? kRowBytes : columns * output_bytes();
  }
  /// Swapped: a block of 64 rows has boxes side by side, whose rows, kRowBytes long, are its
  /// columns.
  [[nodiscard]] int boxes_of_block() const {
    return tile.swapped ? isa::kGroupRows * output_bytes() / kRowBytes : 1;
  }
  [[nodiscard]] int store_bytes() const { return tile.half_boxes ? kStoreBytes / 2 : kStoreBytes; }
  /// Boxes of a part, and of a consumer's share of a tile.
  [[nodiscard]] int boxes_of_part() const { return ceil_div(width(), store_columns()); }
  [[nodiscard]] int boxes() const { return blocks() * parts() * boxes_of_part(); }

  // Shared memory: mbarriers, stages, boxes of D.
  [[nodiscard]] int full(int stage) const { return isa::kBarrierBytes * stage; }
  [[nodiscard]] int empty(int stage) const { return isa::kBarrierBytes * (tile.stages + stage); }
  [[nodiscard]] int meeting(int consumer) const {
    return isa::kBarrierBytes * (2 * tile.stages + consumer);
  }
  [[nodiscard]] int turn(int consumer) const {
    return isa::kBarrierBytes * (2 * tile.stages + consumers() + consumer);
  }
  /// With stream-K: the mbarrier at which a consumer's warps meet after the wait for other CTAs'
  /// sums, or after they have stored their own. Each is used once in a CTA's life.
  [[nodiscard]] int hand_over(int consumer, bool is_behind_wait) const {
    return isa::kBarrierBytes *
           (2 * (tile.stages + consumers()) + 2 * consumer + (is_behind_wait ? 0 : 1));
  }
  [[nodiscard]] int first_stage() const { return kPatternBytes; }
  [[nodiscard]] int first_scale() const { return first_stage() + tile.stages * stage_bytes(); }
  /// Factors of the blocks of columns of a tile.
  [[nodiscard]] int first_column_scale() const {
    return first_scale() + tile.stages * scale_bytes();
  }
  [[nodiscard]] int column_scales() const {
    if (!problem.block_scales) return 0;
    return static_cast<int>(k_tiles) * (straddles_blocks() ? 2 : 1);
  }
  [[nodiscard]] int first_store() const {
    const int end = first_column_scale() + kFactorBytes * column_scales();
    return align_up(end, kPatternBytes);
  }
  [[nodiscard]] int shared_bytes() const {
    return first_store() + (stores_whole_tiles() ? store_row_bytes() * tile.m
                                                 : consumers() * kStoreBuffers * store_bytes());
  }
};

/// What a kernel of `tile` computes of `problem`: with slices of k, only sums.
GemmProblem part_of_warpgroups(GemmProblem problem, const GemmTile& tile);

/// A plan with only problem and tile filled in.
WarpgroupPlan oriented(const GemmProblem& problem, const GemmTile& tile);

/// Requires why_not_warp_specialised to be empty, except for reasons that depend on the plan.
WarpgroupPlan warpgroup_plan(const GemmProblem& problem, const GemmTile& tile,
                             const Target& target);

/// Clusters of so many CTAs that the GPCs hold at once, with one CTA per SM.
std::int64_t clusters_at_once(const Target& target, int size);

/// (coefficient * sum / divisor) modulo modulus of the constant and the terms.
isa::Quotient divided(std::int64_t coefficient, std::int64_t constant, std::vector<isa::Term> terms,
                      std::int64_t divisor, std::int64_t modulus);

/// Uniforms of a program over row groups, for every tile: number of the first tile in its strip of
/// columns, column and row of cluster tiles, group, and, for masked rows, how many groups the
/// scheduler looks at before it reaches the tile.
enum GroupUniform : int { kFirstOfStrip, kColumn, kRow, kGroup, kLooks };

/// Which tile of D a warp works on, and which k-tile of all k-tiles of its CTA. A cluster's tiles
/// have numbers cluster, cluster + grid, ...; each is one tile for every CTA, in order of their
/// ranks along m or n. With ping-pong, a consumer has every other tile. For row groups the program
/// computes the place of a tile as uniforms (group_schedule.hpp), for stream-K its number and
/// k-tiles (stream_k.hpp).
class Walk {
 public:
  static Walk of_producer(const WarpgroupPlan& shape) { return {shape, 1}; }
  static Walk of_consumer(const WarpgroupPlan& shape) {
    return {shape, shape.is_ping_pong() ? shape.consumers() : 1};
  }

  /// weight * (row of tiles), (column of tiles).
  [[nodiscard]] isa::Expression row(std::int64_t constant, std::int64_t weight) const {
    const std::int64_t wide = weight * shape_.tile.cluster_m;
    isa::Expression sum{constant};
    if (shape_.problem.is_grouped())
      sum.terms.push_back(of_groups(kRow, wide));
    else
      sum.quotients.push_back(in_order(wide, shape_.strip, shape_.tiles_m));
    if (shape_.shares_b()) sum.terms.push_back(shape_.place_m(weight));
    return sum;
  }
  [[nodiscard]] isa::Expression column(std::int64_t constant, std::int64_t weight) const {
    const std::int64_t strips = shape_.tiles_n / shape_.strip;
    const std::int64_t wide = weight * shape_.tile.cluster_n;
    isa::Expression sum{constant};
    if (shape_.problem.is_grouped())
      sum.terms.push_back(of_groups(kColumn, wide));
    else
      sum.quotients = {in_order(wide, 1, shape_.strip),
                       in_order(wide * shape_.strip, shape_.strip * shape_.tiles_m, strips)};
    if (shape_.shares_a()) sum.terms.push_back(shape_.place_n(weight));
    return sum;
  }
  /// weight * (number of the matrix in the batch, or slice) for A, D and data with the same layout.
  [[nodiscard]] isa::Expression matrix(std::int64_t weight) const {
    if (shape_.problem.is_grouped())
      return shape_.problem.groups.is_masked() ? matrix_b(weight) : isa::Expression{};
    return {0, {}, {in_order(weight, shape_.tiles_m * shape_.tiles_n, 0)}};
  }
  /// The same for B and for data per column of B.
  [[nodiscard]] isa::Expression matrix_b(std::int64_t weight) const {
    return shape_.problem.is_grouped() ? isa::Expression{0, {of_groups(kGroup, weight)}}
                                       : matrix(weight);
  }
  /// Adds weight * (number of the tile's first k-tile for the CTA), without slices.
  void add_first_k_tile(isa::Expression& sum, std::int64_t weight) const {
    if (shape_.stream_k) sum.terms.push_back({StreamK::kKBegin, weight});
  }
  /// k-tiles of the tile that the CTA works on, less `without`.
  [[nodiscard]] isa::Expression k_tiles(std::int64_t without = 0) const {
    isa::Expression count = shape_.stream_k ? StreamK::k_tiles() : isa::Expression{shape_.k_tiles};
    count.constant -= without;
    return count;
  }
  /// base + weight * (stage) of the last of these k-tiles, outside the loop over them.
  [[nodiscard]] isa::Expression last_stage(std::int64_t base, std::int64_t weight) const {
    if (!shape_.stream_k) return stage(base, weight, static_cast<int>(shape_.k_tiles) - 1);
    return {
        base,
        {},
        {divided(weight, -1, {{StreamK::kKBefore, 1}, {StreamK::kKEnd, 1}, {StreamK::kKBegin, -1}},
                 1, shape_.tile.stages)}};
  }
  /// base + weight * (stage) of k-tile `ahead` + kStepLoop of its tile.
  [[nodiscard]] isa::Expression stage(std::int64_t base, std::int64_t weight, int ahead) const {
    return {base, {}, {k_tile(weight, ahead, 1, shape_.tile.stages)}};
  }
  /// The parity of the phase in which that stage is filled; or the other one.
  [[nodiscard]] isa::Expression parity(int ahead, bool opposite) const {
    return {opposite ? 1 : 0, {}, {k_tile(opposite ? -1 : 1, ahead, shape_.tile.stages, 2)}};
  }
  /// The number of a cluster's tile, as terms. Requires one walker.
  [[nodiscard]] std::vector<isa::Term> tile_number() const {
    return {cluster_term(1), {kTileLoop, shape_.grid}};
  }
  /// The uniform that first_block and columns_left_of_block need from the program: the tile's
  /// column of tiles.
  [[nodiscard]] std::vector<isa::Expression> uniforms() const { return {column(0, 1)}; }
  /// weight * (block of factors that holds the first column of the tile).
  [[nodiscard]] isa::Expression first_block(std::int64_t weight) const {
    return {0, {}, {divided(weight, 0, first_column(), kScaledBlock, 0)}};
  }
  /// Columns in that block from the first column of the tile on.
  [[nodiscard]] isa::Expression columns_left_of_block() const {
    return {kScaledBlock, {}, {divided(-1, 0, first_column(), 1, kScaledBlock)}};
  }
  /// Number of tiles of the walker.
  [[nodiscard]] isa::Expression trips() const {
    if (shape_.stream_k) return shape_.stream_k->trips();
    const std::int64_t step = shape_.grid * walkers_;
    std::vector<isa::Term> terms{cluster_term(-1)};
    if (walkers_ > 1) terms.push_back({isa::Variable::kWarp, -shape_.grid, isa::kGroupWarps});
    const std::int64_t others = walkers_ > 1 ? shape_.grid : 0;
    return {0, {}, {divided(1, shape_.tiles - 1 + step + others, terms, step, 0)}};
  }
  /// Positions in the ring that all tiles of the CTA take.
  [[nodiscard]] isa::Expression all_places() const;
  /// The stage at position number `ahead` after all positions of the CTA; and the other parity of
  /// the phase that would fill it.
  [[nodiscard]] isa::Expression stage_behind(std::int64_t base, std::int64_t weight, int ahead,
                                             isa::Variable all) const {
    return {base, {}, {divided(weight, ahead, {{all, 1}}, 1, shape_.tile.stages)}};
  }
  [[nodiscard]] isa::Expression parity_behind(int ahead, isa::Variable all) const {
    return {1, {}, {divided(-1, ahead, {{all, 1}}, shape_.tile.stages, 2)}};
  }

 private:
  Walk(const WarpgroupPlan& shape, int walkers) : shape_(shape), walkers_(walkers) {}

  [[nodiscard]] std::vector<isa::Term> first_column() const {
    if (!shape_.problem.is_grouped()) return {{isa::Variable::kUniform0, shape_.tile.n}};
    std::vector<isa::Term> terms{
        of_groups(kColumn, std::int64_t{shape_.tile.n} * shape_.tile.cluster_n)};
    if (shape_.shares_a()) terms.push_back(shape_.place_n(shape_.tile.n));
    return terms;
  }
  [[nodiscard]] static isa::Term of_groups(GroupUniform which, std::int64_t weight) {
    return {isa::uniform_variable(which), weight};
  }
  [[nodiscard]] isa::Term cluster_term(std::int64_t weight) const {
    return {isa::Variable::kCtaX, weight, static_cast<std::uint32_t>(shape_.cluster())};
  }
  /// Quotient of the tile's number: cluster + grid * (walkers * iteration + walker). The producer's
  /// warpgroup precedes the first walker.
  [[nodiscard]] isa::Quotient in_order(std::int64_t weight, std::int64_t divisor,
                                       std::int64_t modulus) const {
    if (shape_.stream_k) return divided(weight, 0, {{StreamK::kTile, 1}}, divisor, modulus);
    std::vector<isa::Term> tile{cluster_term(1), {kTileLoop, shape_.grid * walkers_}};
    if (walkers_ > 1) tile.push_back({isa::Variable::kWarp, shape_.grid, isa::kGroupWarps});
    return divided(weight, walkers_ > 1 ? -shape_.grid : 0, tile, divisor, modulus);
  }
  /// Quotient of the k-tile's position among all k-tiles of the CTA.
  [[nodiscard]] isa::Quotient k_tile(std::int64_t weight, int ahead, std::int64_t divisor,
                                     std::int64_t modulus) const {
    if (shape_.stream_k)
      return divided(weight, ahead, {{StreamK::kKBefore, 1}, {kStepLoop, 1}}, divisor, modulus);
    const std::int64_t places = shape_.ring_places();
    std::vector<isa::Term> terms{{kTileLoop, places * walkers_}, {kStepLoop, 1}};
    if (walkers_ > 1) terms.push_back({isa::Variable::kWarp, places, isa::kGroupWarps});
    return divided(weight, ahead - (walkers_ > 1 ? places : 0), terms, divisor, modulus);
  }

  const WarpgroupPlan& shape_;
  const int walkers_;
};

}  // namespace tcsim::kernels::warpgroups
