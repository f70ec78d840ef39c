#pragma once

#include "workloads/kernels/conv/pool.hpp"

namespace tcsim::kernels {

/// How a pooling kernel divides windows among threads: a thread has `vector` channels of a window,
/// all taps of it, or with `splits` > 1 every splits-th one; then `items` threads side by side have
/// neighbouring channels, and the threads of a CTA together all taps.
struct PoolShape {
  int vector = 1;  ///< channels, a power of two, at most 16 bytes of them
  int splits = 1;  ///< threads that share a window
  int items = 0;   ///< with splits: windows and channel vectors of a CTA, a power of two up to 32
};

/// The shape for `problem` on `target`. Large windows are split where there are too few of them to
/// give every thread that the machine holds one.
PoolShape pool_shape(const PoolProblem& problem, const Target& target);

/// The same pool with whole rows of the image in a window as one row: a window of the whole image
/// is a run of pixels. Others stay.
PoolProblem with_joined_rows(const PoolProblem& problem);

}  // namespace tcsim::kernels
