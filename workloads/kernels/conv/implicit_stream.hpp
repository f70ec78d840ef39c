#pragma once

#include "workloads/kernels/conv/implicit_gemm.hpp"

namespace tcsim::kernels {

/// Why the tile cannot be generated, in one sentence; empty if it can.
std::string why_not_implicit(const ImplicitGemm& gemm, const GemmTile& tile, const Recipe& recipe,
                             const Target& target);

/// The library's tiles for the product; empty if the machine cannot run it.
std::vector<GemmTile> implicit_tiles(const ImplicitGemm& gemm, const Target& target);

/// The tile and number of slices with the smallest estimated time. Requires tiles.
GemmTile choose_implicit_tile(const ImplicitGemm& gemm, const Target& target);

/// Estimated SM cycles. Requires a tile that can be generated.
double estimate_implicit(const ImplicitGemm& gemm, const GemmTile& tile, const Target& target);

/// The kernel of the product and, with split-K, the reduction behind it.
std::vector<isa::KernelLaunch> implicit_stream(const ConvProblem& problem, const ImplicitGemm& gemm,
                                               const GemmTile& tile, const Target& target);

}  // namespace tcsim::kernels
