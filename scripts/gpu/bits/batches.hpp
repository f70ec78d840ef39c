#pragma once

#include <algorithm>
#include <vector>

#include "scripts/gpu/bits/vector.hpp"
#include "scripts/gpu/common/program.hpp"

namespace tcsim::measure {

/// The most vectors that go to the GPU at once.
inline constexpr long kBatch = 65536;

/// Calls `take` with the directed vectors, if there are any, and with `random` ones in batches of
/// at most kBatch, until an interrupt. No batch is empty: a grid of no blocks cannot be launched.
template <class Random, class Take>
void for_each_batch(const std::vector<Vector>& directed, Random& random, long count, Take take) {
  if (!directed.empty()) take(directed);
  for (long left = count; left > 0; left -= kBatch) {
    stop_if_interrupted();
    std::vector<Vector> batch;
    for (long i = std::min(left, kBatch); i > 0; --i) batch.push_back(random.next());
    take(batch);
  }
}

}  // namespace tcsim::measure
