#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "workloads/kernels/features.hpp"
#include "workloads/kernels/row_groups.hpp"
#include "workloads/kernels/tap_images.hpp"

namespace tcsim::kernels {

enum class Element : std::uint8_t {
  kFp16,
  kBf16,
  kTf32,
  kFp32,
  kFp64,
  kInt8,
  kInt32,
  kE4m3,
  kE5m2,
};
inline constexpr int kElementCount = static_cast<int>(Element::kE5m2) + 1;
/// In the order of Element.
inline constexpr std::array<std::string_view, kElementCount> kElementNames{
    "fp16", "bf16", "tf32", "fp32", "fp64", "int8", "int32", "e4m3", "e5m2"};
/// The lower-case name of an element type, "fp16".
constexpr std::string_view element_name(Element element) {
  return kElementNames[static_cast<std::size_t>(element)];
}
/// True for formats of which a register holds two.
constexpr bool is_16_bit(Element element) {
  return element == Element::kFp16 || element == Element::kBf16;
}
/// True for the two 8-bit formats with an exponent.
constexpr bool is_fp8(Element element) {
  return element == Element::kE4m3 || element == Element::kE5m2;
}
int element_bytes(Element element);
/// The most elements that a tensor may have, as libraries index with 32 bits.
inline constexpr std::int64_t kLargestTensor = std::int64_t{1} << 31;

/// How an operand is stored, seen row-major. A: kNormal is m x k, kTransposed k x m. B: kNormal is
/// k x n, kTransposed n x k. C and D are always m x n.
enum class Layout : std::uint8_t { kNormal, kTransposed };

enum class Unit : std::uint8_t { kTensor, kCudaCore };

enum class Activation : std::uint8_t {
  kNone,
  kRelu,  ///< max(0, x)
  kGelu,  ///< the tanh form: x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3)))
  kSilu,  ///< x / (1 + exp(-x))
};

/// What a product's kernel does with the sums, in FP32: activation(sum * scale + bias + C). Scale
/// and bias are FP32 vectors over the columns of D, one per matrix of a batch. C has D's layout and
/// format (alpha = 1 and beta = 1 in the libraries).
struct GemmEpilogue {
  bool scale = false;
  bool bias = false;
  bool residual = false;  ///< C
  Activation activation = Activation::kNone;

  [[nodiscard]] bool changes_values() const {
    return scale || bias || residual || activation != Activation::kNone;
  }
  /// "_scale_bias_residual_gelu"; empty if there is nothing to do.
  [[nodiscard]] std::string text() const;
  bool operator==(const GemmEpilogue&) const = default;
};

/// Integers stored in place of B's elements, which the kernel converts to `input` in registers
/// (weight-only quantisation): element = integer * scale, rounded to `input`. Scales have the
/// format of `input` too. Where both are stored: weight_order.hpp.
struct PackedWeights {
  int bits = 0;            ///< bits of an integer, 4 or 8; 0: B is not packed
  std::int64_t group = 0;  ///< elements along k per scale, a power of two, at least 32; 0: all

  [[nodiscard]] bool are_packed() const { return bits > 0; }
  bool operator==(const PackedWeights&) const = default;
};

/// Number of elements along k, and of columns, that share a factor of GemmProblem::block_scales.
inline constexpr std::int64_t kScaledBlock = 128;

/// D[m][n] = A[m][k] * B[k][n], D in `output` format. With `sparse`, two of every four elements
/// along k of A (one of two for TF32) are zeros that are not stored: buffer "A" holds k / 2
/// elements along k, in ascending order, and buffer "E" states which elements they are
/// (sparse_metadata.hpp).
struct GemmProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  Element input = Element::kFp16;
  Element accumulate = Element::kFp32;
  Element output = Element::kFp16;
  Layout layout_a = Layout::kNormal;
  Layout layout_b = Layout::kTransposed;
  Unit unit = Unit::kTensor;
  GemmEpilogue epilogue{};
  bool sparse = false;  ///< 2:4
  /// FP8, as in DeepGEMM: the sums of every 128 elements of k are multiplied by FP32 factors, one
  /// for their row of A (buffer "scale_a" [k / 128][factor_rows()]) and one for 128 columns of B
  /// ("scale_b" [n / 128][k / 128]), and then added up in FP32.
  bool block_scales = false;
  /// With groups, each group has its own B [n][k], scale_b, scale and bias. Contiguous: one A and
  /// one D of m rows hold the rows of all groups, and buffer "m_indices" [m] holds the group of
  /// each row; batch is 1. Masked: each group has an A and a D of m rows, batch is the number of
  /// groups, and buffer "masked_m" [batch] holds the number of rows that count; the other rows of D
  /// may be written or not.
  RowGroups groups{};

