#pragma once

#include <algorithm>

#include "scripts/gpu/common/cuda_check.cuh"

namespace tcsim::measure {

/// Dynamic shared memory with which exactly `ctas_per_sm` CTAs fit on an SM, if a CTA may
/// have that much; allows `kernel` to use it.
template <class Kernel>
int shared_bytes_for(Kernel kernel, int ctas_per_sm) {
  const int per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int per_cta = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int reserved = 1024;
  const int bytes = std::min(per_cta, per_sm / ctas_per_sm - reserved) / 1024 * 1024;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
  return bytes;
}

/// Milliseconds that `work` takes on the GPU, including back-to-back launches; `meanwhile` runs
/// on the host while the GPU works.
template <class Work, class Meanwhile>
double milliseconds(Work work, Meanwhile meanwhile) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  check(cudaEventRecord(start), "cudaEventRecord");
  work();
  check(cudaEventRecord(stop), "cudaEventRecord");
  meanwhile();
  check(cudaEventSynchronize(stop), "cudaEventSynchronize");
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, start, stop), "cudaEventElapsedTime");
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return elapsed;
}

template <class Work>
double milliseconds(Work work) {
  return milliseconds(work, [] {});
}

}  // namespace tcsim::measure
