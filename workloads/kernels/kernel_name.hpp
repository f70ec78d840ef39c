#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// What the kernel behind a name computes.
enum class NamedUse : std::uint8_t { kProduct, kConvolution, kAttention };

/// What the name of a kernel of cuBLAS, cuDNN, TensorRT, CUTLASS or FlashAttention says. 0 or "":
/// the name does not say it.
struct KernelName {
  std::string family;  ///< how the name begins: "ampere", "cutlass_80", "sm80_xmma", "nvjet"
  int sm_version = 0;  ///< of the instructions: 70, 75, 80, 90, 100
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
  WarpRoles roles = WarpRoles::kUniform;  ///< of products by wgmma and of GEMVs
  int sliced_k = 1;                       ///< groups of warps that divide each k-tile
  int split_k = 0;                        ///< slices of k
  bool splits_k = false;                  ///< split-K, however many slices
  bool stream_k = false;
  int cluster_first = 0;  ///< CTAs of a cluster
  int cluster_second = 0;
  bool swapped = false;    ///< rows of the warpgroups' products lie along n (GemmTile::swapped)
  bool row_major = false;  ///< the library sees row-major results, so that rows of D come first
  bool sparse = false;     ///< 2:4 sparse first operand
  std::string layout;      ///< "tn": the two operands as the library sees them, column-major
  /// What is multiplied: "fp16", "bf16", "tf32", "fp32", "fp64", "e4m3", "int8"; "e4m3,e5m2": both.
  std::string operands;
  std::string accumulate;
  std::string c;  ///< of C, which is added; "none": nothing is
  std::string results;
  std::string instruction;  ///< "16816", "884", "cuda_cores", "wgmma", "wgmma_64x128x16", "tcgen05"
  bool fast_accumulation = false;  ///< FP8 sums stay in the tensor cores
  int align = 0;                   ///< elements of one load

  /// Names of cuBLAS count from the column-major product, D^T = B^T A^T, whose first side is our n.
  /// xmma names and those of convolutions count rows of D (pixels) first: the grids of 341
  /// sm80_xmma products of H100 show it, those of 12 910 other cuBLAS products the contrary
  /// (NEUSIGHT).
  [[nodiscard]] bool counts_rows_first() const;
  [[nodiscard]] int m() const { return counts_rows_first() ? first : second; }
  [[nodiscard]] int n() const { return counts_rows_first() ? second : first; }
  /// Layouts of the row-major operands; nothing where the name has none.
  [[nodiscard]] std::optional<Layout> layout_a() const;
  [[nodiscard]] std::optional<Layout> layout_b() const;
  /// What `--tile` is to find: 0 for parts that the name leaves open. Stages of kernels that stage
  /// through registers are left open, as are the groups of warps of Hopper. Not for attention.
  [[nodiscard]] GemmTile tile() const;
  /// Why no kernel can be built that is like the one named, in one sentence; empty if it may.
  [[nodiscard]] std::string why_no_tile() const;
  /// What tile() cannot take from the name although it matters, in one sentence; empty if nothing.
  [[nodiscard]] std::string tile_note() const;
  /// The same as `--tile` writes it, as far as it can: "128x64x32_s4".
  [[nodiscard]] std::string tile_text() const;

 private:
  [[nodiscard]] std::optional<Layout> layout_at(std::size_t operand) const;
};

/// How names begin, KernelName::family.
std::vector<std::string_view> kernel_families();

/// Reads a kernel's name, with "void", namespaces and template arguments or without. Nothing for a
/// name that is none of the libraries' or names no tile; `reason` then says so in one sentence.
std::optional<KernelName> parse_kernel_name(std::string_view text, std::string& reason);

}  // namespace tcsim::kernels
