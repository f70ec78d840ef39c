#pragma once

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/tile_menu.hpp"

namespace tcsim::kernels {

/// Convolutions by products of transformed tensors, one per point of a tile, which are not split
/// along k: what Winograd and FFT have in common.

TileMenu product_menu(const GemmProblem& product, const Target& target);
GemmTile choose_product_tile(const GemmProblem& product, const Target& target);

/// Estimated cycles: the product, four launches, and every tensor through DRAM.
double estimate_transformed(const ConvProblem& problem, const GemmProblem& product,
                            const GemmTile& tile, const Target& target);

/// Kernels around the product; without buffers.
struct Transforms {
  isa::KernelLaunch filter;
  isa::KernelLaunch input;
  isa::KernelLaunch output;
};
/// The four launches with their buffers: x, w and y, and the transformed "v" (of x), "u" (of w) and
/// "m" (of y).
std::vector<isa::KernelLaunch> transformed_stream(const ConvProblem& problem,
                                                  const GemmProblem& product, const GemmTile& tile,
                                                  const Target& target, Transforms transforms);

}  // namespace tcsim::kernels
