#pragma once

#include "workloads/kernels/conv/pool.hpp"

namespace tcsim::kernels {

/// How a pooling kernel divides windows among threads. A thread has `vector` channels of a window
/// and all its taps or, with `splits` > 1, every splits-th tap. In that case `items` adjacent
/// threads have neighbouring channels, and the threads of a CTA together have all taps.
struct PoolShape {
  int vector = 1;  ///< channels, a power of two, at most 16 bytes of them
  int splits = 1;  ///< threads that share a window
  int items = 0;   ///< with splits: windows and channel vectors of a CTA, a power of two up to 32
};

/// The shape for `problem` on `target`. Large windows are split if there are too few of them to
/// give one to every thread that the machine holds.
PoolShape pool_shape(const PoolProblem& problem, const Target& target);

/// The same pool with the rows of a window joined into one row if they are whole rows of the image:
/// a window of the whole image is then a run of pixels. Other pools are unchanged.
PoolProblem with_joined_rows(const PoolProblem& problem);

}  // namespace tcsim::kernels
