#pragma once

#include <array>
#include <cstdint>

#include "models/isa/expression.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Which tile of D a CTA computes. CTAs walk along N inside strips of 2^log tiles, so that those
/// resident at once share rows of A and columns of B in L2 (kernels.md 3, CUTLASS 2.x): row = x >>
/// log, column = (y << log) + (x mod 2^log), batch = z.
class Raster {
 public:
  Raster(const GemmProblem& problem, const GemmTile& tile);

  [[nodiscard]] std::array<std::int64_t, 3> grid() const;
  [[nodiscard]] std::int64_t tiles_m() const { return tiles_m_; }
  [[nodiscard]] std::int64_t tiles_n() const { return tiles_n_; }

  /// Adds weight * (row of tiles) or weight * (column of tiles).
  void add_row(isa::Expression& sum, std::int64_t weight) const;
  void add_column(isa::Expression& sum, std::int64_t weight) const;

  /// True if the last strip is wider than what is left of N: its CTAs beyond the edge must exit.
  [[nodiscard]] bool has_idle_ctas() const;
  /// Holds for the CTAs beyond the edge.
  [[nodiscard]] isa::Guard idle() const;

 private:
  std::int64_t tiles_m_;
  std::int64_t tiles_n_;
  std::int64_t batch_;
  int log_;
};

}  // namespace tcsim::kernels
