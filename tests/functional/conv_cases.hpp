#pragma once

#include <vector>

#include "tests/functional/conv_values.hpp"

namespace tcsim::functional::testing {

/// Tiles of kernels that copy into shared memory, and of kernels that go through registers.
inline constexpr kernels::GemmTile kCopying{
    .m = 64, .n = 64, .k = 32, .stages = 4, .warps_m = 2, .warps_n = 2};
inline constexpr kernels::GemmTile kStaged{
    .m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};

/// `problem` on A100, V100 and T4.
ConvValues ampere(const kernels::ConvProblem& problem, kernels::GemmTile tile = kCopying,
                  kernels::ConvAlgorithm algorithm = kernels::ConvAlgorithm::kImplicitGemm);
ConvValues volta(const kernels::ConvProblem& problem);
ConvValues turing(const kernels::ConvProblem& problem);

/// Sizes that end in the middle of tiles of pixels, filters and channels.
inline constexpr kernels::ConvProblem kThree{
    .n = 2, .h = 7, .w = 9, .c = 40, .k = 72, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
/// The same, smaller and not padded on all sides.
inline constexpr kernels::ConvProblem kOdd{
    .n = 2, .h = 7, .w = 9, .c = 24, .k = 40, .r = 3, .s = 3, .pad_h = 1, .pad_w = 0};

kernels::ConvProblem strided(kernels::ConvProblem problem, int stride);

/// The shapes that take different paths through the generators.
std::vector<kernels::ConvProblem> conv_shapes();

}  // namespace tcsim::functional::testing