  [[nodiscard]] bool is_grouped() const { return groups.count() > 0; }
  /// Number of matrices B.
  [[nodiscard]] std::int64_t matrices_b() const { return is_grouped() ? groups.count() : batch; }
  /// Rows of A that are multiplied, over all matrices.
  [[nodiscard]] std::int64_t multiplied_rows() const {
    return is_grouped() ? groups.total() : batch * m;
  }
  PackedWeights weights{};  ///< FP16 and BF16; `layout_b` is then ignored
  /// A and B are those of a convolution and are read box by box (warp_specialised.hpp). k counts
  /// the channels of each tap as whole k-tiles.
  std::optional<TapImages> images{};

  /// Factors of A per 128 of k in memory: m padded to whole 16 bytes, as TMA needs its strides.
  [[nodiscard]] std::int64_t factor_rows() const { return ceil_div<std::int64_t>(m, 4) * 4; }

  /// Elements along k of A in memory, and in a k-tile of `tile_k`.
  [[nodiscard]] std::int64_t stored_k() const { return sparse ? k / 2 : k; }
  [[nodiscard]] int stored_k(int tile_k) const { return sparse ? tile_k / 2 : tile_k; }
};

/// The roles of the warps in a CTA.
enum class WarpRoles : std::uint8_t {
  kUniform,      ///< all warps do the same
  kCooperative,  ///< one warpgroup copies, two multiply halves of a tile (warp_specialised.hpp)
  kPingPong,     ///< one warpgroup copies, two multiply tiles in turn
  kGemv,         ///< each warp makes its own outputs, dot products on CUDA cores (gemv.hpp)
};
constexpr bool are_warpgroups(WarpRoles roles) {
  return roles == WarpRoles::kCooperative || roles == WarpRoles::kPingPong;
}

/// "_coop", "_pingpong", "_gemv"; empty for kUniform.
std::string_view role_word(WarpRoles roles);

/// A CTA tile of the library menus (kernels.md 1.2).
struct GemmTile {
  int m = 0;  ///< CTA tile
  int n = 0;
  int k = 0;
  int stages = 2;   ///< shared-memory buffers
  int warps_m = 1;  ///< warps along m and n; warp tile = m / warps_m x n / warps_n
  int warps_n = 1;
  /// False removes the XOR swizzle of shared memory (teaching: bank conflicts).
  bool swizzle = true;
  /// Groups of warps that divide each k-tile; their sums are added in shared memory.
  int sliced_k = 1;
  int split_k = 1;        ///< slices of k, one CTA each; a second kernel adds their sums
  bool serial_k = false;  ///< serial split-K, no second kernel: slices add to D in order
  /// CTAs or clusters take equal shares of k-tiles (stream_k.hpp). With split_k slices, they share
  /// the slices of each tile.
  bool stream_k = false;
  WarpRoles roles = WarpRoles::kUniform;
  int cluster_m = 1;  ///< CTAs of a cluster along m and n, only with roles
  int cluster_n = 1;
  /// Only with roles: the kernel multiplies D^T = B^T A^T, "weights as the first operand", so that
  /// the 64 rows of a warpgroup's product lie along n (swapped_product.hpp).
  bool swapped = false;
  /// Only with roles: D is stored in boxes of half the size, 4 KB.
  bool half_boxes = false;
  /// Only with roles: the kernel waits for the products of a k-tile before it waits for the next
  /// k-tile, so that no group of products stays open.
  bool waits_each_k_tile = false;

  /// True if slices leave partial sums for a second kernel.
  [[nodiscard]] bool has_workspace() const { return split_k > 1 && !serial_k && !stream_k; }
  /// "128x128x32_s5_w2x2", the form that --tile takes and reports print; "_sliced2", "_splitk4",
  /// "_serial", "_streamk", "_coop", "_pingpong", "_gemv", "_c2x1", "_swapped", "_halfboxes",
  /// "_waited" and "_noswizzle" follow where they apply. Parts that are 0 are left out.
  [[nodiscard]] std::string text() const;
};

struct Library;  // library.hpp
/// In the order in which they are asked for a kernel.
using Libraries = std::vector<std::shared_ptr<const Library>>;

