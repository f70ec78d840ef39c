#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// What the kernel with a given name computes.
enum class NamedUse : std::uint8_t { kProduct, kConvolution, kAttention };

/// What the name of a kernel of cuBLAS, cuDNN, TensorRT, CUTLASS or FlashAttention states. 0 or "":
/// the name does not state it.
struct KernelName {
  std::string family;  ///< how the name begins: "ampere", "cutlass_80", "sm80_xmma", "nvjet"
  int sm_version = 0;  ///< sm_ version of the instructions: 70, 75, 80, 90, 100
  NamedUse use = NamedUse::kProduct;
  std::string pass;  ///< of a convolution: "fwd", "dgrad", "wgrad"
  int first = 0;     ///< the two numbers of the CTA tile in the order of the name
  int second = 0;
  int k = 0;            ///< elements; attention: the head size
  int stages = 0;       ///< shared-memory buffers; 1 where k-tiles go through registers
  int warps_first = 0;  ///< warps, or groups of four on Hopper, along the two sides
  int warps_second = 0;
  bool is_warpgroups = false;
  std::string schedule;  ///< of products by wgmma: "cooperative", "pingpong", "warpspecialized"
  WarpRoles roles = WarpRoles::kUniform;  ///< for wgmma products and GEMVs
  int sliced_k = 1;                       ///< groups of warps that divide each k-tile
  int split_k = 0;                        ///< slices of k
  bool splits_k = false;                  ///< split-K, with any number of slices
  bool stream_k = false;
  int cluster_first = 0;  ///< CTAs of a cluster
  int cluster_second = 0;
  bool swapped = false;    ///< rows of the warpgroups' products lie along n (GemmTile::swapped)
  bool row_major = false;  ///< the library sees row-major results, so rows of D come first
  bool sparse = false;     ///< 2:4 sparse first operand
  std::string layout;      ///< "tn": the two operands as the library sees them, column-major
  /// The operand formats: "fp16", "bf16", "tf32", "fp32", "fp64", "e4m3", "int8"; "e4m3,e5m2":
  /// both.
  std::string operands;
  std::string accumulate;
  std::string c;  ///< of C, which is added; "none": nothing is
  std::string results;
  std::string instruction;  ///< "16816", "884", "cuda_cores", "wgmma", "wgmma_64x128x16", "tcgen05"
  bool fast_accumulation = false;  ///< FP8 sums stay in the tensor cores
  int align = 0;                   ///< elements of one load

  /// cuBLAS names count from the column-major product, D^T = B^T A^T, whose first side is our n.
  /// xmma names and names of convolutions count rows of D (pixels) first. The grids of 341
  /// sm80_xmma products of H100 show it; those of 12 910 other cuBLAS products show the opposite
  /// order (NEUSIGHT).
  [[nodiscard]] bool counts_rows_first() const;
  [[nodiscard]] int m() const { return counts_rows_first() ? first : second; }
  [[nodiscard]] int n() const { return counts_rows_first() ? second : first; }
  /// Layouts of the row-major operands; nothing if the name does not state them.
  [[nodiscard]] std::optional<Layout> layout_a() const;
  [[nodiscard]] std::optional<Layout> layout_b() const;
  /// The tile that `--tile` should find: 0 for parts that the name leaves open. Left open are the
  /// stages of kernels that stage through registers, and the groups of warps of Hopper. Not for
  /// attention.
  [[nodiscard]] GemmTile tile() const;
  /// Why no kernel like the named one can be built, in one sentence; empty if one may be.
  [[nodiscard]] std::string why_no_tile() const;
  /// What tile() cannot express of the name although it matters, in one sentence; empty if nothing.
  [[nodiscard]] std::string tile_note() const;
  /// The same tile in the form that `--tile` accepts, as complete as possible: "128x64x32_s4".
  [[nodiscard]] std::string tile_text() const;

 private:
  [[nodiscard]] std::optional<Layout> layout_at(std::size_t operand) const;
};

/// How names begin, KernelName::family.
std::vector<std::string_view> kernel_families();

/// Reads a kernel's name, with or without "void", namespaces and template arguments. Nothing if the
/// name is not one of these libraries' or names no tile; `reason` then states so in one sentence.
std::optional<KernelName> parse_kernel_name(std::string_view text, std::string& reason);

}  // namespace tcsim::kernels
