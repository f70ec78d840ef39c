#pragma once

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/tap_walk.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// A convolution as a product of matrices whose operands are gathered (kernels.md 5.1).
/// Forward: D[pixel][k] = x[pixel][tap, c] * w[tap, c][k].
/// Data gradient: D[pixel][c] = dy[pixel][tap, k] * w[tap, k][c].
/// Weight gradient: D[k][tap, c] = dy[k][pixel] * x[pixel][tap, c].
/// A batch is a group. A data gradient with a stride has one batch per residue of the pixel's row
/// and column, because each residue meets other taps, and maybe none. A forward pass may write y in
/// NCHW: then D[k][pixel] = w[k][tap, c] * x[tap, c][pixel], whose rows are the planes of y. All
/// passes may read and write tensors in NCHW and KCRS. Then k counts the taps of one channel after
/// another. A data gradient is D[c][pixel] = w[k, tap][c] * dy[k, tap][pixel] over all pixels; with
/// a stride, most of these receive nothing (has_gradient_images). A weight gradient is D[k][c, tap]
/// = dy[k][pixel] * x[c, tap][pixel].
class ImplicitGemm {
 public:
  /// Layouts of x, w and y. kNhwcToNchw only for forward passes; all except kNhwc without `post`.
  enum class Order : std::uint8_t { kNhwc, kNhwcToNchw, kNchw };

  /// `packs_taps`: k-tiles of a forward pass may hold several taps if these have few channels.
  ImplicitGemm(const ConvProblem& problem, bool is_analytic, Order order, bool packs_taps)
      : conv_(problem), is_analytic_(is_analytic), order_(order), packs_taps_(packs_taps) {}

  /// The product that tiles with `tile_k` compute. k counts whole k-tiles of the walk over taps.
  [[nodiscard]] GemmProblem product(int tile_k) const;
  /// Nothing and a reason if the machine lacks the instructions.
  [[nodiscard]] std::optional<Recipe> recipe(const Target& target, std::string& reason) const;
  /// The plan of a kernel. Requires a tile that why_not allows.
  [[nodiscard]] KernelPlan plan(const GemmTile& tile, const Recipe& recipe) const;
  /// True if slices of k may go to several CTAs: D is a matrix of one batch.
  [[nodiscard]] bool may_split() const;
  /// True if scale, bias, residual or relu are part of the kernel.
  [[nodiscard]] bool has_post() const { return conv_.post.is_fused && conv_.post.changes_values(); }

 private:
  [[nodiscard]] TapWalk walk(int tile_k) const;
  [[nodiscard]] bool is_forward() const { return conv_.pass == ConvPass::kForward; }
  /// True for a data gradient with a stride whose batches are classes of pixels.
  [[nodiscard]] bool has_classes() const;
  [[nodiscard]] std::int64_t residues() const { return conv_.stride_h * conv_.stride_w; }
  void gather_forward(KernelPlan& plan) const;
  /// Rows of D are planes of `pixels` in images of `channels`.
  void write_planes(KernelPlan& plan, std::int64_t pixels, std::int64_t channels) const;
  void gather_data_gradient(KernelPlan& plan) const;
  void gather_weight_gradient(KernelPlan& plan) const;
  void gather_planes(KernelPlan& plan) const;

  ConvProblem conv_;
  bool is_analytic_;
  Order order_;
  bool packs_taps_;
};

}  // namespace tcsim::kernels