/// What the generators and the chooser need to know of a machine; filled in by sim/config.
struct Target {
  std::string architecture;  ///< for messages: "volta"
  Features features{};
  int sms = 0;
  std::vector<int> sms_per_gpc{};
  int largest_cluster = 0;  ///< most CTAs of a cluster; 0: none
  int sub_cores = 4;
  int fp32_lanes = 64;               ///< per SM
  double macs_per_cycle_per_sm = 0;  ///< for the unit and type asked for
  int registers_per_sm = 65536;
  int register_allocation_unit = 256;  ///< registers, per warp
  int shared_bytes_per_sm = 0;
  int shared_bytes_per_cta = 0;
  int shared_bytes_per_cycle = 128;  ///< per SM
  int shared_allocation_unit = 1;    ///< bytes, per CTA
  int shared_reserved_per_cta = 0;
  int max_warps_per_sm = 64;
  int max_ctas_per_sm = 32;
  int max_registers_per_thread = 255;
  int max_threads_per_cta = 1024;
  double l2_bytes_per_cycle = 0;         ///< whole chip, SM cycles
  double dram_bytes_per_cycle = 0;       ///< whole chip, SM cycles
  double sm_write_bytes_per_cycle = 32;  ///< from one SM to the L2, SM cycles
  std::int64_t l2_bytes = 0;
  double launch_cycles = 0;  ///< from the end of a kernel to the first CTA of the next
  Libraries libraries{};     ///< the libraries whose kernels run on it
};

/// The tiles that the libraries of `target` have for `problem`; empty if the machine cannot run it.
std::vector<GemmTile> gemm_tiles(const GemmProblem& problem, const Target& target);

/// Why gemm_tiles is empty for `problem` on `target`, in one sentence; empty if it is not.
std::string why_no_kernel(const GemmProblem& problem, const Target& target);

/// The tile and the number of slices with the smallest estimated time (cost model of kernels.md
/// 4.2). Requires a non-empty menu.
GemmTile choose_tile(const GemmProblem& problem, const Target& target);

/// The same among the tiles whose slices do not take turns at D (GemmTile::serial_k): for a product
/// inside a longer stream, which has no buffer for their flags.
GemmTile choose_tile_without_turns(const GemmProblem& problem, const Target& target);

/// The tiles that the chooser ranks first, choose_tile's first: one per CTA tile with and without
/// slices, at most `count`; empty if the menu is empty.
std::vector<GemmTile> leading_tiles(const GemmProblem& problem, const Target& target,
                                    std::size_t count);

/// The tile that `text` describes: GemmTile::text, "128x128x32" or "128x128"; missing parts come
/// from the menu. Nothing if the text is malformed or the tile cannot be generated; `reason` then
/// states why in one sentence.
std::optional<GemmTile> parse_tile(const std::string& text, const GemmProblem& problem,
                                   const Target& target, std::string& reason);

/// Why `text` names no tile on any machine, in one sentence; empty if it may name one.
std::string tile_text_mistake(const std::string& text);

/// The kernel that multiplies (control bits not yet set). It stores all of D, or with
/// tile.has_workspace() the partial sums in buffer "workspace" [batch][slice][m][n], in the
/// accumulator's format. With tile.serial_k or tile.stream_k, buffer "semaphores" holds one flag
/// for each tile of D that CTAs share (one for each warpgroup that multiplies a part of it), 0
/// before and after. With tile.stream_k, CTAs hand over sums in "workspace". Requires a tile that
/// parse_tile, choose_tile or gemm_tiles returned.
isa::KernelLaunch make_gemm(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// The k-tiles at which stream-K passes tile (row, column) of D from one CTA to the next,
/// ascending. Requires tile.stream_k.
std::vector<std::int64_t> stream_k_cuts(const GemmProblem& problem, const GemmTile& tile,
                                        const Target& target, std::int64_t row,
                                        std::int64_t column);

/// CTAs of make_gemm that lie beyond the edge of D and end at once.
std::int64_t idle_ctas(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// All kernels of the product, in stream order: make_gemm and, with a workspace, the kernel that
/// adds the partial sums in ascending order of slices and stores D. Buffers with the same address
/// are the same memory. The last kernel reads "scale", "bias" and "C" if the epilogue has them.
std::vector<isa::KernelLaunch> make_gemm_stream(const GemmProblem& problem, const GemmTile& tile,
                                                const Target& target);

}  // namespace tcsim::kernels
